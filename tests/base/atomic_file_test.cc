#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/error.h"
#include "base/files/open_file.h"
#include "support/files.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

size_t files_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(AtomicFile, AppearsOnlyAtCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "a.txt");
  file.write("hello");
  EXPECT_FALSE(fs::exists(folder / "a.txt"));
  file.commit();
  EXPECT_EQ(read_text(folder / "a.txt"), "hello");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNoLitterIsLeft) {
  const TemporaryFolder folder;
  folder.write("a.txt", "old");
  {
    AtomicFile file(folder / "a.txt");
    file.write("half of the new");
  }
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, KeepsTheOrderOfSmallAndLargeWritesAndOverwritesAHeader) {
  const TemporaryFolder folder;
  const std::string large(3 << 20, 'x');
  AtomicFile file(folder / "a.bin");
  file.write("????");
  file.write(large);
  file.write("end");
  file.overwrite(0, "head");
  EXPECT_EQ(file.size(), large.size() + 7);
  file.commit();
  EXPECT_EQ(read_text(folder / "a.bin"), "head" + large + "end");
}

TEST(AtomicFile, MissingFoldersAreMade) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "new/deeper/a.txt", "text");
  EXPECT_EQ(read_text(folder / "new/deeper/a.txt"), "text");
}

TEST(AtomicFile, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_THAT([&] { AtomicFile(folder / "file/a.txt"); },
              ThrowsMessage<Error>(HasSubstr((folder / "file").string())));
}

TEST(AtomicFile, AFullDiskLeavesTheOldFileWhole) {
  const TemporaryFolder folder;
  folder.write("a.txt", "old");
  // A file size limit stands in for a full disk: write() fails the same way.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write_file_atomically(folder / "a.txt", std::string(2000, 'x')), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(read_text(folder / "a.txt"), "old");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(ReadFile, RefusesFoldersAndFilesAboveTheLimit) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.txt", "12345");
  EXPECT_EQ(read_file(file), "12345");
  EXPECT_THAT([&] { read_file(file, 4); }, ThrowsMessage<Error>(HasSubstr("larger than 4 bytes")));
  EXPECT_THAT([&] { read_file(folder.path()); }, ThrowsMessage<Error>(HasSubstr("is a folder")));
}

TEST(MappedFile, ShowsTheBytesAndSurvivesDroppedPages) {
  const TemporaryFolder folder;
  const std::string bytes(100'000, 'q');
  const MappedFile mapped(folder.write("a.bin", bytes));
  mapped.drop(0, bytes.size());
  EXPECT_EQ(mapped.text(), bytes);
}

TEST(MappedFile, AnEmptyFileIsAnEmptyView) {
  const TemporaryFolder folder;
  EXPECT_TRUE(MappedFile(folder.write("empty", "")).bytes().empty());
}

TEST(MappedFile, RefusesFoldersPipesAndSymlinkLoopsByName) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { MappedFile{folder.path()}; },
              ThrowsMessage<Error>(HasSubstr("it is a folder")));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT([&] { MappedFile{folder / "pipe"}; },
              ThrowsMessage<Error>(HasSubstr("not a regular file")));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THAT([&] { MappedFile{folder / "loop"}; },
              ThrowsMessage<Error>(HasSubstr("Too many levels of symbolic links")));
}

TEST(AtomicFile, ALinkStaysAndWhatItPointsToIsReplaced) {
  const TemporaryFolder folder;
  folder.write("real", "old");
  fs::create_symlink(folder / "real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(testing::read_text(folder / "real"), "new");
}

TEST(AtomicFile, ALinkToNothingStaysAndWhatItPointsToIsMade) {
  const TemporaryFolder folder;
  fs::create_symlink("real", folder / "link");
  write_file_atomically(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(testing::read_text(folder / "real"), "new");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_THAT(
      [&] { write_file_atomically(folder / "loop", "new"); },
      ThrowsMessage<Error>(HasSubstr("loop: is a symbolic link that leads back to itself")));
}

TEST(AtomicFile, TheNewFileHasTheModeOfTheOldOne) {
  const TemporaryFolder folder;
  for (const auto mode : {fs::perms(0600), fs::perms(0664), fs::perms(0755)}) {
    const fs::path file = folder.write("file", "old");
    fs::permissions(file, mode);
    write_file_atomically(file, "new");
    EXPECT_EQ(testing::read_text(file), "new");
    EXPECT_EQ(fs::status(file).permissions(), mode);
  }
}

TEST(AtomicFile, AWriteProtectedFileIsNotReplaced) {
  const TemporaryFolder folder;
  const fs::path file = folder.write("file", "old");
  fs::create_symlink("file", folder / "link");
  fs::permissions(file, fs::perms(0444));
  for (const char* name : {"file", "link"}) {
    EXPECT_THAT([&] { write_file_atomically(folder / name, "new"); },
                ThrowsMessage<Error>(HasSubstr("file: is write-protected, so it is not replaced")));
  }
  EXPECT_EQ(testing::read_text(file), "old");
}

TEST(AtomicFile, AFolderIsNotReplaced) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_file_atomically(folder.path(), "new"), Error);
}

