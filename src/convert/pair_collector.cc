#include "convert/pair_collector.h"

#include "base/text/printable.h"

namespace eatt::convert {

void PairCollector::add(const Segment& source, const Segment& target) {
  if (!source.found) return skip(Skipped::no_source);
  if (!target.found) return skip(Skipped::no_target);
  if (source.too_long || target.too_long) return skip(Skipped::too_long);
  if (is_blank(source.text) || is_blank(target.text)) return skip(Skipped::empty);
  ++counts_.pairs;
  write_(source.text, target.text);
}

void PairCollector::note_language(std::string_view language) {
  constexpr size_t kMostLanguages = 12, kMostLetters = 30;
  if (counts_.languages.size() == kMostLanguages || language.empty()) return;
  counts_.languages.insert(printable(language.substr(0, kMostLetters)));
}

}  // namespace eatt::convert
