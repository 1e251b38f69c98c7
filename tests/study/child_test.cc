#include "study/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "support/files.h"

namespace eatt::study {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

class ChildTest : public ::testing::Test {
 protected:
  Child::Outputs outputs() const { return {folder_ / "result", folder_ / "log"}; }

  TemporaryFolder folder_;
};

TEST_F(ChildTest, ItsOutputsGoToFilesAndItsInputIsEmpty) {
  Child child({"/bin/sh", "-c", "cat; echo out; echo eatt: err >&2; exit 3"}, outputs());
  EXPECT_EQ(child.wait(), 3);
  EXPECT_EQ(testing::read_text(folder_ / "result"), "out\n");
  EXPECT_EQ(failure(folder_ / "log", 3), "err");
}

TEST_F(ChildTest, AProgramThatDoesNotExistIsAnError) {
  try {
    Child child({"/nowhere/program"}, outputs());
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/program: cannot be started: No such file"));
  }
}

TEST_F(ChildTest, WithoutAMessageTheExitCodeSaysWhatHappened) {
  folder_.write("log", "12:00:00 info: update 100\n");
  EXPECT_EQ(failure(folder_ / "log", 128 + SIGKILL), "it was killed (SIGKILL); was memory short?");
  EXPECT_EQ(failure(folder_ / "log", 128 + SIGSEGV), "it was ended by signal 11");
  EXPECT_EQ(failure(folder_ / "log", 7), "exit code 7");
}

// The first word of a file, once it is there.
std::string wait_for_word(const std::filesystem::path& file) {
  for (;;) {
    std::string word;
    if (std::ifstream(file) >> word) return word;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Whether a process has ended, or does so within ten seconds. A zombie has.
bool ends_soon(const std::string& pid) {
  for (int i = 0; i < 200; ++i) {
    std::string number, name, state;
    std::ifstream stat("/proc/" + pid + "/stat");
    if (!(stat >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

TEST_F(ChildTest, IsKilledWithTheProgramThatStartedIt) {
  const std::string pid_file = (folder_ / "pid").string();
  const pid_t middle = ::fork();
  if (middle == 0) {
    Child child({"/bin/sh", "-c", "echo $$ > " + pid_file + "; exec sleep 60"}, outputs());
    for (;;) ::pause();
  }
  const std::string pid = wait_for_word(pid_file);
  ::kill(middle, SIGKILL);
  ::waitpid(middle, nullptr, 0);
  EXPECT_TRUE(ends_soon(pid));
}

}  // namespace
}  // namespace eatt::study
