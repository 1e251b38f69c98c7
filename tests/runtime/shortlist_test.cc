#include "runtime/shortlist/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "support/files.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

const std::string kSourceDigest(64, 'a'), kTargetDigest(64, 'b');

// 6 source and 200 target pieces.
ShortlistContents small_contents() {
  return {.target_vocab = 200,
          .source_sha256 = kSourceDigest,
          .target_sha256 = kTargetDigest,
          .always = {3, 9, 64},
          .likely = {{}, {7}, {}, {}, {4, 63, 199}, {8, 63, 128}}};
}

std::filesystem::path write_small(const TemporaryFolder& folder) {
  write_shortlist(folder / "small", small_contents());
  return folder / "small";
}

std::vector<int32_t> pieces_for(const Shortlist& shortlist, const std::vector<int32_t>& source) {
  std::vector<int32_t> target = {1, 2, 3};  // Of the sentence before.
  shortlist.pieces_for(source, target);
  return target;
}

// The message of opening bytes that are not a sound shortlist.
std::string refusal(const TemporaryFolder& folder, std::string_view bytes) {
  try {
    Shortlist::open(folder.write("wrong", bytes));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Shortlist, ASentenceGetsWhatItsPiecesMakeLikelyAndWhatIsAlwaysAllowed) {
  const TemporaryFolder folder;
  const Shortlist shortlist = Shortlist::open(write_small(folder));
  EXPECT_EQ(shortlist.source_vocab(), 6);
  EXPECT_EQ(shortlist.target_vocab(), 200);
  EXPECT_THAT(pieces_for(shortlist, {}), ElementsAre(3, 9, 64));
  EXPECT_THAT(pieces_for(shortlist, {4}), ElementsAre(3, 4, 9, 63, 64, 199));
  EXPECT_THAT(pieces_for(shortlist, {5, 4, 5, 1}), ElementsAre(3, 4, 7, 8, 9, 63, 64, 128, 199));
}

TEST(Shortlist, ASentencesListDoesNotDependOnSentencesBeforeIt) {
  const TemporaryFolder folder;
  const Shortlist shortlist = Shortlist::open(write_small(folder));
  const std::vector<std::vector<int32_t>> sentences = {{4}, {5}, {}, {4, 5}, {1}, {4}};
  std::vector<int32_t> reused;
  for (const auto& sentence : sentences) {
    shortlist.pieces_for(sentence, reused);
    EXPECT_EQ(reused, pieces_for(Shortlist::open(folder / "small"), sentence));
  }
}

TEST(Shortlist, RandomListsAreUnitedAsASetWouldUniteThem) {
  const TemporaryFolder folder;
  Random random(3);
  for (const int vocab : {4, 64, 65, 1000}) {
    ShortlistContents contents = small_contents();
    contents.target_vocab = vocab;
    contents.always = {3};
    contents.likely.assign(30, {});
    for (auto& list : contents.likely) {
      for (int32_t piece = 4; piece < vocab; ++piece) {
        if (random.chance(0.05)) list.push_back(piece);
      }
    }
    write_shortlist(folder / "random", contents);
    const Shortlist shortlist = Shortlist::open(folder / "random");
    for (int round = 0; round < 20; ++round) {
      std::vector<int32_t> source(random.below(10));
      std::set<int32_t> expected = {3};
      for (int32_t& piece : source) {
        piece = static_cast<int32_t>(random.below(30));
        const auto& list = contents.likely[static_cast<size_t>(piece)];
        expected.insert(list.begin(), list.end());
      }
      EXPECT_EQ(pieces_for(shortlist, source), std::vector(expected.begin(), expected.end()));
    }
  }
}

TEST(Shortlist, AnotherVocabularyIsRefusedWithBothNames) {
  const TemporaryFolder folder;
  const Shortlist shortlist = Shortlist::open(write_small(folder));
  EXPECT_NO_THROW(shortlist.check_vocabulary(kSourceDigest, kTargetDigest, "models/zh-en"));
  EXPECT_THAT(
      [&] { shortlist.check_vocabulary(kTargetDigest, kTargetDigest, "models/zh-en"); },
      ThrowsMessage<Error>(AllOf(StartsWith((folder / "small").string()),
                                 HasSubstr("other source pieces"), HasSubstr("models/zh-en"),
                                 HasSubstr("aaaa"), HasSubstr("eatt shortlist models/zh-en"))));
  EXPECT_THAT([&] { shortlist.check_vocabulary(kSourceDigest, kSourceDigest, "models/zh-en"); },
              ThrowsMessage<Error>(HasSubstr("other target pieces")));
}

TEST(Shortlist, WhatIsNoShortlistIsRefusedByName) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal(folder, ""), AllOf(HasSubstr("wrong"), HasSubstr("is not a shortlist")));
  EXPECT_THAT(refusal(folder, "the der 0.5\n"), HasSubstr("is not a shortlist"));
  EXPECT_THAT([] { Shortlist::open("/nonexistent"); },
              ThrowsMessage<Error>(HasSubstr("/nonexistent")));
}

TEST(Shortlist, AFileCutOffOrGrownIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = testing::read_text(write_small(folder));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(refusal(folder, bytes.substr(0, size)), "accepted") << size;
  }
  EXPECT_THAT(refusal(folder, bytes.substr(0, bytes.size() - 1)), HasSubstr("cut off"));
  EXPECT_THAT(refusal(folder, bytes + '\0'), HasSubstr("bytes, expected"));
}

// Puts a number into the bytes of the small shortlist and expects a refusal that says `what`.
void expect_damage(size_t offset, int32_t value, const std::string& what) {
  const TemporaryFolder folder;
  std::string bytes = testing::read_text(write_small(folder));
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  EXPECT_THAT(refusal(folder, bytes), HasSubstr(what)) << offset << ' ' << value;
}

TEST(Shortlist, DamagedNumbersAreRefused) {
  constexpr size_t kAlways = sizeof(ShortlistHeader), kStarts = kAlways + 3 * 4,
                   kLikely = kStarts + 7 * 4;
  expect_damage(8, 2, "has version 2, this program reads version 1");
  expect_damage(12, 3, "vocabulary of 3 pieces");
  expect_damage(16, -1, "vocabulary of 4294967295 pieces");
  expect_damage(20, -1, "bytes, expected");                   // More pieces than there are.
  expect_damage(16, 199, "source piece 4 does not ascend");   // 199 is outside then.
  expect_damage(kAlways, 4, "always allowed do not ascend");  // No end marker.
  expect_damage(kAlways + 4, 3, "always allowed do not ascend");
  expect_damage(kAlways + 8, 200, "always allowed do not ascend");
  expect_damage(kStarts, 1, "do not follow each other");
  expect_damage(kStarts + 4, -5, "do not follow each other");
  expect_damage(kStarts + 24, 6, "do not follow each other");
  expect_damage(kStarts + 8, 1 << 30, "do not follow each other");
  expect_damage(kLikely, 3, "source piece 1 does not ascend");  // A marker.
  expect_damage(kLikely + 8, 4, "source piece 4 does not ascend");
  expect_damage(kLikely + 24, 200, "source piece 5 does not ascend");
}

}  // namespace
}  // namespace eatt
