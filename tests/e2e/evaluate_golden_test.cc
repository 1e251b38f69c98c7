// Every number of ../shared/data/sacrebleu and ../shared/data/alignments, through `eatt evaluate`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "evaluation/vectors.h"
#include "support/files.h"
#include "support/run.h"

namespace eatt::evaluation {
namespace {

using Json = nlohmann::json;
using testing::read_text;
using testing::run;
using testing::shared_data;
using testing::split_lines;

Json evaluate(std::vector<std::string> arguments, std::string_view standard_input = {}) {
  arguments.insert(arguments.begin(), {"evaluate", "--json"});
  const testing::RunResult result = run("eatt", arguments, standard_input);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return Json::parse(result.out);
}

std::string score_of(const Json& json, const std::string& metric) {
  return ten_decimals(json[metric]["score"].get<double>());
}

class EvaluateGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = shared_data("sacrebleu");
    if (!folder) GTEST_SKIP() << "needs ../shared/data/sacrebleu";
    folder_ = *folder;
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(EvaluateGolden, Wmt17Table) {
  const std::vector<std::string> reference{"--reference", file("wmt17-en-de/ref.de")};
  for (TableRow row : read_table(file("expected-wmt17-en-de.tsv"))) {
    SCOPED_TRACE(row["system"]);
    const std::string hypothesis = read_text(file("wmt17-en-de/" + row["system"] + ".de"));
    const auto score = [&](std::vector<std::string> options) {
      options.insert(options.begin(), reference.begin(), reference.end());
      return evaluate(options, hypothesis);
    };
    const Json standard = score({"--metrics", "bleu,chrf"});
    const Json& bleu = standard["bleu"];
    EXPECT_EQ(score_of(standard, "bleu"), row["bleu_13a"]);
    EXPECT_EQ(score_of(standard, "chrf"), row["chrF2"]);
    EXPECT_EQ(join(bleu["counts"].get<std::vector<int>>()), row["counts"]);
    EXPECT_EQ(join(bleu["totals"].get<std::vector<int>>()), row["totals"]);
    EXPECT_EQ(bleu["sys_len"].dump(), row["sys_len"]);
    EXPECT_EQ(bleu["ref_len"].dump(), row["ref_len"]);
    EXPECT_EQ(ten_decimals(bleu["bp"].get<double>()), row["bp"]);

    const std::map<std::string, std::vector<std::string>> variants{
        {"bleu_13a_lc", {"--lowercase"}},           {"bleu_intl", {"--tokenize", "intl"}},
        {"bleu_none", {"--tokenize", "none"}},      {"bleu_char", {"--tokenize", "char"}},
        {"bleu_smooth_none", {"--smooth", "none"}}, {"bleu_smooth_floor", {"--smooth", "floor"}},
        {"bleu_smooth_addk", {"--smooth", "add-k"}}};
    for (auto [column, options] : variants) {
      options.insert(options.end(), {"--metrics", "bleu"});
      EXPECT_EQ(score_of(score(options), "bleu"), row[column]) << column;
    }
    EXPECT_EQ(score_of(score({"--metrics", "chrf", "--chrf-word-order", "2"}), "chrf"),
              row["chrF2++"]);
  }
}

TEST_F(EvaluateGolden, Wmt22Table) {
  for (TableRow row : read_table(file("expected-wmt22.tsv"))) {
    SCOPED_TRACE(row["pair"] + " " + row["system"]);
    const std::string stem = "wmt22/" + row["pair"];
    const std::string target = row["pair"].substr(3);
    const std::string hypothesis = read_text(file(stem + ".hyp." + row["system"] + "." + target));
    const std::string a = file(stem + ".ref.A." + target);
    const std::string b = file(stem + ".ref.B." + target);
    const Json one = evaluate(
        {"--reference", a, "--metrics", "bleu,chrf", "--tokenize", row["tok"]}, hypothesis);
    EXPECT_EQ(score_of(one, "bleu"), row["bleu_refA"]);
    EXPECT_EQ(score_of(one, "chrf"), row["chrF2_refA"]);
    EXPECT_EQ(without_version(one["bleu"]["signature"]), without_version(row["signature"]));
    const Json two =
        evaluate({"--reference", a, b, "--metrics", "bleu", "--tokenize", row["tok"]}, hypothesis);
    EXPECT_EQ(score_of(two, "bleu"), row["bleu_refA+B"]);
    const Json words =
        evaluate({"--reference", a, "--metrics", "chrf", "--chrf-word-order", "2"}, hypothesis);
    EXPECT_EQ(score_of(words, "chrf"), row["chrF2++_refA"]);
  }
}

TEST_F(EvaluateGolden, TerTable) {
  const testing::TemporaryFolder temporary;
  const auto head = [&](const std::string& name, size_t count) {
    std::string text;
    for (const std::string& line : split_lines(read_text(file(name)))) {
      if (count-- == 0) break;
      text += line + "\n";
    }
    return text;
  };
  for (TableRow row : read_table(file("expected-ter.tsv"))) {
    SCOPED_TRACE(row["system"] + " " + row["option"]);
    const size_t lines = std::stoul(row["lines"]);
    const std::string reference = temporary.write("reference", head("wmt17-en-de/ref.de", lines));
    std::vector<std::string> arguments{"--reference", reference, "--metrics", "ter"};
    if (!row["option"].empty()) arguments.push_back(row["option"]);
    const Json json = evaluate(arguments, head("wmt17-en-de/" + row["system"] + ".de", lines));
    EXPECT_EQ(score_of(json, "ter"), row["ter"]);
    EXPECT_EQ(without_version(json["ter"]["signature"]), without_version(row["signature"]));
  }
}

TEST(EvaluateAlignmentsGolden, Table) {
  const auto folder = shared_data("alignments");
  if (!folder) GTEST_SKIP() << "needs ../shared/data/alignments";
  for (TableRow row : read_table(*folder / "expected-aer.tsv")) {
    SCOPED_TRACE(row["hyp"]);
    std::vector<std::string> arguments{
        "--alignment-reference", *folder / (row["gold"] + ".talp"),       "--gold-base", "1",
        "--alignment",           *folder / "hyp" / (row["hyp"] + ".talp")};
    if (row["reversed"] == "yes") arguments.push_back("--reversed");
    const Json json = evaluate(arguments);
    EXPECT_EQ(six_decimals(json["aer"]), row["AER"]);
    EXPECT_EQ(six_decimals(json["precision"]), row["P"]);
    EXPECT_EQ(six_decimals(json["recall"]), row["R"]);
    EXPECT_EQ(json["links"].dump(), row["links"]);
  }
}

}  // namespace
}  // namespace eatt::evaluation
