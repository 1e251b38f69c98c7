#include <algorithm>
#include <array>

#include "base/text/unicode.h"
#include "text/sentences/sentences.h"

namespace eatt {
namespace {

// Words are separated by spaces. An abbreviation also counts with a capital ("bzw", "Bzw"). Behind
// '=' it counts as written only, because its other form is a word or a name; and if it is in lower
// case, only where the language is known, because it is a word elsewhere ("on", Italian for
// "onorevole").
struct WordLists {
  std::string_view language;
  std::string_view inside;
  std::string_view before_number;
  std::string_view anywhere;
  std::string_view starters;
};

// For every language: titles and Latin abbreviations are used everywhere.
constexpr WordLists kEveryLanguage = {
    "",
    "mr mrs ms dr prof st mt vs cf viz e.g i.e ca approx mme mlle mgr =Th =Ph =Wm =Gen =Sgt =Lt "
    "=Cmdr =Col =Capt =Maj =Sen =Rep =Gov =Rev =Hon =hon",
    "=No =Nos nr p pp vol vols fig figs tel art",
    "etc =Inc =Ltd =Co =Corp =Jr =Sr al =Ph.D =M.D a.m p.m =U.S =U.K =U.N =U.S.A =D.C =J.-C", ""};

constexpr std::array kLists = {
    WordLists{
        "en",
        "messrs mmes rev =Pres gov col maj capt cmdr lt sgt cpl pvt adm brig supt =Det insp ste "
        "=Ft dept univ assn esp incl excl resp govt intl natl dist",
        "nos =ch chap sec sect eq eqs para =ver =c =b =d =est ext op pt =par =ed =ss =jan =feb "
        "=mar =apr =jun =jul =aug =sept =sep =oct =nov =dec",
        "bros =Esq ave blvd =Rd hwy =LLC =PLC =Jan =Feb =Mar =Apr =Jun =Jul =Aug =Sept =Sep "
        "=Oct =Nov =Dec =Mon =Tue =Tues =Wed =Thu =Thurs =Fri =Sat =Sun",
        "the a an this that these those it he she we they you i in on at by for from with as "
        "if when while after before since although though because but and or so yet however "
        "there here what who why how where his her its our their my your no not all some many "
        "most one two another each both then now also meanwhile still even only such during "
        "under over until according once later unlike despite"},
    WordLists{
        "de",
        "z.b d.h z.t bzw hr hrn fr frl bspw evtl ggf ggfs inkl exkl zzgl abzgl vgl sog insb "
        "insbes allg =Dipl =Ing verh geb gest gegr hl o.g u.u i.d.r m.e zz zzt =max =min "
        "=bes =ehem =Abg =Rev =St =Kfz",
        "=S =Nr nrn =Bd =Abb =Abs =Art =Aufl =Kap ziff =Tab =Bsp =Pos =Fn rn rdnr =Anm =Anh "
        "=Anl §",
        "usw u.a u.ä o.ä u.v.m =ff =f =Jh =Jhd =Jhs =Jahrh =Str =Mio =Mrd =Tsd =Std =Min "
        "=Sek =a.D =e.V =n.Chr =v.Chr =Chr =Jan =Feb =Mär =Apr =Jun =Jul =Aug =Sep =Sept "
        "=Okt =Nov =Dez =Tel",
        "der die das den dem des ein eine einen einem einer es er sie wir ihr ich du man dies "
        "diese dieser dieses diesen in im am auf an bei beim mit nach von vom vor zu zum zur "
        "für durch über unter um aus seit ohne gegen wenn als ob weil da dass wie was wer wo "
        "warum wann aber und oder doch auch noch so dann nun jetzt hier dort damit dabei dafür "
        "daher deshalb trotzdem allerdings jedoch sein seine ihre unser unsere mein kein keine "
        "nicht nur sogar viele alle einige zwei beide heute gestern nachdem während obwohl laut "
        "danach zudem außerdem ist sind war hat"},
    WordLists{
        "fr", "=M =MM mmes mlles =Me =Mr =Pr ste =ex env =av boul tél c.-à-d éd réf =sq =Mgr",
        "n° chap =t =al", "=Cie =J.-C =janv =févr =juill =sept =oct =nov =déc",
        "le la les un une des du de il elle ils elles on nous vous je tu ce cet cette ces en "
        "dans sur par pour avec sans sous mais et ou donc or car si quand comme que qui quoi où "
        "puis alors ainsi cependant toutefois selon après avant depuis son sa ses leur leurs "
        "notre nos votre mon ma mes au aux à tout tous toutes plusieurs aujourd l c d j n s qu "
        "pourtant enfin pourquoi comment combien quel quelle ici chaque deux"},
    WordLists{
        "es",
        "=Sr =Sra =Srta =Sres =Dra =D =Dª lic =Ing gral cnel =Sto =Sta =Mons =Fr p.ej =ej =ud "
        "=uds =Ud =Uds =Vd =Vds avda =av =Av =aprox",
        "núm núms n.º nº pág págs cap", "=EE.UU s.a =a.C =d.C =Cía ltda hnos =J.C",
        "el la los las un una unos unas lo en de del al por para con sin sobre pero y o si "
        "cuando como que qué quién cómo dónde cuándo su sus este esta estos estas ese esa eso "
        "esto él ella ellos nosotros yo no ya también además según después antes entonces así mi "
        "tu nuestro nuestra hoy tras desde hasta se es son"},
    WordLists{
        "it",
        "sig sigg sig.ra =dott =Dott dott.ssa prof.ssa =avv =Avv =ing =Ing =arch =Arch geom "
        "=on =On =sen =Sen =mons =Mons =rag =Rag =es cfr =S =SS",
        "=n =nn pag pagg artt =cap", "ecc s.p.a s.r.l =a.C =d.C",
        "il lo la i gli le un una uno di del della dei in nel nella a al alla da dal per con su "
        "sul ma e o se quando come che chi cosa dove questo questa questi quello suo sua non "
        "anche poi così dopo prima secondo l d è ha sono oggi ora si"},
    WordLists{
        "pt", "=Sr =Sra =Srs =Sras =Dra =Drs =Profa =Eng =Exmo =Exma =D =ex =Sto =Sta =Av =av",
        "n.º nº núm pág págs =cap", "s.a ltda =Cia =a.C =d.C",
        "o a os as um uma uns umas em no na nos nas de do da dos das por para com sem sobre mas "
        "e ou se quando como que quem onde este esta esse essa isso isto aquele ele ela eles "
        "elas nós eu você não também depois antes então assim segundo seu sua hoje já à ao"},
    WordLists{
        "nl",
        "dhr mevr =mw =Mw drs =ing =ir =Ir bijv =bv d.w.z o.a m.b.t i.p.v t.a.v i.v.m z.g zgn "
        "vgl resp evt incl excl =gem",
        "nrs blz =pag hfst", "enz e.d =N.V =B.V =jl =jan =feb =mrt =apr =aug =sept =okt =nov =dec",
        "de het een in op aan bij met naar van voor door over uit om als toen wanneer maar en "
        "of want dus ook dan nu hier daar dit dat deze die hij zij ze wij we ik je jij er zijn "
        "haar hun ons mijn geen niet alle volgens na sinds tijdens wat wie waar waarom hoe"},
    WordLists{
        "cs",
        "např tzv tzn tj mj resp popř příp =Ing =Mgr =Bc =MUDr =JUDr =PhDr =RNDr =PaedDr =MVDr "
        "=doc =Doc =sv =Sv =gen =plk =mjr =kpt =por =npor =ppor =pí =arch =nám =ul",
        "=str =č =čl odst obr =tab =vyd =kap",
        "atd apod aj =Kč =tis =mil =mld =hod =min =stol =n.l =s.r.o =a.s =mj",
        "v ve na do z ze s se k ke o po pro při za od u ale a i nebo když pokud protože že jak "
        "co kdo kde proč to ten ta tento tato toto tyto on ona oni my já je jsou byl byla bylo "
        "není už také pak potom podle však proto jeho její jejich dnes"},
    WordLists{"vi", "=TS =ThS =Ths =PGS =GS =BS =KS =LS =NS =NSND =NSƯT =TP =Tp =TX =Q =P =F",
              "=tr =Tr =đ =khoản =St", "=v.v =vv",
              "và nhưng tôi anh chị ông bà họ nó chúng đó đây này khi nếu vì trong trên với cho để "
              "theo sau trước một những các có không ở tại từ đến là người cô em bạn ta hôm mà thì "
              "cũng vậy nên do tuy đã như hai"},
    WordLists{
        "ru",
        "т.е т.к т.н напр см ср им ул просп пер наб бул г-н г-жа проф акад доц канд "
        "д-р св ген полк инж и.о Св",
        "стр с гл рис табл п пп ч т кн изд ст",
        "гг вв г в руб коп тыс млн млрд др пр т.д т.п н.э чел кг км см мин "
        "сек час",
        "в во на с со к ко о об по за из от до для при у но а и или если когда как что кто где "
        "почему это этот эта эти тот он она оно они мы я вы ты не так также потом затем однако "
        "поэтому после перед его её их наш мой все всё сейчас сегодня согласно там тут здесь уже "
        "был была было были"},
    WordLists{"ro", "=dl d-l =dna d-na =dlui =ing =Ing =gen =Gen =sf =Sf =str =Str =Dl =Dna",
              "=pag =lit =alin", "=S.A =S.R.L =ș.a =s.a",
              "el ea ei ele un o in în la pe de din cu pentru dar și si sau dacă daca când cand ce "
              "cine unde acest această aceasta acesta nu mai după dupa este sunt eu noi"},
    WordLists{"hi", "डॉ प्रो श्री पं कु स्व मो", "रु", "", ""},
};

// Languages that write "1. Mai" for the first of May.
constexpr std::array<std::string_view, 18> kOrdinals = {"bs", "cs", "da", "de", "et", "fi",
                                                        "hr", "hu", "is", "lv", "nb", "nn",
                                                        "no", "pl", "sk", "sl", "sr", "tr"};

template <typename Use>
void for_each_word(std::string_view words, Use&& use) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (end > 0) use(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

}  // namespace

std::string primary_language(std::string_view code) {
  const std::string language = lower_case(code.substr(0, code.find_first_of("-_")));
  return language == "und" ? "" : language;
}

LanguageRules::LanguageRules(std::string_view code) {
  const std::string language = primary_language(code);
  knows_language_ =
      std::ranges::find(kLists, std::string_view(language), &WordLists::language) != kLists.end();
  has_ordinals_ = std::ranges::find(kOrdinals, language) != kOrdinals.end();
  is_greek_ = language == "el";
  const auto add_lists = [&](const WordLists& lists) {
    add(lists.inside, Abbreviation::inside);
    add(lists.before_number, Abbreviation::before_number);
    add(lists.anywhere, Abbreviation::anywhere);
    for_each_word(lists.starters, [&](std::string_view word) { starters_.emplace(word); });
  };
  for (const WordLists& lists : kLists) {
    if (!knows_language_ || lists.language == language) add_lists(lists);
  }
  add_lists(kEveryLanguage);
}

// The first list that has a word decides.
void LanguageRules::add(std::string_view words, Abbreviation kind) {
  for_each_word(words, [&](std::string_view word) {
    if (word.starts_with('=')) {
      word.remove_prefix(1);
      if (knows_language_ || !starts_in_lower_case(word)) abbreviations_.emplace(word, kind);
      return;
    }
    abbreviations_.emplace(word, kind);
    std::string capitalized;
    append_capitalized(word, capitalized);
    abbreviations_.emplace(std::move(capitalized), kind);
  });
}

std::optional<Abbreviation> LanguageRules::abbreviation(std::string_view word) const {
  const auto found = abbreviations_.find(std::string(word));
  if (found == abbreviations_.end()) return std::nullopt;
  return found->second;
}

bool LanguageRules::starts_sentences(std::string_view word) const {
  return starters_.contains(lower_case(word));
}

}  // namespace eatt
