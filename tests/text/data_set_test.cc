#include "text/data/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/random.h"
#include "base/sha256.h"
#include "support/files.h"
#include "text/data/batches.h"
#include "text/data/data_set_format.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

using Ids = std::vector<int32_t>;

// A data set of made-up ids, written as prepare_corpus() does.
class DataSetTest : public ::testing::Test {
 protected:
  void make(int vocab_size, size_t pairs) {
    Random random(3);
    const uint32_t width = piece_bytes(vocab_size);
    DataSetWriter writer(folder_.path(), width, width);
    PackedPairs packed;
    for (size_t i = 0; i < pairs; ++i) {
      Ids source(1 + random.below(20)), target(1 + random.below(20));
      for (Ids* ids : {&source, &target}) {
        for (int32_t& id : *ids) {
          id = static_cast<int32_t>(random.below(static_cast<uint64_t>(vocab_size)));
        }
      }
      packed.clear();
      packed.add(source, width, target, width);
      writer.append(packed);
      expected_.emplace_back(source, target);
    }
    DataSetInfo info;
    info.files = writer.finish();
    info.pairs = writer.position().pairs;
    info.source_pieces = writer.position().source_pieces;
    info.target_pieces = writer.position().target_pieces;
    info.source = info.target = {"joint.spm", vocab_size, sha256_hex("a vocabulary")};
    info.made_with = {{"--vocab-size", std::to_string(vocab_size)}};
    info.dropped[PairProblem::empty] = {3, "train.en", 17, ""};
    folder_.write("joint.spm", "a vocabulary");
    folder_.write("dataset.json", to_json(info));
  }

  void replace(std::string_view file, std::string_view from, std::string_view to) const {
    std::string bytes = read_text(folder_ / file);
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos);
    folder_.write(file, bytes.replace(at, from.size(), to));
  }

  std::string refusal() const {
    try {
      DataSet{folder_.path()};
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
  std::vector<std::pair<Ids, Ids>> expected_;
};

TEST_F(DataSetTest, PairsAreReadInAnyOrder) {
  make(1000, 3000);  // Several offsets.
  const DataSet set(folder_.path());
  ASSERT_EQ(set.size(), 3000u);
  Ids source, target;
  for (const size_t i : {0, 1, 1023, 1024, 1025, 2047, 2999, 5}) {
    set.read(i, source, target);
    EXPECT_EQ(source, expected_[i].first) << i;
    EXPECT_EQ(target, expected_[i].second) << i;
    EXPECT_EQ(set.lengths()[i].source, source.size());
    EXPECT_EQ(set.lengths()[i].target, target.size());
  }
  set.release_pages();
  set.read(2999, source, target);
  EXPECT_EQ(source, expected_[2999].first);
  EXPECT_NO_THROW(DataSetCheck(set).wait());
}

TEST_F(DataSetTest, AStreamOfBatchesHasAllShortPairsInEveryEpoch) {
  make(1000, 3000);
  const DataSet set(folder_.path());
  const auto longer = pairs_longer_than(set, 15);
  ASSERT_THAT(longer.size(), AllOf(::testing::Gt(500u), ::testing::Lt(2500u)));
  BatchStream stream(set, {.words = 400}, /*seed=*/1, /*max_length=*/15);
  EXPECT_EQ(stream.pairs_in_epoch(), 3000 - longer.size());
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    std::vector<uint64_t> found = longer;
    while (stream.epoch() == epoch) {
      const auto& pairs = stream.next();
      found.insert(found.end(), pairs.begin(), pairs.end());
    }
    std::ranges::sort(found);
    ASSERT_EQ(found.size(), 3000u);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], i);
  }
  EXPECT_THROW(BatchStream(set, {.words = 400}, 1, /*max_length=*/0), Error);
}

