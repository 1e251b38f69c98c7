#include "training/options/option_table.h"

#include <fmt/format.h>

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
constexpr char kCourse[] = "Course";

void add_model_options(Table& table) {
  table.group("Model")
      .choice("preset", &O::preset, kPresetNames,
              "Threshold, widths and scales of the paper, or of its authors' released file")
      .text("attention", "MECHANISM", &O::attention,
            "vanilla, eatt, selection, l1, dense or randinit everywhere; eatt:1-3,vanilla:4-6 "
            "chooses by layer")
      .text("encoder-self", "MECHANISM", &O::encoder_self, "In the encoder's self-attention")
      .text("decoder-self", "MECHANISM", &O::decoder_self, "In the decoder's self-attention")
      .text("cross", "MECHANISM", &O::cross, "In cross-attention")
      .number("enc-depth", "N", &O::enc_depth, {1, kMaxLayers}, "Layers of the encoder")
      .number("dec-depth", "N", &O::dec_depth, {1, kMaxLayers}, "Layers of the decoder")
      .number("model-dim", "N", &O::model_dim, {2, 65'536}, "Width of the model")
      .number("heads", "N", &O::heads, {1, 1024}, "Attention heads")
      .number("ffn-dim", "N", &O::ffn_dim, {1, 1 << 20}, "Hidden width of the feed-forward layers")
      .number("attention-dim", "N", &O::attention_dim, kWidth,
              "Inner width of Q, K and V, all heads together; 0: the model's")
      .number("qk-dim", "N", &O::qk_dim, kWidth, "Inner width of Q and K only; 0: --attention-dim")
      .number("max-length", "N", &O::max_length, {1, 65'535},
              "Longest sentence in pieces; longer pairs are left out")
      .choice("norm", &O::norm, kNormNames, "Layer norm before or after each sub-layer")
      .number("norm-epsilon", "X", &O::norm_epsilon, kShare, "Of layer norms; 0: the preset's")
      .choice("tied-embeddings", &O::tied_embeddings, kTiedNames,
              "Which of source embedding, target embedding and output layer are one matrix")
      .text("threshold", "X|preset", &O::threshold,
            "tau of f(x) = 1 if x > tau, or where it starts")
      .toggle("learn-threshold", &O::learn_threshold, "Learn tau for each feature")
      .choice("score-scale", &O::score_scale, kScaleChoiceNames,
              "What scores are divided by: sqrt(d_h), a fixed number, or learned for each head")
      .number("score-divisor", "X", &O::score_divisor, kNotNegative,
              "The fixed divisor, or where a learned one starts; 0: sqrt(d_h)")
      .number("surrogate-width", "X", &O::surrogate_width, {1e-3, 1e3},
              "Width of the bell that stands in for the threshold's gradient")
      .number("dropout", "X", &O::dropout, kDropout, "On embeddings and results of sub-layers")
      .number("dropout-attention", "X", &O::dropout_attention, kDropout, "On attention weights")
      .number("dropout-ffn", "X", &O::dropout_ffn, kDropout, "Inside feed-forward layers");
}

void add_data_options(Table& table) {
  table.group("Data")
      .number("vocab-size", "N", &O::vocab_size, {16, 1 << 24}, "Pieces to learn from --train-sets")
      .toggle("joint-vocab", &O::joint_vocab, "One vocabulary for both languages")
      .text("source-language", "CODE", &O::source_language, "Such as en")
      .text("target-language", "CODE", &O::target_language, "Such as de")
      .number("mini-batch-words", "N", &O::mini_batch_words, kSize, "Source pieces in a batch")
      .toggle("count-padding", &O::count_padding, "Whether padding counts in a batch")
      .number("window-pairs", "N", &O::window_pairs, kCount,
              "Pairs that are sorted by length at a time; 0: about 256 batches")
      .number("optimizer-delay", "N", &O::optimizer_delay, kSize, "Batches in an update");
}

void add_optimizer_options(Table& table) {
  table.group("Optimiser")
      .choice("lr-schedule", &O::lr_schedule, kScheduleNames, "How the learning rate moves")
      .number("learn-rate", "X", &O::learn_rate, kNotNegative, "Its peak")
      .number("lr-warmup", "N", &O::lr_warmup, kCount, "Updates of warm-up")
      .number("lr-decay-start", "N", &O::lr_decay_start, kSize,
              "Update from which the paper's schedule decays")
      .number("adam-beta1", "X", &O::adam_beta1, {0, 0.999999}, "Adam")
      .number("adam-beta2", "X", &O::adam_beta2, {0, 0.999999}, "Adam")
      .number("adam-epsilon", "X", &O::adam_epsilon, kNotNegative, "Adam")
      .number("clip-norm", "X", &O::clip_norm, kNotNegative, "Longest gradient; 0: any")
      .number("label-smoothing", "X", &O::label_smoothing, kDropout,
              "Share of the target spread over all words")
      .number("exponential-smoothing", "X", &O::exponential_smoothing, kShare,
              "Weight of the newest parameters in a moving average that is validated and kept; 0: "
              "off")
      .number("distill-weight", "X", &O::distill_weight, kShare,
              "Share of the teacher's distribution in the loss, with --teacher")
      .number("distill-temperature", "X", &O::distill_temperature, {1e-3, 1e3},
              "What the logits of both are divided by, with --teacher")
      .number("seed", "N", &O::seed, kCount, "Of weights, order of batches, and dropout");
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
      .add(extent("after", &O::after, "When training ends"))
      .add(extent("valid-freq", &O::valid_freq, "How often to validate; 0u: never"))
      .add(extent("save-freq", &O::save_freq, "How often to write a checkpoint; 0u: at the end"))
      .add(extent("disp-freq", &O::disp_freq, "How often to show a line"))
      .number("early-stopping", "N", &O::early_stopping, kCount,
              "Stop after this many validations without a better score; 0: never")
      .choice("valid-metric", &O::valid_metric, kValidMetricNames, "What decides which is best")
      .text("valid-tokenize", "NAME", &O::valid_tokenize, "Tokenizer of dev BLEU")
      .number("keep-last", "N", &O::keep_last, kSize, "Newest checkpoints to keep")
      .number("keep-best", "N", &O::keep_best, kCount, "Best checkpoints to keep beside them")
      .number("skip-limit", "N", &O::skip_limit, kSize,
              "Updates skipped in a row before going back to the last checkpoint")
      .number("rollback-limit", "N", &O::rollback_limit, kCount,
              "Times of going back before giving up")
      .number("rollback-factor", "X", &O::rollback_factor, {1e-6, 1},
              "What the learning rate is multiplied by each time");
}

Table make_table() {
  Table table;
  add_model_options(table);
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
  // Scores of another kind could not be compared with those before.
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
