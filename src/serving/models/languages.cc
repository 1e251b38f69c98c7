#include "serving/models/languages.h"

#include <array>
#include <utility>

#include "text/sentences/sentences.h"

namespace eatt::serving {

std::string language_name(std::string_view code) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 56> kNames = {{
      {"af", "Afrikaans"}, {"ar", "Arabic"},     {"az", "Azerbaijani"}, {"be", "Belarusian"},
      {"bg", "Bulgarian"}, {"bn", "Bengali"},    {"ca", "Catalan"},     {"cs", "Czech"},
      {"cy", "Welsh"},     {"da", "Danish"},     {"de", "German"},      {"el", "Greek"},
      {"en", "English"},   {"eo", "Esperanto"},  {"es", "Spanish"},     {"et", "Estonian"},
      {"eu", "Basque"},    {"fa", "Persian"},    {"fi", "Finnish"},     {"fr", "French"},
      {"ga", "Irish"},     {"gl", "Galician"},   {"he", "Hebrew"},      {"hi", "Hindi"},
      {"hr", "Croatian"},  {"hu", "Hungarian"},  {"hy", "Armenian"},    {"id", "Indonesian"},
      {"is", "Icelandic"}, {"it", "Italian"},    {"ja", "Japanese"},    {"ka", "Georgian"},
      {"kk", "Kazakh"},    {"ko", "Korean"},     {"la", "Latin"},       {"lt", "Lithuanian"},
      {"lv", "Latvian"},   {"mk", "Macedonian"}, {"ms", "Malay"},       {"nb", "Norwegian"},
      {"nl", "Dutch"},     {"pl", "Polish"},     {"pt", "Portuguese"},  {"ro", "Romanian"},
      {"ru", "Russian"},   {"sk", "Slovak"},     {"sl", "Slovenian"},   {"sq", "Albanian"},
      {"sr", "Serbian"},   {"sv", "Swedish"},    {"th", "Thai"},        {"tr", "Turkish"},
      {"uk", "Ukrainian"}, {"vi", "Vietnamese"}, {"zh", "Chinese"},     {"sw", "Swahili"},
  }};
  const std::string language = primary_language(code);
  for (const auto& [known, name] : kNames) {
    if (known == language) return std::string(name);
  }
  return std::string(code);
}

}  // namespace eatt::serving