TEST(AtomicFile, DevicesAndPipesAreWrittenThrough) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
  AtomicFile file(pipe);
  file.write("first\n");
  char got[16];
  EXPECT_EQ(::read(reader.get(), got, sizeof got), 6) << "at once, not at the end";
  file.write("second\n");
  file.commit();
  EXPECT_EQ(::read(reader.get(), got, sizeof got), 7);
  EXPECT_EQ(file.size(), 13u);
  EXPECT_TRUE(fs::is_fifo(pipe));
  write_file_atomically("/dev/null", "new");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THAT([] { write_file_atomically("/dev/full", "new"); },
              ThrowsMessage<Error>("/dev/full: cannot write: No space left on device"));
}

TEST(AtomicFile, AnOpenFileIsWrittenThroughByAnyOfItsNames) {
  const TemporaryFolder folder;
  const FileDescriptor file(::open(folder.write("log", "before\n").c_str(), O_WRONLY));
  ASSERT_EQ(::lseek(file.get(), 0, SEEK_END), 7);
  const std::string number = std::to_string(file.get());
  fs::create_symlink("/dev/fd/" + number, folder / "link");
  for (const fs::path& path :
       {fs::path("/dev/fd/" + number), fs::path("/proc/self/fd/" + number), folder / "link"}) {
    write_file_atomically(path, "new\n");
  }
  EXPECT_EQ(read_text(folder / "log"), "before\nnew\nnew\nnew\n");
}

// The number of a process that has ended.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(AtomicFile, RemovesWhatKilledWritersOfTheSameFileLeftAndNothingElse) {
  const TemporaryFolder folder;
  const std::string dead = std::to_string(dead_process());
  const std::string parent = std::to_string(::getppid());
  folder.write("out.tmp-" + dead, "half of a text");
  folder.write("out.tmp-" + parent, "a writer that runs");
  folder.write("out.tmp-notes", "a user's file");
  folder.write("other.tmp-" + dead, "of another file");
  fs::create_directory(folder / ("out.tmp-" + dead + "0000"));
  write_file_atomically(folder / "out", "text");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names,
              ::testing::UnorderedElementsAre("out", "out.tmp-" + parent, "out.tmp-notes",
                                              "other.tmp-" + dead, "out.tmp-" + dead + "0000"));
}

TEST(AtomicFile, AWriterKilledInTheMiddleLeavesAFileThatTheNextWriterRemoves) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    AtomicFile file(folder / "out");
    file.write("half of a text");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(files_in(folder.path()), 1u) << "out.tmp-PID";
  write_file_atomically(folder / "out", "text");
  EXPECT_EQ(files_in(folder.path()), 1u);
  EXPECT_EQ(read_text(folder / "out"), "text");
}

TEST(AtomicFile, ALockedTemporaryFileHasAWriterWhateverItsProcessNumber) {
  const TemporaryFolder folder;  // As if written in another container.
  const fs::path file = folder.write("out.tmp-" + std::to_string(dead_process()), "half");
  const FileDescriptor writer(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(writer.get(), LOCK_EX), 0);
  write_file_atomically(folder / "out", "text");
  EXPECT_TRUE(fs::exists(file));
}

TEST(AtomicFile, KnowsItsSizeAfterTheCommit) {
  const testing::TemporaryFolder folder;
  AtomicFile file(folder / "file");
  file.write("twelve bytes");
  file.commit();
  EXPECT_EQ(file.size(), 12u);
}

}  // namespace
}  // namespace eatt
