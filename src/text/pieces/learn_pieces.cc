#include <fmt/format.h>

#include <deque>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/random.h"
#include "text/corpus/line_reader.h"
#include "text/corpus/pair_problem.h"
#include "text/corpus/preparation_folder.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

// Calls use(line) for each line that can be learnt from; returns the number of other lines.
template <typename Use>
uint64_t for_each_usable_line(const std::vector<TextFile>& files, size_t max_line_bytes,
                              Use&& use) {
  uint64_t unusable = 0;
  for (const TextFile& file : files) {
    LineReader reader(file, max_line_bytes);
    LineReader::Line line;
    while (reader.next(line)) {
      if (line.too_long || find_text_problem(line.text, ".") != PairProblem::none) {
        unusable += line.size > 0;
      } else {
        use(line.text);
      }
    }
  }
  return unusable;
}

}  // namespace

std::string learn_pieces(const std::vector<TextFile>& files, const LearnPiecesOptions& options,
                         const std::filesystem::path& spool_folder) {
  if (options.sample_size == 0) throw UsageError("--sample-size is 0; expected 1 or more");
  std::deque<Spool> spools;
  std::vector<TextFile> readable;
  for (const TextFile& file : files) {
    readable.push_back(is_read_once(file) ? spools.emplace_back(file, spool_folder).copy() : file);
  }
  uint64_t usable = 0;
  const uint64_t unusable =
      for_each_usable_line(readable, options.max_line_bytes, [&](std::string_view) { ++usable; });
  if (unusable > 0) {
    spdlog::warn("left out: {} lines with NUL bytes, invalid UTF-8 or more than {} bytes",
                 format_count(unusable), options.max_line_bytes);
  }
  const double share = static_cast<double>(options.sample_size) / static_cast<double>(usable);
  WordCounts words;
  uint64_t number = 0;
  for_each_usable_line(readable, options.max_line_bytes, [&](std::string_view line) {
    const bool chosen = share >= 1 || Random::stream(options.seed, number).uniform() < share;
    ++number;
    if (chosen) words.add(line);
  });
  return train_pieces(std::move(words), options.training);
}

}  // namespace eatt
