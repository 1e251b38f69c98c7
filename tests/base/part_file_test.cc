#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files/open_file.h"
#include "support/files.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

TEST(PartFile, GrowsOverSeveralRuns) {
  const TemporaryFolder folder;
  {
    PartFile file(folder / "a", 0);
    file.write("first ");
    file.sync();
    EXPECT_EQ(file.size(), 6u);
  }
  PartFile file(folder / "a", 6);
  file.write("second");
  file.sync();
  EXPECT_EQ(read_text(folder / "a"), "first second");
}

TEST(PartFile, WhatWasWrittenAfterTheKeptPartIsCutOff) {
  const TemporaryFolder folder;
  folder.write("a", "kept and lost");
  PartFile file(folder / "a", 4);
  file.write(" and new");
  file.sync();
  EXPECT_EQ(read_text(folder / "a"), "kept and new");
}

TEST(PartFile, KeepsTheOrderOfSmallAndLargeWritesAndOverwritesAHeader) {
  const TemporaryFolder folder;
  const std::string large(3 << 20, 'x');
  PartFile file(folder / "a", 0);
  file.write("????");
  file.write(large);
  file.write("end");
  file.overwrite(0, "head");
  file.sync();
  EXPECT_EQ(read_text(folder / "a"), "head" + large + "end");
}

TEST(PartFile, AFileShorterThanItShouldBeIsRefused) {
  const TemporaryFolder folder;
  const auto path = folder.write("a", "short");
  EXPECT_THAT([&] { PartFile(path, 100); },
              ThrowsMessage<Error>(AllOf(HasSubstr("has 5 bytes"), HasSubstr("100 were written"))));
  EXPECT_THAT([&] { PartFile(folder / "no/such/folder", 0); },
              ThrowsMessage<Error>(HasSubstr("No such file")));
}

}  // namespace
}  // namespace eatt
