#include "runtime/shortlist/shortlist.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "base/error.h"

namespace eatt {
namespace {

void set_bits(std::span<const int32_t> pieces, std::vector<uint64_t>& bits) {
  for (const int32_t piece : pieces) {
    const auto at = static_cast<uint32_t>(piece);
    bits[at / 64] |= uint64_t{1} << (at % 64);
  }
}

void check_digest(const std::array<char, 64>& found, const std::string& expected, const char* side,
                  const std::string& name, const std::string& bundle) {
  if (std::string_view(found.data(), found.size()) == expected) return;
  throw Error(fmt::format(
      "{}: was made for other {} pieces than those of {} (SHA-256 {}…, expected {}…); make a "
      "shortlist for this bundle by `eatt shortlist {}`",
      name, side, bundle, std::string_view(found.data(), 12), expected.substr(0, 12), bundle));
}

}  // namespace

Shortlist Shortlist::open(const std::filesystem::path& path) { return Shortlist(path); }

Shortlist::Shortlist(const std::filesystem::path& path)
    : name_(path.string()), file_(path), view_(parse_shortlist(file_.bytes(), name_)) {
  always_bits_.resize((target_vocab() + 63) / 64);
  set_bits(view_.always, always_bits_);
  file_.drop(0, file_.bytes().size());  // Checking has touched it all; a sentence needs little.
}

void Shortlist::check_vocabulary(const std::string& source_sha256, const std::string& target_sha256,
                                 const std::string& bundle) const {
  check_digest(view_.header.source_sha256, source_sha256, "source", name_, bundle);
  check_digest(view_.header.target_sha256, target_sha256, "target", name_, bundle);
}

std::span<const int32_t> Shortlist::likely(int32_t source_piece) const {
  const auto source = static_cast<size_t>(source_piece);
  expects(source < source_vocab(), "the source piece is in the shortlist's vocabulary");
  const auto begin = static_cast<size_t>(view_.starts[source]);
  return view_.likely.subspan(begin, static_cast<size_t>(view_.starts[source + 1]) - begin);
}

void Shortlist::pieces_for(std::span<const int32_t> source_pieces,
                           std::vector<int32_t>& target_pieces) const {
  // Bits sort the pieces and drop what comes twice in one go.
  std::vector<uint64_t> bits = always_bits_;
  for (const int32_t piece : source_pieces) set_bits(likely(piece), bits);
  size_t count = 0;
  for (const uint64_t word : bits) count += static_cast<size_t>(std::popcount(word));
  target_pieces.resize(count);
  int32_t* out = target_pieces.data();
  for (size_t i = 0; i < bits.size(); ++i) {
    for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
      *out++ = static_cast<int32_t>(i * 64) + std::countr_zero(word);
    }
  }
}

}  // namespace eatt
