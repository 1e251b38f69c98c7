// What `eatt` shows on a terminal while it works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"
#include "support/terminal.h"
#include "text/sample_text.h"

namespace eatt {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_on_terminal;
using testing::TerminalResult;

constexpr int kLines = 3000;

class TranslateProgress : public ::testing::Test {
 protected:
  // Translates slowly enough for a bar: greedily, a line at a time, by one thread.
  TerminalResult translate(size_t columns, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"translate", bundle_,        "--cpu-threads",
                                          "1",         "--mini-batch", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_on_terminal({.columns = columns}, "eatt", arguments);
  }

  // How many rows of the bar with a share and the time left were seen.
  static size_t expect_sound_bars(const TerminalResult& result, size_t columns) {
    EXPECT_EQ(result.exit_code, 0) << result.bytes;
    const std::regex bar("translating +[0-9]+% (\\[#* *\\] )?[0-9,]+/3,000 lines.*");
    size_t with_time = 0;
    for (const std::string& text : result.screen.seen()) {
      if (text.empty()) continue;
      EXPECT_TRUE(std::regex_match(text, bar)) << text;
      EXPECT_LT(text.size(), columns) << text;
      with_time += text.find(" left") != text.npos ? 1 : 0;
    }
    return with_time;
  }

  testing::TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  std::string text_ = testing::sample_text(kLines).source;
  std::string file_ = folder_.write("in.txt", text_).string();
};

TEST_F(TranslateProgress, AFileShowsAPercentageAndTheTimeLeftAtEveryWidth) {
  for (const size_t columns : {60, 80, 120}) {
    const auto result = translate(columns, {"-i", file_, "-o", (folder_ / "out").string()});
    EXPECT_GE(expect_sound_bars(result, columns), 1u) << result.bytes;
    EXPECT_THAT(result.screen.lines().front(), HasSubstr("translating 100%"));
  }
}

TEST_F(TranslateProgress, GzipAndRedirectedFilesDoToo) {
  const std::string packed = folder_.write("in.txt.gz", testing::gzip(text_)).string();
  EXPECT_GE(expect_sound_bars(translate(80, {"-i", packed}), 80), 1u);
  const std::string command = "'" + testing::program_path("eatt").string() + "' translate '" +
                              bundle_ + "' --cpu-threads 1 --mini-batch 1 < '" + file_ + "'";
  EXPECT_GE(expect_sound_bars(run_on_terminal({}, "/bin/bash", {"-c", command}), 80), 1u);
}

TEST_F(TranslateProgress, QuietAndJsonLogsHaveNoBar) {
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--quiet"}, {"--log-format", "json"}}) {
    std::vector<std::string> more = {"-i", file_};
    more.insert(more.end(), option.begin(), option.end());
    EXPECT_THAT(translate(80, more).bytes, Not(HasSubstr("%")));
  }
}

TEST(CorpusPrepareOnATerminal, CtrlCSaysThatTheSameCommandGoesOn) {
  const testing::TemporaryFolder folder;
  const auto sample = testing::sample_text(2000);
  std::string source, target;
  for (int i = 0; i < 100; ++i) {
    source += sample.source;
    target += sample.target;
  }
  const std::vector<std::string> arguments = {"corpus",
                                              "prepare",
                                              "--train-sets",
                                              folder.write("train.zh", source).string(),
                                              folder.write("train.en", target).string(),
                                              "--vocab-size",
                                              "500",
                                              "--output",
                                              (folder / "data").string(),
                                              "--cpu-threads",
                                              "1"};
  const auto stopped = run_on_terminal({.interrupt_after = "% ["}, "eatt", arguments);
  EXPECT_EQ(stopped.exit_code, 130);
  const auto lines = stopped.screen.lines();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(
      lines[lines.size() - 2],
      HasSubstr(
          "data: stopped by Ctrl-C; finished work is kept: run the same command to continue"));
  const auto again = testing::run("eatt", arguments);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("200,000"));
}

}  // namespace
}  // namespace eatt