TEST_F(DataSetTest, LargeVocabulariesTakeFourBytesAPiece) {
  make(65'536, 10);
  EXPECT_EQ(DataSet(folder_.path()).info().files.at("source.bin").bytes % 4 == 0,
            DataSet(folder_.path()).info().source_pieces % 2 == 0);
  make(65'537, 10);
  const DataSet set(folder_.path());
  EXPECT_EQ(set.info().files.at("source.bin").bytes, 32 + 4 * set.info().source_pieces);
  Ids source, target;
  set.read(3, source, target);
  EXPECT_EQ(source, expected_[13].first);
}

TEST_F(DataSetTest, TheDescriptionSurvivesTheRoundTrip) {
  make(1000, 5);
  const DataSetInfo info = DataSet(folder_.path()).info();
  EXPECT_EQ(to_json(info), read_text(folder_ / "dataset.json"));
  EXPECT_EQ(info.dropped[PairProblem::empty].first_line, 17u);
  EXPECT_TRUE(info.is_joint());
}

TEST_F(DataSetTest, AFolderWithoutADataSetSaysWhatIsMissing) {
  EXPECT_THAT(refusal(), AllOf(HasSubstr("dataset.json is missing"), HasSubstr("corpus prepare")));
  fs::create_directory(folder_ / "unfinished");
  EXPECT_THAT(refusal(), HasSubstr("not finished; run the same"));
}

TEST_F(DataSetTest, ATruncatedFileIsRefused) {
  for (const std::string name : {"source.bin", "target.bin", "lengths.bin", "offsets.bin"}) {
    make(1000, 2000);
    fs::resize_file(folder_ / name, fs::file_size(folder_ / name) - 2);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(name), HasSubstr("cut off"))) << name;
    fs::resize_file(folder_ / name, 0);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(name), HasSubstr("cut off"))) << name;
    fs::remove(folder_ / name);
    EXPECT_THAT(refusal(), AllOf(HasSubstr(name), HasSubstr("No such file"))) << name;
  }
}

TEST_F(DataSetTest, AFileThatGrewIsRefused) {
  make(1000, 20);
  std::ofstream(folder_ / "source.bin", std::ios::app) << "xx";
  EXPECT_THAT(refusal(), AllOf(HasSubstr("source.bin"), HasSubstr("bytes, expected")));
}

TEST_F(DataSetTest, SwappedSidesAreRefusedEvenWhenTheirSizesAgree) {
  DataSetWriter writer(folder_.path(), 2, 2);
  make(1000, 1);
  // One pair with equally long sides.
  PackedPairs packed;
  packed.add(Ids{4, 5}, 2, Ids{6, 7}, 2);
  DataSetWriter equal(folder_.path(), 2, 2);
  equal.append(packed);
  DataSetInfo info = parse_data_set_info(read_text(folder_ / "dataset.json"), "dataset.json");
  info.files = equal.finish();
  info.source_pieces = info.target_pieces = 2;
  folder_.write("dataset.json", to_json(info));
  EXPECT_EQ(refusal(), "accepted");
  fs::rename(folder_ / "source.bin", folder_ / "x");
  fs::rename(folder_ / "target.bin", folder_ / "source.bin");
  fs::rename(folder_ / "x", folder_ / "target.bin");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("source.bin"), HasSubstr("that of target.bin")));
}

TEST_F(DataSetTest, ForeignFilesAndOtherVersionsAreRefused) {
  make(1000, 20);
  const std::string source = read_text(folder_ / "source.bin");
  folder_.write("source.bin", std::string(source.size(), 'x'));
  EXPECT_THAT(refusal(), HasSubstr("not a file of a data set"));
  std::string newer = source;
  newer[8] = 9;
  folder_.write("source.bin", newer);
  EXPECT_THAT(refusal(), HasSubstr("has version 9, this program reads version 1"));
  folder_.write("source.bin", source);
  replace("dataset.json", "\"version\": 1", "\"version\": 2");
  EXPECT_THAT(refusal(), HasSubstr("has version 2, this program reads version 1"));
}

TEST_F(DataSetTest, ADamagedDescriptionIsRefused) {
  make(1000, 20);
  const std::string json = read_text(folder_ / "dataset.json");
  for (const std::string& text : {std::string(), std::string("not json"), std::string("[]"),
                                  std::string("{}"), json.substr(0, json.size() / 2)}) {
    folder_.write("dataset.json", text);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("dataset.json: "), HasSubstr("eatt corpus prepare"),
                                 Not(HasSubstr("json.exception"))))
        << text;
  }
  folder_.write("dataset.json", json);
  replace("dataset.json", "\"pairs\": 20", "\"pairs\": 21");
  EXPECT_THAT(refusal(), HasSubstr("lengths.bin"));
  folder_.write("dataset.json", json);
  replace("dataset.json", "\"joint.spm\"", "\"../joint.spm\"");
  EXPECT_THAT(refusal(), HasSubstr("expected the name of a file beside it"));
}

