#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "convert/xml_reader.h"

namespace eatt::convert {

// A text becomes one line: runs of white space, line breaks among them, become one space, and none
// is left at the ends. No-break spaces stay.
void append_on_one_line(std::string_view text, std::string& line);

// Whether text in `language` is what `wanted` asks for: "en" takes "en" and "en-US", "en-US" only
// itself. Letter case does not count, and "_" is the same as "-".
bool language_matches(std::string_view wanted, std::string_view language);
bool same_language(std::string_view a, std::string_view b);

// Longer segments are not sentences and are skipped.
inline constexpr size_t kMaxSegmentBytes = size_t{1} << 20;

// Text of one language, as it was found.
struct Segment {
  std::string text;      // On one line.
  std::string language;  // As given in the file; may be empty.
  bool found = false;
  bool too_long = false;  // More than kMaxSegmentBytes; `text` has the first part.
};

// Gathers the text inside an element that holds a segment: <seg>, <source> or <target>. The text of
// inline elements is kept (<g>, <hi>, <mrk>, <pc> and others), but not the codes of another format
// in <bpt>, <ept>, <it>, <ph> and <ut>; where such an element represents a line break, it becomes a
// space.
class SegmentText {
 public:
  bool is_open() const { return is_open_; }
  void open(std::string_view language);
  // Of elements inside.
  void start(std::string_view name, const XmlAttributes& attributes);
  // True if this was the end of the segment's own element, which closes it.
  bool end();
  void text(std::string_view text);

  const Segment& segment() const { return segment_; }

 private:
  Segment segment_;
  bool is_open_ = false;
  size_t depth_ = 0;       // Of elements inside the segment.
  size_t code_depth_ = 0;  // Of codes around the current position.
};

// Why a unit of a file gives no pair.
enum class Skipped : uint8_t {
  no_source,     // No text in the source language.
  no_target,     // None in the target language.
  untranslated,  // The file marks it as not translated yet.
  empty,         // A side with nothing but white space.
  too_long,      // More than kMaxSegmentBytes.
  columns,       // A TSV line with other columns than expected.
  bad_text,      // In TSV: invalid UTF-8, or a NUL byte.
};
inline constexpr size_t kSkippedReasons = 7;

// What was found in all files.
struct ConvertCounts {
  uint64_t pairs = 0;
  std::array<uint64_t, kSkippedReasons> skipped{};  // By reason.
  std::set<std::string> languages;                  // The first few, for messages.

  uint64_t& operator[](Skipped reason) { return skipped[static_cast<size_t>(reason)]; }
  uint64_t operator[](Skipped reason) const { return skipped[static_cast<size_t>(reason)]; }
};

// Takes the units of all files and passes on those that are pairs of the requested languages.
class PairCollector {
 public:
  using Write = std::function<void(std::string_view source, std::string_view target)>;

  PairCollector(std::string source_language, std::string target_language, Write write)
      : source_language_(std::move(source_language)),
        target_language_(std::move(target_language)),
        write_(std::move(write)) {}

  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }

  // A unit with its text in both languages, where it has it.
  void add(const Segment& source, const Segment& target);
  void skip(Skipped reason) { ++counts_[reason]; }
  void note_language(std::string_view language);

  const ConvertCounts& counts() const { return counts_; }

 private:
  std::string source_language_, target_language_;
  Write write_;
  ConvertCounts counts_;
};

// Readers of translation memories and of translation jobs. Each receives the elements of a
// document, including its root, and adds every unit in it to `pairs`.

// TMX 1.1 to 1.4: <tu> has a <tuv> for each language, with the text in <seg>. If several match a
// language, the one with exactly the requested tag is used, otherwise the first.
std::unique_ptr<XmlHandler> make_tmx_reader(PairCollector& pairs);

// XLIFF 1.x (<trans-unit>) and 2.x (<segment> in <unit>), with <source> and <target>. The languages
// may be asked for in either direction. Suggestions, as in <alt-trans> and <matches>, are not read.
std::unique_ptr<XmlHandler> make_xliff_reader(PairCollector& pairs);

}  // namespace eatt::convert
