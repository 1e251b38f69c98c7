#include "runtime/api/option_fields.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <type_traits>

#include "base/error.h"

namespace eatt {
namespace {

using S = SearchOptions;
constexpr std::array kSearchFields = {
    OptionField<S>{"beam-size", "N", "Hypotheses that search keeps; 1 is greedy", &S::beam_size},
    OptionField<S>{"n-best", "N", "Hypotheses to give, at most --beam-size", &S::n_best},
    OptionField<S>{"length-penalty", "A", "Divide scores by ((5+pieces)/6)^A; 0 is off",
                   &S::length_penalty},
    OptionField<S>{"normalize", "A", "Divide scores by pieces^A; 0 is off", &S::normalize},
    OptionField<S>{"word-penalty", "X", "Subtract X for every piece", &S::word_penalty},
    OptionField<S>{"coverage-penalty", "B", "Penalty for source pieces that got little attention",
                   &S::coverage_penalty},
    OptionField<S>{"repetition-penalty", "X", "Above 1: pieces that were used are less likely",
                   &S::repetition_penalty},
    OptionField<S>{"min-length", "N", "Fewest pieces of a translation", &S::min_length},
    OptionField<S>{"max-length", "N", "Most pieces of a translation; 0: see the factor",
                   &S::max_length},
    OptionField<S>{"max-length-factor", "X", "Most pieces = X * source pieces + extra",
                   &S::max_length_factor},
    OptionField<S>{"max-length-extra", "N", "The extra of --max-length-factor",
                   &S::max_length_extra},
    OptionField<S>{"early-stopping", "", "End when nothing better can come: same result, sooner",
                   &S::early_stopping},
    OptionField<S>{"allow-unk", "", "Let <unk> be generated", &S::allow_unknown},
    OptionField<S>{"alternatives", "", "N best first pieces (after the prefix), continued greedily",
                   &S::alternatives},
    OptionField<S>{"sampling", "", "Draw translations at random instead of searching",
                   &S::sampling},
    OptionField<S>{"temperature", "X", "Of sampling: above 1 more random", &S::temperature},
    OptionField<S>{"top-k", "N", "Sample among the N best pieces; 0: all", &S::top_k},
    OptionField<S>{"top-p", "P", "Sample among the fewest pieces that reach P", &S::top_p},
    OptionField<S>{"seed", "N", "Of sampling", &S::seed},
};

using T = TranslatorOptions;
constexpr std::array kTranslatorFields = {
    OptionField<T>{"precision", "NAME", "float32 or int8; as the bundle is stored", &T::precision},
    OptionField<T>{"cpu-threads", "N", "Threads to compute with; 0 for all CPUs", &T::threads},
    OptionField<T>{"verify-hashes", "", "Check the files of the bundle", &T::verify_hashes},
    OptionField<T>{"shortlist", "FILE", "Likely target pieces, made by `eatt shortlist`",
                   &T::shortlist},
    OptionField<T>{"alignment-layer", "N", "Decoder layer that alignments come from; 0: the last",
                   &T::alignment_layer},
    OptionField<T>{"alignment-head", "N", "Its head; 0: the mean of all", &T::alignment_head},
    OptionField<T>{"alignment-shift", "0|1", "0: where a piece is predicted; 1: where it is read",
                   &T::alignment_shift},
    OptionField<T>{"attention", "", "Keep what alignments and coverage need", &T::wants_attention},
    OptionField<T>{"mini-batch-words", "N", "Source pieces computed together", &T::batch_words},
    OptionField<T>{"mini-batch", "N", "Sentences computed together", &T::batch_sentences},
    OptionField<T>{"max-input-length", "N", "Pieces; longer input is split or refused",
                   &T::max_input_pieces},
    OptionField<T>{"split-long-input", "", "Split it at sentence ends", &T::split_long_input},
};

[[noreturn]] void refuse(std::string_view name, std::string_view value, std::string_view expected) {
  throw UsageError(fmt::format("{} is '{}'; expected {}", name, value, expected));
}

void parse(std::string_view, std::string_view text, std::string& value) { value = text; }

void parse(std::string_view name, std::string_view text, bool& value) {
  if (text != "1" && text != "true" && text != "0" && text != "false") {
    refuse(name, text, "1, true, 0 or false");
  }
  value = text == "1" || text == "true";
}

template <typename Number>
void parse(std::string_view name, std::string_view text, Number& value) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(name, text, std::is_integral_v<Number> ? "a whole number" : "a number");
  }
  value = parsed;
}

template <typename Options>
bool set_field(std::span<const OptionField<Options>> fields, std::string_view name,
               std::string_view value, Options& options) {
  for (const auto& field : fields) {
    if (field.name != name) continue;
    std::visit([&](auto member) { parse(name, value, options.*member); }, field.field);
    return true;
  }
  return false;
}

}  // namespace

std::span<const OptionField<SearchOptions>> search_fields() { return kSearchFields; }
std::span<const OptionField<TranslatorOptions>> translator_fields() { return kTranslatorFields; }

void set_option(std::string_view name, std::string_view value, SearchOptions& search,
                TranslatorOptions& translator) {
  if (set_field(search_fields(), name, value, search)) return;
  if (set_field(translator_fields(), name, value, translator)) return;
  throw UsageError(
      fmt::format("there is no option '{}'; names are those of `eatt translate --help` without "
                  "hyphens in front",
                  name));
}

}  // namespace eatt
