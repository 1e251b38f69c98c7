#include "text/corpus/languages.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

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

}  // namespace eatt
