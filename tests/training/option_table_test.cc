#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "training/options/training_options.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(OptionTable, EveryOptionPrintsWhatItReads) {
  std::set<std::string_view> names;
  for (const TrainingOption& option : training_option_table()) {
    TrainingOptions options;
    const std::string value = option.get(options);
    option.set(options, value);
    EXPECT_EQ(option.get(options), value) << option.name;
    EXPECT_EQ(options, TrainingOptions{}) << option.name << " touches another option";
    EXPECT_TRUE(names.insert(option.name).second) << option.name << " stands twice";
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
}

TEST(OptionTable, AWrongValueIsRefusedWithWhatIsExpected) {
  TrainingOptions options;
  const auto set = [&](const char* name, const char* value) {
    return message_of([&] { training_option_table().find(name)->set(options, value); });
  };
  EXPECT_THAT(set("heads", "0"), HasSubstr("--heads is '0'; expected an integer from 1"));
  EXPECT_THAT(set("heads", "four"), HasSubstr("--heads is 'four'"));
  EXPECT_THAT(set("dropout", "1.5"), HasSubstr("from 0 to 0.99"));
  EXPECT_THAT(set("learn-rate", "nan"), HasSubstr("--learn-rate"));
  EXPECT_THAT(set("norm", "mid"), HasSubstr("expected pre or post"));
  EXPECT_THAT(set("after", "10x"), HasSubstr("2000u or epochs such as 3e"));
  EXPECT_EQ(options, TrainingOptions{}) << "a refused value changes nothing";
}

TEST(OptionTable, ExtentsAreUpdatesOrEpochs) {
  EXPECT_EQ(parse_extent("2000u", "after"), (Extent{2000, false}));
  EXPECT_EQ(parse_extent("3e", "after"), (Extent{3, true}));
  EXPECT_EQ(parse_extent("50", "after"), (Extent{50, false}));
  EXPECT_EQ(print_extent({3, true}), "3e");
}

TEST(Recipe, WhatIsPrintedReadsBackTheSame) {
  TrainingOptions options;
  options.attention = "eatt:1-3,vanilla:4-6";
  options.learn_rate = 1.0 / 3;
  options.tied_embeddings = EmbeddingSharing::target;
  options.after = {7, true};
  options.learn_threshold = true;
  TrainingOptions read;
  apply_recipe(print_recipe(options), "printed", read);
  EXPECT_EQ(read, options);
}

TEST(Recipe, MistakesAreNamedWithTheirLine) {
  TrainingOptions options;
  const auto apply = [&](const char* text) {
    return message_of([&] { apply_recipe(text, "my.toml", options); });
  };
  EXPECT_THAT(apply("heads = 4\nheds = 8\n"),
              HasSubstr("my.toml, line 2: 'heds' is not a recipe key"));
  EXPECT_THAT(apply("norm = 3\n"), HasSubstr("my.toml, line 1: norm should be a string in quotes"));
  EXPECT_THAT(apply("heads = \"4\"\n"), HasSubstr("heads should be a number"));
  EXPECT_THAT(apply("heads = \n"), HasSubstr("my.toml, line 1"));
  EXPECT_THAT(apply("heads = 0\n"), HasSubstr("my.toml, line 1: --heads is '0'"));
}

TEST(Recipe, AnUnknownNameListsTheKnownOnes) {
  TrainingOptions options;
  EXPECT_THAT(
      message_of([&] { apply_recipe_named("wmt99", options); }),
      HasSubstr("neither a file nor one of builtin-zh-en, iwslt15-en-vi-tiny, iwslt15-en-vi, "
                "multi30k-en-de"));
}

TEST(Recipe, OfVietnameseAtSmallSizeIsThatOfMulti30kForLongerSentences) {
  TrainingOptions german, vietnamese;
  apply_recipe_named("multi30k-en-de", german);
  apply_recipe_named("iwslt15-en-vi-tiny", vietnamese);
  german.target_language = "vi";
  german.max_length = 160;
  EXPECT_EQ(vietnamese, german);
}

struct PaperTask {
  const char* recipe;
  int64_t updates, words;
  double dropout;
  bool joint;
  EmbeddingSharing tied;
};

// The table of the paper's training, as METHOD gives it.
TEST(Recipe, ThePapersTasksHaveThePapersNumbers) {
  for (const PaperTask& task :
       {PaperTask{"iwslt15-en-vi", 50'000, 4096, 0.3, true, EmbeddingSharing::all},
        PaperTask{"wmt14-en-de", 150'000, 32'768, 0.1, true, EmbeddingSharing::target},
        PaperTask{"wmt17-zh-en", 200'000, 32'768, 0.1, false, EmbeddingSharing::none}}) {
    TrainingOptions options;
    options.dropout = -1;  // So that a recipe that is silent is noticed.
    apply_recipe_named(task.recipe, options);
    EXPECT_EQ(options.after, (Extent{task.updates, false})) << task.recipe;
    EXPECT_EQ(options.mini_batch_words * options.optimizer_delay, task.words) << task.recipe;
    EXPECT_EQ(options.dropout, task.dropout) << task.recipe;
    EXPECT_EQ(options.joint_vocab, task.joint) << task.recipe;
    EXPECT_EQ(options.tied_embeddings, task.tied) << task.recipe;
    EXPECT_EQ(options.vocab_size, 32'000) << task.recipe;
    EXPECT_EQ(options.model_dim, 512);
    EXPECT_EQ(options.ffn_dim, 2048);
    EXPECT_EQ(options.enc_depth, 6);
    EXPECT_EQ(options.heads, 8);
    EXPECT_EQ(options.lr_schedule, ScheduleKind::paper);
    EXPECT_EQ(options.learn_rate, 0.001);
    EXPECT_EQ(options.lr_warmup, 8000);
    EXPECT_EQ(options.lr_decay_start, 20'000);
    EXPECT_EQ(options.label_smoothing, 0.1);
    EXPECT_EQ(make_architecture(options, 32'000, 32'000).threshold.value, 1.0);
  }
}

}  // namespace
}  // namespace eatt
