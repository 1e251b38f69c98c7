// `eatt translate` as a user starts it. The models are random: what they say is nonsense, but the
// same nonsense every time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/dialogue.h"
#include "support/fake_powercap.h"
#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class Translate : public ::testing::Test {
 protected:
  RunResult translate(std::vector<std::string> arguments, std::string_view input) const {
    arguments.insert(arguments.begin(), {"translate", bundle_});
    return run("eatt", arguments, input);
  }
  // Of a run that must succeed.
  std::vector<std::string> lines(std::vector<std::string> arguments, std::string_view input) const {
    const RunResult result = translate(std::move(arguments), input);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return split_lines(result.out);
  }

  TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  std::string text_ = testing::sample_text(60).source;
};

TEST_F(Translate, LinesKeepTheirOrderAndNumberWhateverTheBatches) {
  const auto expected = lines({"--mini-batch", "1", "--cpu-threads", "1"}, text_);
  EXPECT_THAT(expected, SizeIs(60));
  EXPECT_GT(std::set<std::string>(expected.begin(), expected.end()).size(), 20u);
  EXPECT_EQ(lines({}, text_), expected);
  EXPECT_EQ(lines({"--mini-batch", "7", "--cpu-threads", "2"}, text_), expected);
  EXPECT_EQ(lines({"--mini-batch-words", "50", "--maxi-batch", "9"}, text_), expected);
}

TEST_F(Translate, EmptyAndBlankLinesStayAndTheLastMayLackItsEnd) {
  const auto out = lines({}, "\nwort\n \t \r\n\nwort");
  ASSERT_THAT(out, SizeIs(5));
  EXPECT_EQ(out[0], "");
  EXPECT_NE(out[1], "");
  EXPECT_EQ(out[2], "");
  EXPECT_EQ(out[3], "");
  EXPECT_EQ(out[4], out[1]);
  EXPECT_EQ(lines({}, "wort\r\n"), lines({}, "wort\n"));
  EXPECT_EQ(translate({}, "").out, "");
}

TEST_F(Translate, ALineIsAnsweredBeforeTheInputEnds) {
  testing::Dialogue dialogue("eatt", {"translate", bundle_, "--quiet"});
  const auto expected = lines({}, "a\nzweite zeile\n");
  dialogue.send("a\n");
  EXPECT_EQ(dialogue.line(), expected[0]);
  dialogue.send("zweite zeile\n");
  EXPECT_EQ(dialogue.line(), expected[1]);
  dialogue.close_input();
  EXPECT_EQ(dialogue.wait(), 0);
}

TEST_F(Translate, FilesAreReadAndWrittenWhole) {
  const auto in = folder_.write("in", text_);
  const auto out = folder_ / "out";
  EXPECT_THAT(lines({"-i", in.string(), "-o", out.string()}, ""), SizeIs(0));
  EXPECT_EQ(split_lines(testing::read_text(out)), lines({}, text_));
  EXPECT_EQ(translate({"-o", (folder_ / "in" / "out").string()}, "a\n").exit_code, 1)
      << "a file is no folder";
}

TEST_F(Translate, NBestListsAreMosess) {
  const auto out = lines({"-b", "4", "--n-best"}, "ein wort\n\nnoch eins\n");
  const std::string number = "-?[0-9.e+-]+";
  ASSERT_THAT(out, SizeIs(9));
  for (const auto& line : out) {
    EXPECT_THAT(line, MatchesRegex("[02] \\|\\|\\| .* \\|\\|\\| F0= " + number + " \\|\\|\\| " +
                                   number + "|1 \\|\\|\\|  \\|\\|\\| F0= 0 \\|\\|\\| 0"));
  }
  EXPECT_THAT(out[0], StartsWith("0 ||| "));
  EXPECT_THAT(out[4], StartsWith("1 ||| "));
  EXPECT_THAT(lines({"-b", "4", "--n-best", "2"}, "ein wort\n"), SizeIs(2));
  EXPECT_THAT(lines({"-b", "3", "--output-format", "nbest"}, "ein wort\n"), SizeIs(3));
}

TEST_F(Translate, JsonHasAnObjectPerLine) {
  const auto out = lines({"--output-format", "json", "-b", "3", "--n-best", "--word-scores",
                          "--pieces", "--alignment", "hard"},
                         "ein wort \"noch\"\n\n");
  ASSERT_THAT(out, SizeIs(2));
  const auto first = nlohmann::json::parse(out[0]), empty = nlohmann::json::parse(out[1]);
  EXPECT_EQ(first["hypotheses"].size(), 3u);
  EXPECT_EQ(first["hypotheses"][0]["translation"], first["translation"]);
  EXPECT_EQ(first["pieces"].size() + (first["finished"] ? 1 : 0), first["piece_scores"].size());
  double sum = 0;
  for (const double score : first["piece_scores"]) sum += score;
  EXPECT_NEAR(sum, first["log_probability"].get<double>(), 1e-6);
  EXPECT_GE(first["hypotheses"][0]["score"], first["hypotheses"][1]["score"]);
  EXPECT_EQ(empty["translation"], "");
  EXPECT_EQ(empty["alignment"], "");
}

