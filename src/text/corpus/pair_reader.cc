#include "text/corpus/pair_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/progress.h"
#include "text/pieces/words.h"

namespace eatt {

namespace {

// A line whose other columns are not used may be longer than its two sides may be.
constexpr size_t kMaxTsvLineBytes = size_t{1} << 20;
constexpr size_t kMaxLinksBytes = size_t{1} << 20;  // Of the links of a pair.

size_t max_tsv_line_bytes(const TsvColumns& columns, size_t max_side_bytes) {
  const size_t both = 2 * max_side_bytes + 1;
  return columns.chosen() ? std::max(both, kMaxTsvLineBytes) : both;
}

// Column `number`, from 1, of a line that has it.
std::string_view column(std::string_view line, size_t number) {
  for (; number > 1; --number) line.remove_prefix(line.find('\t') + 1);
  return line.substr(0, line.find('\t'));
}

}  // namespace

std::string PairInput::tsv_description() const {
  if (!columns.chosen()) return "TSV";
  return fmt::format("TSV, columns {} and {}", columns.source, columns.target);
}

void add_links(const std::vector<std::string>& files, std::vector<PairInput>& inputs) {
  if (files.empty()) return;
  if (files.size() != inputs.size()) {
    throw UsageError(
        fmt::format("--guided-alignment has {} for {} of text; expected a file of links for each",
                    format_count(files.size(), "file"), format_count(inputs.size(), "pair")));
  }
  for (size_t i = 0; i < files.size(); ++i) inputs[i].links = files[i];
}

PairReader::PairReader(std::vector<PairInput> inputs, size_t max_line_bytes)
    : inputs_(std::move(inputs)), max_line_bytes_(max_line_bytes) {}

bool PairReader::open_next() {
  bytes_of_finished_ = bytes_taken();
  source_.reset();
  target_.reset();
  links_.reset();
  if (opened_ == inputs_.size()) return false;
  input_ = opened_++;
  line_number_ = 0;
  const PairInput& input = inputs_[input_];
  if (input.is_tsv()) {
    source_ = std::make_unique<LineReader>(input.source,
                                           max_tsv_line_bytes(input.columns, max_line_bytes_));
  } else {
    source_ = std::make_unique<LineReader>(input.source, max_line_bytes_);
    target_ = std::make_unique<LineReader>(input.target, max_line_bytes_);
  }
  if (input.has_links()) links_ = std::make_unique<LineReader>(input.links, kMaxLinksBytes);
  return true;
}

bool PairReader::next(RawPair& pair) {
  for (;;) {
    if (source_ != nullptr && (target_ != nullptr ? next_parallel(pair) : next_tsv(pair))) {
      ++line_number_;
      take_links(pair);
      return true;
    }
    expect_no_more_links();
    if (!open_next()) return false;
  }
}

uint64_t PairReader::skip(uint64_t pairs) {
  RawPair pair;
  uint64_t skipped = 0;
  while (skipped < pairs && next(pair)) ++skipped;
  return skipped;
}

bool PairReader::next_parallel(RawPair& pair) {
  LineReader::Line source, target;
  const bool more_source = source_->next(source);
  const bool more_target = target_->next(target);
  if (more_source != more_target) fail_unequal(more_source ? *source_ : *target_);
  if (!more_source) return false;
  pair = {.source = source.text, .target = target.text};
  if (source.too_long || target.too_long) {
    pair.problem = PairProblem::long_line;
    pair.side = source.too_long ? 0 : 1;
    pair.detail = source.too_long ? source.size : target.size;
  }
  return true;
}

bool PairReader::next_tsv(RawPair& pair) {
  LineReader::Line line;
  if (!source_->next(line)) return false;
  pair = {};
  if (line.too_long) {
    pair.problem = PairProblem::long_line;
    pair.detail = line.size;
    return true;
  }
  const auto found = static_cast<uint64_t>(std::ranges::count(line.text, '\t')) + 1;
  if (!has_columns(found)) {
    pair.problem = PairProblem::columns;
    pair.detail = found;
    return true;
  }
  const TsvColumns& columns = inputs_[input_].columns;
  pair.source = column(line.text, columns.chosen() ? columns.source : 1);
  pair.target = column(line.text, columns.chosen() ? columns.target : 2);
  const size_t longer = std::max(pair.source.size(), pair.target.size());
  if (longer > max_line_bytes_) {
    pair = {};
    pair.problem = PairProblem::long_line;
    pair.detail = longer;
  }
  return true;
}

bool PairReader::has_columns(uint64_t columns) const {
  const TsvColumns& wanted = inputs_[input_].columns;
  return wanted.chosen() ? columns >= std::max(wanted.source, wanted.target) : columns == 2;
}

void PairReader::fail_unequal(LineReader& longer) {
  longer.skip(std::numeric_limits<uint64_t>::max());
  throw Error(
      fmt::format("{} has {} and {} has {}; both sides of parallel text must have the same "
                  "number of lines, "
                  "each line the translation of the other",
                  source_->name(), format_count(source_->number(), "line"), target_->name(),
                  format_count(target_->number())));
}

void PairReader::take_links(RawPair& pair) {
  if (links_ == nullptr) return;
  LineReader::Line line;
  if (!links_->next(line)) fail_links();
  if (line.too_long) {
    throw Error(fmt::format("{}, line {}: has {} bytes of links, expected {} at most",
                            links_->name(), line_number_, format_count(line.size),
                            format_count(kMaxLinksBytes)));
  }
  pair.links = line.text;
}

void PairReader::expect_no_more_links() {
  LineReader::Line line;
  if (links_ != nullptr && links_->next(line)) fail_links();
}

void PairReader::fail_links() {
  links_->skip(std::numeric_limits<uint64_t>::max());
  source_->skip(std::numeric_limits<uint64_t>::max());
  throw Error(fmt::format(
      "{} has {} and {} has {}; expected a line of links for each pair of sentences, which may be "
      "empty",
      links_->name(), format_count(links_->number(), "line"), source_->name(),
      format_count(source_->number())));
}

uint64_t PairReader::bytes_taken() const {
  return bytes_of_finished_ + (source_ ? source_->bytes_taken() : 0) +
         (target_ ? target_->bytes_taken() : 0) + (links_ ? links_->bytes_taken() : 0);
}

namespace {

constexpr size_t kChunkBytes = 1 << 18;
constexpr size_t kChunkPairs = 1024;

std::string detail_text(const PairChunk::Entry& entry) {
  switch (entry.problem) {
    case PairProblem::columns:
      return fmt::format("{} {}", entry.detail, entry.detail == 1 ? "column" : "columns");
    case PairProblem::long_line:
      return format_count(entry.detail) + " bytes";
    case PairProblem::many_pieces:
      return format_count(entry.detail) + " pieces";
    case PairProblem::few_pieces:
      return format_count(entry.detail, "piece");
    case PairProblem::ratio:
      return fmt::format("{} and {} pieces", entry.detail >> 32, entry.detail & UINT32_MAX);
    default:
      return {};
  }
}

}  // namespace

bool PairChunk::Entry::has_usable_lengths(size_t source_pieces, size_t target_pieces,
                                          const LengthLimits& limits) {
  const auto [fewer, more] = std::minmax(source_pieces, target_pieces);
  const auto note = [&](PairProblem found, size_t pieces) {
    problem = found;
    side = source_pieces == pieces ? 0 : 1;
    detail = pieces;
  };
  if (fewer == 0) {
    note(PairProblem::no_pieces, fewer);
  } else if (more > limits.most) {
    note(PairProblem::many_pieces, source_pieces > limits.most ? source_pieces : target_pieces);
  } else if (fewer < limits.least) {
    note(PairProblem::few_pieces, fewer);
  } else if (limits.max_ratio &&
             static_cast<double>(more) > *limits.max_ratio * static_cast<double>(fewer)) {
    note(PairProblem::ratio, more);
    detail = uint64_t{more} << 32 | fewer;
  }
  return problem == PairProblem::none;
}

void PairChunk::look_for_problems(const PairFilters& filters, const PairMarks& duplicates) {
  looked = true;
  const bool filters_text = filters.look_at_text();
  for_each([&](Entry& entry, std::string_view source, std::string_view target) {
    if (entry.problem != PairProblem::none) return;
    entry.problem = find_text_problem(source, target);
    if (entry.problem != PairProblem::none) {
      entry.side = static_cast<uint8_t>(side_at_fault(entry.problem, source));
      return;
    }
    if (filters_text) entry.problem = find_filtered(source, target, filters, entry.side);
    const auto number = first_pair + static_cast<uint64_t>(&entry - entries.data());
    if (entry.problem == PairProblem::none && duplicates.contains(number)) {
      entry.problem = PairProblem::duplicate;
    }
  });
}

std::vector<AlignmentLink> PairChunk::links_of(const Entry& entry, std::string_view source,
                                               std::string_view target,
                                               const PairInput& from) const {
  if (!from.has_links()) return {};
  const auto line = first_line + static_cast<uint64_t>(&entry - entries.data());
  std::vector<AlignmentLink> found;
  try {
    found =
        parse_alignment_line(std::string_view(links).substr(entry.links_begin, entry.links_size));
  } catch (const AlignmentSyntaxError& problem) {
    throw Error(fmt::format("{}, line {}, column {}: {}", from.links.name, line, problem.column(),
                            problem.what()));
  }
  const size_t source_words = count_words(source), target_words = count_words(target);
  for (const AlignmentLink& link : found) {
    if (link.source < source_words && link.target < target_words) continue;
    throw Error(fmt::format(
        "{}, line {}: the link {} is outside of the sentences, which have {} and {}; words are "
        "separated by spaces and counted from 0",
        from.links.name, line, format_alignment_line({link}), format_count(source_words, "word"),
        format_count(target_words, "word")));
  }
  return found;
}

bool PairChunkReader::read(PairChunk& chunk) {
  chunk.text.clear();
  chunk.links.clear();
  chunk.entries.clear();
  chunk.looked = false;
  chunk.first_pair = pairs_read_;
  while (chunk.text.size() < kChunkBytes && chunk.entries.size() < kChunkPairs) {
    if (!waiting_ && !reader_.next(pair_)) break;
    waiting_ = !chunk.entries.empty() && reader_.input() != chunk.input;
    if (waiting_) break;
    if (chunk.entries.empty()) {
      chunk.input = reader_.input();
      chunk.first_line = reader_.line_number();
    }
    chunk.text += pair_.source;
    chunk.text += pair_.target;
    chunk.entries.push_back({.source_size = static_cast<uint32_t>(pair_.source.size()),
                             .target_size = static_cast<uint32_t>(pair_.target.size()),
                             .problem = pair_.problem,
                             .side = static_cast<uint8_t>(pair_.side),
                             .detail = pair_.detail,
                             .links_begin = static_cast<uint32_t>(chunk.links.size()),
                             .links_size = static_cast<uint32_t>(pair_.links.size())});
    chunk.links += pair_.links;
  }
  chunk.bytes_taken = reader_.bytes_taken();
  pairs_read_ += chunk.entries.size();
  return !chunk.entries.empty();
}

void count_problems(const PairChunk& chunk, const std::vector<PairInput>& inputs,
                    ProblemCounts& problems) {
  for (size_t i = 0; i < chunk.entries.size(); ++i) {
    const PairChunk::Entry& entry = chunk.entries[i];
    if (entry.problem == PairProblem::none) continue;
    ProblemCounts::Entry& counted = problems[entry.problem];
    if (counted.count++ > 0) continue;
    counted.first_file = inputs[chunk.input].file(entry.side).name;
    counted.first_line = chunk.first_line + i;
    counted.detail = detail_text(entry);
  }
}

}  // namespace eatt
