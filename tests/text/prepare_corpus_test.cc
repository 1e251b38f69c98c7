#include "text/corpus/prepare_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "base/error.h"
#include "base/stop_signal.h"
#include "base/threads.h"
#include "support/files.h"
#include "text/data/data_set.h"
#include "text/pieces/pieces.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::read_text;
using testing::split_lines;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

using Files = std::map<std::string, std::string>;  // Name to bytes.

Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder)] = read_text(entry.path());
    }
  }
  return files;
}

class PrepareCorpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const testing::SampleText text = testing::sample_text(kPairs);
    source_ = folder_.write("train.en", text.source);
    target_ = folder_.write("train.de", text.target);
  }
  void TearDown() override { set_thread_count(0); }

  PrepareOptions options(std::string_view output = "data") const {
    PrepareOptions options;
    options.inputs = {{source_.string(), target_.string()}};
    options.output = folder_ / output;
    options.pieces.vocab_size = 300;
    options.pairs_per_commit = 1000;
    return options;
  }

  static constexpr int kPairs = 5'000;  // Five chunks.
  TemporaryFolder folder_;
  fs::path source_;
  fs::path target_;
};

std::string refusal(const PrepareOptions& options) {
  try {
    prepare_corpus(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

// Runs a preparation in a process of its own that is killed (as by kill -9) after its `kills_after`
// commits. Returns whether it was killed, or ended before.
bool run_killed(PrepareOptions options, int kills_after) {
  const pid_t child = ::fork();
  if (child == 0) {
    int commits = 0;
    options.after_commit = [&](std::string_view) {
      if (++commits == kills_after) ::raise(SIGKILL);
    };
    try {
      prepare_corpus(options);
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

// Links of a pair between the pieces of words, found in another way: by the characters of pieces.
std::vector<PieceLink> spread(const std::vector<int32_t>& source,
                              const std::vector<int32_t>& target, const Pieces& pieces) {
  const auto words = [&](const std::vector<int32_t>& ids) {
    std::vector<int> numbers;
    int word = -1;
    for (const int32_t id : ids) {
      if (pieces.piece(id).starts_with("\u2581")) ++word;
      numbers.push_back(word);
    }
    return numbers;
  };
  const auto of_source = words(source), of_target = words(target);
  std::vector<PieceLink> links;
  for (uint32_t t = 0; t < of_target.size(); ++t) {
    for (uint32_t s = 0; s < of_source.size(); ++s) {
      if (of_source[s] == 0 && of_target[t] == 0) links.push_back({s, t});
    }
  }
  return links;
}

TEST_F(PrepareCorpus, LinksBetweenWordsAreSpreadOverTheirPieces) {
  std::string text;
  for (int i = 0; i < kPairs; ++i) text += i % 2 == 0 ? "0-0 0p0\n" : "\n";
  PrepareOptions with_links = options();
  with_links.inputs[0].links = folder_.write("links", text).string();
  prepare_corpus(with_links);
  const DataSet set(folder_ / "data");
  EXPECT_NO_THROW(DataSetCheck(set).wait());
  ASSERT_TRUE(set.has_links());
  const Pieces pieces(set.source_pieces_file());
  std::vector<int32_t> source, target;
  std::vector<PieceLink> links;
  for (const size_t i : {0, 1, 2, 1234, 4998, 4999}) {
    set.read(i, source, target);
    set.read_links(i, links);
    EXPECT_EQ(links, i % 2 == 0 ? spread(source, target, pieces) : std::vector<PieceLink>()) << i;
  }
}

TEST_F(PrepareCorpus, WithoutLinksADataSetHasNone) {
  prepare_corpus(options());
  EXPECT_FALSE(DataSet(folder_ / "data").has_links());
  EXPECT_FALSE(fs::exists(folder_ / "data" / "links.bin"));
}

TEST_F(PrepareCorpus, AKilledRunWithLinksContinuesToTheSameBytes) {
  std::string text;
  for (int i = 0; i < kPairs; ++i) text += "0-0\n";
  PrepareOptions whole = options("whole"), parts = options("parts");
  whole.inputs[0].links = parts.inputs[0].links = folder_.write("links", text).string();
  prepare_corpus(whole);
  int commits = 0;
  parts.after_commit = [&](std::string_view what) {
    if (what == "encoding" && ++commits == 2) throw Stopped("now");
  };
  EXPECT_THROW(prepare_corpus(parts), Stopped);
  parts.after_commit = nullptr;
  prepare_corpus(parts);
  EXPECT_EQ(files_in(folder_ / "parts"), files_in(folder_ / "whole"));
}

TEST_F(PrepareCorpus, EveryPairIsThereAndDecodesToItsText) {
  const PrepareResult result = prepare_corpus(options());
  EXPECT_EQ(result.info.pairs, static_cast<uint64_t>(kPairs));
  const DataSet set(folder_ / "data");
  EXPECT_NO_THROW(DataSetCheck(set).wait());
  ASSERT_EQ(set.size(), static_cast<size_t>(kPairs));
  const Pieces pieces(set.source_pieces_file());
  EXPECT_EQ(pieces.size(), 300);
  const auto sources = split_lines(read_text(source_)), targets = split_lines(read_text(target_));
  std::vector<int32_t> source, target;
  for (size_t i = 0; i < set.size(); i += 371) {
    set.read(i, source, target);
    EXPECT_EQ(pieces.decode(source), sources[i]);
    EXPECT_EQ(pieces.decode(target), targets[i]);
  }
}

TEST_F(PrepareCorpus, OnlyTheDataSetIsLeft) {
  prepare_corpus(options());
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files_in(folder_ / "data")) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("dataset.json", "joint.spm", "lengths.bin",
                                            "offsets.bin", "source.bin", "target.bin"));
}

TEST_F(PrepareCorpus, TheNumberOfThreadsMakesNoDifference) {
  set_thread_count(1);
  prepare_corpus(options("one"));
  set_thread_count(5);
  prepare_corpus(options("five"));
  EXPECT_EQ(files_in(folder_ / "one"), files_in(folder_ / "five"));
}

TEST_F(PrepareCorpus, SeparateVocabulariesMayDifferInSize) {
  PrepareOptions separate = options();
  separate.joint_vocabulary = false;
  separate.target_vocab_size = 250;
  prepare_corpus(separate);
  const DataSet set(folder_ / "data");
  EXPECT_FALSE(set.info().is_joint());
  EXPECT_EQ(Pieces(set.source_pieces_file()).size(), 300);
  EXPECT_EQ(Pieces(set.target_pieces_file()).size(), 250);
  std::vector<int32_t> source, target;
  set.read(7, source, target);
  EXPECT_EQ(Pieces(set.target_pieces_file()).decode(target), split_lines(read_text(target_))[7]);
}

TEST_F(PrepareCorpus, TheSampleDependsOnTheSeedAlone) {
  const auto vocabulary = [&](const char* output, uint64_t seed, int threads) {
    set_thread_count(threads);
    PrepareOptions sampled = options(output);
    sampled.sample_size = 500;
    sampled.seed = seed;
    return prepare_corpus(sampled).info.source.sha256;
  };
  const std::string first = vocabulary("a", 1, 1);
  EXPECT_EQ(vocabulary("b", 1, 4), first);
  EXPECT_NE(vocabulary("c", 2, 4), first);
}

TEST_F(PrepareCorpus, GzipAndTsvGiveTheSameDataAsPlainText) {
  prepare_corpus(options("plain"));
  PrepareOptions packed = options("packed");
  packed.inputs = {{folder_.write("en.gz", testing::gzip(read_text(source_))).string(),
                    folder_.write("de.gz", testing::gzip(read_text(target_))).string()}};
  prepare_corpus(packed);
  std::string table;
  const auto sources = split_lines(read_text(source_)), targets = split_lines(read_text(target_));
  for (size_t i = 0; i < sources.size(); ++i) table += sources[i] + "\t" + targets[i] + "\r\n";
  PrepareOptions tsv = options("tsv");
  tsv.inputs = {{folder_.write("train.tsv", table).string(), {}}};
  prepare_corpus(tsv);
  for (const char* name : {"source.bin", "target.bin", "lengths.bin", "joint.spm"}) {
    const std::string expected = read_text(folder_ / "plain" / name);
    EXPECT_EQ(read_text(folder_ / "packed" / name), expected) << name;
    EXPECT_EQ(read_text(folder_ / "tsv" / name), expected) << name;
  }
}

TEST_F(PrepareCorpus, ExistingModelsAreUsedAsTheyAre) {
  const fs::path model = folder_.write("mine.spm", testing::sample_model());
  PrepareOptions with_model = options();
  with_model.piece_models = {model};
  const PrepareResult result = prepare_corpus(with_model);
  EXPECT_EQ(result.info.source.size, 500);
  EXPECT_EQ(read_text(folder_ / "data/joint.spm"), testing::sample_model());
  // Also when it is the copy in the folder itself.
  with_model.piece_models = {folder_ / "data/joint.spm"};
  with_model.overwrite = true;
  EXPECT_EQ(prepare_corpus(with_model).info.source.size, 500);
}

TEST_F(PrepareCorpus, BadPairsAreDroppedAndTold) {
  const fs::path source = folder_.write("s",
                                        "a dog\nb\xff"
                                        "d\n\nc\nlong long long long long\n\x01\n");
  const fs::path target = folder_.write("t", "ein Hund\nx\ny\nz\nkurz\nsteuernd\n");
  PrepareOptions bad = options();
  bad.inputs.push_back({source.string(), target.string()});
  bad.max_length = 30;
  PrepareOptions refusing = bad;
  bad.inputs.back() = {source.string(), target.string()};
  const DataSetInfo info = prepare_corpus(bad).info;
  EXPECT_EQ(info.pairs_read, info.pairs + info.dropped.total());
  EXPECT_EQ(info.dropped[PairProblem::invalid_utf8].count, 1u);
  EXPECT_EQ(info.dropped[PairProblem::invalid_utf8].first_line, 2u);
  EXPECT_EQ(info.dropped[PairProblem::empty].count, 1u);
  EXPECT_EQ(info.dropped[PairProblem::no_pieces].count, 1u);
  EXPECT_EQ(info.dropped[PairProblem::no_pieces].first_line, 6u);
  EXPECT_GT(info.dropped[PairProblem::many_pieces].count, 0u);
  EXPECT_THAT(info.dropped[PairProblem::many_pieces].detail, HasSubstr("pieces"));

  refusing.bad_lines = BadLines::refuse;
  refusing.output = folder_ / "refused";
  EXPECT_THAT(refusal(refusing),
              AllOf(HasSubstr("1 pair with invalid UTF-8 (first: "), HasSubstr("line 2)"),
                    HasSubstr("an empty side"), HasSubstr("--bad-lines drop")));
  EXPECT_FALSE(fs::exists(folder_ / "refused/dataset.json"));
}

TEST_F(PrepareCorpus, FiltersLeaveOutPairsAndTheReportSaysHowManyOfWhichCorpus) {
  const auto sources = split_lines(read_text(source_)), targets = split_lines(read_text(target_));
  // A second corpus: two copies of pairs of the first, one of its own twice, one without a
  // translation, one in another script, one much too long.
  const std::string own = "seven " + sources[1], its = "sieben " + targets[1];
  std::string source = sources[3] + "\n" + sources[4] + "\n" + own + "\n" + own + "\n";
  std::string target = targets[3] + "\n" + targets[4] + "\n" + its + "\n" + its + "\n";
  source += "same\nслово\none\n";
  target += "same\nwort\n" + targets[5] + targets[6] + targets[7] + "\n";
  PrepareOptions filtered = options();
  filtered.inputs.push_back(
      {folder_.write("more.en", source).string(), folder_.write("more.de", target).string()});
  filtered.filters.max_ratio = 5;
  filtered.filters.drop_identical = true;
  filtered.filters.drop_duplicates = true;
  filtered.filters.source_script = Script::latin;
  filtered.bad_lines = BadLines::refuse;  // What filters find is no damage.
  const DataSetInfo info = prepare_corpus(filtered).info;
  ASSERT_EQ(info.corpora.size(), 2u);
  const DataSetInfo::Corpus& first = info.corpora.front();
  const DataSetInfo::Corpus& second = info.corpora.back();
  EXPECT_EQ(first.pairs, first.pairs_read - first.dropped.total());
  EXPECT_EQ(second.pairs_read, 7u);
  EXPECT_EQ(second.pairs, 1u);
  EXPECT_EQ(second.dropped[PairProblem::duplicate].count, 3u);
  EXPECT_EQ(second.dropped[PairProblem::duplicate].first_line, 1u);
  EXPECT_EQ(second.dropped[PairProblem::identical].count, 1u);
  EXPECT_EQ(second.dropped[PairProblem::script].first_line, 6u);
  EXPECT_EQ(second.dropped[PairProblem::ratio].first_line, 7u);
  EXPECT_THAT(second.dropped[PairProblem::ratio].detail, HasSubstr(" pieces"));
  EXPECT_EQ(info.dropped.total(), info.pairs_read - info.pairs);
  EXPECT_EQ(DataSet(folder_ / "data").info().corpora.back().pairs, 1u) << "as read back";
  filtered.filters = {};
  EXPECT_THAT(refusal(filtered), HasSubstr("--max-ratio '5', but this command has 'not given'"));
}

TEST_F(PrepareCorpus, AKilledRunWithFiltersContinuesToTheSameBytes) {
  set_thread_count(1);
  PrepareOptions filtered = options("whole");
  const fs::path model = folder_.write("mine.spm", testing::sample_model());
  filtered.piece_models = {model};
  filtered.inputs.push_back(filtered.inputs.front());  // A corpus of nothing but duplicates.
  filtered.filters.max_ratio = 1.1;
  filtered.filters.drop_duplicates = true;
  const DataSetInfo info = prepare_corpus(filtered).info;
  EXPECT_GT(info.dropped[PairProblem::ratio].count, 0u);
  EXPECT_EQ(info.corpora.back().pairs, 0u);
  for (const int moment : {2, 4, 8}) {  // After the check, and while each corpus is encoded.
    filtered.output = folder_ / ("killed-" + std::to_string(moment));
    ASSERT_TRUE(run_killed(filtered, moment));
    prepare_corpus(filtered);
    EXPECT_EQ(files_in(filtered.output), files_in(folder_ / "whole")) << moment;
  }
}

TEST_F(PrepareCorpus, TextThatLeavesNothingIsAnError) {
  PrepareOptions none = options();
  none.inputs = {{folder_.write("e", "").string(), folder_.write("f", "").string()}};
  EXPECT_THAT(refusal(none), HasSubstr("no lines"));
  none.inputs = {{folder_.write("e", "\n\n").string(), folder_.write("f", "a\nb\n").string()}};
  EXPECT_THAT(refusal(none), AllOf(HasSubstr("none of the 2 pairs"), HasSubstr("an empty side")));
  PrepareOptions short_ones = options();
  short_ones.max_length = 1;
  EXPECT_THAT(
      refusal(short_ones),
      AllOf(HasSubstr("all "), HasSubstr(" pairs are longer than 1 piece; raise --max-length")));
}

TEST_F(PrepareCorpus, WrongOptionsAreWrongUsage) {
  PrepareOptions wrong = options();
  wrong.inputs.clear();
  EXPECT_THROW(prepare_corpus(wrong), UsageError);
  wrong = options();
  wrong.inputs = {{"-", "-"}};
  EXPECT_THROW(prepare_corpus(wrong), UsageError);
  wrong = options();
  wrong.max_length = 0;
  EXPECT_THROW(prepare_corpus(wrong), UsageError);
  EXPECT_FALSE(fs::exists(folder_ / "data"));
}

TEST_F(PrepareCorpus, TheSameCommandAgainDoesNothing) {
  prepare_corpus(options());
  const auto time = fs::last_write_time(folder_ / "data/dataset.json");
  EXPECT_TRUE(prepare_corpus(options()).was_complete);
  EXPECT_EQ(fs::last_write_time(folder_ / "data/dataset.json"), time);
}

TEST_F(PrepareCorpus, OtherOptionsOrInputsAreRefusedWithBothValues) {
  prepare_corpus(options());
  PrepareOptions other = options();
  other.pieces.vocab_size = 310;
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("--vocab-size '300'"), HasSubstr("has '310'"),
                                    HasSubstr("--overwrite")));
  other = options();
  other.max_length = 99;
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("--max-length '256'"), HasSubstr("'99'")));
  folder_.write("train.en", read_text(source_) + "one more\n");
  EXPECT_THAT(refusal(options()), AllOf(HasSubstr("input 1 source"), HasSubstr("train.en"),
                                        HasSubstr("bytes, modified")));
}

