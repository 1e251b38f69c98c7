// Where results may go: devices, pipes, folders that are not there yet, programs that stop reading.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;

class Outputs : public ::testing::Test {
 protected:
  std::string in(std::string_view name) const { return (folder_ / name).string(); }

  // Runs a command line as a shell does; "eatt" is the program of this build.
  static RunResult shell(const std::string& command) {
    return run("/bin/bash", {"-c", "eatt() { " + testing::program_path("eatt").string() +
                                       " \"$@\"; }; " + command});
  }
  // Commands that write a file, without the file's name, which comes last.
  std::vector<std::string> writers() const {
    return {"eatt translate " + bundle_ + " -i " + text_ + " -o ",
            "eatt energy model " + bundle_ + " -i " + text_ + " --plot ",
            "eatt energy measure -o ",  // What is measured is added below.
            "eatt shortlist " + bundle_ + " --train-sets " + text_ + " " + text_ + " --output ",
            "eatt corpus pieces train --vocab-size 20 --input " + text_ + " --output ",
            "eatt corpus truecase train --corpus " + text_ + " --model "};
  }
  static std::string write_to(const std::string& writer, const std::string& file) {
    return writer + file + (writer.find("measure") == std::string::npos ? "" : " -- true");
  }

  testing::TemporaryFolder folder_;
  const std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string text_ = folder_.write("in.txt", "ein wort\nnoch ein Wort\n").string();
};

TEST_F(Outputs, EveryCommandWritesToDevNullAndLeavesItADevice) {
  for (const std::string& writer : writers()) {
    const auto result = shell(write_to(writer, "/dev/null"));
    EXPECT_EQ(result.exit_code, 0) << writer << result.err;
    EXPECT_TRUE(fs::is_character_file("/dev/null")) << writer;
  }
}

TEST_F(Outputs, EveryCommandWritesToStandardOutputByItsNames) {
  for (const std::string& writer : writers()) {
    const std::string file = in(writer.find("--plot") == std::string::npos ? "out" : "out.svg");
    ASSERT_EQ(shell(write_to(writer, file)).exit_code, 0) << writer;
    const std::string expected = testing::read_text(file);
    fs::remove(file);
    for (const char* name : {"/dev/stdout", "/dev/fd/1", "-"}) {
      const auto result = shell(write_to(writer, name));
      EXPECT_EQ(result.exit_code, 0) << writer << result.err;
      if (writer.find("measure") != std::string::npos) continue;  // No two runs take the same time.
      EXPECT_EQ(result.out, expected) << writer << name;
    }
  }
}

TEST_F(Outputs, StandardOutputThatIsAFileKeepsWhatStoodThere) {
  const auto result = shell("{ echo before; eatt translate " + bundle_ + " -i " + text_ +
                            " -o /dev/stdout; echo after; } > " + in("log"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(testing::read_text(in("log")));
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines.front(), "before");
  EXPECT_EQ(lines.back(), "after");
}

TEST_F(Outputs, OtherDescriptorsAndNamedPipesAreWrittenThrough) {
  const auto plain = shell("eatt translate " + bundle_ + " -i " + text_);
  const auto third =
      shell("eatt translate " + bundle_ + " -i " + text_ + " -o /dev/fd/3 3> " + in("third"));
  EXPECT_EQ(third.exit_code, 0) << third.err;
  EXPECT_EQ(testing::read_text(in("third")), plain.out);
  ASSERT_EQ(::mkfifo(in("pipe").c_str(), 0600), 0);
  const auto piped = shell("cat " + in("pipe") + " & eatt translate " + bundle_ + " -i " + text_ +
                           " -o " + in("pipe") + " && wait");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(piped.out, plain.out);
  EXPECT_TRUE(fs::is_fifo(in("pipe")));
  const auto substituted =
      shell("eatt translate " + bundle_ + " -i " + text_ + " -o >(cat)" + "; wait");
  EXPECT_EQ(substituted.out, plain.out) << substituted.err;
}

TEST_F(Outputs, EveryCommandMakesTheFoldersOfItsOutput) {
  int number = 0;
  for (const std::string& writer : writers()) {
    const std::string file = in("new" + std::to_string(number++) + "/deeper/out.svg");
    const auto result = shell(write_to(writer, file));
    EXPECT_EQ(result.exit_code, 0) << writer << result.err;
    EXPECT_TRUE(fs::exists(file)) << writer;
  }
  for (const std::string& writer :
       {"eatt quantize " + bundle_ + " ", "eatt energy trace " + bundle_ + " -i " + text_ + " -o ",
        "eatt corpus prepare --vocab-size 20 --train-sets " + text_ + " " + text_ + " --output ",
        std::string("eatt corpus generate --train 2 --dev 1 --test 1 --output ")}) {
    const std::string folder = in("new" + std::to_string(number++) + "/deeper/folder");
    const auto result = shell(writer + folder);
    EXPECT_EQ(result.exit_code, 0) << writer << result.err;
    EXPECT_TRUE(fs::is_directory(folder)) << writer;
  }
}

TEST_F(Outputs, AProgramThatStopsReadingEndsTheCommandQuietly) {
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += "ein wort und noch ein wort\n";
  const std::string many = folder_.write("many.txt", lines).string();
  const std::string model = in("pieces.spm");
  ASSERT_EQ(
      shell("eatt corpus pieces train --vocab-size 20 --input " + text_ + " --output " + model)
          .exit_code,
      0);
  for (const std::string& command : {"eatt translate " + bundle_ + " --max-length 2 -i " + many,
                                     "eatt corpus pieces encode " + model + " < " + many,
                                     "eatt corpus truecase undo < " + many}) {
    for (const char* signal : {"", "trap '' PIPE; "}) {  // Some parents have it ignored.
      const auto result = shell(signal + command + " | head -1; exit ${PIPESTATUS[0]}");
      EXPECT_EQ(result.exit_code, 141) << command;
      EXPECT_THAT(result.err, IsEmpty()) << command;
      EXPECT_THAT(split_lines(result.out), SizeIs(1)) << command;
    }
  }
}

TEST_F(Outputs, AFullDiskIsStillAnError) {
  for (const std::string& command :
       {"eatt translate " + bundle_ + " -i " + text_ + " > /dev/full",
        "eatt translate " + bundle_ + " -i " + text_ + " -o /dev/full",
        "eatt evaluate --reference " + text_ + " < " + text_ + " > /dev/full",
        "eatt corpus truecase undo < " + text_ + " > /dev/full"}) {
    const auto result = shell(command);
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("No space left on device")) << command;
    EXPECT_THAT(split_lines(result.err), SizeIs(1)) << command;
  }
}

TEST_F(Outputs, AChartIsAnSvgOrAnError) {
  const auto result =
      run("eatt", {"energy", "model", bundle_, "-i", text_, "--plot", in("chart.png")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(StartsWith("eatt: --plot "), HasSubstr("charts are SVG"),
                                HasSubstr("rsvg-convert -o " + in("chart.png"))));
  EXPECT_FALSE(fs::exists(in("chart.png")));
  EXPECT_EQ(run("eatt", {"energy", "model", bundle_, "-i", text_, "--plot", in("chart")}).exit_code,
            2);
}

}  // namespace
}  // namespace eatt
