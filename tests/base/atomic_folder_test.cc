#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "support/files.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

void write_in(const AtomicFolder& folder, const std::string& text) {
  std::ofstream(folder.path() / "text") << text;
}

// A process number that no process has: that of a child that was waited for.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(AtomicFolder, AppearsOnlyAtCommit) {
  const TemporaryFolder root;
  AtomicFolder folder(root / "model");
  write_in(folder, "new");
  EXPECT_FALSE(fs::exists(root / "model"));
  folder.commit();
  EXPECT_EQ(read_text(root / "model/text"), "new");
  EXPECT_THAT(names_in(root.path()), ElementsAre("model"));
}

TEST(AtomicFolder, TakesThePlaceOfAnOldFolderAndLeavesNothingOfIt) {
  const TemporaryFolder root;
  root.write("model/text", "old");
  root.write("model/only-in-old", "x");
  AtomicFolder folder(root / "model/");  // The trailing slash makes no difference.
  write_in(folder, "new");
  EXPECT_EQ(read_text(root / "model/text"), "old");
  folder.commit();
  EXPECT_THAT(names_in(root / "model"), ElementsAre("text"));
  EXPECT_EQ(read_text(root / "model/text"), "new");
  EXPECT_THAT(names_in(root.path()), ElementsAre("model"));
}

TEST(AtomicFolder, WithoutCommitTheOldFolderStaysAndNoLitterIsLeft) {
  const TemporaryFolder root;
  root.write("model/text", "old");
  { write_in(AtomicFolder(root / "model"), "half"); }
  EXPECT_EQ(read_text(root / "model/text"), "old");
  EXPECT_THAT(names_in(root.path()), ElementsAre("model"));
}

TEST(AtomicFolder, ReplacesTheFolderBehindASymbolicLink) {
  const TemporaryFolder root;
  root.write("step-7/text", "old");
  fs::create_directory_symlink("step-7", root / "last");
  AtomicFolder folder(root / "last");
  write_in(folder, "new");
  folder.commit();
  EXPECT_EQ(read_text(root / "step-7/text"), "new");
  EXPECT_TRUE(fs::is_symlink(root / "last"));
}

TEST(AtomicFolder, MakesTheFoldersThatItLiesIn) {
  const TemporaryFolder root;
  AtomicFolder made(root / "no/parent");
  made.commit();
  EXPECT_TRUE(fs::is_directory(root / "no/parent"));
}

TEST(AtomicFolder, RefusesAFileALoopAndAFileAsParentByName) {
  const TemporaryFolder root;
  root.write("file", "");
  AtomicFolder over_file(root / "file");
  EXPECT_THAT([&] { over_file.commit(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("/file: "), HasSubstr("Not a directory"))));
  fs::create_symlink("loop", root / "loop");
  EXPECT_THAT([&] { AtomicFolder{root / "loop"}; },
              ThrowsMessage<Error>(HasSubstr("Too many levels of symbolic links")));
  EXPECT_THAT([&] { AtomicFolder{root / "file/folder"}; },
              ThrowsMessage<Error>(HasSubstr((root / "file").string())));
}

TEST(AtomicFolder, AWriteProtectedFolderOrFileInItIsNotReplaced) {
  const TemporaryFolder root;
  const fs::path file = root.write("target/file", "old");
  for (const fs::path& path : {file, root / "target"}) {
    const fs::perms before = fs::status(path).permissions();
    fs::permissions(path, fs::perms(0555));
    EXPECT_THAT([&] { AtomicFolder{root / "target"}; },
                ThrowsMessage<Error>(HasSubstr(path.string() + ": is write-protected")));
    fs::permissions(path, before);
  }
  EXPECT_EQ(testing::read_text(file), "old");
}

TEST(AtomicFolder, ClearsWhatAKilledProcessLeftAndNothingElse) {
  const TemporaryFolder root;
  const pid_t dead = dead_process();
  root.write("model/text", "old");
  root.write(fmt::format("model.tmp-{}/text", dead), "half");
  root.write(fmt::format("model.old-{}/text", dead), "older");
  root.write(fmt::format("model.tmp-{}/text", ::getppid()), "of a living process");
  root.write("model.tmp-notes/text", "a user's folder");
  root.write(fmt::format("models.tmp-{}/text", dead), "of another target");
  { AtomicFolder folder(root / "model"); }
  EXPECT_THAT(names_in(root.path()),
              ElementsAre("model", fmt::format("model.tmp-{}", ::getppid()), "model.tmp-notes",
                          fmt::format("models.tmp-{}", dead)));
}

TEST(AtomicFolderDeathTest, ASignalThatEndsTheProcessRemovesTheTemporaryFolder) {
  const TemporaryFolder root;
  EXPECT_EXIT(
      {
        discard_files_on_signals();
        AtomicFolder made(root / "target");
        write_file_atomically(made.path() / "one", "1");
        write_file_atomically(made.path() / "two", "2");
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(fs::is_empty(root.path()));
}

TEST(AtomicFolder, BringsBackAFolderThatHadSteppedAside) {
  const TemporaryFolder root;
  root.write(fmt::format("model.old-{}/text", dead_process()), "old");
  { AtomicFolder folder(root / "model"); }
  EXPECT_EQ(read_text(root / "model/text"), "old");
  EXPECT_THAT(names_in(root.path()), ElementsAre("model"));
}

TEST(ReplaceFolder, WorksWhereTheFileSystemCannotExchangeNames) {
  const TemporaryFolder root;
  root.write("model/text", "old");
  root.write("made/text", "new");
  replace_folder(root / "made", root / "model", Exchange::never);
  EXPECT_EQ(read_text(root / "model/text"), "new");
  EXPECT_THAT(names_in(root.path()), ElementsAre("model"));
}

TEST(MappedFile, OfAnOpenFolderStaysInThatFolderWhenItIsReplaced) {
  const TemporaryFolder root;
  root.write("model/text", "old");
  root.write("made/text", "new");
  const FileDescriptor opened(::open((root / "model").c_str(), O_RDONLY | O_DIRECTORY));
  fs::rename(root / "model", root / "aside");
  fs::rename(root / "made", root / "model");
  EXPECT_EQ(MappedFile(opened, "text", "model/text").text(), "old");
  EXPECT_THAT([&] { MappedFile(opened, "none", "model/none"); },
              ThrowsMessage<Error>(HasSubstr("model/none: cannot be opened: No such file")));
}

}  // namespace
}  // namespace eatt
