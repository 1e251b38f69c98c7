#include "bundle/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/sha256.h"
#include "support/files.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

template <typename T>
TensorView view_of(const std::string& name, const Shape& shape, const std::vector<T>& values) {
  return {name, dtype_of<T>(), shape, std::as_bytes(std::span<const T>(values))};
}

TEST(Safetensors, WhatIsWrittenReadsBackInPlace) {
  const TemporaryFolder folder;
  const std::vector<float> floats = {1.5f, -2.0f, 3e-30f, 4.0f, 5.0f, 6.0f};
  const std::vector<int8_t> bytes = {-128, 0, 127};
  const std::vector<int64_t> large = {INT64_MIN, 7};
  const std::vector<float> none;
  const std::vector<TensorView> tensors = {
      view_of("bytes", {3}, bytes), view_of("matrix", {2, 3}, floats), view_of("large", {2}, large),
      view_of("none", {0, 5}, none)};
  const fs::path path = folder / "a.safetensors";
  const FileRecord record = write_safetensors(path, tensors, {{"note", "é"}});
  EXPECT_EQ(record.bytes, fs::file_size(path));
  EXPECT_EQ(record.sha256, sha256_of_file(path));

  const Safetensors file(path);
  EXPECT_EQ(file.tensors().size(), 4u);
  EXPECT_EQ(file.metadata().at("note"), "é");
  EXPECT_THAT(file.values<float>("matrix"), ElementsAreArray(floats));
  EXPECT_THAT(file.values<int8_t>("bytes"), ElementsAreArray(bytes));
  EXPECT_THAT(file.values<int64_t>("large"), ElementsAreArray(large));
  EXPECT_THAT(file.values<float>("none"), IsEmpty());
  EXPECT_EQ(file.tensor("matrix").shape, (Shape{2, 3}));
  const auto* in_file = reinterpret_cast<const std::byte*>(file.values<float>("matrix").data());
  EXPECT_EQ(in_file - file.file().bytes().data(),
            static_cast<ptrdiff_t>(file.file_offset(*file.find("matrix"))))
      << "a view into the mapping, not a copy";
}

TEST(Safetensors, ViewsOutliveAMoveOfTheFile) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  write_safetensors(folder / "a", std::vector{view_of("x", {2}, values)});
  Safetensors file(folder / "a");
  const auto view = file.values<float>("x");
  const Safetensors moved = std::move(file);
  EXPECT_THAT(view, ElementsAreArray(values));
  EXPECT_EQ(moved.values<float>("x").data(), view.data());
}

TEST(Safetensors, TensorsOfWholeCacheLinesStartAtMultiplesOf64InTheFile) {
  const TemporaryFolder folder;
  const std::vector<float> row(16), scale(1), matrix(16 * 3);
  write_safetensors(folder / "a",
                    std::vector{view_of("scale", {1}, scale), view_of("row", {16}, row),
                                view_of("matrix", {3, 16}, matrix)});
  const Safetensors file(folder / "a");
  EXPECT_EQ(file.file_offset(*file.find("row")) % 64, 0u);
  EXPECT_EQ(file.file_offset(*file.find("matrix")) % 64, 0u);
  EXPECT_EQ(file.file_offset(*file.find("scale")) % 4, 0u);
}

TEST(Safetensors, AMissingTensorOrAnotherTypeIsNamed) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  write_safetensors(folder / "a", std::vector{view_of("x", {2}, values)});
  const Safetensors file(folder / "a");
  EXPECT_EQ(file.find("y"), nullptr);
  EXPECT_THAT([&] { file.tensor("y"); },
              ThrowsMessage<Error>(AllOf(HasSubstr((folder / "a").string()),
                                         HasSubstr("has no tensor 'y' among its 1"))));
  EXPECT_THAT([&] { file.values<int32_t>("x"); },
              ThrowsMessage<Error>(HasSubstr("tensor 'x' is F32, expected I32")));
}

TEST(Safetensors, ATensorThatCannotBeUsedInPlaceIsRefusedNotMisread) {
  // Another writer's file: the header is not padded, so the data start at byte 69.
  const TemporaryFolder folder;
  const std::string json = R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} )";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(json.size());
  const Safetensors file(folder.write("a", bytes + json + "abcd"));
  ASSERT_NE(file.file_offset(*file.find("x")) % 4, 0u);
  EXPECT_THAT([&] { file.values<float>("x"); },
              ThrowsMessage<Error>(HasSubstr("expected a multiple of 4")));
  EXPECT_EQ(file.tensor("x").bytes.size(), 4u);  // As bytes it is all right.
}

TEST(Safetensors, AFolderASymlinkLoopAndAMissingFileAreNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { Safetensors{folder.path()}; },
              ThrowsMessage<Error>(HasSubstr("it is a folder, expected a file")));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THAT([&] { Safetensors{folder / "loop"}; },
              ThrowsMessage<Error>(HasSubstr("Too many levels of symbolic links")));
  EXPECT_THAT([&] { Safetensors{folder / "none"}; },
              ThrowsMessage<Error>(HasSubstr("No such file or directory")));
}

TEST(WriteSafetensors, OurOwnMistakesAreNotWritten) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, 2};
  const auto two = std::vector{view_of("x", {2}, values), view_of("x", {2}, values)};
  EXPECT_THROW(write_safetensors(folder / "a", two), InternalError);
  EXPECT_THROW(write_safetensors(folder / "a", std::vector{view_of("x", {3}, values)}),
               InternalError);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace eatt
