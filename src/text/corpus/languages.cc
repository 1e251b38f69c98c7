#include "text/corpus/languages.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "text/sentences/sentences.h"

namespace eatt {
namespace {

// ISO 639-1, a space before each.
constexpr std::string_view kCodes =
    " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy"
    " da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu"
    " hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb"
    " lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om"
    " or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw"
    " ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";

bool is_region_or_script(std::string_view text) {
  return text.size() >= 2 && text.size() <= 4 &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalpha(c) != 0; });
}

// "pt" of "pt-BR"; empty if it is not known, or not a code of ISO 639-1, which endings are.
std::string comparable(std::string_view language) {
  const std::string code = primary_language(language);
  return code.size() == 2 ? code : std::string();
}

}  // namespace

std::string ending_of(const TextFile& file) {
  std::filesystem::path path = file.path;
  if (path.extension() == ".gz") path = path.stem();
  const std::string ending = path.extension().string();
  return ending.empty() ? "" : ending.substr(1);
}

std::string language_of(const TextFile& file) {
  std::string ending = ending_of(file);
  std::ranges::replace(ending, '_', '-');
  const std::string code = ending.substr(0, ending.find('-'));
  if (code.size() != 2 || kCodes.find(" " + code + " ") == kCodes.npos) return {};
  const bool whole = code.size() == ending.size();
  return whole || is_region_or_script(std::string_view(ending).substr(3)) ? ending : std::string();
}

void expect_two_files(const NamedTexts& texts) {
  if (texts.source.path != texts.target.path || texts.source.path == "-") return;
  const std::string sentence =
      fmt::format("{} has {} as its source and as its target", texts.option, texts.source.name);
  if (!language_of(texts.source).empty()) {
    throw UsageError(sentence + "; give the text of each language once, source first");
  }
  spdlog::warn("{}", sentence);
}

void check_languages(const Direction& direction, std::string_view who, const NamedTexts& texts) {
  expect_two_files(texts);
  const std::string source = comparable(direction.source), target = comparable(direction.target);
  const std::string first = comparable(language_of(texts.source));
  const std::string second = comparable(language_of(texts.target));
  if (!source.empty() && source != target && source == second && target == first) {
    throw UsageError(
        fmt::format("{0} {1} {2} are swapped: {3} translates from {4} to {5}; use "
                    "{0} {2} {1}",
                    texts.option, texts.source.name, texts.target.name, who, source, target));
  }
  const auto compare = [&](const std::string& known, const std::string& found, const TextFile& file,
                           std::string_view side) {
    if (known.empty() || found.empty() || known == found) return;
    spdlog::warn("{} {}: the ending says {}, but {} translates {} {}", texts.option, file.name,
                 found, who, side, known);
  };
  compare(source, first, texts.source, "from");
  compare(target, second, texts.target, "to");
}

}  // namespace eatt
