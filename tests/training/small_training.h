#pragma once

#include <filesystem>
#include <string>

#include "base/random.h"
#include "support/files.h"
#include "training/options/training_options.h"
#include "training/run/checkpoint.h"
#include "training/run/trainer.h"

namespace eatt::testing {

// A language of twelve words and its "translation": the same words in upper case, in reverse order.
struct SmallCorpus {
  explicit SmallCorpus(const TemporaryFolder& folder, int train = 300, int valid = 20) {
    Random random(7);
    write(folder, "train", train, random);
    write(folder, "valid", valid, random);
    train_source = folder / "train.src";
    train_target = folder / "train.tgt";
    valid_source = folder / "valid.src";
    valid_target = folder / "valid.tgt";
  }

  std::filesystem::path train_source, train_target, valid_source, valid_target;

 private:
  static void write(const TemporaryFolder& folder, const std::string& name, int pairs,
                    Random& random) {
    constexpr std::array kWords = {"bala", "dota", "femi", "gulo", "hira", "joka",
                                   "lune", "mopa", "neri", "pasu", "rito", "suva"};
    std::string source, target;
    for (int i = 0; i < pairs; ++i) {
      const auto words = 2 + random.below(5);
      std::string forward, backward;
      for (uint64_t j = 0; j < words; ++j) {
        std::string word = kWords[random.below(kWords.size())];
        forward += (j > 0 ? " " : "") + word;
        for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
        backward = word + (j > 0 ? " " : "") + backward;
      }
      source += forward + "\n";
      target += backward + "\n";
    }
    folder.write(name + ".src", source);
    folder.write(name + ".tgt", target);
  }
};

// A training of the corpus that takes a second: `updates` updates of a tiny model.
inline TrainingPlan small_plan(const SmallCorpus& corpus, const std::filesystem::path& run,
                               int64_t updates) {
  TrainingPlan plan;
  apply_recipe_named("tiny", plan.options);
  plan.options.vocab_size = 70;
  plan.options.model_dim = 16;
  plan.options.ffn_dim = 32;
  plan.options.enc_depth = 1;
  plan.options.dec_depth = 1;
  plan.options.dropout = 0.1;  // So that resuming has to bring its randomness back.
  plan.options.mini_batch_words = 200;
  plan.options.after = {updates, false};
  plan.options.valid_freq = {0, false};
  plan.options.save_freq = {5, false};
  plan.options.disp_freq = {0, false};
  plan.run = run;
  plan.train_sets = {{corpus.train_source.string(), corpus.train_target.string()}};
  plan.valid_source = corpus.valid_source;
  plan.valid_target = corpus.valid_target;
  return plan;
}

// The bytes of the weights of the newest checkpoint.
inline std::string newest_weights(const std::filesystem::path& run) {
  const auto updates = list_checkpoints(run / "checkpoints");
  return read_text(run / "checkpoints" / checkpoint_name(updates.back()) / "weights.safetensors");
}

}  // namespace eatt::testing
