#include "training/run/tensorboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "base/crc32c.h"
#include "support/files.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::Pair;
using testing::read_text;
using testing::TemporaryFolder;

// Bit by bit, from the definition.
uint32_t slow_crc32c(std::string_view bytes) {
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0x82f63b78 & (0 - (crc & 1)));
  }
  return crc ^ 0xffffffff;
}

TEST(Crc32c, GivesTheValuesOfRfc3720) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(""), 0u);
}

// A reader of its own for what TensorBoard reads: the values of each event by tag, with their step.
class EventReader {
 public:
  explicit EventReader(const std::string& bytes) : bytes_(bytes) {
    while (at_ < bytes_.size()) read_record();
  }

  std::map<std::string, std::vector<std::pair<int64_t, float>>> curves;
  std::vector<std::string> versions;

 private:
  template <typename T>
  T take() {
    T value{};
    EXPECT_LE(at_ + sizeof value, bytes_.size());
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  static uint32_t mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8; }

  void read_record() {
    const std::string length_bytes = bytes_.substr(at_, 8);
    const auto length = take<uint64_t>();
    ASSERT_EQ(take<uint32_t>(), mask(slow_crc32c(length_bytes)));
    const std::string event = bytes_.substr(at_, length);
    at_ += length;
    ASSERT_EQ(take<uint32_t>(), mask(slow_crc32c(event)));
    read_event(event);
  }

  static uint64_t varint(const std::string& text, size_t& at) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<uint8_t>(text.at(at++));
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }

  // Calls use(field number, bytes or number).
  template <typename Use>
  static void fields(const std::string& message, Use use) {
    for (size_t at = 0; at < message.size();) {
      const uint64_t key = varint(message, at);
      const uint64_t type = key & 7;
      const uint64_t number = type == 0 ? varint(message, at) : 0;
      const uint64_t size = type == 0 ? 0 : type == 1 ? 8 : type == 5 ? 4 : varint(message, at);
      use(key >> 3, message.substr(at, size), number);
      at += size;
    }
  }

  void read_event(const std::string& event) {
    int64_t step = 0;
    std::string summary;
    fields(event, [&](uint64_t field, const std::string& bytes, uint64_t number) {
      if (field == 2) step = static_cast<int64_t>(number);
      if (field == 3) versions.push_back(bytes);
      if (field == 5) summary = bytes;
    });
    fields(summary, [&](uint64_t, const std::string& value, uint64_t) {
      std::string tag;
      float scalar = 0;
      fields(value, [&](uint64_t field, const std::string& bytes, uint64_t) {
        if (field == 1) tag = bytes;
        if (field == 2) std::memcpy(&scalar, bytes.data(), sizeof scalar);
      });
      curves[tag].emplace_back(step, scalar);
    });
  }

  std::string bytes_;
  size_t at_ = 0;
};

nlohmann::json progress(int64_t update, double loss) {
  return {{"event", "progress"}, {"update", update}, {"loss", loss}, {"learning_rate", 0.5}};
}

fs::path only_file(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  EXPECT_EQ(files.size(), 1u);
  return files.at(0);
}

TEST(TensorBoard, AnIndependentReaderFindsEveryNumber) {
  const TemporaryFolder folder;
  TensorBoardLog log(folder / "curves", "run", 0);
  nlohmann::json first = progress(100, 7.5);
  first["density"] = {{"encoder_self", {0.25, -1}}, {"cross_key", 0.75}};
  log.add(first);
  log.add({{"event", "validation"},
           {"update", 300},
           {"cross_entropy", 2.5},
           {"bleu", {{"score", 31.5}, {"signature", "x"}}}});
  EventReader read(read_text(only_file(folder / "curves")));
  EXPECT_THAT(read.versions, ElementsAre("brain.Event:2"));
  EXPECT_THAT(read.curves["train/loss"], ElementsAre(Pair(100, 7.5f)));
  EXPECT_THAT(read.curves["train/learning_rate"], ElementsAre(Pair(100, 0.5f)));
  EXPECT_THAT(read.curves["density/encoder_self/1"], ElementsAre(Pair(100, 0.25f)));
  EXPECT_FALSE(read.curves.contains("density/encoder_self/2"));
  EXPECT_THAT(read.curves["density/mean"], ElementsAre(Pair(100, 0.5f)));
  EXPECT_THAT(read.curves["dev/cross_entropy"], ElementsAre(Pair(300, 2.5f)));
  EXPECT_THAT(read.curves["dev/bleu"], ElementsAre(Pair(300, 31.5f)));
}

TEST(TensorBoard, AResumedRunHasEveryUpdateOnce) {
  const TemporaryFolder folder;
  {
    TensorBoardLog log(folder.path(), "run", 0);
    for (const int64_t update : {10, 20, 30}) log.add(progress(update, 1));
  }
  TensorBoardLog log(folder.path(), "run", 20);
  log.add(progress(30, 2));
  EventReader read(read_text(only_file(folder.path())));
  EXPECT_THAT(read.curves["train/loss"], ElementsAre(Pair(10, 1.f), Pair(20, 1.f), Pair(30, 2.f)));
  EXPECT_EQ(read.versions.size(), 1u);
}

TEST(TensorBoard, AnEventThatWasCutOffIsDroppedWhenTheRunContinues) {
  const TemporaryFolder folder;
  {
    TensorBoardLog log(folder.path(), "run", 0);
    log.add(progress(10, 1));
    log.add(progress(20, 1));
  }
  const fs::path file = only_file(folder.path());
  fs::resize_file(file, fs::file_size(file) - 5);
  TensorBoardLog log(folder.path(), "run", 20);
  log.add(progress(30, 1));
  EventReader read(read_text(only_file(folder.path())));
  EXPECT_THAT(read.curves["train/loss"], ElementsAre(Pair(10, 1.f), Pair(30, 1.f)));
}

TEST(TensorBoard, FilesOfOtherRunsAndProgramsInTheFolderStay) {
  const TemporaryFolder folder;
  folder.write("events.out.tfevents.1700000000.host.1.0", "theirs");
  TensorBoardLog other(folder.path(), "other", 0);
  TensorBoardLog log(folder.path(), "run", 0);
  TensorBoardLog again(folder.path(), "run", 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 3);
  EXPECT_EQ(read_text(folder / "events.out.tfevents.1700000000.host.1.0"), "theirs");
}

}  // namespace
}  // namespace eatt