TEST_F(Translate, AlignmentsComeInEveryFormat) {
  const std::string links = "([0-9]+-[0-9]+ ?)*";
  EXPECT_THAT(lines({"--alignment", "hard"}, "ein wort mehr\n"),
              Each(MatchesRegex(".* \\|\\|\\| " + links)));
  EXPECT_THAT(lines({"--alignment", "0.1", "--n-best", "-b", "2"}, "ein wort mehr\n"),
              Each(MatchesRegex("0 \\|\\|\\| .* \\|\\|\\| " + links + " \\|\\|\\| F0= .*")));
  const auto json = nlohmann::json::parse(
      lines({"--alignment", "soft", "--output-format", "json"}, "ein wort mehr\n")[0]);
  std::istringstream words(json["translation"].get<std::string>());
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  EXPECT_EQ(static_cast<long>(json["alignment"].size()), count);
  for (const auto& row : json["alignment"]) EXPECT_EQ(row.size(), 3u);
}

TEST_F(Translate, SoftAlignmentsAreRowsOfProbabilities) {
  const std::string line = lines({"--alignment", "soft"}, "ein wort mehr\n")[0];
  const size_t bars = line.find(" ||| ");
  ASSERT_NE(bars, std::string::npos);
  std::istringstream rows(line.substr(bars + 5));
  size_t count = 0;
  for (std::string row; rows >> row; ++count) {
    std::istringstream columns(row);
    double sum = 0;
    size_t width = 0;
    for (std::string column; std::getline(columns, column, ','); ++width) sum += std::stod(column);
    EXPECT_EQ(width, 3u);
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, 1 + 1e-4);  // Six digits are printed; the end marker has the rest.
  }
  std::istringstream words(line.substr(0, bars));
  EXPECT_EQ(static_cast<long>(count), std::distance(std::istream_iterator<std::string>(words), {}));
}

TEST_F(Translate, LayersHeadsAndUnitsOfAlignmentsCanBeChosen) {
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--alignment", "soft"});
    return lines(more, "ein wort mehr\n")[0];
  };
  EXPECT_EQ(with({}), with({"--alignment-layer", "2", "--alignment-head", "0"}));
  EXPECT_NE(with({}), with({"--alignment-layer", "1"}));
  EXPECT_NE(with({}), with({"--alignment-head", "1"}));
  EXPECT_NE(with({}), with({"--alignment-shift", "1"}));
  EXPECT_NE(with({}), with({"--alignment-units", "piece"}));
  EXPECT_EQ(translate({"--alignment", "hard", "--alignment-layer", "3"}, "a\n").exit_code, 2);
}

TEST_F(Translate, WordScoresAddUpToTheWholeWithoutTheEnd) {
  const auto json = nlohmann::json::parse(
      lines({"--word-scores", "--output-format", "json", "--pieces"}, "ein wort\n")[0]);
  double words = 0, pieces = 0;
  for (const double score : json["word_scores"]) words += score;
  for (size_t i = 0; i < json["pieces"].size(); ++i)
    pieces += json["piece_scores"][i].get<double>();
  EXPECT_NEAR(words, pieces, 1e-6);
  EXPECT_THAT(lines({"--word-scores"}, "ein wort\n")[0], ContainsRegex(" \\|\\|\\| WordScores= -"));
}

TEST_F(Translate, GivenTranslationsAreScoredAsTheSearchScoredThem) {
  const auto found = nlohmann::json::parse(lines({"--output-format", "json"}, "ein wort\n")[0]);
  const auto targets =
      folder_.write("targets", found["translation"].get<std::string>() + "\nwort\n");
  const auto scored = lines({"--score", targets.string()}, "ein wort\nein wort\n");
  ASSERT_THAT(scored, SizeIs(2));
  EXPECT_LT(std::stod(scored[0]), 0);
  const auto aligned = lines({"--score", targets.string(), "--alignment", "hard"}, "a\nb\n");
  EXPECT_THAT(aligned, Each(ContainsRegex("^-[0-9.e+-]+ \\|\\|\\| ")));
}

TEST_F(Translate, PrefixesBeginTheTranslations) {
  const auto prefixes = folder_.write("prefixes", "wort eins\n\n");
  const auto out = lines({"--prefix", prefixes.string()}, "ein wort\nein wort\n");
  EXPECT_THAT(out[0], StartsWith("wort eins"));
  EXPECT_EQ(out[1], lines({}, "ein wort\n")[0]);
}

TEST_F(Translate, SamplingDependsOnTheSeedAlone) {
  const auto draw = [&](const char* seed, const char* window) {
    return lines({"--sampling", "--temperature", "2", "--seed", seed, "--maxi-batch", window},
                 text_);
  };
  EXPECT_EQ(draw("1", "1000"), draw("1", "7"));
  EXPECT_NE(draw("1", "1000"), draw("2", "1000"));
}

