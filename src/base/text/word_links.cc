#include "base/text/word_links.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

class LinkReader {
 public:
  LinkReader(std::string_view link, size_t column, uint32_t base)
      : link_(link), column_(column), base_(base) {}

  AlignmentLink read() {
    AlignmentLink result;
    result.source = number();
    if (at_ == link_.size()) fail("a link");
    const char kind = link_[at_];
    if (kind != '-' && kind != 'p' && kind != '?') fail("a link");
    result.sure = kind == '-';
    ++at_;
    result.target = number();
    if (at_ != link_.size()) fail("a link");
    return result;
  }

 private:
  uint32_t number() {
    const size_t begin = at_;
    uint32_t value = 0;
    while (at_ < link_.size() && link_[at_] >= '0' && link_[at_] <= '9') {
      value = value * 10 + static_cast<uint32_t>(link_[at_] - '0');
      if (value > kMostAlignmentWords) {
        fail(fmt::format("positions up to {}", kMostAlignmentWords));
      }
      ++at_;
    }
    if (at_ == begin) fail("a link");
    if (value < base_) fail(fmt::format("positions that count from {}", base_));
    return value - base_;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw AlignmentSyntaxError(
        column_ + at_, fmt::format("found {}, expected {} such as {}", in_quotes(link_), expected,
                                   base_ == 0 ? "0-2, 0p2 or 0?2" : "1-3 or 1p3"));
  }

  std::string_view link_;
  size_t column_;
  uint32_t base_;
  size_t at_ = 0;
};

}  // namespace

std::vector<AlignmentLink> parse_alignment_line(std::string_view line, uint32_t base) {
  std::vector<AlignmentLink> links;
  for (size_t begin = line.find_first_not_of(kSpace); begin != std::string_view::npos;) {
    const size_t end = std::min(line.size(), line.find_first_of(kSpace, begin));
    links.push_back(LinkReader(line.substr(begin, end - begin), begin + 1, base).read());
    begin = line.find_first_not_of(kSpace, end);
  }
  return links;
}

std::string format_alignment_line(const std::vector<AlignmentLink>& links) {
  std::string line;
  for (const AlignmentLink& link : links) {
    if (!line.empty()) line += ' ';
    line += fmt::format("{}{}{}", link.source, link.sure ? '-' : 'p', link.target);
  }
  return line;
}

}  // namespace eatt
