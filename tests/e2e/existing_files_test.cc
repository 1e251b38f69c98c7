// What stands already where a result is to go: what is replaced, and what is left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;

class ExistingFiles : public ::testing::Test {
 protected:
  std::string in(std::string_view name) const { return (folder_ / name).string(); }

  // Commands that write a file, each with an option that names it.
  std::vector<std::vector<std::string>> writers(const std::string& file) const {
    return {{"translate", bundle_, "-i", text_, "-o", file},
            {"energy", "model", bundle_, "-i", text_, "--plot", file},
            {"energy", "measure", "-o", file, "--", "true"},
            {"shortlist", bundle_, "--train-sets", text_, text_, "--output", file},
            {"corpus", "pieces", "train", "--vocab-size", "20", "--input", text_, "--output", file},
            {"corpus", "truecase", "train", "--corpus", text_, "--model", file},
            {"corpus", "truecase", "undo", "-i", text_, "-o", file}};
  }
  // One sentence, and the file has kept its content.
  static void expect_kept(const RunResult& result, const std::string& file,
                          const std::string& content, const std::string& reason) {
    EXPECT_NE(result.exit_code, 0);
    EXPECT_THAT(result.err, AllOf(StartsWith("eatt: "), HasSubstr(reason)));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
    EXPECT_EQ(testing::read_text(file), content);
  }

  testing::TemporaryFolder folder_;
  const std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string text_ = folder_.write("in.txt", "ein wort\nnoch ein Wort\n").string();
};

TEST_F(ExistingFiles, AWriteProtectedFileIsReplacedByNoCommand) {
  const std::string file = folder_.write("kept.svg", "<svg/>\n").string();
  fs::permissions(file, fs::perms(0444));
  for (const auto& command : writers(file)) {
    expect_kept(run("eatt", command), file, "<svg/>\n",
                file + ": is write-protected, so it is not replaced; choose another name");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0444));
  }
}

TEST_F(ExistingFiles, AWriteProtectedModelIsNotReplacedEither) {
  ASSERT_EQ(run("eatt", {"quantize", bundle_, in("int8")}).exit_code, 0);
  const std::string config = in("int8/config.json"), before = testing::read_text(config);
  for (const std::string& path : {in("int8"), config}) {
    const fs::perms mode = fs::status(path).permissions();
    fs::permissions(path, fs::perms(0555));
    expect_kept(run("eatt", {"quantize", bundle_, in("int8")}), config, before,
                path + ": is write-protected");
    fs::permissions(path, mode);
  }
  EXPECT_EQ(run("eatt", {"quantize", bundle_, in("int8")}).exit_code, 0);
}

TEST_F(ExistingFiles, AFileThatIsReplacedKeepsItsMode) {
  const std::string file = folder_.write("private.txt", "old\n").string();
  fs::permissions(file, fs::perms(0600));
  ASSERT_EQ(run("eatt", {"translate", bundle_, "-i", text_, "-o", file}).exit_code, 0);
  EXPECT_NE(testing::read_text(file), "old\n");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0600));
}

TEST_F(ExistingFiles, ALinkStaysALink) {
  const std::string file = folder_.write("real.txt", "old\n").string();
  fs::create_symlink("real.txt", folder_ / "link.txt");
  fs::create_symlink("later.txt", folder_ / "early.txt");
  for (const char* link : {"link.txt", "early.txt"}) {
    ASSERT_EQ(run("eatt", {"translate", bundle_, "-i", text_, "-o", in(link)}).exit_code, 0);
    EXPECT_TRUE(fs::is_symlink(in(link)));
  }
  EXPECT_NE(testing::read_text(file), "old\n");
  EXPECT_EQ(testing::read_text(in("later.txt")), testing::read_text(file));
}

}  // namespace
}  // namespace eatt