TEST_F(Translate, SeveralBundlesTranslateTogether) {
  const auto other = testing::write_speaking_bundle(folder_ / "other", 2).string();
  EXPECT_EQ(lines({bundle_}, text_), lines({}, text_));
  const auto together = lines({other, "--weights", "1", "1"}, text_);
  EXPECT_NE(together, lines({}, text_));
  EXPECT_EQ(lines({other}, text_), together);
}

TEST_F(Translate, Int8TranslatesTheSameTextInAnyBatch) {
  const auto expected = lines({"--precision", "int8", "--mini-batch", "1"}, text_);
  EXPECT_EQ(lines({"--precision", "int8", "--cpu-threads", "2"}, text_), expected);
}

TEST_F(Translate, UnderscoresAreAsGoodAsHyphens) {
  EXPECT_EQ(lines({"--beam_size", "2", "--length_penalty=0.6"}, text_),
            lines({"--beam-size", "2", "--length-penalty", "0.6"}, text_));
}

TEST_F(Translate, StatsTellSpeedLatencyAndMemory) {
  const auto plain = translate({"--stats"}, text_);
  EXPECT_THAT(plain.err, ContainsRegex("60 sentences in"));
  EXPECT_THAT(plain.err, ContainsRegex("peak memory: [0-9.]+ MB"));
  const auto json = translate({"--stats", "--log-format", "json"}, text_);
  const auto stats = nlohmann::json::parse(json.err)["stats"];
  EXPECT_EQ(stats["sentences"], 60);
  EXPECT_GT(stats["target_pieces"], 60);
  EXPECT_LE(stats["latency_ms"]["p50"], stats["latency_ms"]["p99"]);
  EXPECT_GT(stats["peak_memory_bytes"], 1'000'000);
}

TEST_F(Translate, StatsTellMeasuredEnergy) {
  const testing::FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 1'000'000);
  powercap.add("intel-rapl:0:0", "dram", 0);
  ::setenv("EATT_POWERCAP", powercap.path().c_str(), 1);
  for (const std::string format : {"plain", "json"}) {
    powercap.set_energy("intel-rapl:0", 1'000'000);
    powercap.set_energy("intel-rapl:0:0", 0);
    const std::string err = (folder_ / "err").string();
    testing::Dialogue dialogue(
        "/bin/sh", {"-c", R"(exec "$0" "$@" 2> )" + err, testing::program_path("eatt").string(),
                    "translate", bundle_, "--stats", "--log-format", format});
    dialogue.send("a\n");
    dialogue.line();                                             // So it measures by now.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // Counters are no faster.
    powercap.set_energy("intel-rapl:0", 4'000'000);
    powercap.set_energy("intel-rapl:0:0", 1'500'000);
    dialogue.send("b\n");
    dialogue.close_input();
    EXPECT_EQ(dialogue.wait(), 0);
    const std::string stats = testing::read_text(err);
    if (format == "plain") {
      EXPECT_THAT(stats, HasSubstr("energy: 4.500 J for the whole machine (package 3.000, dram "
                                   "1.500), 2.25 J per sentence\n"));
    } else {
      EXPECT_EQ(nlohmann::json::parse(stats)["stats"]["measured_energy"],
                nlohmann::json::parse(
                    R"({"package_joules": 3.0, "dram_joules": 1.5, "joules_per_sentence": 2.25})"));
    }
  }
  ::unsetenv("EATT_POWERCAP");
}

TEST_F(Translate, StatsTellWhyEnergyIsUnavailable) {
  ::setenv("EATT_POWERCAP", "/nowhere", 1);
  EXPECT_THAT(translate({"--stats"}, text_).err,
              HasSubstr("has no energy counters: /nowhere does not exist"));
  const auto json = translate({"--stats", "--log-format", "json"}, text_);
  ::unsetenv("EATT_POWERCAP");
  const auto energy = nlohmann::json::parse(json.err)["stats"]["measured_energy"];
  EXPECT_THAT(energy, SizeIs(1));
  EXPECT_THAT(energy["unavailable"].get<std::string>(), HasSubstr("/nowhere does not exist"));
}

TEST_F(Translate, StatsTellOfAFolderWhoseNameIsNoText) {
  ::setenv("EATT_POWERCAP", "/nowhere/\xff\x1b[31m", 1);
  const auto plain = translate({"--stats"}, text_);
  const auto json = translate({"--stats", "--log-format", "json"}, text_);
  ::unsetenv("EATT_POWERCAP");
  EXPECT_THAT(plain.err, HasSubstr("/nowhere/\\xff\\x1b[31m does not exist"));
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_THAT(
      nlohmann::json::parse(json.err)["stats"]["measured_energy"]["unavailable"].get<std::string>(),
      HasSubstr(": /nowhere/\\xff"));
}

}  // namespace
}  // namespace eatt
