#include "training/options/option_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error.h"

namespace eatt {
namespace {

using Options = TrainingOptions;

[[noreturn]] void wrong_value(std::string_view name, std::string_view text,
                              std::string_view expected) {
  throw UsageError(fmt::format("--{} is '{}'; expected {}", name, text, expected));
}

template <typename T>
bool parse_whole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

TrainingOption described(std::string_view name, std::string_view value, std::string_view help) {
  TrainingOption option;
  option.name = name;
  option.value = value;
  option.help = help;
  return option;
}

TrainingOption whole(std::string_view name, int64_t Options::*field, int64_t least,
                     std::string_view help, int64_t most = int64_t{1} << 40) {
  TrainingOption option = described(name, "N", help);
  option.set = [=](Options& options, const std::string& text) {
    int64_t value = 0;
    if (!parse_whole(text, value) || value < least || value > most) {
      wrong_value(name, text, fmt::format("a whole number from {} to {}", least, most));
    }
    options.*field = value;
  };
  option.get = [=](const Options& options) { return std::to_string(options.*field); };
  return option;
}

struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::max();
};

TrainingOption real(std::string_view name, double Options::*field, Range range,
                    std::string_view help) {
  TrainingOption option = described(name, "X", help);
  option.set = [=](Options& options, const std::string& text) {
    double value = 0;
    if (!parse_whole(text, value) || !(value >= range.least && value <= range.most)) {
      wrong_value(name, text,
                  range.most < 1e300
                      ? fmt::format("a number from {} to {}", range.least, range.most)
                      : fmt::format("a number of at least {}", range.least));
    }
    options.*field = value;
  };
  option.get = [=](const Options& options) { return fmt::format("{}", options.*field); };
  return option;
}

TrainingOption flag(std::string_view name, bool Options::*field, std::string_view help) {
  TrainingOption option = described(name, "", help);
  option.set = [=](Options& options, const std::string& text) {
    if (text != "true" && text != "false") wrong_value(name, text, "true or false");
    options.*field = text == "true";
  };
  option.get = [=](const Options& options) { return options.*field ? "true" : "false"; };
  return option;
}

TrainingOption text(std::string_view name, std::string Options::*field, std::string_view value,
                    std::string_view help) {
  TrainingOption option = described(name, value, help);
  option.quoted = true;
  option.set = [=](Options& options, const std::string& given) { options.*field = given; };
  option.get = [=](const Options& options) { return options.*field; };
  return option;
}

template <typename Enum, size_t N>
TrainingOption choice(std::string_view name, Enum Options::*field,
                      const std::array<std::string_view, N>& names, std::string_view shown,
                      std::string_view help) {
  TrainingOption option = described(name, shown, help);
  option.quoted = true;
  option.set = [=, &names](Options& options, const std::string& given) {
    for (size_t i = 0; i < N; ++i) {
      if (names[i] != given) continue;
      options.*field = static_cast<Enum>(i);
      return;
    }
    wrong_value(name, given, "one of " + std::string(shown));
  };
  option.get = [=, &names](const Options& options) {
    return std::string(names[static_cast<size_t>(options.*field)]);
  };
  return option;
}

TrainingOption extent(std::string_view name, Extent Options::*field, std::string_view help) {
  TrainingOption option = described(name, "Nu|Ne", help);
  option.quoted = true;
  option.set = [=](Options& options, const std::string& given) {
    options.*field = parse_extent(given, name);
  };
  option.get = [=](const Options& options) { return print_extent(options.*field); };
  return option;
}

std::vector<TrainingOption> model_options() {
  return {
      choice("preset", &Options::preset, kPresetNames, "paper|released",
             "Threshold, widths and scales of the paper, or of its authors' released file"),
      text("attention", &Options::attention, "MECHANISM",
           "vanilla, eatt, selection, l1, dense or randinit everywhere; eatt:1-3,vanilla:4-6 "
           "chooses by layer"),
      text("encoder-self", &Options::encoder_self, "MECHANISM", "In the encoder's self-attention"),
      text("decoder-self", &Options::decoder_self, "MECHANISM", "In the decoder's self-attention"),
      text("cross", &Options::cross, "MECHANISM", "In cross-attention"),
      whole("enc-depth", &Options::enc_depth, 1, "Layers of the encoder", kMaxLayers),
      whole("dec-depth", &Options::dec_depth, 1, "Layers of the decoder", kMaxLayers),
      whole("model-dim", &Options::model_dim, 2, "Width of the model", 65'536),
      whole("heads", &Options::heads, 1, "Attention heads", 1024),
      whole("ffn-dim", &Options::ffn_dim, 1, "Hidden width of the feed-forward layers", 1 << 20),
      whole("attention-dim", &Options::attention_dim, 0,
            "Inner width of Q, K and V, all heads together; 0: the model's", 65'536),
      whole("qk-dim", &Options::qk_dim, 0, "Inner width of Q and K only; 0: --attention-dim",
            65'536),
      whole("max-length", &Options::max_length, 1,
            "Longest sentence in pieces; longer pairs are left out", 65'535),
      choice("norm", &Options::norm, kNormNames, "pre|post",
             "Layer norm before or after each sub-layer"),
      real("norm-epsilon", &Options::norm_epsilon, {0, 1}, "Of layer norms; 0: the preset's"),
      choice("tied-embeddings", &Options::tied_embeddings, kTiedNames, "none|target|all",
             "Which of source embedding, target embedding and output layer are one matrix"),
      text("threshold", &Options::threshold, "X|preset",
           "tau of f(x) = 1 if x > tau, or where it starts"),
      flag("learn-threshold", &Options::learn_threshold, "Learn tau for each feature"),
      choice("score-scale", &Options::score_scale, kScaleChoiceNames,
             "preset|head-width|fixed|learned",
             "What scores are divided by: sqrt(d_h), a fixed number, or learned for each head"),
      real("score-divisor", &Options::score_divisor, {},
           "The fixed divisor, or where a learned one starts; 0: sqrt(d_h)"),
      real("surrogate-width", &Options::surrogate_width, {1e-3, 1e3},
           "Width of the bell that stands in for the threshold's gradient"),
      real("dropout", &Options::dropout, {0, 0.99}, "On embeddings and results of sub-layers"),
      real("dropout-attention", &Options::dropout_attention, {0, 0.99}, "On attention weights"),
      real("dropout-ffn", &Options::dropout_ffn, {0, 0.99}, "Inside feed-forward layers"),
  };
}

std::vector<TrainingOption> data_options() {
  return {
      whole("vocab-size", &Options::vocab_size, 16, "Pieces to learn from --train-sets", 1 << 24),
      flag("joint-vocab", &Options::joint_vocab, "One vocabulary for both languages"),
      text("source-language", &Options::source_language, "CODE", "Such as en"),
      text("target-language", &Options::target_language, "CODE", "Such as de"),
      whole("mini-batch-words", &Options::mini_batch_words, 1, "Source pieces in a batch"),
      flag("count-padding", &Options::count_padding, "Whether padding counts in a batch"),
      whole("window-pairs", &Options::window_pairs, 0,
            "Pairs that are sorted by length at a time; 0: about 256 batches"),
      whole("optimizer-delay", &Options::optimizer_delay, 1, "Batches in an update"),
  };
}

std::vector<TrainingOption> optimiser_options() {
  return {
      choice("lr-schedule", &Options::lr_schedule, kScheduleNames,
             "paper|inverse-sqrt|linear|constant", "How the learning rate moves"),
      real("learn-rate", &Options::learn_rate, {}, "Its peak"),
      whole("lr-warmup", &Options::lr_warmup, 0, "Updates of warm-up"),
      whole("lr-decay-start", &Options::lr_decay_start, 1,
            "Update from which the paper's schedule decays"),
      real("adam-beta1", &Options::adam_beta1, {0, 0.999999}, "Adam"),
      real("adam-beta2", &Options::adam_beta2, {0, 0.999999}, "Adam"),
      real("adam-epsilon", &Options::adam_epsilon, {}, "Adam"),
      real("clip-norm", &Options::clip_norm, {}, "Longest gradient; 0: any"),
      real("label-smoothing", &Options::label_smoothing, {0, 0.99},
           "Share of the target spread over all words"),
      real(
          "exponential-smoothing", &Options::exponential_smoothing, {0, 1},
          "Weight of the newest parameters in a moving average that is validated and kept; 0: off"),
      real("distill-weight", &Options::distill_weight, {0, 1},
           "Share of the teacher's distribution in the loss, with --teacher"),
      real("distill-temperature", &Options::distill_temperature, {1e-3, 1e3},
           "What the logits of both are divided by, with --teacher"),
      whole("seed", &Options::seed, 0, "Of weights, order of batches, and dropout"),
  };
}

std::vector<TrainingOption> course_options() {
  std::vector<TrainingOption> options = {
      extent("after", &Options::after, "When training ends"),
      extent("valid-freq", &Options::valid_freq, "How often to validate; 0u: never"),
      extent("save-freq", &Options::save_freq, "How often to write a checkpoint; 0u: at the end"),
      extent("disp-freq", &Options::disp_freq, "How often to show a line"),
      whole("early-stopping", &Options::early_stopping, 0,
            "Stop after so many validations without a better score; 0: never"),
      choice("valid-metric", &Options::valid_metric, kValidMetricNames,
             "bleu|chrf|cross-entropy|perplexity", "What decides which is best"),
      text("valid-tokenize", &Options::valid_tokenize, "NAME", "Tokenizer of dev BLEU"),
      whole("keep-last", &Options::keep_last, 1, "Newest checkpoints to keep"),
      whole("keep-best", &Options::keep_best, 0, "Best checkpoints to keep beside them"),
      whole("skip-limit", &Options::skip_limit, 1,
            "Updates skipped in a row before going back to the last checkpoint"),
      whole("rollback-limit", &Options::rollback_limit, 0, "Times of going back before giving up"),
      real("rollback-factor", &Options::rollback_factor, {1e-6, 1},
           "What the learning rate is multiplied by each time"),
  };
  for (TrainingOption& option : options) {
    // Scores of another kind could not be compared with those before.
    if (option.name != "valid-metric" && option.name != "valid-tokenize") {
      option.on_resume = OnResume::free;
    }
  }
  return options;
}

std::vector<TrainingOption> make_table() {
  std::vector<TrainingOption> table;
  const auto add = [&](std::string_view group, std::vector<TrainingOption> options) {
    for (TrainingOption& option : options) {
      option.group = group;
      table.push_back(std::move(option));
    }
  };
  add("Model", model_options());
  add("Data", data_options());
  add("Optimiser", optimiser_options());
  add("Course", course_options());
  return table;
}

}  // namespace

std::span<const TrainingOption> training_option_table() {
  static const std::vector<TrainingOption> table = make_table();
  return table;
}

const TrainingOption* find_training_option(std::string_view name) {
  for (const TrainingOption& option : training_option_table()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

Extent parse_extent(std::string_view text, std::string_view option) {
  std::string_view digits = text;
  Extent extent;
  if (text.ends_with('u') || text.ends_with('e')) {
    extent.epochs = text.ends_with('e');
    digits.remove_suffix(1);
  }
  if (!parse_whole(digits, extent.count) || extent.count < 0) {
    wrong_value(option, text, "updates such as 2000u or epochs such as 3e");
  }
  return extent;
}

std::string print_extent(Extent extent) {
  return fmt::format("{}{}", extent.count, extent.epochs ? 'e' : 'u');
}

}  // namespace eatt
