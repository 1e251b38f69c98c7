// `eatt energy model` as a user starts it, on random models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run;
using testing::RunResult;
using ::testing::StartsWith;

class EnergyModel : public ::testing::Test {
 protected:
  RunResult count(std::vector<std::string> arguments, std::string_view input) const {
    arguments.insert(arguments.begin(), {"energy", "model", bundle_});
    return run("eatt", arguments, input);
  }
  nlohmann::json json(std::vector<std::string> arguments = {}) const {
    arguments.emplace_back("--json");
    const RunResult result = count(arguments, text_);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  testing::TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  std::string text_ = testing::sample_text(12).source;
};

TEST_F(EnergyModel, PrintsBothAccountingsForEveryChip) {
  const RunResult result = count({}, text_);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(StartsWith("model: eatt, float32"),
                                HasSubstr("greedy search, one sentence at a time"),
                                HasSubstr("exact"), HasSubstr("paper"), HasSubstr("fpga"),
                                HasSubstr("vanilla twin, int8"), HasSubstr("DENSITIES")));
}

TEST_F(EnergyModel, CountsAreTheSameForAnyNumberOfThreads) {
  const auto one = json({"--cpu-threads", "1"});
  EXPECT_EQ(json({"--cpu-threads", "2"}), one);
  EXPECT_EQ(one["models"][0]["text"]["sentences"], 12);
  EXPECT_EQ(json({"--cpu-threads", "1", "--mini-batch", "5"}),
            json({"--cpu-threads", "2", "--mini-batch", "5"}));
}

TEST_F(EnergyModel, ABatchReadsWeightsLessOftenForTheSameOperations) {
  const auto total = [](const nlohmann::json& json) {
    return json["models"][0]["levels"]["model"]["exact"];
  };
  const auto alone = total(json()), together = total(json({"--mini-batch", "12"}));
  EXPECT_EQ(together["operations"], alone["operations"]);
  EXPECT_LT(together["bytes"]["weights"]["read"], alone["bytes"]["weights"]["read"]);
}

TEST_F(EnergyModel, ABeamTakesMore) {
  const auto adds = [](const nlohmann::json& json) {
    return json["models"][0]["duties"]["vocabulary"]["operations"]["add"]["fp32"].get<uint64_t>();
  };
  EXPECT_GT(adds(json({"--beam-size", "4"})), 2 * adds(json()));
}

TEST_F(EnergyModel, ComparesWithOtherBundles) {
  const std::string other =
      testing::write_speaking_bundle(folder_ / "other", 2, Mechanism::vanilla).string();
  const auto models = json({"--compare", other})["models"];
  ASSERT_EQ(models.size(), 6);
  EXPECT_EQ(models[5]["name"], "other");
  EXPECT_EQ(models[5]["kind"], "compared");
  EXPECT_EQ(models[5]["mechanisms"], "vanilla");
  EXPECT_TRUE(models[5]["ran"]);
}

TEST_F(EnergyModel, SaysHowTheTextWasTranslatedAndThatLinesStayWhole) {
  const RunResult result =
      count({"--beam-size", "4", "--length-penalty", "0.6"}, "Ein Satz. Noch einer.\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::string out = result.out.substr(0, 600);
  std::ranges::replace(out, '\n', ' ');
  EXPECT_THAT(out, AllOf(HasSubstr("Translated 1 line of 4 words"),
                         HasSubstr("beam of 4, length penalty 0.6, one sentence at a time. Lines "
                                   "stay whole; `eatt translate` would split those of several "
                                   "sentences.")));
  const auto search = json({"--beam-size", "4", "--length-penalty", "0.6"})["search"];
  EXPECT_EQ(search["beam_size"], 4);
  EXPECT_EQ(search["length_penalty"], 0.6);
  EXPECT_EQ(search["split_sentences"], false);
  EXPECT_TRUE(search["shortlist"].is_null());
}

TEST_F(EnergyModel, ShowsThePricesOfTheChips) {
  const RunResult result = count({"--chip", "asic", "--table", "models"}, text_);
  EXPECT_THAT(result.out, HasSubstr("Prices in pJ: add/fp32 0.9, mul/fp32 3.7."));
  EXPECT_THAT(result.out, HasSubstr("Left out: "));
  const auto report = json({"--chip", "cmos45", "asic"});
  EXPECT_EQ(report["chips"]["asic"]["operations"]["mul"]["fp32"], 3.7);
  EXPECT_EQ(report["chips"]["cmos45"]["memory"].size(), 4);
  // Models that a chip cannot price say so in the same way everywhere.
  for (const auto& model : report["models"]) {
    if (model["precision"] != "int8") continue;
    EXPECT_TRUE(model["chips"]["asic"].contains("unpriced"));
    EXPECT_EQ(model["chips"]["asic"], model["levels"]["model"]["exact"]["chips"]["asic"]);
  }
}

TEST_F(EnergyModel, SaysWhatPercentagesAreRelativeTo) {
  const std::string other = testing::write_speaking_bundle(folder_ / "other", 2).string();
  RunResult result = count({"--compare", other, "--table", "models"}, text_);
  std::ranges::replace(result.out, '\n', ' ');
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("'% vanilla' is relative to 'vanilla twin, float32' of "
                              "model;"),
                    HasSubstr("So are the figures of other (--compare), per sentence of "
                              "its own translations")));
}

