// `eatt evaluate` as people type it. Its numbers: evaluate_golden_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::run;
using testing::RunResult;
using testing::split_lines;
using testing::TemporaryFolder;

class Evaluate : public ::testing::Test {
 protected:
  // eatt evaluate --reference REF ARGUMENTS < hypothesis
  RunResult evaluate(std::vector<std::string> arguments,
                     std::string_view hypothesis = "a b c d e\nthe mat\n") {
    arguments.insert(arguments.begin(), {"evaluate", "--reference", reference_});
    return run("eatt", arguments, hypothesis);
  }
  Json evaluate_json(std::vector<std::string> arguments,
                     std::string_view hypothesis = "a b c d e\nthe mat\n") {
    arguments.push_back("--json");
    const RunResult result = evaluate(arguments, hypothesis);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return Json::parse(result.out);
  }
  void expect_failure(const RunResult& result, int code, const std::string& part) {
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_THAT(result.err, AllOf(StartsWith("eatt: "), HasSubstr(part)));
    EXPECT_THAT(result.out, IsEmpty());
  }

  TemporaryFolder folder_;
  std::string reference_ = folder_.write("ref", "a b c d f\nthe cat sat on the mat\n");
};

TEST_F(Evaluate, PrintsSacreBleusLinesAlignedAtTheEqualsSign) {
  const RunResult result = evaluate({"--metrics", "bleu,chrf"}, "a b c d f\nthe cat sat on the\n");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_THAT(lines[0],
              AllOf(HasSubstr("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:eatt-"),
                    EndsWith(" = 90.5 100.0/100.0/100.0/100.0 (BP = 0.905 ratio = 0.909 "
                             "hyp_len = 10 ref_len = 11)")));
  EXPECT_THAT(lines[1], HasSubstr("chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:"));
  EXPECT_EQ(lines[0].find(" = "), lines[1].find(" = "));
}

TEST_F(Evaluate, ScoresWithAllThreeMetricsUnlessToldOtherwise) {
  const Json all = evaluate_json({});
  EXPECT_TRUE(all.contains("bleu") && all.contains("chrf") && all.contains("ter")) << all;
  EXPECT_THAT(evaluate_json({"--metrics", "ter"}), SizeIs(1));
}

TEST_F(Evaluate, WidthSetsTheDecimals) {
  const std::string text = "a b c d f\nthe cat sat on the mat\n";
  EXPECT_THAT(evaluate({"--metrics", "ter", "--width", "4"}, text).out, EndsWith(" = 0.0000\n"));
  EXPECT_THAT(evaluate({"--metrics", "ter", "--width", "0"}, text).out, EndsWith(" = 0\n"));
}

TEST_F(Evaluate, JsonHasEverythingInFull) {
  const Json json = evaluate_json({});
  EXPECT_EQ(json["bleu"]["counts"], Json({6, 4, 2, 1}));
  EXPECT_EQ(json["bleu"]["totals"], Json({7, 5, 3, 2}));
  EXPECT_EQ(json["bleu"]["sys_len"], 7);
  EXPECT_EQ(json["bleu"]["ref_len"], 11);
  EXPECT_NEAR(json["bleu"]["bp"].get<double>(), std::exp(1 - 11.0 / 7), 1e-15);
  EXPECT_EQ(json["ter"]["edits"], 5);
  EXPECT_EQ(json["ter"]["ref_len"], 11.0);
  EXPECT_NEAR(json["ter"]["score"].get<double>(), 500.0 / 11, 1e-12);
}

TEST_F(Evaluate, OptionsReachTheirMetric) {
  const Json json = evaluate_json({"--tokenize",
                                   "char",
                                   "--lowercase",
                                   "--smooth",
                                   "add-k",
                                   "--smooth-value",
                                   "0.5",
                                   "--effective-order",
                                   "--chrf-word-order",
                                   "2",
                                   "--chrf-char-order",
                                   "4",
                                   "--chrf-beta",
                                   "3",
                                   "--chrf-lowercase",
                                   "--chrf-whitespace",
                                   "--chrf-eps-smoothing",
                                   "--ter-case-sensitive",
                                   "--ter-normalized",
                                   "--ter-no-punct",
                                   "--ter-asian-support"});
  EXPECT_THAT(json["bleu"]["signature"],
              StartsWith("nrefs:1|case:lc|eff:yes|tok:char|smooth:add-k[0.50]|version"));
  EXPECT_EQ(json["chrf"]["name"], "chrF3++");
  EXPECT_THAT(json["chrf"]["signature"],
              StartsWith("nrefs:1|case:lc|eff:no|nc:4|nw:2|space:yes|version"));
  EXPECT_THAT(json["ter"]["signature"],
              StartsWith("nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|version"));
}

