#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text/printable.h"
#include "bundle/mechanisms.h"

namespace eatt {
namespace {

constexpr char kForm[] =
    "expected one mechanism for all layers, as in `eatt`, or layer ranges, as in "
    "`eatt:1-3,vanilla:4-6`";

// Reads the text from left to right and fills the layers.
class MechanismParser {
 public:
  MechanismParser(std::string_view text, size_t layers) : text_(text), layers_(layers) {}

  std::vector<Mechanism> parse() {
    if (const auto mechanism = mechanism_named(text_)) {
      return std::vector<Mechanism>(layers_.size(), *mechanism);
    }
    do {
      read_item();
    } while (take(','));
    if (at_ != text_.size()) fail("',' or the end");
    return finish();
  }

 private:
  // name ':' first [ '-' last ]
  void read_item() {
    const Mechanism mechanism = read_name();
    if (!take(':')) fail("':' and a range of layers");
    const size_t start = at_;
    const size_t first = read_layer();
    const size_t last = take('-') ? read_layer() : first;
    if (last < first) {
      at_ = start;
      fail(fmt::format("an ascending range, found {}-{}", first, last));
    }
    for (size_t layer = first; layer <= last; ++layer) {
      if (layers_[layer - 1]) {
        at_ = start;
        fail(fmt::format("each layer once, found layer {} twice", layer));
      }
      layers_[layer - 1] = mechanism;
    }
  }

  Mechanism read_name() {
    const std::string_view name = text_.substr(at_, text_.find_first_of(":,", at_) - at_);
    const auto mechanism = mechanism_named(name);
    if (!mechanism) {
      fail(fmt::format("one of {}, found {}", fmt::join(kMechanismNames, ", "), in_quotes(name)));
    }
    at_ += name.size();
    return *mechanism;
  }

  size_t read_layer() {
    const char* begin = text_.data() + at_;
    size_t layer = 0;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), layer);
    if (error != std::errc() || layer < 1 || layer > layers_.size()) {
      fail(fmt::format("a layer from 1 to {}", layers_.size()));
    }
    at_ += static_cast<size_t>(end - begin);
    return layer;
  }

  bool take(char c) {
    const bool found = at_ < text_.size() && text_[at_] == c;
    at_ += found;
    return found;
  }

  std::vector<Mechanism> finish() const {
    std::vector<Mechanism> mechanisms;
    for (size_t i = 0; i < layers_.size(); ++i) {
      if (!layers_[i]) {
        throw UsageError(fmt::format("{}: does not cover layer {} of {}; {}", in_quotes(text_),
                                     i + 1, layers_.size(), kForm));
      }
      mechanisms.push_back(*layers_[i]);
    }
    return mechanisms;
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw UsageError(fmt::format("{}: at character {}: expected {}; {}", in_quotes(text_), at_ + 1,
                                 expected, kForm));
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<std::optional<Mechanism>> layers_;
};

}  // namespace

std::vector<Mechanism> parse_mechanisms(std::string_view text, size_t layers) {
  expects(layers >= 1, "a stack has at least one layer");
  return MechanismParser(text, layers).parse();
}

std::string print_mechanisms(std::span<const Mechanism> mechanisms) {
  expects(!mechanisms.empty(), "a stack has at least one layer");
  if (std::ranges::all_of(mechanisms, [&](Mechanism m) { return m == mechanisms.front(); })) {
    return std::string(mechanism_name(mechanisms.front()));
  }
  std::vector<std::string> runs;
  for (size_t first = 0; first < mechanisms.size();) {
    size_t last = first;
    while (last + 1 < mechanisms.size() && mechanisms[last + 1] == mechanisms[first]) ++last;
    const std::string_view name = mechanism_name(mechanisms[first]);
    runs.push_back(first == last ? fmt::format("{}:{}", name, first + 1)
                                 : fmt::format("{}:{}-{}", name, first + 1, last + 1));
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(runs, ","));
}

}  // namespace eatt
