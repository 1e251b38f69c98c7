// The progress bar and the log on a real terminal: what somebody who looks at it sees.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "base/log.h"
#include "base/progress.h"
#include "support/terminal.h"

namespace eatt {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::run_on_terminal;

constexpr auto kBetweenRedraws = std::chrono::milliseconds(110);

// A job of 40 steps that logs a line, and a longer one from another thread, while its bar is drawn.
int work_and_log(LogFormat format, spdlog::level::level_enum level) {
  set_up_logging(format, level);
  Progress progress("training", 40, "updates");
  for (uint64_t done = 1; done <= 40; ++done) {
    progress.update_now(done, static_cast<double>(done) / 40);
    std::thread other([] { spdlog::warn("{}", std::string(70, 'w')); });
    spdlog::info("update {} of the log", done);
    other.join();
  }
  write_to_stderr("eatt: an error\n");
  return 0;
}

bool has_bar(const std::string& text) { return text.find("training ") != text.npos; }
bool has_log(const std::string& text) {
  return text.find("info:") != text.npos || text.find("www") != text.npos ||
         text.find("eatt:") != text.npos;
}

class StatusLine : public ::testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Columns, StatusLine, ::testing::Values(60, 80, 120),
                         ::testing::PrintToStringParamName());

TEST_P(StatusLine, NoRowMixesBarAndLogAndTheBarNeverBreaks) {
  const size_t columns = GetParam();
  const auto result = run_on_terminal(
      {.columns = columns}, [] { return work_and_log(LogFormat::plain, spdlog::level::info); });
  ASSERT_EQ(result.exit_code, 0);
  size_t bars = 0;
  for (const std::string& text : result.screen.seen()) {
    EXPECT_FALSE(has_bar(text) && has_log(text)) << text;
    if (!has_bar(text)) continue;
    ++bars;
    EXPECT_LT(text.size(), columns - 2) << text;  // ^C fits behind it.
    EXPECT_THAT(text, MatchesRegex("training +[0-9]+% \\[#* *\\] [0-9]+/40 updates.*"));
  }
  EXPECT_GE(bars, 40u);
}

TEST_P(StatusLine, NothingButTheLogIsLeftWhenAJobEndsWithoutFinishing) {
  const auto result = run_on_terminal(
      {.columns = GetParam()}, [] { return work_and_log(LogFormat::plain, spdlog::level::info); });
  const auto lines = result.screen.lines();
  EXPECT_THAT(lines, Each(Not(HasSubstr("training "))));
  EXPECT_EQ(std::ranges::count_if(lines, has_log), 81);
  EXPECT_THAT(lines, Contains("eatt: an error"));
}

// A status of three rows, then two, while log lines scroll by.
int show_rows() {
  set_up_logging(LogFormat::plain, spdlog::level::info);
  for (int i = 0; i < 20; ++i) {
    show_status(
        fmt::format("first {}\nsecond {}{}", i, std::string(90, 's'), i % 2 ? "\nthird" : ""));
    spdlog::info("line {} of the log", i);
  }
  end_status();
  return 0;
}

TEST(Terminal, AStatusOfSeveralRowsStaysBelowTheLogAndIsErased) {
  const auto result = run_on_terminal({.columns = 80}, show_rows);
  ASSERT_EQ(result.exit_code, 0);
  const auto lines = result.screen.lines();
  EXPECT_THAT(lines, Each(Not(HasSubstr("first"))));
  EXPECT_THAT(lines, Each(Not(HasSubstr("second"))));
  EXPECT_EQ(std::ranges::count_if(lines, has_log), 20);
  for (const std::string& text : result.screen.seen()) {
    EXPECT_FALSE(has_log(text) && text.find("first") != text.npos) << text;
    if (!text.starts_with("second")) continue;
    EXPECT_LT(text.size(), 78u) << "rows are cut, not broken";
  }
}

TEST(Terminal, AFinishedBarStaysAsALineOfItsOwn) {
  const auto result = run_on_terminal({}, [] {
    set_up_logging(LogFormat::plain, spdlog::level::info);
    Progress progress("encoding", 10, "pairs");
    progress.update_now(10, 1);
    progress.finish();
    write_to_stderr("next\n");
    return 0;
  });
  const auto lines = result.screen.lines();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], MatchesRegex("encoding 100% \\[#+\\] 10/10 pairs, .*"));
  EXPECT_EQ(lines[1], "next");
}

TEST(Terminal, QuietAndJsonLogsHaveNoBar) {
  const auto json =
      run_on_terminal({}, [] { return work_and_log(LogFormat::json, spdlog::level::info); });
  for (const std::string& line : json.screen.lines()) {
    EXPECT_TRUE(line.empty() || line == "eatt: an error" || line.front() == '{') << line;
  }
  const auto quiet =
      run_on_terminal({}, [] { return work_and_log(LogFormat::plain, spdlog::level::warn); });
  for (const std::string& line : quiet.screen.seen()) EXPECT_THAT(line, Not(HasSubstr("training")));
}

// Also when the bar was wider than the terminal now is, and broke into two rows.
TEST(Terminal, AResizeBetweenRedrawsLeavesNothingBehind) {
  for (const size_t columns : {40, 60, 118, 200}) {
    const auto result =
        run_on_terminal({.columns = 120, .resize_to = columns, .resize_after = "30/100 pairs"}, [] {
          set_up_logging(LogFormat::plain, spdlog::level::info);
          Progress progress("encoding", 100, "pairs");
          spdlog::info("begun");
          progress.update_now(30, 0.3);
          std::this_thread::sleep_for(2 * kBetweenRedraws);
          progress.update_now(60, 0.6);
          spdlog::info("ended");
          return 0;
        });
    const auto lines = result.screen.lines();
    ASSERT_EQ(lines.size(), 3u) << ::testing::PrintToString(lines);
    EXPECT_THAT(lines[0], HasSubstr("begun"));
    EXPECT_THAT(lines[1], HasSubstr("ended"));
    EXPECT_EQ(lines[2], "");
  }
}

TEST(Terminal, CtrlCLeavesNoPieceOfTheBar) {
  const auto result = run_on_terminal({.columns = 60, .interrupt_after = "30/100 pairs"}, [] {
    set_up_logging(LogFormat::plain, spdlog::level::info);
    std::signal(SIGINT, [](int) {});
    Progress progress("encoding", 100, "pairs");
    progress.update_now(30, 0.3);
    std::this_thread::sleep_for(2 * kBetweenRedraws);
    write_to_stderr("eatt: stopped\n");
    return 1;
  });
  EXPECT_THAT(result.bytes, HasSubstr("^C"));
  EXPECT_EQ(result.screen.lines(), (std::vector<std::string>{"eatt: stopped", ""}));
}

}  // namespace
}  // namespace eatt
