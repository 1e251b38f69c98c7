// Help as people meet it: the overview, each command's page, terminals of several widths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/help_pages.h"
#include "support/run.h"
#include "support/terminal.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using testing::command_paths;
using testing::examples_in;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run;
using testing::run_on_terminal;
using testing::RunResult;
using testing::split_lines;
using testing::TerminalResult;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Help, OverviewShowsEveryCommandInGroups) {
  const RunResult result = run("eatt", {});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, IsEmpty());
  size_t at = 0;
  for (const char* group : {"Prepare:", "Train:", "Translate:", "Measure:", "Ship:", "Help:"}) {
    const size_t found = result.out.find(std::string("\n") + group + "\n", at);
    EXPECT_NE(found, std::string::npos) << group;
    at = found;
  }
  EXPECT_THAT(result.out, Not(HasSubstr("\nOthers:")));  // Each command has a group.
  for (const char* command : {"corpus generate", "corpus prepare",
                              "corpus pieces",   "corpus truecase",
                              "distill",         "train",
                              "average",         "check",
                              "translate",       "align",
                              "evaluate",        "validate",
                              "energy chips",    "energy formulas",
                              "energy measure",  "energy model",
                              "energy trace",    "export",
                              "quantize",        "shortlist",
                              "selftest",        "help",
                              "completion",      "man"}) {
    EXPECT_THAT(result.out, HasSubstr(std::string("\n  ") + command + " "));
  }
}

TEST(Help, EveryWayToAskForTheOverviewShowsTheSame) {
  const std::string overview = run("eatt", {}).out;
  EXPECT_EQ(run("eatt", {"--help"}).out, overview);
  EXPECT_EQ(run("eatt", {"-h"}).out, overview);
  EXPECT_EQ(run("eatt", {"help"}).out, overview);
}

TEST(Help, HelpOfACommandIsThatOfItsOption) {
  for (const Words& command : command_paths()) {
    const RunResult by_option = run("eatt", command + Words{"--help"});
    const RunResult by_command = run("eatt", Words{"help"} + command);
    EXPECT_EQ(by_option.exit_code, 0) << by_option.err;
    EXPECT_EQ(by_option.out, by_command.out);
    EXPECT_THAT(by_option.out, HasSubstr("\nUsage: eatt " + command.front()));
  }
}

TEST(Help, EveryCommandShowsDefaultsInOneWayAndEndsWithAnExample) {
  for (const Words& command : command_paths()) {
    const std::string help = run("eatt", command + Words{"--help"}).out;
    EXPECT_THAT(help, AllOf(Not(HasSubstr("(default")), Not(HasSubstr("the default)")),
                            Not(HasSubstr("(0)")), Not(HasSubstr("[4]"))));
    EXPECT_THAT(examples_in(help), Not(IsEmpty())) << help;
  }
}

TEST(Help, FitsTheTerminal) {
  for (const char* columns : {"50", "60", "80"}) {
    setenv("COLUMNS", columns, 1);
    for (const Words& command : {Words{}, {"translate"}, {"corpus"}, {"evaluate"}}) {
      for (const std::string& line : split_lines(run("eatt", command + Words{"--help"}).out)) {
        const bool is_unbreakable = line.find(' ', line.find_first_not_of(' ')) == line.npos;
        EXPECT_TRUE(line.size() <= std::stoul(columns) || is_unbreakable) << line;
      }
    }
  }
  setenv("COLUMNS", "500", 1);
  const std::string wide = run("eatt", {"translate", "--help"}).out;
  unsetenv("COLUMNS");
  for (const std::string& line : split_lines(wide)) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Help, HeadingsAreBoldOnATerminalUnlessNoColorIsSet) {
  unsetenv("COLUMNS");
  const auto shown = [] {
    return run_on_terminal({.columns = 70, .stdout_too = true}, "eatt", {"translate", "--help"});
  };
  const TerminalResult bold = shown();
  EXPECT_THAT(bold.bytes, HasSubstr("\x1b[1mArguments:\x1b[0m"));
  for (const std::string& line : bold.screen.lines()) EXPECT_LE(line.size(), 70u) << line;
  setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(shown().bytes, AllOf(HasSubstr("Arguments:"), Not(HasSubstr("\x1b"))));
  unsetenv("NO_COLOR");
  EXPECT_THAT(run("eatt", {"translate", "--help"}).out, Not(HasSubstr("\x1b")));
}

TEST(Help, LogsAreColouredOnATerminalUnlessNoColorIsSet) {
  setenv("TERM", "xterm", 1);
  const testing::TemporaryFolder folder;
  const std::string text = folder.write("text", "a line of words\n");
  const auto shown = [&] {
    return run_on_terminal({}, "eatt",
                           {"corpus", "truecase", "train", "--model", (folder / "model").string(),
                            "--corpus", text})
        .bytes;
  };
  EXPECT_THAT(shown(), HasSubstr("\x1b[32minfo"));
  setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(shown(), AllOf(HasSubstr(" info: "), Not(HasSubstr("\x1b[3"))));
  unsetenv("NO_COLOR");
}

// Runs each example of each command's help in an empty folder: what it names is missing there,
// which is exit code 1, but a wrong command or option is exit code 2.
TEST(Help, ExamplesAreTypedCorrectly) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "runs/eatt/checkpoints");  // Of `eatt average`.
  const std::string bin = testing::program_path("eatt").parent_path().string();
  std::set<std::string> examples;
  for (const Words& command : command_paths()) {
    const auto found = examples_in(run("eatt", command + Words{"--help"}).out);
    examples.insert(found.begin(), found.end());
  }
  for (const std::string& example : examples) {
    SCOPED_TRACE(example);
    EXPECT_THAT(example, HasSubstr("eatt "));
    const std::string script = "cd '" + folder.path().string() +
                               "' && export HOME=$PWD PATH=" + bin + ":$PATH; set -o pipefail\n" +
                               testing::inputs_of(example) + example + "\n";
    const RunResult result = run("/bin/bash", {"-c", script});
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.err;
  }
}

}  // namespace
}  // namespace eatt
