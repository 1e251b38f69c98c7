#include "runtime/shortlist/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"
#include "support/tiny_bundle.h"
#include "text/pieces/pieces.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Lt;
using ::testing::Not;
using testing::read_text;
using testing::run;
using testing::RunResult;
using testing::sample_model;
using ::testing::SizeIs;
using testing::split_lines;
using testing::TemporaryFolder;

class ShortlistCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    Architecture architecture = testing::tiny_architecture();
    architecture.source_vocab = architecture.target_vocab = pieces_.size();
    architecture.embeddings = EmbeddingSharing::all;
    testing::RandomBundle bundle(architecture);
    bundle.contents().source_piece_model = sample_model();
    write_bundle(folder_ / "model", bundle.contents());
    const testing::SampleText text = testing::sample_text(400);
    folder_.write("train.en", text.source);
    folder_.write("train.de", text.target);
  }

  std::string path(std::string_view name) const { return (folder_ / name).string(); }

  RunResult shortlist(std::vector<std::string> more, const std::string& output = "list") const {
    more.insert(more.begin(), {"shortlist", path("model"), "--output", path(output)});
    return run("eatt", more);
  }
  RunResult from_text(std::vector<std::string> more, const std::string& output = "list") const {
    more.insert(more.begin(), {"--train-sets", path("train.en"), path("train.de")});
    return shortlist(more, output);
  }

  TemporaryFolder folder_;
  Pieces pieces_{sample_model(), "model"};
};

TEST_F(ShortlistCommand, ItMakesAShortlistForTheBundleAndTellsHowWellItCovers) {
  const auto result = from_text({"--first", "20", "--best", "10"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("learned from           392  pairs"),
                                HasSubstr("of 500 target pieces"), HasSubstr("mean size"),
                                HasSubstr("pieces of 8 pairs held out"), HasSubstr(path("list"))));
  const Shortlist list = Shortlist::open(folder_ / "list");
  list.check_vocabulary(pieces_.sha256(), pieces_.sha256(), "model");
  std::vector<int32_t> target;
  list.pieces_for({}, target);
  EXPECT_THAT(target, SizeIs(Lt(150u)));
  EXPECT_THAT(list.likely(pieces_.encode("Hund").front()), SizeIs(Le(11u)));
}

TEST_F(ShortlistCommand, TheFileDoesNotDependOnThreadsNorOnHowTheTextIsGiven) {
  ASSERT_EQ(from_text({"--cpu-threads", "1"}, "one").exit_code, 0);
  ASSERT_EQ(from_text({"--cpu-threads", "3"}, "three").exit_code, 0);
  EXPECT_EQ(read_text(folder_ / "one"), read_text(folder_ / "three"));

  const auto sources = split_lines(read_text(folder_ / "train.en"));
  const auto targets = split_lines(read_text(folder_ / "train.de"));
  std::string lines;
  for (size_t i = 0; i < sources.size(); ++i) lines += sources[i] + "\t" + targets[i] + "\n";
  folder_.write("train.tsv.gz", testing::gzip(lines));
  ASSERT_EQ(shortlist({"--tsv", path("train.tsv.gz")}, "tsv").exit_code, 0);
  EXPECT_EQ(read_text(folder_ / "one"), read_text(folder_ / "tsv"));

  folder_.write("joint.spm", sample_model());
  ASSERT_EQ(run("eatt", {"corpus", "prepare", "--train-sets", path("train.en"), path("train.de"),
                         "--pieces", path("joint.spm"), "--output", path("data")})
                .exit_code,
            0);
  ASSERT_EQ(shortlist({"--prepared", path("data")}, "prepared").exit_code, 0);
  EXPECT_EQ(read_text(folder_ / "one"), read_text(folder_ / "prepared"));
}

TEST_F(ShortlistCommand, AFolderAsOutputIsRefusedBeforeAnythingIsLearnt) {
  const auto result = from_text({}, "");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "eatt: --output " + path("") + " is a folder; expected the name of a file\n");
}

TEST_F(ShortlistCommand, JsonHasTheFigures) {
  const auto result = from_text({"--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["pairs"], 392);
  EXPECT_EQ(json["target_vocab"], 500);
  EXPECT_EQ(json["bytes"], std::filesystem::file_size(folder_ / "list"));
  EXPECT_EQ(json["held_out"]["pairs"], 8);
  EXPECT_GT(json["held_out"]["coverage"], 0.9);
  EXPECT_LT(json["held_out"]["mean_size"], 500);
}

TEST_F(ShortlistCommand, ALexiconTakesThePlaceOfTraining) {
  const std::string source = pieces_.piece(302);
  folder_.write("lex.s2t", pieces_.piece(300) + " " + source + " 0.75\n" + pieces_.piece(301) +
                               " " + source + " 0.25\nNULL " + source + " 0.1\n");
  const auto result = shortlist({"--lexicon", path("lex.s2t"), "--first", "0", "--best", "1"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(AnyOf(HasSubstr("coverage"), HasSubstr("learnt"))));
  const Shortlist list = Shortlist::open(folder_ / "list");
  EXPECT_THAT(list.likely(302), ElementsAre(300, 302));
}

TEST_F(ShortlistCommand, AFewPairsAreEnoughButTellNoCoverage) {
  folder_.write("few.en", "a dog\n");
  folder_.write("few.de", "ein Hund\n");
  const auto result = shortlist({"--train-sets", path("few.en"), path("few.de")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("coverage")));
}

TEST_F(ShortlistCommand, ADataSetOfOtherPiecesIsRefused) {
  ASSERT_EQ(run("eatt", {"corpus", "prepare", "--train-sets", path("train.en"), path("train.de"),
                         "--vocab-size", "300", "--output", path("data")})
                .exit_code,
            0);
  const auto result = shortlist({"--prepared", path("data")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(split_lines(result.err), SizeIs(1));
  EXPECT_THAT(result.err, AllOf(HasSubstr("joint.spm: is another vocabulary"),
                                HasSubstr(path("model")), HasSubstr("--pieces")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "list"));
}

TEST_F(ShortlistCommand, WrongUsageIsTold) {
  const auto nothing = shortlist({});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing to learn from"));
  const auto both = from_text({"--prepared", path("data")});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("--prepared excludes"));
  const auto odd = shortlist({"--train-sets", path("train.en")});
  EXPECT_EQ(odd.exit_code, 2);
  const auto iterations = shortlist({"--lexicon", path("lex.s2t"), "--iterations", "3"});
  EXPECT_EQ(iterations.exit_code, 2);
  EXPECT_THAT(iterations.err, HasSubstr("--iterations has no effect with --lexicon"));
  const auto pairs = shortlist({"--lexicon", path("lex.s2t"), "--max-pairs", "9"});
  EXPECT_EQ(pairs.exit_code, 2);
  EXPECT_THAT(pairs.err, HasSubstr("--max-pairs has no effect"));
  const auto twice = shortlist({"--train-sets", "-", "-"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("can be given only once"));
  const auto negative = from_text({"--best", "-1"});
  EXPECT_EQ(negative.exit_code, 2);
}

}  // namespace
}  // namespace eatt