TEST_F(PrepareCorpus, OverwriteStartsAnew) {
  prepare_corpus(options());
  PrepareOptions other = options();
  other.pieces.vocab_size = 310;
  other.overwrite = true;
  EXPECT_EQ(prepare_corpus(other).info.source.size, 310);
  EXPECT_EQ(DataSet(folder_ / "data").info().source.size, 310);
}

TEST_F(PrepareCorpus, AFailedOverwriteLeavesTheOldDataSet) {
  prepare_corpus(options());
  const Files before = files_in(folder_ / "data");
  PrepareOptions wrong = options();
  wrong.pieces.vocab_size = 30'000;
  wrong.overwrite = true;
  EXPECT_THAT(refusal(wrong), HasSubstr("no more than"));
  EXPECT_EQ(DataSet(folder_ / "data").info().source.size, 300);
  for (const auto& [name, bytes] : before) EXPECT_EQ(read_text(folder_ / "data" / name), bytes);
}

TEST_F(PrepareCorpus, AfterAFailureThatLeftNothingOtherOptionsAreFine) {
  PrepareOptions wrong = options();
  wrong.pieces.vocab_size = 30'000;
  EXPECT_THAT(refusal(wrong), HasSubstr("no more than"));
  EXPECT_EQ(prepare_corpus(options()).info.source.size, 300);
}

