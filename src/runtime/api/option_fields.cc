#include "runtime/api/option_fields.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr Range kAny = {};
constexpr Range kNotNegative = {0};
constexpr Range kAboveZero = {.least = 0, .above_least = true};
constexpr Range kHypotheses = {1, 10'000};
constexpr Range kPieces = {0, 1 << 20};  // Of a translation.

OptionTable<SearchOptions> make_search_table() {
  using S = SearchOptions;
  OptionTable<S> table;
  table.group("Search")
      .number("beam-size", "N", &S::beam_size, kHypotheses,
              "Hypotheses kept during search; 1 is greedy search")
      .number("n-best", "N", &S::n_best, kHypotheses, "Hypotheses to return, at most --beam-size")
      .number("length-penalty", "A", &S::length_penalty, kNotNegative,
              "Divide scores by ((5+pieces)/6)^A; 0 is off")
      .number("normalize", "A", &S::normalize, kNotNegative, "Divide scores by pieces^A; 0 is off")
      .number("word-penalty", "X", &S::word_penalty, kAny, "Subtract X for every piece")
      .number("coverage-penalty", "B", &S::coverage_penalty, kNotNegative,
              "Penalty for source pieces that received little attention")
      .number("repetition-penalty", "X", &S::repetition_penalty, kAboveZero,
              "Values above 1 make repeated pieces less likely")
      .number("min-length", "N", &S::min_length, kPieces, "Shortest translation, in pieces")
      .number("max-length", "N", &S::max_length, kPieces,
              "Longest translation, in pieces; 0: see --max-length-factor")
      .number("max-length-factor", "X", &S::max_length_factor, {0, 10'000},
              "Longest translation = X * source pieces + extra")
      .number("max-length-extra", "N", &S::max_length_extra, kPieces,
              "Extra pieces allowed by --max-length-factor")
      .toggle("early-stopping", &S::early_stopping,
              "Stop as soon as nothing better can follow: same result, faster")
      .toggle("allow-unk", &S::allow_unknown, "Allow <unk> in translations")
      .toggle("alternatives", &S::alternatives,
              "Take the N best first pieces (after the prefix) and continue each greedily");
  table.group("Sampling")
      .toggle("sampling", &S::sampling, "Draw translations at random instead of searching")
      .number("temperature", "X", &S::temperature, kAboveZero,
              "Sampling temperature: higher is more random")
      .number("top-k", "N", &S::top_k, kNotNegative, "Sample from the N best pieces; 0: all")
      .number("top-p", "P", &S::top_p, {.least = 0, .most = 1, .above_least = true},
              "Sample from the fewest pieces whose probabilities add up to P")
      .number("seed", "N", &S::seed, kAny, "Seed for sampling");
  return table;
}

// The command line also knows "soft" and "0.x", which it computes from the same attention.
OptionField<TranslatorOptions> alignment_field() {
  OptionField<TranslatorOptions> field;
  field.name = "alignment";
  field.value = "hard";
  field.help = "Add word alignments";
  field.is_text = true;
  field.set = [](TranslatorOptions& options, std::string_view text) {
    if (text != "hard") refuse_value("--alignment", text, "hard");
    options.wants_attention = true;
  };
  field.get = [](const TranslatorOptions& options) {
    return options.wants_attention ? "hard" : "";
  };
  return field;
}

OptionField<TranslatorOptions> long_input_field() {
  static constexpr std::array<std::string_view, 2> kActions = {"error", "split"};
  OptionField<TranslatorOptions> field;
  field.name = "long-input";
  field.value = "split|error";
  field.help = "What to do with text longer than --max-input-length";
  field.is_text = true;
  field.set = [](TranslatorOptions& options, std::string_view text) {
    options.split_long_input = read_choice("--long-input", text, kActions) == 1;
  };
  field.get = [](const TranslatorOptions& options) {
    return std::string(kActions[options.split_long_input ? 1 : 0]);
  };
  return field;
}

OptionTable<TranslatorOptions> make_translator_table() {
  using T = TranslatorOptions;
  OptionTable<T> table;
  table.group("Alignments")
      .number("alignment-layer", "N", &T::alignment_layer, kNotNegative,
              "Decoder layer to read alignments from; 0: the last")
      .number("alignment-head", "N", &T::alignment_head, kNotNegative,
              "Attention head in that layer; 0: the mean of all")
      .number("alignment-shift", "0|1", &T::alignment_shift, {0, 1},
              "Decoder step to read them from: 0, which predicts the piece, or 1, which reads it")
      .add(alignment_field());
  table.group("Speed and length")
      .text("precision", "float32|int8", &T::precision,
            "Precision to compute in, if not the one that the bundle is stored in")
      .number("cpu-threads", "N", &T::threads, kNotNegative, "Number of threads; 0: one per CPU")
      .toggle_off("no-hash", &T::verify_hashes,
                  "Do not check the hashes of the bundle's files, to start faster")
      .text("shortlist", "FILE", &T::shortlist,
            "Shortlist of likely target pieces, made by `eatt shortlist`")
      .number("mini-batch-words", "N", &T::batch_words, {1}, "Source pieces translated together")
      .number("mini-batch", "N", &T::batch_sentences, {1}, "Sentences translated together")
      .toggle_off("no-split", &T::split_sentences,
                  "Translate a text as a whole, even if it has several sentences")
      .number("max-input-length", "N", &T::max_input_pieces, {1},
              "Longest input, in pieces; longer input is split or refused")
      .add(long_input_field());
  return table;
}

template <typename Options>
bool set_field(const OptionTable<Options>& table, std::string_view name, std::string_view value,
               Options& options) {
  const OptionField<Options>* field = table.find(name);
  if (field != nullptr) field->set(options, value);
  return field != nullptr;
}

std::string all_names() {
  std::string names;
  for (const auto& field : search_fields()) names += field.name + ", ";
  for (const auto& field : translator_fields()) names += field.name + ", ";
  names.resize(names.size() - 2);
  return names;
}

}  // namespace

const OptionTable<SearchOptions>& search_fields() {
  static const auto table = make_search_table();
  return table;
}

const OptionTable<TranslatorOptions>& translator_fields() {
  static const auto table = make_translator_table();
  return table;
}

void set_option(std::string_view name, std::string_view value, SearchOptions& search,
                TranslatorOptions& translator) {
  if (set_field(search_fields(), name, value, search)) return;
  if (set_field(translator_fields(), name, value, translator)) return;
  throw UsageError(fmt::format(
      "the library has no option {}; it has these options of `eatt translate`, without hyphens in "
      "front: {}",
      in_quotes(name), all_names()));
}

void check_search_options(const SearchOptions& options) {
  search_fields().check(options);
  if (options.n_best > options.beam_size && !options.alternatives) {
    throw UsageError(fmt::format(
        "--n-best is {} but --beam-size {}; {}, so use --beam-size {} or more", options.n_best,
        options.beam_size,
        options.sampling ? "with --sampling, that is the number of translations that are drawn"
                         : "a search cannot return more than its beam holds",
        options.n_best));
  }
  if (options.max_length > 0 && options.min_length > options.max_length) {
    throw UsageError(
        fmt::format("--min-length is {} but --max-length {}; lower the first or raise the second",
                    options.min_length, options.max_length));
  }
  if (options.length_penalty != 0 && options.normalize != 0) {
    throw UsageError(
        "--length-penalty and --normalize are two ways to compare lengths; give one of them");
  }
  if (options.sampling && options.alternatives) {
    throw UsageError("--sampling and --alternatives exclude each other; give one of them");
  }
  const bool restricts = options.temperature != 1 || options.top_k != 0 || options.top_p != 1;
  if (restricts && !options.sampling) {
    throw UsageError("--temperature, --top-k and --top-p change what is drawn; add --sampling");
  }
}

}  // namespace eatt
