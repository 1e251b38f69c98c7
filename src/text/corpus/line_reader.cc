#include "text/corpus/line_reader.h"

#include <algorithm>
#include <cstring>

#include "base/files/text_check.h"

namespace eatt {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

LineReader::LineReader(const TextFile& file, size_t max_line_bytes)
    : name_(file.name),
      max_line_bytes_(max_line_bytes),
      source_(open_bytes(file)),
      buffer_(kBlockBytes) {
  drop_byte_order_mark();
}

// Reads no further than needed: somebody may have typed a first line of one letter, shorter than
// the mark, and be waiting for the answer.
void LineReader::drop_byte_order_mark() {
  const auto text = [&] { return std::string_view(buffer_.data(), end_); };
  const auto may_be_mark = [&] {
    return kByteOrderMark.starts_with(text()) || text() == "\xff" || text() == "\xfe";
  };
  while (end_ < kByteOrderMark.size() && may_be_mark() && fill()) {
  }
  if (text().starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  expect_text(name_, text());
}

// Moves what is left to the front and reads behind it; a line longer than the buffer doubles it.
// False at the end of the file.
bool LineReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t got = source_->read(std::span(buffer_).subspan(end_));
  end_ += got;
  return got > 0;
}

bool LineReader::next(Line& line) {
  uint64_t dropped = 0;  // Bytes of an over-long line that are no longer in the buffer.
  size_t searched = 0;
  bool ended = false;
  size_t size = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const auto* newline =
        static_cast<const char*>(std::memchr(start + searched, '\n', end_ - begin_ - searched));
    if (newline != nullptr) {
      size = static_cast<size_t>(newline - start);
      ended = true;
      break;
    }
    searched = end_ - begin_;
    // One byte beyond the limit may be the \r of \r\n; with more than that the line is
    // certainly too long, and none of it is kept.
    if (searched > max_line_bytes_ + 1) {
      dropped += searched;
      begin_ = end_;
      searched = 0;
    }
    if (!fill()) {
      size = end_ - begin_;
      break;
    }
  }
  if (!ended && size + dropped == 0) return false;

  const char* start = buffer_.data() + begin_;
  begin_ += size + (ended ? 1 : 0);
  if (size > 0 && start[size - 1] == '\r') --size;
  ++number_;
  line.size = size + dropped;
  line.too_long = line.size > max_line_bytes_;
  line.text = line.too_long ? std::string_view() : std::string_view(start, size);
  return true;
}

uint64_t LineReader::skip(uint64_t lines) {
  Line line;
  uint64_t skipped = 0;
  while (skipped < lines && next(line)) ++skipped;
  return skipped;
}

}  // namespace eatt
