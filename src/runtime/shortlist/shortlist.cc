#include "runtime/shortlist/shortlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "text/pieces/pieces.h"

namespace eatt {
namespace {

static_assert(std::endian::native == std::endian::little, "shortlists are stored little-endian");

constexpr char kMakeAgain[] = "make it again with `eatt shortlist`";
constexpr uint32_t kMostPieces = 1 << 24;  // Of a vocabulary, as in bundles.

ShortlistHeader read_header(std::span<const std::byte> bytes, const std::string& name) {
  ShortlistHeader header;
  const size_t magic_bytes = std::min(bytes.size(), header.magic.size());
  if (magic_bytes == 0 || std::memcmp(bytes.data(), header.magic.data(), magic_bytes) != 0) {
    throw Error(fmt::format("{}: is not a shortlist; make one with `eatt shortlist`", name));
  }
  if (bytes.size() < sizeof header) {
    throw Error(fmt::format("{}: has {} bytes, expected {} of a header at least; {}", name,
                            bytes.size(), sizeof header, kMakeAgain));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kShortlistVersion) {
    throw Error(fmt::format("{}: has version {}, this program reads version {}; {}", name,
                            header.version, kShortlistVersion, kMakeAgain));
  }
  for (const uint32_t pieces : {header.source_vocab, header.target_vocab}) {
    if (pieces <= kEndPiece || pieces > kMostPieces) {
      throw Error(fmt::format("{}: is for a vocabulary of {} pieces, expected {} to {}; {}", name,
                              pieces, kEndPiece + 1, kMostPieces, kMakeAgain));
    }
  }
  return header;
}

void check_size(const ShortlistHeader& header, size_t found, const std::string& name) {
  const uint64_t items = uint64_t{header.always} + header.source_vocab + 1 + header.likely;
  const uint64_t expected = sizeof header + items * sizeof(int32_t);
  if (found != expected) {
    throw Error(fmt::format("{}: has {} bytes, expected {}{}; {}", name, found, expected,
                            found < expected ? " (it was cut off)" : "", kMakeAgain));
  }
}

// Whether pieces ascend from `least` on and stay below the vocabulary's size.
bool is_ascending(std::span<const int32_t> pieces, int32_t least, uint32_t vocab) {
  int64_t before = int64_t{least} - 1;
  for (const int32_t piece : pieces) {
    if (piece <= before) return false;
    before = piece;
  }
  return before < int64_t{vocab};
}

void check_lists(const ShortlistView& view, const std::string& name) {
  const uint32_t vocab = view.header.target_vocab;
  if (view.always.empty() || view.always.front() != kEndPiece ||
      !is_ascending(view.always, kEndPiece, vocab)) {
    throw Error(fmt::format(
        "{}: the pieces that are always allowed do not ascend from {} (</s>) to {} at most; {}",
        name, kEndPiece, vocab - 1, kMakeAgain));
  }
  if (view.starts.front() != 0 || !std::ranges::is_sorted(view.starts) ||
      static_cast<uint32_t>(view.starts.back()) != view.header.likely) {
    throw Error(fmt::format("{}: its lists do not follow each other from 0 to {}; {}", name,
                            view.header.likely, kMakeAgain));
  }
  for (size_t source = 0; source + 1 < view.starts.size(); ++source) {
    const auto begin = static_cast<size_t>(view.starts[source]);
    const auto end = static_cast<size_t>(view.starts[source + 1]);
    if (!is_ascending(view.likely.subspan(begin, end - begin), kEndPiece + 1, vocab)) {
      throw Error(fmt::format("{}: the list of source piece {} does not ascend from {} to {}; {}",
                              name, source, kEndPiece + 1, vocab - 1, kMakeAgain));
    }
  }
}

std::array<char, 64> digest(const std::string& sha256) {
  std::array<char, 64> digits;
  expects(sha256.size() == digits.size(), "a SHA-256 has 64 digits");
  std::ranges::copy(sha256, digits.begin());
  return digits;
}

}  // namespace

ShortlistView parse_shortlist(std::span<const std::byte> bytes, const std::string& name) {
  ShortlistView view{read_header(bytes, name), {}, {}, {}};
  check_size(view.header, bytes.size(), name);
  const auto* items = reinterpret_cast<const int32_t*>(bytes.data() + sizeof view.header);
  const size_t starts = size_t{view.header.source_vocab} + 1;
  view.always = {items, view.header.always};
  view.starts = {items + view.always.size(), starts};
  view.likely = {items + view.always.size() + starts, view.header.likely};
  check_lists(view, name);
  return view;
}

void write_shortlist(const std::filesystem::path& path, const ShortlistContents& contents) {
  std::vector<int32_t> starts = {0};
  size_t likely = 0;
  for (const auto& list : contents.likely) {
    likely += list.size();
    if (likely > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      throw Error(
          fmt::format("{}: not written: its lists have more than 2^31 pieces; use a lower "
                      "--best",
                      path.string()));
    }
    starts.push_back(static_cast<int32_t>(likely));
  }
  ShortlistHeader header;
  header.source_vocab = static_cast<uint32_t>(contents.likely.size());
  header.target_vocab = static_cast<uint32_t>(contents.target_vocab);
  header.always = static_cast<uint32_t>(contents.always.size());
  header.likely = static_cast<uint32_t>(likely);
  header.source_sha256 = digest(contents.source_sha256);
  header.target_sha256 = digest(contents.target_sha256);

  AtomicFile file(path);
  file.write_values(std::span<const ShortlistHeader>(&header, 1));
  file.write_values(std::span<const int32_t>(contents.always));
  file.write_values(std::span<const int32_t>(starts));
  for (const auto& list : contents.likely) file.write_values(std::span<const int32_t>(list));
  file.commit();
}

namespace {

void set_bits(std::span<const int32_t> pieces, std::vector<uint64_t>& bits) {
  for (const int32_t piece : pieces) {
    const auto at = static_cast<uint32_t>(piece);
    bits[at / 64] |= uint64_t{1} << (at % 64);
  }
}

// Replaces `pieces` by those whose bits are set, ascending.
void pieces_of_bits(std::span<const uint64_t> bits, std::vector<int32_t>& pieces) {
  size_t count = 0;
  for (const uint64_t word : bits) count += static_cast<size_t>(std::popcount(word));
  pieces.resize(count);
  int32_t* out = pieces.data();
  for (size_t i = 0; i < bits.size(); ++i) {
    for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
      *out++ = static_cast<int32_t>(i * 64) + std::countr_zero(word);
    }
  }
}

void check_digest(const std::array<char, 64>& found, const std::string& expected, const char* side,
                  const std::string& name, const std::string& bundle) {
  if (std::string_view(found.data(), found.size()) == expected) return;
  throw Error(fmt::format(
      "{}: was made for other {} pieces than those of {} (SHA-256 {}…, expected {}…); make a "
      "shortlist for this bundle with `eatt shortlist {}`",
      name, side, bundle, std::string_view(found.data(), 12), expected.substr(0, 12), bundle));
}

}  // namespace

