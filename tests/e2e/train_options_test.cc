// Options of training that contradict each other, have no effect, or leave data out: training says
// so before it starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "e2e/train_fixture.h"

namespace eatt::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class TrainOptions : public Train {
 protected:
  // The number before `text`, without commas; 0 if there is none.
  static int number_before(const std::string& text, const std::string& output) {
    std::smatch found;
    if (!std::regex_search(output, found, std::regex("([0-9,]+) +" + text))) return 0;
    std::string digits = found[1];
    std::erase(digits, ',');
    return std::stoi(digits);
  }

  // One sentence, before anything is made.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& reason) const {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_FALSE(std::filesystem::exists(path("run")));
  }

  void prepare() const {
    ASSERT_EQ(run("eatt", {"corpus", "prepare", "--train-sets", corpus("train.zh"),
                           corpus("train.en"), "--vocab-size", "700", "--output", path("data")})
                  .exit_code,
              0);
  }
};

TEST_F(TrainOptions, PairsThatAreTooLongAreCountedOnceAndLeftOutOfTheDryRunToo) {
  prepare();
  const std::string sentence = "of 400 pairs longer than 12 pieces \\(--max-length\\)\n";
  const auto of_text = command("run", {"--max-length", "12", "--after", "5u"});
  const auto of_data = command_on("data", "other", {"--max-length", "12", "--after", "5u"});
  for (auto arguments : {of_text, of_data}) {
    const auto trained = run("eatt", arguments);
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const int left_out = number_before(sentence, trained.err);
    EXPECT_GT(left_out, 0) << trained.err;
    EXPECT_EQ(number_before("pairs, 1 thread", trained.err), 400 - left_out);
    drop(arguments, "--model");  // Otherwise the data of the run would be counted.
    arguments.emplace_back("--dry-run");
    const auto dry = run("eatt", arguments);
    ASSERT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_EQ(number_before("longer than 12 pieces \\(--max-length\\)\n", dry.out), left_out)
        << dry.out;
    EXPECT_EQ(number_before("[0-9.]+ source and [0-9.]+ target pieces on average\n", dry.out),
              400 - left_out)
        << dry.out;
  }
  for (auto arguments : {command("none", {"--max-length", "2"}),
                         command_on("data", "none", {"--max-length", "2"})}) {
    for (const bool dry : {false, true}) {
      if (dry) arguments.emplace_back("--dry-run");
      EXPECT_THAT(run("eatt", arguments).err,
                  ContainsRegex("all 400 pairs are longer than 2 pieces.*; raise --max-length\n"));
    }
  }
}

TEST_F(TrainOptions, FlagsWithoutEffectAreRefusedAndRecipesMayHaveThem) {
  prepare();
  const auto idle = [&](const std::vector<std::string>& more, const std::string& reason) {
    expect_refused(command("run", more), more[0] + " has no effect " + reason);
  };
  idle({"--distill-weight", "0.7"}, "without --teacher BUNDLE; leave it out\n");
  idle({"--distill-temperature", "2"}, "without --teacher");
  for (const char* option :
       {"--threshold", "--code-levels", "--surrogate-width", "--code-lr", "--freeze-codes"}) {
    idle({option, "1", "--attention", "vanilla"},
         "on this model: only --attention eatt or selection uses codes; leave it out\n");
  }
  idle({"--codes-without-dropout", "--dropout", "0"}, "with --dropout 0");
  idle({"--code-density", "0.2"}, "without --code-density-weight X; leave it out\n");
  idle({"--code-gradient", "2", "--freeze-codes", "1"}, "with --freeze-codes 1");
  idle({"--code-density-weight", "1", "--code-gradient", "0"}, "with --code-gradient 0");
  idle({"--code-density-weight", "1", "--attention", "l1"}, "on this model");
  idle({"--learn-threshold", "--attention", "l1"}, "on this model");
  idle({"--preset", "best", "--attention", "vanilla"}, "on this model: only --attention eatt");
  idle({"--lr-decay-start", "50", "--lr-schedule", "constant"}, "without --lr-schedule paper");
  idle({"--valid-tokenize", "zh", "--valid-metric", "perplexity"}, "with a --valid-metric that");
  idle({"--rollback-factor", "0.1", "--rollback-limit", "0"}, "with --rollback-limit 0");
  idle({"--attention", "l1", "--encoder-self", "eatt", "--decoder-self", "eatt", "--cross", "eatt"},
       "with --encoder-self, --decoder-self and --cross");
  for (const char* option : {"--vocab-size", "--joint-vocab"}) {
    auto arguments = command_on("data", "run");
    arguments.insert(arguments.end(), {option, "900"});
    if (std::string(option) == "--joint-vocab") arguments.back() = "true";
    expect_refused(arguments, std::string(option) + " has no effect with --prepared");
  }
  for (const char* option : {"--valid-freq", "--keep-best"}) {
    auto arguments = command("run");
    drop_validation(arguments);
    arguments.insert(arguments.end(), {option, "2"});
    expect_refused(arguments, std::string(option) + " has no effect without --valid-sets SRC TGT");
  }
  folder_.write("all.toml", run("eatt", {"train", "--recipe", "tiny", "--dump-config"}).out);
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--preset", "best", "--attention", "vanilla", "--cross", "eatt"},
           {"--preset", "released", "--attention", "vanilla"}}) {
    auto arguments = command("fine", more);
    arguments.emplace_back("--dry-run");
    const auto used = run("eatt", arguments);
    EXPECT_EQ(used.exit_code, 0) << used.err;
  }
  const auto from_recipe = run("eatt", command("fine", {"--recipe", path("all.toml"), "--attention",
                                                        "vanilla", "--after", "5u"}));
  EXPECT_EQ(from_recipe.exit_code, 0) << from_recipe.err;
}

