// Every number of ../shared/data/sacrebleu and ../shared/data/alignments, by the library. The same
// through the program: tests/e2e/evaluate_golden_test.cc.
#include <gtest/gtest.h>

#include "evaluation/alignments.h"
#include "evaluation/bleu.h"
#include "evaluation/chrf.h"
#include "evaluation/ter.h"
#include "evaluation/text_lines.h"
#include "evaluation/vectors.h"
#include "support/files.h"

namespace eatt::evaluation {
namespace {

using testing::shared_data;

class SacreBleu : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto folder = shared_data("sacrebleu");
    if (!folder) GTEST_SKIP() << "needs ../shared/data/sacrebleu";
    folder_ = *folder;
  }
  TextLines text(const std::string& name) const { return TextLines::read_file(folder_ / name); }

  std::filesystem::path folder_;
};

TEST_F(SacreBleu, Wmt17TableIsReproducedToTheLastDigit) {
  const TextLines reference = text("wmt17-en-de/ref.de");
  const std::vector<Sentences> references{reference.lines()};
  const auto rows = read_table(folder_ / "expected-wmt17-en-de.tsv");
  ASSERT_EQ(rows.size(), 8u);
  for (TableRow row : rows) {
    SCOPED_TRACE(row["system"]);
    const TextLines hypothesis = text("wmt17-en-de/" + row["system"] + ".de");
    const auto bleu = [&](const BleuOptions& options) {
      return corpus_bleu(hypothesis.lines(), references, options);
    };
    const BleuScore standard = bleu({});
    EXPECT_EQ(ten_decimals(standard.score), row["bleu_13a"]);
    EXPECT_EQ(join(standard.counts), row["counts"]);
    EXPECT_EQ(join(standard.totals), row["totals"]);
    EXPECT_EQ(std::to_string(standard.hypothesis_length), row["sys_len"]);
    EXPECT_EQ(std::to_string(standard.reference_length), row["ref_len"]);
    EXPECT_EQ(ten_decimals(standard.brevity_penalty), row["bp"]);

    const std::map<std::string, BleuOptions> variants{
        {"bleu_13a_lc", {.lowercase = true}},
        {"bleu_intl", {.tokenizer = Tokenizer::intl}},
        {"bleu_none", {.tokenizer = Tokenizer::none}},
        {"bleu_char", {.tokenizer = Tokenizer::character}},
        {"bleu_smooth_none", {.smoothing = Smoothing::none}},
        {"bleu_smooth_floor", {.smoothing = Smoothing::floor}},
        {"bleu_smooth_addk", {.smoothing = Smoothing::add_k}}};
    for (const auto& [column, options] : variants) {
      EXPECT_EQ(ten_decimals(bleu(options).score), row[column]) << column;
    }
    EXPECT_EQ(ten_decimals(corpus_chrf(hypothesis.lines(), references)), row["chrF2"]);
    EXPECT_EQ(ten_decimals(corpus_chrf(hypothesis.lines(), references, {.word_order = 2})),
              row["chrF2++"]);
  }
}

TEST_F(SacreBleu, Wmt22TableIsReproducedWithOneAndTwoReferences) {
  const auto rows = read_table(folder_ / "expected-wmt22.tsv");
  ASSERT_EQ(rows.size(), 4u);
  for (TableRow row : rows) {
    SCOPED_TRACE(row["pair"] + " " + row["system"]);
    const std::string target = row["pair"].substr(3);
    const TextLines hypothesis =
        text("wmt22/" + row["pair"] + ".hyp." + row["system"] + "." + target);
    const TextLines a = text("wmt22/" + row["pair"] + ".ref.A." + target);
    const TextLines b = text("wmt22/" + row["pair"] + ".ref.B." + target);
    const std::vector<Sentences> one{a.lines()};
    const std::vector<Sentences> two{a.lines(), b.lines()};
    const BleuOptions options{.tokenizer = tokenizer_from_name(row["tok"]).value()};
    EXPECT_EQ(ten_decimals(corpus_bleu(hypothesis.lines(), one, options).score), row["bleu_refA"]);
    EXPECT_EQ(ten_decimals(corpus_bleu(hypothesis.lines(), two, options).score),
              row["bleu_refA+B"]);
    EXPECT_EQ(ten_decimals(corpus_chrf(hypothesis.lines(), one)), row["chrF2_refA"]);
    EXPECT_EQ(ten_decimals(corpus_chrf(hypothesis.lines(), one, {.word_order = 2})),
              row["chrF2++_refA"]);
    EXPECT_EQ(without_version(Bleu(options).signature(1)), without_version(row["signature"]));
  }
}

TEST_F(SacreBleu, TerTableIsReproducedWithAllOptions) {
  const TextLines reference = text("wmt17-en-de/ref.de");
  const auto rows = read_table(folder_ / "expected-ter.tsv");
  ASSERT_EQ(rows.size(), 8u);
  for (TableRow row : rows) {
    SCOPED_TRACE(row["system"] + " " + row["option"]);
    const TextLines hypothesis = text("wmt17-en-de/" + row["system"] + ".de");
    const size_t lines = std::stoul(row["lines"]);
    TerOptions options;
    options.case_sensitive = row["option"] == "--ter-case-sensitive";
    options.normalized = row["option"] == "--ter-normalized";
    options.no_punctuation = row["option"] == "--ter-no-punct";
    const std::vector<Sentences> references{Sentences(reference.lines()).first(lines)};
    const Ter ter(options);
    const auto statistics =
        collect_statistics(ter, Sentences(hypothesis.lines()).first(lines), references);
    EXPECT_EQ(ten_decimals(ter.score(statistics.sums())), row["ter"]);
    EXPECT_EQ(without_version(ter.signature(1)), without_version(row["signature"]));
  }
}

TEST(AlignmentTable, IsReproduced) {
  const auto folder = shared_data("alignments");
  if (!folder) GTEST_SKIP() << "needs ../shared/data/alignments";
  const auto rows = read_table(*folder / "expected-aer.tsv");
  ASSERT_EQ(rows.size(), 12u);
  for (TableRow row : rows) {
    SCOPED_TRACE(row["hyp"]);
    const Alignments gold = read_alignments(*folder / (row["gold"] + ".talp"), 1);
    Alignments links = read_alignments(*folder / "hyp" / (row["hyp"] + ".talp"), 0);
    if (row["reversed"] == "yes") reverse_links(links);
    const AlignmentScore score = score_alignments(links, gold);
    EXPECT_EQ(six_decimals(score.error_rate()), row["AER"]);
    EXPECT_EQ(six_decimals(score.precision()), row["P"]);
    EXPECT_EQ(six_decimals(score.recall()), row["R"]);
    EXPECT_EQ(std::to_string(score.links), row["links"]);
  }
}

}  // namespace
}  // namespace eatt::evaluation