Shortlist Shortlist::open(const std::filesystem::path& path) { return Shortlist(path); }

Shortlist::Shortlist(const std::filesystem::path& path)
    : name_(path.string()), file_(path), view_(parse_shortlist(file_.bytes(), name_)) {
  always_bits_.resize((target_vocab() + 63) / 64);
  set_bits(view_.always, always_bits_);
  file_.drop(0, file_.bytes().size());  // The check read all of it; a sentence reads little.
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
  pieces_of_bits(bits, target_pieces);
}

OutputColumns::OutputColumns(const Shortlist& shortlist, const Linear& output)
    : shortlist_(shortlist),
      output_(output),
      column_of_(outputs(output)),
      bits_((outputs(output) + 63) / 64) {}

void OutputColumns::add(std::span<const NewSentence> sentences) {
  for (const NewSentence& sentence : sentences) {
    const auto number = static_cast<size_t>(sentence.sentence);
    if (lists_.size() <= number) lists_.resize(number + 1);
    auto& list = lists_[number];
    shortlist_.pieces_for(sentence.source, list);
    if (sentence.required.empty()) continue;
    list.insert(list.end(), sentence.required.begin(), sentence.required.end());
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  joined_ = true;
}

void OutputColumns::remove(int32_t sentence) { lists_[static_cast<size_t>(sentence)].clear(); }

void OutputColumns::clear() {
  for (auto& list : lists_) list.clear();
}

void OutputColumns::gather() {
  if (!joined_) return;
  joined_ = false;
  unite_lists();
  std::visit([&](const auto& from) { gather_from(from); }, output_);
}

void OutputColumns::unite_lists() {
  std::ranges::fill(bits_, 0);
  for (const auto& list : lists_) set_bits(list, bits_);
  pieces_of_bits(bits_, pieces_);
  for (size_t column = 0; column < pieces_.size(); ++column) {
    column_of_[static_cast<size_t>(pieces_[column])] = static_cast<int32_t>(column);
  }
  columns_.resize(lists_.size());
  for (size_t i = 0; i < lists_.size(); ++i) {
    columns_[i].clear();
    if (lists_[i].size() == pieces_.size()) continue;
    for (const int32_t piece : lists_[i]) {
      columns_[i].push_back(column_of_[static_cast<size_t>(piece)]);
    }
  }
}

void OutputColumns::gather_from(const kernels::FloatMatrix& from) {
  float* panels = float_panels_.at_least(kernels::float_panels_size(from.in, pieces_.size()));
  kernels::gather_float_panels(from, pieces_, panels);
  matrix_ = kernels::FloatMatrix{from.in, pieces_.size(), panels, nullptr};
}

void OutputColumns::gather_from(const kernels::Int8Matrix& from) {
  const size_t count = pieces_.size();
  const kernels::Int8Columns out{
      .panels = int8_panels_.at_least(kernels::int8_panels_size(from.in, count)),
      .sums = sums_.at_least(kernels::int8_padded_columns(count)),
      .scales = scales_.at_least(count),
      .bias = nullptr};
  kernels::gather_int8_panels(from, pieces_, out);
  matrix_ = kernels::Int8Matrix{from.in, count, out.panels, out.sums, out.scales, nullptr};
}

std::span<const RowLogits> OutputColumns::own_rows(const float* logits,
                                                   std::span<const int32_t> sentences) {
  const size_t columns = pieces_.size();
  own_logits_.resize(sentences.size() * columns);
  own_rows_.clear();
  for (size_t row = 0; row < sentences.size(); ++row, logits += columns) {
    const auto sentence = static_cast<size_t>(sentences[row]);
    const auto& list = lists_[sentence];
    if (columns_[sentence].empty()) {
      own_rows_.push_back({{logits, list.size()}, list});
      continue;
    }
    float* own = own_logits_.data() + row * columns;
    for (size_t i = 0; i < list.size(); ++i)
      own[i] = logits[static_cast<size_t>(columns_[sentence][i])];
    own_rows_.push_back({{own, list.size()}, list});
  }
  return own_rows_;
}

}  // namespace eatt
