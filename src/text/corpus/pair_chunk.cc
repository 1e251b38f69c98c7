#include "text/corpus/pair_chunk.h"

#include <fmt/format.h>

#include "base/progress.h"

namespace eatt {
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
    default:
      return {};
  }
}

}  // namespace

bool PairChunk::Entry::has_usable_lengths(size_t source_pieces, size_t target_pieces, size_t most) {
  if (source_pieces == 0 || target_pieces == 0) {
    problem = PairProblem::no_pieces;
    side = source_pieces == 0 ? 0 : 1;
  } else if (source_pieces > most || target_pieces > most) {
    problem = PairProblem::many_pieces;
    side = source_pieces > most ? 0 : 1;
    detail = source_pieces > most ? source_pieces : target_pieces;
  }
  return problem == PairProblem::none;
}

void PairChunk::look_for_problem(Entry& entry, std::string_view source, std::string_view target) {
  entry.problem = find_text_problem(source, target);
  if (entry.problem == PairProblem::none) return;
  entry.side = static_cast<uint8_t>(side_at_fault(entry.problem, source));
}

bool PairChunkReader::read(PairChunk& chunk) {
  chunk.text.clear();
  chunk.entries.clear();
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
                             .detail = pair_.detail});
  }
  chunk.bytes_taken = reader_.bytes_taken();
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
