#include <fmt/format.h>

#include "training/options/training_options.h"

namespace eatt {
namespace {

using O = TrainingOptions;
using Table = OptionTable<TrainingOptions>;

constexpr double kNoLimit = static_cast<double>(int64_t{1} << 40);
constexpr Range kCount = {0, kNoLimit};
constexpr Range kSize = {1, kNoLimit};
constexpr Range kWidth = {0, 65'536};
constexpr Range kNotNegative = {0};
constexpr Range kDropout = {0, 0.99};
constexpr Range kShare = {0, 1};
constexpr char kCourse[] = "Training run";

void add_model_options(Table& table) {
  table.group("Model")
      .choice(
          "preset", &O::preset, kPresetNames,
          "Codes, widths and score scale as in the paper, as in the code its authors released, or "
          "the best we know: the paper's with signed codes")
      .text("attention", "MECHANISM", &O::attention,
            fmt::format("Mechanism of all attention layers: {}; eatt:1-3,vanilla:4-6 sets it layer "
                        "by layer",
                        one_of(kMechanismNames)),
            kMechanismNames)
      .text("encoder-self", "MECHANISM", &O::encoder_self,
            "Mechanism of the encoder's self-attention; if empty, --attention", kMechanismNames)
      .text("decoder-self", "MECHANISM", &O::decoder_self,
            "Mechanism of the decoder's self-attention; if empty, --attention", kMechanismNames)
      .text("cross", "MECHANISM", &O::cross, "Mechanism of cross-attention; if empty, --attention",
            kMechanismNames)
      .number("enc-depth", "N", &O::enc_depth, {1, kMaxLayers}, "Number of encoder layers")
      .number("dec-depth", "N", &O::dec_depth, {1, kMaxLayers}, "Number of decoder layers")
      .number("model-dim", "N", &O::model_dim, {2, 65'536}, "Width of the model")
      .number("heads", "N", &O::heads, {1, 1024}, "Number of attention heads")
      .number("ffn-dim", "N", &O::ffn_dim, {1, 1 << 20}, "Hidden width of the feed-forward layers")
      .number("attention-dim", "N", &O::attention_dim, kWidth,
              "Width of queries, keys and values, all heads together; 0: the model's width")
      .number("qk-dim", "N", &O::qk_dim, kWidth,
              "Width of queries and keys only, all heads together; 0: --attention-dim")
      .number("max-length", "N", &O::max_length, {1, 65'535},
              "Longest sentence in pieces; pairs with a longer side are left out")
      .choice("norm", &O::norm, kNormNames, "Layer norm before or after each sub-layer")
      .number("norm-epsilon", "X", &O::norm_epsilon, kShare,
              "Epsilon of the layer norms; 0: the preset's")
      .choice("tied-embeddings", &O::tied_embeddings, kTiedNames,
              "Matrices to share: none, target embedding and output layer, or both embeddings and "
              "the output layer");
}

// How queries and keys are made and compared, and what training alone does with it.
void add_code_options(Table& table) {
  table.group("Model")
      .text("threshold", "X|preset", &O::threshold,
            "tau of the codes: an input x becomes 1 if x > tau, else 0")
      .toggle("learn-threshold", &O::learn_threshold,
              "Learn a threshold for each feature, starting from --threshold")
      .text("code-levels", "N|preset", &O::code_levels,
            "0: binary codes; 1: ternary codes, -1 if x < -tau; up to 6: x / (2 tau) rounded to an "
            "integer of that size at most")
      .choice("score-scale", &O::score_scale, kScaleChoiceNames,
              "Divide scores by sqrt(d_h), by a fixed number, or by a learned number for each head")
      .number("score-divisor", "X", &O::score_divisor, kNotNegative,
              "The fixed divisor, or the starting value of a learned one; 0: sqrt(d_h)")
      .number("surrogate-width", "X", &O::surrogate_width, {1e-3, 1e3},
              "Width of the bell curve that replaces the gradient of the threshold")
      .number("code-gradient", "X", &O::code_gradient, {0, 1e3},
              "Factor on the gradient that flows through the codes to the layers below")
      .toggle("codes-without-dropout", &O::codes_without_dropout,
              "Make codes of sums of embeddings and sub-layer outputs from which --dropout takes "
              "nothing")
      .number("code-lr", "X", &O::code_lr, {0, 1e3},
              "Factor on the learning rate of what reads codes: weights and biases of queries and "
              "keys, and learned thresholds")
      .number("code-density", "X", &O::code_density, kShare,
              "Wanted share of codes that are not 0; needs --code-density-weight")
      .number("code-density-weight", "X", &O::code_density_weight, {0, 1e6},
              "Weight in the loss of the squared difference from --code-density, summed over all "
              "inputs that become codes; 0: densities are free")
      .number("soft-codes", "X", &O::soft_codes, kShare,
              "Share of the training in which smooth steps slowly turn into the codes; 0: codes "
              "from the start")
      .number("freeze-codes", "X", &O::freeze_codes, kShare,
              "Share of the training, at its end, in which no gradient flows through the codes")
      .number("dropout", "X", &O::dropout, kDropout, "Dropout on embeddings and sub-layer outputs")
      .number("dropout-attention", "X", &O::dropout_attention, kDropout,
              "Dropout on attention weights")
      .number("dropout-ffn", "X", &O::dropout_ffn, kDropout, "Dropout inside feed-forward layers");
}

void add_data_options(Table& table) {
  table.group("Data")
      .number("vocab-size", "N", &O::vocab_size, {8, 1'000'000},
              "Size of the vocabulary to learn from --train-sets")
      .toggle("joint-vocab", &O::joint_vocab, "One vocabulary for both languages")
      .text("source-language", "CODE", &O::source_language,
            "Language code of the source, such as en; und: taken from the file names")
      .text("target-language", "CODE", &O::target_language,
            "Language code of the target, such as de; und: taken from the file names")
      .number("mini-batch-words", "N", &O::mini_batch_words, kSize, "Source pieces per batch")
      .toggle("count-padding", &O::count_padding, "Count padding as part of a batch's size")
      .number("window-pairs", "N", &O::window_pairs, kCount,
              "Number of pairs to sort by length at a time; 0: about 256 batches")
      .text("corpus-weights", "X,Y...", &O::corpus_weights,
            "How often an epoch has each pair of a corpus, a number for each pair of files: 3 is "
            "three times, 0.25 a quarter of the pairs, another one each time; if empty, once")
      .number("optimizer-delay", "N", &O::optimizer_delay, kSize, "Batches per update");
}

void add_optimizer_options(Table& table) {
  table.group("Optimizer")
      .choice("lr-schedule", &O::lr_schedule, kScheduleNames, "Learning rate schedule")
      .number("learn-rate", "X", &O::learn_rate, kNotNegative, "Peak learning rate")
      .number("lr-warmup", "N", &O::lr_warmup, kCount, "Number of warm-up updates")
      .number("lr-decay-start", "N", &O::lr_decay_start, kSize,
              "Update at which the paper's schedule starts to decay")
      .number("adam-beta1", "X", &O::adam_beta1, {0, 0.999999}, "Adam's beta1")
      .number("adam-beta2", "X", &O::adam_beta2, {0, 0.999999}, "Adam's beta2")
      .number("adam-epsilon", "X", &O::adam_epsilon, kNotNegative, "Adam's epsilon")
      .number("clip-norm", "X", &O::clip_norm, kNotNegative,
              "Scale gradients down to this norm; 0: never")
      .number("label-smoothing", "X", &O::label_smoothing, kDropout,
              "Probability mass to spread over the whole vocabulary")
      .number("exponential-smoothing", "X", &O::exponential_smoothing, kShare,
              "Weight of the newest parameters in the moving average that is validated and saved; "
              "0: no average")
      .number("distill-weight", "X", &O::distill_weight, kShare,
              "Weight of the teacher's distribution in the loss, with --teacher")
      .number("distill-temperature", "X", &O::distill_temperature, {1e-3, 1e3},
              "Temperature of the teacher's and the student's distributions, with --teacher")
      .number("distill-maps", "X", &O::distill_maps, {0, 1e3},
              "Weight of the difference from the teacher's attention in the loss, falling to 0 at "
              "the end, with --teacher")
      .number("guided-alignment-weight", "X", &O::guided_alignment_weight, {0, 1e3},
              "Weight of the alignment's cross-entropy in the loss, with --guided-alignment")
      .number("guided-alignment-layer", "N", &O::guided_alignment_layer, {0, kMaxLayers},
              "Decoder layer whose attention is guided, from 1, with --guided-alignment; 0: the "
              "last")
      .number("seed", "N", &O::seed, kCount, "Random seed for weights, batch order and dropout");
}

TrainingOption extent(std::string name, Extent O::*field, std::string help) {
  TrainingOption option;
  option.name = name;
  option.value = "Nu|Ne";
  option.help = std::move(help);
  option.is_text = true;
  option.set = [=](O& options, std::string_view given) {
    options.*field = parse_extent(given, "--" + name);
  };
  option.get = [=](const O& options) { return print_extent(options.*field); };
  return option;
}

void add_course_options(Table& table) {
  table.group(kCourse)
      .add(extent("after", &O::after,
                  "How long to train: 2000u is 2,000 updates, 10e is ten epochs"))
      .add(extent("valid-freq", &O::valid_freq, "How often to validate; 0u: only at the end"))
      .add(extent("save-freq", &O::save_freq,
                  "How often to save a checkpoint, in addition to every validation and the end; "
                  "0u: only then"))
      .add(extent("disp-freq", &O::disp_freq, "How often to print a line of progress"))
      .number("early-stopping", "N", &O::early_stopping, kCount,
              "Stop after this many validations without a better score; 0: never")
      .choice("valid-metric", &O::valid_metric, kValidMetricNames,
              "Metric that decides which checkpoint is best")
      .text("valid-tokenize", "13a|intl|zh|char|none", &O::valid_tokenize,
            "Tokenizer for BLEU on the dev set")
      .number("keep-last", "N", &O::keep_last, kSize, "Number of newest checkpoints to keep")
      .number("keep-best", "N", &O::keep_best, kCount, "Number of best checkpoints to keep as well")
      .number("skip-limit", "N", &O::skip_limit, kSize,
              "Skipped updates in a row before going back to the last checkpoint")
      .number("rollback-limit", "N", &O::rollback_limit, kCount,
              "Number of times to go back to a checkpoint before giving up")
      .number("rollback-factor", "X", &O::rollback_factor, {1e-6, 1},
              "Multiply the learning rate by this each time training goes back");
}

Table make_table() {
  Table table;
  add_model_options(table);
  add_code_options(table);
  add_data_options(table);
  add_optimizer_options(table);
  add_course_options(table);
  return table;
}

}  // namespace

const OptionTable<TrainingOptions>& training_option_table() {
  static const Table table = make_table();
  return table;
}

bool may_change_on_resume(const TrainingOption& option) {
  // Scores of two metrics or tokenizers cannot be compared.
  return option.group == kCourse && option.name != "valid-metric" &&
         option.name != "valid-tokenize";
}

Extent parse_extent(std::string_view text, std::string_view option) {
  std::string_view digits = text;
  Extent extent;
  if (text.ends_with('u') || text.ends_with('e')) {
    extent.epochs = text.ends_with('e');
    digits.remove_suffix(1);
  }
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != digits.npos) {
    refuse_value(option, text, "updates such as 2000u or epochs such as 3e");
  }
  read_number(option, digits, {}, extent.count);
  return extent;
}

std::string print_extent(Extent extent) {
  return fmt::format("{}{}", extent.count, extent.epochs ? 'e' : 'u');
}

}  // namespace eatt
