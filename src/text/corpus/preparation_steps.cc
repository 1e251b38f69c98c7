#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/text/json.h"
#include "base/threads.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/preparation_folder.h"
#include "text/pieces/piece_trainer.h"

namespace eatt {
namespace {

constexpr std::string_view kCheckFile = "check.json";
constexpr std::string_view kDuplicatesFile = "duplicates.bits";

std::string check_to_json(const CheckedCorpus& checked) {
  const nlohmann::ordered_json json = {{"pairs_read", checked.pairs_read},
                                       {"pairs_usable", checked.pairs_usable},
                                       {"problems", problems_to_json(checked.problems)}};
  return json.dump(2) + "\n";
}

CheckedCorpus check_from_json(const std::filesystem::path& file) {
  const JsonOrigin origin{file.string(), "use --overwrite to start over"};
  const nlohmann::json json = parse_json(read_file(file), origin);
  const JsonNode root(json, origin);
  CheckedCorpus checked;
  checked.pairs_read = root["pairs_read"].integer(0, UINT64_MAX);
  checked.pairs_usable = root["pairs_usable"].integer(0, UINT64_MAX);
  checked.problems = problems_from_json(root["problems"]);
  return checked;
}

struct CheckedChunk : PairChunk {
  std::vector<std::pair<uint64_t, uint64_t>> hashes;  // Number and hash of each usable pair.
};

CheckedCorpus read_everything(const Preparation& preparation) {
  CheckedCorpus checked;
  const PairFilters& filters = preparation.options.filters;
  DuplicateFinder duplicates(preparation.folder.path());
  PairChunkReader reader(preparation.inputs, preparation.options.max_line_bytes);
  const uint64_t kilobytes = input_kilobytes(preparation.inputs);
  Progress progress("checking", kilobytes, "KB");
  ordered_pipeline<CheckedChunk>(
      [&](CheckedChunk& chunk) { return reader.read(chunk); },
      [&](CheckedChunk& chunk) {
        const PairInput& from = preparation.inputs[chunk.input];
        chunk.hashes.clear();
        chunk.look_for_problems(filters);
        chunk.for_each_usable(
            [&](PairChunk::Entry& entry, std::string_view source, std::string_view target) {
              chunk.links_of(entry, source, target, from);  // Throws if they are wrong.
              if (!filters.drop_duplicates) return;
              const auto index = static_cast<uint64_t>(&entry - chunk.entries.data());
              chunk.hashes.emplace_back(chunk.first_pair + index, hash_of_pair(source, target));
            });
      },
      [&](CheckedChunk& chunk) {
        for (const auto& [number, hash] : chunk.hashes) duplicates.add(number, hash);
        checked.pairs_read += chunk.entries.size();
        count_problems(chunk, preparation.inputs, checked.problems);
        progress.update(chunk.bytes_taken >> 10);
        preparation.leave_if_stopped();
      });
  progress.update(kilobytes);
  progress.finish();
  checked.duplicates = duplicates.find();
  checked.pairs_usable = checked.pairs_read - checked.problems.total() - checked.duplicates.size();
  return checked;
}

void judge(const CheckedCorpus& checked, BadLines bad_lines) {
  const ProblemCounts bad = checked.problems.bad_lines();
  if (bad.total() > 0 && bad_lines == BadLines::refuse) {
    throw Error(fmt::format(
        "the text has {}; correct it, or leave such pairs out with --bad-lines drop", bad.text()));
  }
  if (checked.pairs_usable == 0) {
    throw Error(checked.pairs_read == 0
                    ? std::string("the input has no lines; expected sentence pairs")
                    : fmt::format("none of the {} pairs can be used: {}",
                                  format_count(checked.pairs_read), checked.problems.text()));
  }
  if (bad.total() > 0) spdlog::warn("left out: {}", bad.text());
}

}  // namespace

void Preparation::leave_if_stopped() const {
  const char* signal = stop.received();
  if (signal == nullptr) return;
  const bool can_continue = std::ranges::none_of(options.inputs, has_file_read_once);
  throw Stopped(fmt::format(
      "{}: stopped by {}; {}", folder.path().string(), signal,
      can_continue ? "finished work is kept: run the same command to continue"
                   : "run the whole command again: standard input and pipes are read only once"));
}

CheckedCorpus check_corpus(const Preparation& preparation) {
  const auto file = preparation.folder.unfinished(kCheckFile);
  const auto duplicates = preparation.folder.unfinished(kDuplicatesFile);
  if (std::filesystem::exists(file)) {
    CheckedCorpus checked = check_from_json(file);
    if (preparation.options.filters.drop_duplicates) {
      checked.duplicates = PairMarks::load(duplicates);
    }
    return checked;
  }
  const CheckedCorpus checked = read_everything(preparation);
  judge(checked, preparation.options.bad_lines);
  if (preparation.options.filters.drop_duplicates) checked.duplicates.save(duplicates);
  write_file_atomically(file, check_to_json(checked));
  preparation.committed("check");
  return checked;
}

uint64_t input_kilobytes(const std::vector<PairInput>& inputs) {
  uint64_t bytes = 0;
  for (const PairInput& input : inputs) {
    bytes += std::filesystem::file_size(input.source.path);
    if (!input.is_tsv()) bytes += std::filesystem::file_size(input.target.path);
    if (input.has_links()) bytes += std::filesystem::file_size(input.links.path);
  }
  return (bytes >> 10) + 1;
}

namespace {

namespace fs = std::filesystem;

enum Sides : unsigned { kSourceSide = 1, kTargetSide = 2 };

// The words of a random part of the pairs. Whether a pair belongs to it is decided by the seed and
// the pair's number alone, so no list of chosen pairs is needed.
WordCounts count_sampled_words(const Preparation& preparation, const CheckedCorpus& checked,
                               unsigned sides) {
  const PrepareOptions& options = preparation.options;
  const double share =
      static_cast<double>(options.sample_size) / static_cast<double>(checked.pairs_usable);
  WordCounts words;
  uint64_t usable = 0;
  const auto count_chunk = [&](PairChunk& chunk) {
    chunk.for_each_usable([&](PairChunk::Entry&, std::string_view source, std::string_view target) {
      const uint64_t number = usable++;
      if (share < 1 && Random::stream(options.seed, number).uniform() >= share) return;
      if ((sides & kSourceSide) != 0) words.add(source);
      if ((sides & kTargetSide) != 0) words.add(target);
    });
  };
  PairChunkReader reader(preparation.inputs, options.max_line_bytes);
  const uint64_t kilobytes = input_kilobytes(preparation.inputs);
  Progress progress("counting words", kilobytes, "KB");
  ordered_pipeline<PairChunk>(
      [&](PairChunk& chunk) { return reader.read(chunk); },
      [&](PairChunk& chunk) { chunk.look_for_problems(options.filters, checked.duplicates); },
      [&](PairChunk& chunk) {
        count_chunk(chunk);
        progress.update(chunk.bytes_taken >> 10);
        preparation.leave_if_stopped();
      });
  progress.update(kilobytes);
  progress.finish();
  return words;
}

std::shared_ptr<const Pieces> train_vocabulary(const Preparation& preparation,
                                               const CheckedCorpus& checked,
                                               const std::string& file, unsigned sides) {
  const fs::path path = preparation.folder.unfinished(file);
  if (!fs::exists(path)) {
    PieceTrainingOptions options = preparation.options.pieces;
    if (sides == kTargetSide && preparation.options.target_vocab_size != 0) {
      options.vocab_size = preparation.options.target_vocab_size;
    }
    const std::string model =
        train_pieces(count_sampled_words(preparation, checked, sides), options);
    write_file_atomically(path, model);
    preparation.committed(file);
    preparation.leave_if_stopped();
  }
  return std::make_shared<Pieces>(path);
}

std::shared_ptr<const Pieces> copy_vocabulary(const Preparation& preparation, const fs::path& from,
                                              const std::string& file) {
  auto pieces = std::make_shared<Pieces>(from);
  write_file_atomically(preparation.folder.unfinished(file), read_file(from));
  return pieces;
}

}  // namespace

Vocabularies make_vocabularies(const Preparation& preparation, const CheckedCorpus& checked) {
  const auto& models = preparation.options.piece_models;
  const bool joint = models.empty() ? preparation.options.joint_vocabulary : models.size() == 1;
  Vocabularies made;
  made.files = joint ? std::vector<std::string>{"joint.spm"}
                     : std::vector<std::string>{"source.spm", "target.spm"};
  if (models.empty()) {
    made.source = train_vocabulary(preparation, checked, made.files.front(),
                                   joint ? kSourceSide | kTargetSide : kSourceSide);
    made.target = joint ? made.source
                        : train_vocabulary(preparation, checked, made.files.back(), kTargetSide);
  } else {
    made.source = copy_vocabulary(preparation, models.front(), made.files.front());
    made.target =
        joint ? made.source : copy_vocabulary(preparation, models.back(), made.files.back());
  }
  return made;
}

}  // namespace eatt
