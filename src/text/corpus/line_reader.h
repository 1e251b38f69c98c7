#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/text_file.h"

namespace eatt {

// The lines of a text file, plain or gzip, or of standard input ("-"). Lines end with \n; one \r
// before it is dropped with it. The last line may lack its \n. A byte order mark at the start of
// the file is dropped; what expect_text() refuses is an Error. Nothing else is changed and no other
// character ends a line (not U+2028, not form feed), so line numbers agree with `wc -l` and with
// both sides of parallel text.
class LineReader {
 public:
  struct Line {
    std::string_view text;  // Without its end; valid until the next call.
    uint64_t size = 0;      // Its bytes, also when it is too long.
    bool too_long = false;  // More than max_line_bytes: `text` is then empty.
  };

  LineReader(const TextFile& file, size_t max_line_bytes);

  bool next(Line& line);
  // Skips up to `lines` lines and returns how many there were.
  uint64_t skip(uint64_t lines);

  uint64_t number() const { return number_; }  // Of the line returned last; the first is 1.
  uint64_t bytes_taken() const { return source_->taken(); }
  const std::string& name() const { return name_; }

 private:
  bool fill();
  void drop_byte_order_mark();

  std::string name_;
  size_t max_line_bytes_;
  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  size_t begin_ = 0;  // Bytes [begin_, end_) are read but not yet returned.
  size_t end_ = 0;
  uint64_t number_ = 0;
};

}  // namespace eatt