TEST_F(DataSetTest, LengthsAndOffsetsThatDisagreeAreRefused) {
  make(1000, 3000);
  const std::string lengths = read_text(folder_ / "lengths.bin");
  std::string changed = lengths;
  changed[32] = static_cast<char>(changed[32] + 1);
  folder_.write("lengths.bin", changed);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("offsets.bin"), HasSubstr("pair 1024")));
  folder_.write("lengths.bin", lengths);
  std::string last = lengths;
  last[last.size() - 8] = static_cast<char>(last[last.size() - 8] + 1);
  folder_.write("lengths.bin", last);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("lengths.bin"), HasSubstr("adds up to")));
}

TEST_F(DataSetTest, AnotherVocabularyIsRefused) {
  make(1000, 20);
  folder_.write("joint.spm", "another vocabulary");
  EXPECT_THAT(refusal(), AllOf(HasSubstr("joint.spm"), HasSubstr("not the vocabulary")));
}

TEST_F(DataSetTest, IdsOutsideTheVocabularyAreFoundWhenRead) {
  make(1000, 20);
  std::string source = read_text(folder_ / "source.bin");
  source[32] = '\xff';
  source[33] = '\xff';
  folder_.write("source.bin", source);
  const DataSet set(folder_.path());
  Ids a, b;
  EXPECT_THAT([&] { set.read(0, a, b); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("source.bin"), HasSubstr("pair 0"), HasSubstr("piece 65535"))));
  set.read(1, a, b);
  EXPECT_EQ(a, expected_[1].first);
  EXPECT_THAT([&] { DataSetCheck(set).wait(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("source.bin"), HasSubstr("has changed"))));
}

TEST_F(DataSetTest, OneFlippedBitIsFoundAndNamed) {
  make(1000, 3000);
  const std::string bytes = read_text(folder_ / "target.bin");
  const std::string expected = sha256_hex(bytes);
  std::string flipped = bytes;
  flipped[bytes.size() / 2 & ~size_t{1}] ^= 1;  // The low bit of an id: still in the vocabulary.
  folder_.write("target.bin", flipped);
  const DataSet set(folder_.path());  // Sizes, lengths and offsets agree.
  DataSetCheck check(set);
  const auto differs = ThrowsMessage<Error>(
      AllOf(HasSubstr((folder_ / "target.bin").string() + ": has changed since"),
            HasSubstr("SHA-256 " + sha256_hex(flipped)), HasSubstr("expected " + expected),
            HasSubstr("eatt corpus prepare --overwrite")));
  EXPECT_THAT([&] { check.wait_at_most(std::chrono::minutes(1)); }, differs);
  EXPECT_THAT([&] { check.rethrow_if_failed(); }, differs) << "again";
  EXPECT_THAT([&] { check.wait(); }, differs);
}

TEST_F(DataSetTest, ACheckEndsWithoutAWordWhereNothingChanged) {
  make(1000, 100);
  DataSetCheck check{DataSet(folder_.path())};
  EXPECT_TRUE(check.wait_at_most(std::chrono::minutes(1)));
  EXPECT_NO_THROW(check.rethrow_if_failed());
}

TEST_F(DataSetTest, ACheckThatIsGivenUpStops) {
  make(1000, 3000);
  const DataSet set(folder_.path());
  EXPECT_NO_THROW(DataSetCheck{set});
}

TEST_F(DataSetTest, AWriterGoesOnFromItsLastCommit) {
  const TemporaryFolder whole, parts;
  PackedPairs first, second, lost;
  first.add(Ids{1, 2, 3}, 2, Ids{4}, 2);
  second.add(Ids{5}, 2, Ids{6, 7}, 2);
  lost.add(Ids{8, 8, 8, 8}, 2, Ids{9, 9}, 2);
  DataSetWriter at_once(whole.path(), 2, 2);
  at_once.append(first);
  at_once.append(second);
  at_once.finish();
  DataSetPosition position;
  {
    DataSetWriter writer(parts.path(), 2, 2);
    writer.append(first);
    position = writer.commit();
    writer.append(lost);
    writer.commit();
  }
  DataSetWriter writer(parts.path(), 2, 2, position);
  writer.append(second);
  writer.finish();
  for (const char* name : {"source.bin", "target.bin", "lengths.bin", "offsets.bin"}) {
    EXPECT_EQ(read_text(parts / name), read_text(whole / name)) << name;
  }
}

}  // namespace
}  // namespace eatt