TEST_F(EnergyModel, ChipsCanBeAListAndInCapitals) {
  const auto chips = json({"--chip", "asic,cmos45"})["chips"];
  EXPECT_TRUE(chips.contains("asic") && chips.contains("cmos45")) << chips;
  EXPECT_TRUE(json({"--chip", "CMOS45"})["chips"].contains("cmos45"));
}

TEST_F(EnergyModel, AChipFileThatLacksItsEndingOrItsMemoryIsExplained) {
  const std::string cmos = run("eatt", {"energy", "chips", "--json", "cmos45"}).out;
  auto chip = nlohmann::json::parse(cmos);
  chip["name"] = "mine";
  chip.erase("memory");
  chip.erase("notes");
  const std::string file = folder_.write("mine.json", chip.dump()).string();
  EXPECT_THAT(count({"--chip", file}, text_).err,
              HasSubstr("add \"memory\" to its file, or \"left_out\": {\"memory\": \"arithmetic "
                        "only\"}"));
  chip["left_out"]["memory"] = "arithmetic only";
  folder_.write("mine.json", chip.dump());
  EXPECT_EQ(count({"--chip", file}, text_).exit_code, 0);
  const RunResult unended = run("/bin/sh", {"-c", "cd " + folder_.path().string() + " && " +
                                                      testing::program_path("eatt").string() +
                                                      " energy model model --chip mine"});
  EXPECT_THAT(unended.err, HasSubstr("(did you mean mine.json?)"));
}

TEST_F(EnergyModel, SaysWhichOptionTookTheBundle) {
  const RunResult result =
      run("eatt", {"energy", "model", "--compare", bundle_, bundle_, "--chip", "asic"}, text_);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("BUNDLE is missing: --compare took all of " + bundle_ +
                                    " and " + bundle_ + "; put BUNDLE before it"));
}

TEST_F(EnergyModel, APlotIsWrittenBesideTheTable) {
  const std::string file = (folder_ / "chart.svg").string();
  ASSERT_EQ(count({"--plot", file}, text_).exit_code, 0);
  EXPECT_THAT(testing::read_text(file), StartsWith("<svg xmlns"));
}

TEST_F(EnergyModel, Int8ModelsArePricedOnChipsThatKnowIntegers) {
  const auto report = json({"--precision", "int8"});
  EXPECT_EQ(report["chips"].size(), 1);
  EXPECT_TRUE(report["chips"].contains("cmos45"));
  const RunResult refused = count({"--precision", "int8", "--chip", "asic"}, text_);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("asic"), HasSubstr("mul/int8")));
}

TEST_F(EnergyModel, LinesThatAreSplitHaveTheLengthsOfTheirParts) {
  std::string line;
  for (int i = 0; i < 40; ++i) line += "ba ";
  const auto counted = [&](const std::string& most) {
    const RunResult result = count({"--max-input-length", most, "--json"}, line + "\n");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return nlohmann::json::parse(result.out)["models"][0];
  };
  const auto parts = counted("8"), whole = counted("512");
  EXPECT_EQ(whole["text"]["sentences"], 1);
  EXPECT_EQ(parts["text"]["lines"], 1);
  EXPECT_GT(parts["text"]["sentences"], 4);
  // All pairs of a long sentence, or those of each part alone.
  const auto additions = [](const nlohmann::json& model) {
    return model["levels"]["alignment"]["paper"]["additions"].get<double>();
  };
  EXPECT_LT(additions(parts), additions(whole) / 2);
  std::string text = count({"--max-input-length", "8"}, line + "\n").out.substr(0, 600);
  std::ranges::replace(text, '\n', ' ');
  EXPECT_THAT(text, AllOf(HasSubstr("Translated 1 line of 40 words"),
                          HasSubstr("Lines that are longer than --max-input-length were split"),
                          HasSubstr("figures per sentence are per part."),
                          Not(HasSubstr("Lines stay whole"))));
}

TEST_F(EnergyModel, ASecondModelIsMeantForCompareAndATextForTheInput) {
  const std::string other = testing::write_speaking_bundle(folder_ / "other", 2).string();
  const std::string file = folder_.write("text.de", text_).string();
  EXPECT_THAT(count({other, "-i", file}, "").err,
              HasSubstr("(did you mean --compare " + other + "?)"));
  EXPECT_THAT(count({file}, "").err, HasSubstr("(did you mean -i " + file + "?)"));
}

TEST_F(EnergyModel, WrongUsageIsOneSentence) {
  const auto refuses = [&](std::vector<std::string> arguments, std::string_view input, int code,
                           const std::string& what) {
    const RunResult result = count(std::move(arguments), input);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(what));
    EXPECT_EQ(result.out, "");
  };
  refuses({"--table", "rows"}, text_, 2, "--table is 'rows'");
  refuses({"--json", "--table", "levels"}, text_, 2, "leave out --table");
  refuses({"--chip", "abacus"}, text_, 2, "abacus");
  refuses({}, "\n \n", 1, "standard input: has no text to translate");
  refuses({"--sampling"}, text_, 2, "--sampling");
  refuses({"--chip", "asic", "asic"}, text_, 2, "asic");
  folder_.write("file", "");
  refuses({"--plot", (folder_ / "file/chart.svg").string()}, text_, 1,
          (folder_ / "file").string() + ": cannot be created");
  refuses({"--compare", (folder_ / "nothing").string()}, text_, 1, "nothing");
}

}  // namespace
}  // namespace eatt
