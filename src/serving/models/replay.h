#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "energy/activity.h"
#include "runtime/api/translator.h"

namespace eatt::serving {

// Cross-attention of every layer and head between a text and its translation.
struct AttentionMaps {
  std::vector<std::string> source_pieces, target_pieces;  // With the end marker of each.
  size_t layers = 0, heads = 0;
  // [layer][head][target piece][source piece]
  std::vector<std::vector<std::vector<std::vector<float>>>> weights;
};

// Runs texts through a model once more, watched: for what is too slow to record for everybody. The
// model is loaded a second time at the first use; of int8 bundles, whose weights are mapped, that
// takes little memory. Any thread may call it.
class Replay {
 public:
  // The bundle and the options of the Translator that is replayed. The files stay open: if others
  // take their place on the disk, the replay is still that of this bundle.
  Replay(Bundle bundle, TranslatorOptions options);
  ~Replay();

  // Called before each step; what it throws ends the replay.
  using BeforeStep = std::function<void()>;

  // By forced decoding. The text is one sentence of at most as many pieces as the model can read;
  // throws an Error if it is longer.
  AttentionMaps attention(const std::string& source, const std::string& translation,
                          const BeforeStep& before_step) const;

  // What translating the texts takes, one after another: the same search as in `translations`,
  // whose pieces come out again. Throws a UsageError if the search cannot be counted.
  energy::Activity activity(const std::vector<std::string>& sources, const SearchOptions& search,
                            const BeforeStep& before_step) const;

 private:
  struct OpenModel;
  const OpenModel& model() const;

  const TranslatorOptions options_;
  mutable std::mutex mutex_;
  mutable std::optional<Bundle> bundle_;  // Until the model is loaded.
  mutable std::unique_ptr<OpenModel> model_;
};

}  // namespace eatt::serving
