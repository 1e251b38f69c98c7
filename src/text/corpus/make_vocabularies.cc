#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/ordered_pipeline.h"
#include "base/progress.h"
#include "base/random.h"
#include "text/corpus/pair_chunk.h"
#include "text/corpus/preparation_steps.h"
#include "text/pieces/piece_trainer.h"
#include "text/pieces/word_counts.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

enum Sides : unsigned { kSourceSide = 1, kTargetSide = 2 };

// The words of a random part of the pairs. Whether a pair belongs to it is decided by the seed and
// the pair's number alone, so no list of the chosen is needed.
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
  ordered_pipeline<PairChunk>([&](PairChunk& chunk) { return reader.read(chunk); },
                              [](PairChunk&) {},
                              [&](PairChunk& chunk) {
                                count_chunk(chunk);
                                progress.update(chunk.bytes_taken >> 10);
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
