#include <gmock/gmock.h>

#include <limits>

#include "base/error.h"
#include "runtime/api/option_fields.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;

std::string complaint(const SearchOptions& options) {
  try {
    check_search_options(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(SearchOptions, DefaultsAndUsualChoicesAreFine) {
  EXPECT_EQ(complaint({}), "none");
  EXPECT_EQ(complaint({.beam_size = 4, .n_best = 4, .length_penalty = 0.6}), "none");
  EXPECT_EQ(complaint({.sampling = true, .temperature = 0.7, .top_k = 5, .top_p = 0.5}), "none");
  EXPECT_EQ(complaint({.n_best = 3, .alternatives = true}), "none");
}

TEST(SearchOptions, SizesHaveToBePositiveAndFit) {
  EXPECT_THAT(complaint({.beam_size = 0}), HasSubstr("--beam-size is '0'"));
  EXPECT_THAT(complaint({.beam_size = -3}), HasSubstr("--beam-size is '-3'"));
  EXPECT_THAT(complaint({.n_best = 0}), HasSubstr("--n-best is '0'"));
  EXPECT_THAT(complaint({.beam_size = 4, .n_best = 5}),
              HasSubstr("--n-best is 5 but --beam-size 4"));
}

TEST(SearchOptions, LengthsHaveToBeNumbersThatFit) {
  EXPECT_THAT(complaint({.min_length = -1}), HasSubstr("--min-length is '-1'"));
  EXPECT_THAT(complaint({.max_length = -1}), HasSubstr("--max-length is '-1'"));
  EXPECT_THAT(complaint({.max_length_factor = -0.5}), HasSubstr("--max-length-factor is '-0.5'"));
  EXPECT_THAT(complaint({.max_length_extra = -2}), HasSubstr("--max-length-extra is '-2'"));
  EXPECT_THAT(complaint({.min_length = 6, .max_length = 5}),
              HasSubstr("--min-length is 6 but --max-length 5"));
}

TEST(SearchOptions, PenaltiesHaveToBeNumbersThatFit) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(complaint({.length_penalty = -1}), HasSubstr("--length-penalty is '-1'"));
  EXPECT_THAT(complaint({.normalize = infinite}), HasSubstr("--normalize is 'inf'"));
  EXPECT_THAT(complaint({.length_penalty = 1, .normalize = 1}),
              HasSubstr("--length-penalty and --normalize"));
  EXPECT_THAT(complaint({.word_penalty = std::nan("")}), HasSubstr("--word-penalty is 'nan'"));
  EXPECT_THAT(complaint({.coverage_penalty = -0.1}), HasSubstr("--coverage-penalty is '-0.1'"));
  EXPECT_THAT(complaint({.repetition_penalty = 0}), HasSubstr("--repetition-penalty is '0'"));
}

TEST(SearchOptions, SamplingHasToBePossible) {
  EXPECT_THAT(complaint({.sampling = true, .temperature = 0}), HasSubstr("--temperature is '0'"));
  EXPECT_THAT(complaint({.sampling = true, .top_k = -1}), HasSubstr("--top-k is '-1'"));
  EXPECT_THAT(complaint({.sampling = true, .top_p = 0}), HasSubstr("--top-p is '0'"));
  EXPECT_THAT(complaint({.sampling = true, .top_p = 1.1}), HasSubstr("--top-p is '1.1'"));
  EXPECT_THAT(complaint({.sampling = true, .alternatives = true}),
              HasSubstr("--sampling and --alternatives exclude each other"));
  EXPECT_THAT(complaint({.temperature = 0.5}), HasSubstr("add --sampling"));
}

}  // namespace
}  // namespace eatt
