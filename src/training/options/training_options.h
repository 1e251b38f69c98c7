#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/options.h"
#include "bundle/architecture.h"

namespace eatt {

// How the learning rate depends on the update number t, counted from 1.
enum class ScheduleKind {
  paper,  // peak · min(t/warmup, 1, √(decay_start/t)): a plateau between warm-up and decay
  inverse_sqrt,  // peak · min(t/warmup, √(warmup/t))
  linear,        // linearly up to peak at warmup, then down to 0 at the last update
  constant,      // peak · min(t/warmup, 1)
};
inline constexpr std::array<std::string_view, 4> kScheduleNames = {"paper", "inverse-sqrt",
                                                                   "linear", "constant"};

struct Schedule {
  ScheduleKind kind = ScheduleKind::paper;
  double peak = 0.001;
  int64_t warmup = 8000;        // Updates; 0 starts at the peak.
  int64_t decay_start = 20000;  // Of `paper`.
  int64_t last_update = 50000;  // Of `linear`.

  double rate(int64_t update) const;
};

// The dev-set score that decides which checkpoint is best and when to stop early.
enum class ValidMetric { bleu, chrf, cross_entropy, perplexity };
inline constexpr std::array<std::string_view, 4> kValidMetricNames = {
    "bleu", "chrf", "cross-entropy", "perplexity"};
constexpr bool higher_is_better(ValidMetric metric) {
  return metric == ValidMetric::bleu || metric == ValidMetric::chrf;
}
constexpr bool needs_translations(ValidMetric metric) { return higher_is_better(metric); }

// What raw scores are divided by; see ScoreScale.
enum class ScaleChoice { preset, head_width, fixed, learned };
inline constexpr std::array<std::string_view, 4> kScaleChoiceNames = {"preset", "head-width",
                                                                      "fixed", "learned"};

inline constexpr std::array<std::string_view, 2> kNormNames = {"pre", "post"};
inline constexpr std::array<std::string_view, 3> kTiedNames = {"none", "target", "all"};

// A number of updates or epochs: "2000u" is 2,000 updates, "3e" is three epochs.
struct Extent {
  int64_t count = 0;  // 0 is never.
  bool epochs = false;

  bool operator==(const Extent&) const = default;
};

// Everything a recipe can set, one field per key; option_table.cc has names, help and limits. Paths
// of data are not included.
struct TrainingOptions {
  // The model. Defaults are Transformer-base with the paper's attention.
  Preset preset = Preset::paper;
  std::string attention = "eatt";  // For all three roles, unless one of the next overrides it.
  std::string encoder_self;        // Empty: as `attention`.
  std::string decoder_self;
  std::string cross;
  int64_t enc_depth = 6;
  int64_t dec_depth = 6;
  int64_t model_dim = 512;
  int64_t heads = 8;
  int64_t ffn_dim = 2048;
  int64_t attention_dim = 0;  // 0: model_dim.
  int64_t qk_dim = 0;         // 0: attention_dim, or what the preset says.
  int64_t max_length =
      256;  // Longer pairs are left out; also how far position-bound attention sees.
  NormPlacement norm = NormPlacement::pre;
  double norm_epsilon = 0;  // 0: what the preset says.
  EmbeddingSharing tied_embeddings = EmbeddingSharing::all;
  std::string threshold = "preset";  // A number, or what the preset says.
  bool learn_threshold = false;
  std::string code_levels = "preset";  // A number, or what the preset says.
  ScaleChoice score_scale = ScaleChoice::preset;
  double score_divisor = 0;  // Of `fixed`, and where `learned` starts; 0: √d_h.
  double surrogate_width = 1;
  double code_gradient = 1;
  bool codes_without_dropout = false;
  double code_lr = 1;
  double code_density = 0.1;
  double code_density_weight = 0;
  double freeze_codes = 0;  // Share of the training, at its end, without gradient through codes.
  double soft_codes = 0;    // Share of the training in which codes harden; 0: hard from the start.
  double dropout = 0.1;
  double dropout_attention = 0;
  double dropout_ffn = 0;

  // The data.
  int64_t vocab_size = 32'000;
  bool joint_vocab = true;
  std::string source_language = "und";
  std::string target_language = "und";
  int64_t mini_batch_words = 4096;
  bool count_padding = true;
  int64_t window_pairs = 0;    // 0: chosen by the size of batches.
  std::string corpus_weights;  // "1,3": how often an epoch has each pair of a corpus; empty: once.
  int64_t optimizer_delay = 1;

  // The optimizer.
  ScheduleKind lr_schedule = ScheduleKind::paper;
  double learn_rate = 0.001;
  int64_t lr_warmup = 8000;
  int64_t lr_decay_start = 20'000;
  double adam_beta1 = 0.9;
  double adam_beta2 = 0.98;
  double adam_epsilon = 1e-9;
  double clip_norm = 1;
  double label_smoothing = 0.1;
  double exponential_smoothing = 0;  // Weight of the newest parameters in the average; 0: none.
  double distill_weight = 0.5;
  double distill_temperature = 1;
  double distill_maps = 0;
  double guided_alignment_weight = 0.1;
  int64_t guided_alignment_layer = 0;  // From 1; 0: the last.

  // The training run.
  Extent after = {50'000, false};
  Extent valid_freq = {1, true};
  Extent save_freq = {1, true};
  Extent disp_freq = {100, false};
  int64_t early_stopping = 0;  // Validations without a better score; 0: never.
  ValidMetric valid_metric = ValidMetric::bleu;
  std::string valid_tokenize = "13a";
  int64_t keep_last = 5;
  int64_t keep_best = 1;
  int64_t seed = 1;

  // Skipped updates and rollbacks.
  int64_t skip_limit = 10;
  int64_t rollback_limit = 3;
  double rollback_factor = 0.5;

  bool operator==(const TrainingOptions&) const = default;
};

// The model that these options describe. Throws a UsageError that names a wrong option.
Architecture make_architecture(const TrainingOptions& options, size_t source_vocab,
                               size_t target_vocab);

// A key of recipes, which is also the flag --NAME. Command line, recipes, --dump-config and the
// check on resuming all use this table.
using TrainingOption = OptionField<TrainingOptions>;
const OptionTable<TrainingOptions>& training_option_table();

// Whether a run may be resumed with another value of this option: yes for how long to train, how
// often to report and what to keep; no for whatever changes the weights.
bool may_change_on_resume(const TrainingOption& option);

// The numbers of --corpus-weights, one for each corpus; none if it is empty. Throws a UsageError if
// they are not numbers of 0 or more, or all are 0.
std::vector<double> corpus_weights(const TrainingOptions& options);

// "2000u", "3e"; "0u" is never. A bare number means updates. Throws a UsageError naming `option`.
Extent parse_extent(std::string_view text, std::string_view option);
std::string print_extent(Extent extent);

// A recipe that is part of the program.
struct BuiltInRecipe {
  std::string_view name;
  std::string_view text;  // TOML.
};
std::span<const BuiltInRecipe> built_in_recipes();

// Sets the options that a recipe (TOML) names and leaves the others. Throws a UsageError that names
// `file`, line and key for an unknown key or a value of the wrong type.
void apply_recipe(std::string_view toml, const std::string& file, TrainingOptions& options);

// The recipe of a built-in name or of a file. Throws a UsageError that lists the names.
void apply_recipe_named(const std::string& name_or_file, TrainingOptions& options);

// All options as a recipe, with a comment on each.
std::string print_recipe(const TrainingOptions& options);

}  // namespace eatt