TEST_F(PrepareCorpus, TwoAtOnceInOneFolderAreRefused) {
  PrepareOptions outer = options();
  std::string inner;
  outer.after_commit = [&](std::string_view what) {
    if (what == "check") inner = refusal(options());
  };
  prepare_corpus(outer);
  EXPECT_THAT(inner, HasSubstr("another process is preparing"));
}

TEST_F(PrepareCorpus, KilledAfterAnyCommitItGoesOnAndEndsWithTheSameBytes) {
  set_thread_count(1);  // The child must not be forked from a process with other threads.
  // Two models that are there already: learning them each time would take long.
  PrepareOptions options_with_models = options("whole");
  const fs::path model = folder_.write("mine.spm", testing::sample_model());
  options_with_models.piece_models = {model, model};
  prepare_corpus(options_with_models);
  const Files whole = files_in(folder_ / "whole");
  int moment = 1;
  for (bool killed = true; killed; ++moment) {
    const fs::path output = folder_ / ("killed-" + std::to_string(moment));
    options_with_models.output = output;
    killed = run_killed(options_with_models, moment);
    if (!fs::exists(output / "dataset.json")) {
      EXPECT_THROW(DataSet{output}, Error);
    }
    prepare_corpus(options_with_models);
    EXPECT_EQ(files_in(output), whole) << "killed after commit " << moment;
  }
  // plan, check, five of encoding, finished, four .bin files, two models, dataset.json.
  EXPECT_EQ(moment - 2, 15);
}

