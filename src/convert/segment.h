#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace eatt::convert
