// What stands already where a result is to go: what is replaced, and what is left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST_F(ExistingFiles, AFileOfAnotherKindIsNotReplaced) {
  const std::string notes = folder_.write("notes.svg", "Meine Notizen\n").string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
      {{"energy", "model", bundle_, "-i", text_, "--plot", notes}, "an SVG chart"},
      {{"energy", "measure", "-o", notes, "--", "true"}, "a report of this command"},
      {{"shortlist", bundle_, "--train-sets", text_, text_, "--output", notes}, "a shortlist"},
      {{"corpus", "pieces", "train", "--input", text_, "--output", notes}, "a model of pieces"},
      {{"corpus", "truecase", "train", "--corpus", text_, "--model", notes}, "a truecasing model"},
      {{"align", bundle_, "--sets", text_, text_, "--output", notes}, "a word alignment"}};
  for (const auto& [command, kind] : commands) {
    if (command.front() == "align" && !fs::exists(testing::program_path("eatt-train"))) continue;
    expect_kept(run("eatt", command), notes, "Meine Notizen\n",
                notes + " exists and is not " + kind +
                    ", so it is not replaced; choose another name, or remove it");
  }
  const std::string binary = folder_.write("photo", std::string("\x89PNG\0\0", 6)).string();
  for (const auto& command :
       {std::vector<std::string>{"translate", bundle_, "-i", text_, "-o", binary},
        {"corpus", "truecase", "undo", "-i", text_, "-o", binary}}) {
    expect_kept(run("eatt", command), binary, std::string("\x89PNG\0\0", 6),
                binary + " exists and is not text");
  }
}

TEST_F(ExistingFiles, TheSameCommandAgainReplacesItsOwnFile) {
  int number = 0;
  for (const char* name : {"new", "empty"}) {
    for (size_t i = 0; i < writers("").size(); ++i) {
      const std::string file = in(name + std::to_string(number++) + ".svg");
      if (name == std::string("empty")) std::ofstream{file};
      const auto command = writers(file)[i];
      for (int time = 0; time < 2; ++time) {
        const auto result = run("eatt", command);
        EXPECT_EQ(result.exit_code, 0) << command[0] << " " << result.err;
      }
    }
  }
  const std::vector<std::string> zipped = {"translate", bundle_, "-i", text_, "-o", in("out.gz")};
  EXPECT_EQ(run("eatt", zipped).exit_code, 0);
  EXPECT_EQ(run("eatt", zipped).exit_code, 0);
}

TEST_F(ExistingFiles, AnOutputThatCannotBeWrittenIsFoundBeforeAnyWork) {
  const std::string none = in("none"), file = text_ + "/out.svg";  // in.txt is not a folder.
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"energy", "model", none, "-i", text_, "--plot", file},
           {"shortlist", none, "--train-sets", text_, text_, "--output", file},
           {"corpus", "pieces", "train", "--input", none, "--output", file},
           {"corpus", "truecase", "train", "--corpus", none, "--model", file},
           {"corpus", "truecase", "undo", "-i", none, "-o", file},
           {"quantize", none, file}}) {
    const auto result = run("eatt", command);
    EXPECT_EQ(result.exit_code, 1) << command[0];
    EXPECT_THAT(result.err, HasSubstr(text_ + ": cannot be created")) << command[0];
  }
}

TEST_F(ExistingFiles, ACommandThatFailsLeavesNoEmptyFolders) {
  const std::string none = in("none");
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"translate", bundle_, "-i", none, "-o", in("new/deeper/out.txt")},
           {"corpus", "pieces", "train", "--input", none, "--output", in("new/deeper/out.spm")},
           {"corpus", "truecase", "train", "--corpus", none, "--model", in("new/deeper/out")},
           {"corpus", "generate", "--train", "9000000000000", "--output", in("new/deeper")}}) {
    EXPECT_NE(run("eatt", command).exit_code, 0) << command[0];
    EXPECT_FALSE(fs::exists(in("new"))) << command[0];
  }
}

TEST_F(ExistingFiles, AFullDiskLeavesNoEmptyFoldersOfAGeneratedCorpus) {
  const auto result = run(
      "/bin/bash", {"-c", "ulimit -f 8; trap '' XFSZ; " + testing::program_path("eatt").string() +
                              " corpus generate --train 5000 --output " + in("new/corpus")});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("nothing was changed there"));
  EXPECT_FALSE(fs::exists(in("new")));
}

TEST_F(ExistingFiles, AReportIsNotWrittenOverAFileOfTheMeasuredCommand) {
  const std::string program = testing::program_path("eatt").string();
  const std::string report = in("report.txt"), made = in("made.txt");
  ASSERT_EQ(run("eatt", {"energy", "measure", "-o", report, "--", "true"}).exit_code, 0);
  const std::string before = testing::read_text(report);
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"-o", report, "--", "cat", report},
           {"-o", report, "--", "dd", "status=none", "if=" + report, "of=/dev/null"},
           {"-o", report, "--", "sh", "-c", "cat <" + report + " >/dev/null"},
           {"-o", made, "--", program, "translate", bundle_, "-i", text_, "-o",
            in("./made.txt")}}) {
    std::vector<std::string> command = {"energy", "measure"};
    command.insert(command.end(), words.begin(), words.end());
    const auto result = run("eatt", command);
    EXPECT_EQ(result.exit_code, 2);
    expect_kept(result, report, before, words[1] + " is also a file of the measured command");
    EXPECT_FALSE(fs::exists(made));
  }
}

}  // namespace
}  // namespace eatt