TEST_F(PrepareCorpus, KilledBeforeOrAfterLearningItGoesOnAndEndsWithTheSameBytes) {
  set_thread_count(1);
  PrepareOptions separate = options("whole");
  separate.joint_vocabulary = false;
  prepare_corpus(separate);
  separate.output = folder_ / "killed";
  for (const int moment : {2, 1, 1}) {  // After the check, the first model, the second.
    ASSERT_TRUE(run_killed(separate, moment));
  }
  EXPECT_TRUE(fs::exists(folder_ / "killed/unfinished/target.spm"));
  prepare_corpus(separate);
  EXPECT_EQ(files_in(folder_ / "killed"), files_in(folder_ / "whole"));
}

TEST_F(PrepareCorpus, KilledAgainAndAgainItStillComesToItsEnd) {
  set_thread_count(1);
  prepare_corpus(options("whole"));
  PrepareOptions killed = options("killed");
  int runs = 1;
  while (run_killed(killed, 2)) ASSERT_LT(++runs, 30);
  EXPECT_GT(runs, 4);
  prepare_corpus(killed);
  EXPECT_EQ(files_in(folder_ / "killed"), files_in(folder_ / "whole"));
}

TEST_F(PrepareCorpus, AnInterruptedRunIsNotContinuedWithOtherOptions) {
  set_thread_count(1);
  ASSERT_TRUE(run_killed(options(), 4));
  PrepareOptions other = options();
  other.max_length = 99;
  EXPECT_THAT(refusal(other), AllOf(HasSubstr("--max-length '256'"), HasSubstr("'99'")));
  other.overwrite = true;
  EXPECT_EQ(refusal(other), "accepted");
}

TEST_F(PrepareCorpus, OverwriteContinuesItsOwnInterruptedRun) {
  set_thread_count(1);
  prepare_corpus(options());
  PrepareOptions other = options();
  other.max_length = 99;
  other.overwrite = true;
  ASSERT_TRUE(run_killed(other, 5));
  std::vector<std::string> steps;
  other.after_commit = [&](std::string_view what) { steps.emplace_back(what); };
  prepare_corpus(other);
  EXPECT_EQ(steps.front(), "encoding") << "check and vocabulary were kept";
  EXPECT_EQ(DataSet(folder_ / "data").info().made_with.size(), 12u);
}

}  // namespace
}  // namespace eatt
