#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.h"
#include "runtime/search/search.h"

namespace eatt {
namespace {

void check_at_least(std::string_view option, int value, int least) {
  if (value >= least) return;
  throw UsageError(
      fmt::format("{} is {}; expected a whole number of at least {}", option, value, least));
}

constexpr int kWidestBeam = 10000;
constexpr int kMostPieces = 1 << 20;   // Of a translation.
constexpr double kMostFactor = 10000;  // Of its source.

template <class T>
void check_at_most(std::string_view option, T value, T most) {
  if (value <= most) return;
  throw UsageError(fmt::format("{} is {}; expected {} at most", option, value, most));
}

void check_not_negative(std::string_view option, double value) {
  if (std::isfinite(value) && value >= 0) return;
  throw UsageError(fmt::format("{} is {}; expected a number of at least 0", option, value));
}

void check_above_zero(std::string_view option, double value) {
  if (std::isfinite(value) && value > 0) return;
  throw UsageError(fmt::format("{} is {}; expected a number above 0", option, value));
}

void check_sizes(const SearchOptions& options) {
  check_at_least("--beam-size", options.beam_size, 1);
  check_at_least("--n-best", options.n_best, 1);
  check_at_most("--beam-size", options.beam_size, kWidestBeam);
  check_at_most("--n-best", options.n_best, kWidestBeam);
  if (options.n_best > options.beam_size && !options.alternatives) {
    throw UsageError(fmt::format(
        "--n-best is {} but --beam-size {}; a search cannot return more than its beam holds",
        options.n_best, options.beam_size));
  }
}

void check_lengths(const SearchOptions& options) {
  check_at_least("--min-length", options.min_length, 0);
  check_at_least("--max-length", options.max_length, 0);
  check_at_least("--max-length-extra", options.max_length_extra, 0);
  check_not_negative("--max-length-factor", options.max_length_factor);
  check_at_most("--min-length", options.min_length, kMostPieces);
  check_at_most("--max-length", options.max_length, kMostPieces);
  check_at_most("--max-length-extra", options.max_length_extra, kMostPieces);
  check_at_most("--max-length-factor", options.max_length_factor, kMostFactor);
  if (options.max_length > 0 && options.min_length > options.max_length) {
    throw UsageError(
        fmt::format("--min-length is {} but --max-length {}; lower the one or raise "
                    "the other",
                    options.min_length, options.max_length));
  }
}

void check_penalties(const SearchOptions& options) {
  check_not_negative("--length-penalty", options.length_penalty);
  check_not_negative("--normalize", options.normalize);
  check_not_negative("--coverage-penalty", options.coverage_penalty);
  check_above_zero("--repetition-penalty", options.repetition_penalty);
  if (!std::isfinite(options.word_penalty)) {
    throw UsageError(fmt::format("--word-penalty is {}; expected a number", options.word_penalty));
  }
  if (options.length_penalty != 0 && options.normalize != 0) {
    throw UsageError(
        "--length-penalty and --normalize are two ways to compare lengths; give one of them");
  }
}

void check_sampling(const SearchOptions& options) {
  check_above_zero("--temperature", options.temperature);
  check_at_least("--top-k", options.top_k, 0);
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    throw UsageError(
        fmt::format("--top-p is {}; expected a number above 0, at most 1", options.top_p));
  }
  if (options.sampling && options.alternatives) {
    throw UsageError("--sampling and --alternatives exclude each other; give one of them");
  }
  const bool restricts = options.temperature != 1 || options.top_k != 0 || options.top_p != 1;
  if (restricts && !options.sampling) {
    throw UsageError("--temperature, --top-k and --top-p change what is drawn; add --sampling");
  }
}

}  // namespace

void check_search_options(const SearchOptions& options) {
  check_sizes(options);
  check_lengths(options);
  check_penalties(options);
  check_sampling(options);
}

}  // namespace eatt