TEST_F(Evaluate, SeveralReferencesFollowOneFlag) {
  const std::string second = folder_.write("ref2", "a b c d e\nthe mat\n");
  const RunResult result = run("eatt", {"evaluate", "--reference", reference_, second, "--json"},
                               "a b c d e\nthe mat\n");
  const Json json = Json::parse(result.out);
  EXPECT_NEAR(json["bleu"]["score"].get<double>(), 100, 1e-10);
  EXPECT_THAT(json["bleu"]["signature"], StartsWith("nrefs:2|"));
}

TEST_F(Evaluate, SentencesGetALineEach) {
  const RunResult result =
      evaluate({"--sentence", "--metrics", "bleu,ter"}, "a b c d f\nthe mat\n");
  const auto lines = split_lines(result.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0], "100.0\t0.0");
  EXPECT_EQ(lines[1], "13.5\t66.7");  // All of two orders match; BP = exp(1 - 6 / 2).
  const Json json = evaluate_json({"--sentence"});
  EXPECT_THAT(json["bleu"]["scores"], SizeIs(2));
  EXPECT_THAT(json["bleu"]["signature"], HasSubstr("|eff:yes|"));
}

TEST_F(Evaluate, ConfidenceAddsAnIntervalThatTheSeedFixes) {
  const RunResult text = evaluate({"--confidence", "--metrics", "chrf"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("|bs:1000|seed:12345|"), HasSubstr(" (μ = "), HasSubstr(" ± ")));
  const std::vector<std::string> arguments{"--confidence", "--confidence-n", "200", "--seed", "7"};
  const Json once = evaluate_json(arguments);
  EXPECT_THAT(once["bleu"]["signature"], HasSubstr("|bs:200|seed:7|"));
  EXPECT_GT(once["chrf"]["confidence"]["half_width"], 0.0);
  EXPECT_EQ(once, evaluate_json(arguments));
}

TEST_F(Evaluate, ThreadsDoNotChangeAnything) {
  const std::vector<std::string> one{"--confidence", "--cpu-threads", "1"};
  const std::vector<std::string> four{"--confidence", "--cpu-threads", "4"};
  EXPECT_EQ(evaluate_json(one), evaluate_json(four));
}

TEST_F(Evaluate, SeveralSystemsMakeATable) {
  const std::string first = folder_.write("first.txt", "a b c d f\nthe cat sat on the mat\n");
  const std::string second = folder_.write("second.txt", "a b c d\nthe cat\n");
  const RunResult result = evaluate({"--hypothesis", first, second, "--metrics", "bleu,ter"});
  const auto lines = split_lines(result.out);
  ASSERT_GE(lines.size(), 5u) << result.out;
  EXPECT_THAT(lines[0], AllOf(StartsWith("System "), HasSubstr("BLEU"), HasSubstr("TER")));
  EXPECT_THAT(lines[1], AllOf(StartsWith(first), HasSubstr(" 100.0 ")));
  EXPECT_THAT(lines[2], AllOf(StartsWith(second), Not(HasSubstr("p ="))));
  EXPECT_EQ(lines[0].find("TER"), lines[2].rfind("45.5"));
  EXPECT_THAT(result.out, HasSubstr("BLEU|nrefs:1|"));

  const Json json = evaluate_json({"--hypothesis", first, second});
  EXPECT_EQ(json["systems"][1]["system"], second);
  EXPECT_EQ(json["systems"][0]["bleu"], json["bleu"]);
}

TEST_F(Evaluate, PairedSystemsAreComparedWithTheFirst) {
  std::string reference, baseline, worse;
  for (int i = 0; i < 60; ++i) {
    reference += "the quick brown fox jumps over dog number " + std::to_string(i) + "\n";
    baseline += "the quick brown fox jumps over dog number " + std::to_string(i) + "\n";
    worse += "a quick fox jumps by dog number " + std::to_string(i) + "\n";
  }
  reference_ = folder_.write("reference", reference);
  const std::string other = folder_.write("worse", worse);
  const std::string same = folder_.write("same", baseline);
  const RunResult text = evaluate({"--paired", other, same, "--metrics", "chrf"}, baseline);
  EXPECT_THAT(text.out, AllOf(HasSubstr("Baseline: standard input"), HasSubstr("(p = 0.0010)*"),
                              HasSubstr("(p = 1.0000)"), HasSubstr("1000 resamples, seed 12345")));
  const Json json = evaluate_json({"--paired", other, same}, baseline);
  EXPECT_FALSE(json["bleu"].contains("p_value"));
  EXPECT_LT(json["systems"][1]["bleu"]["p_value"], 0.01);
  EXPECT_EQ(json["systems"][2]["ter"]["p_value"], 1.0);
}