TEST_F(TrainOptions, AnUnknownMechanismIsNamedWithItsOption) {
  const std::string choices =
      "expected vanilla, eatt, selection, l1, dense or randinit, or layer by layer, as in "
      "eatt:1-3,vanilla:4-6\n";
  expect_refused(command("run", {"--attention", "eatt2"}), "--attention is 'eatt2'; " + choices);
  expect_refused(command("run", {"--cross", "eat"}), "--cross is 'eat'; " + choices);
  expect_refused(command("run", {"--attention", "eatt:1-9"}),
                 "--attention 'eatt:1-9': at character 8: expected a layer from 1 to 1");
}

TEST_F(TrainOptions, TheVocabularySizeThatIsAdvisedWorks) {
  folder_.write("small.zh", "我 看 书\n他 喝 水\n");
  folder_.write("small.en", "I read a book\nhe drinks water\n");
  for (const char* size : {"10", "1000"}) {
    auto arguments = command("run", {"--train-sets", path("small.zh"), path("small.en"),
                                     "--vocab-size", size, "--after", "3u"});
    const auto refused = run("eatt", arguments);
    EXPECT_EQ(refused.exit_code, 1) << refused.err;
    EXPECT_THAT(refused.err, Not(HasSubstr("--character-coverage")));
    std::smatch advice;
    ASSERT_TRUE(std::regex_search(refused.err, advice, std::regex("try --vocab-size ([0-9]+)")))
        << refused.err;
    drop(arguments, "--vocab-size");
    arguments.insert(arguments.end(), {"--vocab-size", advice[1]});
    const auto trained = run("eatt", arguments);
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    std::filesystem::remove_all(path("run"));
  }
}

TEST_F(TrainOptions, ADevSetThatIsTheTrainingTextIsWarnedAbout) {
  folder_.write("copy.zh", read_text(corpus("dev.zh")));
  folder_.write("copy.en", read_text(corpus("dev.en")));
  const auto same = run("eatt", command("same", {"--train-sets", path("copy.zh"), path("copy.en"),
                                                 "--after", "3u", "--vocab-size", "150"}));
  EXPECT_THAT(same.err, HasSubstr("--valid-sets has the same text as --train-sets"));
  const auto other = run("eatt", command("other", {"--after", "3u"}));
  EXPECT_THAT(other.err, Not(HasSubstr("the same text")));
}

TEST_F(TrainOptions, AnEarlyStopSaysWhyAndHowToGoOn) {
  // The learning rate is 0, so no validation is better than the first.
  const auto stopped =
      run("eatt", command("run", {"--learn-rate", "0", "--valid-freq", "5u", "--after", "1000u",
                                  "--valid-metric", "perplexity", "--early-stopping", "2"}));
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopping early: 2 validations without a better perplexity "
                                     "(--early-stopping 2)\n"));
  EXPECT_THAT(stopped.err,
              HasSubstr(" train --model " + path("run") + " --early-stopping 4 (it was 2)\n"));
  const auto longer = run("eatt", {"train", "--model", path("run"), "--early-stopping", "4"});
  EXPECT_THAT(longer.err, HasSubstr("stopping early: 4 validations"));
}

TEST_F(TrainOptions, DistillChecksTheOptionsOfTrainBeforeItTranslates) {
  ASSERT_EQ(run("eatt", command("teacher", {"--after", "5u"})).exit_code, 0);
  const std::string teacher = path("teacher/best");
  const auto distill = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"distill", teacher, "--train-sets", corpus("dev.zh"),
                               corpus("dev.en"), "--output", path("distilled")});
    return more;
  };
  const auto expect_early = [&](const std::vector<std::string>& train, int code,
                                const std::string& reason) {
    std::vector<std::string> words = {"--", "--recipe", "tiny", "--vocab-size", "100"};
    words.insert(words.end(), train.begin(), train.end());
    const auto result = run("eatt", distill(words));
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_FALSE(std::filesystem::exists(path("distilled")));
    EXPECT_FALSE(std::filesystem::exists(path("student")));
  };
  const std::string student = path("student");
  expect_early({}, 2, "eatt: --model is missing");
  expect_early({"--model", student, "--dropuot", "0.1"}, 2,
               "unknown option --dropuot (did you mean --dropout?)");
  expect_early({"--model", student, "--heads", "3"}, 2, "--heads is 3");
  expect_early({"--model", student, "--attention", "eatt2"}, 2, "--attention is 'eatt2'");
  expect_early({"--model", student, "--distill-weight", "1"}, 2, "--distill-weight has no effect");
  expect_early({"--model", student, "--valid-sets", corpus("dev.zh"), path("no.en")}, 1,
               path("no.en"));
  expect_early({"--model", student, "--valid-sets", corpus("dev.en"), corpus("dev.zh")}, 2,
               "are swapped");
  expect_early({"--model", teacher}, 2, "is a finished model");
  expect_early({"--model", path("teacher")}, 2, "was started with");
  expect_refused(distill({"--choose", "reference", "--beam-size", "1"}),
                 "--choose reference has no effect with --beam-size 1");
  EXPECT_THAT(run("eatt", {"train", "--help"}).out, Not(HasSubstr("--check-only")));

  const auto whole =
      run("eatt", distill({"--min-length", "2", "--", "--recipe", "tiny", "--vocab-size", "60",
                           "--after", "3u", "--model", student}));
  EXPECT_THAT(whole.out, HasSubstr("20 pairs in")) << whole.err;
}

}  // namespace
}  // namespace eatt::testing
