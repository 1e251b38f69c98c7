#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/error.h"
#include "base/files/open_file.h"
#include "support/files.h"

namespace eatt {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

constexpr LockPurpose kPurpose{.work = "training", .option = "--model"};

TEST(FolderLock, MakesTheFolderAndHoldsItForOne) {
  const TemporaryFolder root;
  const auto folder = root.path() / "a" / "b";
  std::optional<FolderLock> first(std::in_place, folder, kPurpose);
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "nothing is written into it";
  EXPECT_THAT([&] { FolderLock(folder, kPurpose); },
              ThrowsMessage<Error>(EndsWith(
                  "b: another process is training there; wait for it, or choose another --model")));
  first.reset();
  EXPECT_NO_THROW(FolderLock(folder, kPurpose));
}

TEST(FolderLock, AKilledProcessHoldsNothing) {
  const TemporaryFolder root;
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(root.path(), kPurpose);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_NO_THROW(FolderLock(root.path(), kPurpose));
}

TEST(FolderLock, AFileInThePlaceOfTheFolderIsNamed) {
  const TemporaryFolder root;
  const auto file = root.write("file", "");
  EXPECT_THAT([&] { FolderLock(file, kPurpose); },
              ThrowsMessage<Error>(HasSubstr("file: cannot be created: ")));
  EXPECT_THAT([&] { make_folder(file / "inside"); },
              ThrowsMessage<Error>(HasSubstr("file/inside: cannot be created: ")));
}

}  // namespace
}  // namespace eatt