TEST_F(Evaluate, LooksTokenisedIsAWarningOnly) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "a b .\n";
  reference_ = folder_.write("reference", text);
  const RunResult warned = evaluate({}, text);
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_THAT(warned.err, HasSubstr("100 lines end in ' .'"));
  EXPECT_THAT(evaluate({"--tokenize", "none"}, text).err, IsEmpty());
}

TEST_F(Evaluate, WhatIsWrongWithAFileIsOneSentence) {
  expect_failure(evaluate({}, "one line\n"), 1,
                 "standard input has 1 line, but " + reference_ + " has 2");
  expect_failure(evaluate({}, ""), 1, "standard input: is empty");
  expect_failure(evaluate({}, "ok\n\xff\n"), 1, "standard input: line 2, byte 1: found 0xff");
  expect_failure(evaluate({"--hypothesis", folder_ / "no-such-file"}), 1,
                 "no-such-file: cannot be read: No such file or directory");
  expect_failure(evaluate({"--hypothesis", folder_.path()}), 1, "is a folder");
  expect_failure(evaluate({"--paired", folder_.write("three", "a\nb\nc\n")}), 1, "has 3 lines");
}

TEST_F(Evaluate, WrongUsageSaysWhatWasExpected) {
  expect_failure(evaluate({"--metrics", "rouge"}), 2, "'rouge'; expected bleu, chrf or ter");
  expect_failure(evaluate({"--tokenize", "moses"}), 2, "moses");
  expect_failure(evaluate({"--smooth-value", "1"}), 2, "needs --smooth floor or add-k");
  expect_failure(evaluate({"--smooth", "floor", "--smooth-value", "-1"}), 2, "at least 0");
  expect_failure(evaluate({"--seed", "1"}), 2, "--seed needs --confidence");
  expect_failure(evaluate({"--confidence-n", "10"}), 2, "--confidence-n needs --confidence");
  expect_failure(evaluate({"--sentence", "--confidence"}), 2, "--sentence scores one system");
  expect_failure(evaluate({"--chrf-char-order", "-3"}), 2, "--chrf-char-order is -3");
  expect_failure(evaluate({"--reversed"}), 2, "--reversed needs --alignment-reference");
  expect_failure(run("eatt", {"evaluate"}), 2, "expected either --reference");
  expect_failure(run("eatt", {"evaluate", "--alignment", "x"}), 2, "--alignment-reference");
}

TEST_F(Evaluate, HelpShowsEveryMetricAndAnExample) {
  const RunResult help = run("eatt", {"evaluate", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--reference"), HasSubstr("--ter-normalized"),
                              HasSubstr("--alignment-reference"), HasSubstr("Examples:")));
}

TEST_F(Evaluate, AlignmentsAreScoredAgainstGoldLinks) {
  const std::string gold = folder_.write("gold", "1-1 2p2\n1-2\n");
  const std::string links = folder_.write("links", "0-0 1-1\n0-0\n");
  const std::string turned = folder_.write("turned", "0-0 1-1\n1-0\n");
  const RunResult json = run("eatt", {"evaluate", "--alignment-reference", gold, "--gold-base", "1",
                                      "--alignment", links, "--json"});
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out),
            Json({{"aer", 1 - 3.0 / 5}, {"precision", 2.0 / 3}, {"recall", 0.5}, {"links", 3}}));

  const RunResult table = run("eatt", {"evaluate", "--alignment-reference", gold, "--gold-base",
                                       "1", "--reversed", "--alignment", links, turned});
  const auto lines = split_lines(table.out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(lines[0], AllOf(HasSubstr("AER"), HasSubstr("Precision"), HasSubstr("Links")));
  EXPECT_THAT(lines[2], AllOf(StartsWith(turned), HasSubstr("0.000000")));

  expect_failure(run("eatt", {"evaluate", "--alignment-reference", gold, "--alignment",
                              folder_.write("bad", "0-0\n0~1\n")}),
                 1, "bad: line 2, column 2: found '0~1'");
  expect_failure(run("eatt", {"evaluate", "--alignment-reference", gold, "--gold-base", "2",
                              "--alignment", links}),
                 2, "--gold-base");
  expect_failure(run("eatt", {"evaluate", "--alignment-reference", gold, "--alignment", links,
                              "--metrics", "bleu"}),
                 2, "--metrics has no effect on word alignments");
}

}  // namespace
}  // namespace eatt
