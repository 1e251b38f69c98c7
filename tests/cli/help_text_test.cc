#include "cli/help/help_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "support/files.h"

namespace eatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Work {
  std::string model;
  int size = 4;
  std::optional<double> rate;
  std::vector<std::string> metrics = {"bleu", "chrf"};
  std::string input = "-";
  int mode = 1;

  Command& add_to(Program& program) {
    Command& command =
        program.add_command("work", "Works on a model",
                            "program work model --size 4 --metrics bleu --input a-long-name.txt\n"
                            "  program work other");
    command.add_option("MODEL", model, "A model").required();
    command.add_option("-s,--size", size, "How large it is").shows("N");
    command.add_option("--rate", rate, "How fast it is").shows("X").default_is("as it comes");
    command.add_option("--metrics", metrics, "Names").split_at(',').shows("NAME,...");
    command.add_option("--input", input, "Text").shows("FILE").group("Files");
    command.add_choice("--mode", mode, {{"slow", 0}, {"fast", 1}}, "How it works");
    command.add_note("A note\nin two lines.\n\nAnother.");
    return command;
  }
};

TEST(HelpText, ShowsDefaultsInOneWay) {
  Program program("program", "For a test");
  Work work;
  const std::string text = help_text(page_of(work.add_to(program)), {.columns = 100});
  EXPECT_THAT(text, HasSubstr("  -s, --size N                 How large it is [default: 4]\n"));
  EXPECT_THAT(text, HasSubstr("How fast it is [default: as it comes]\n"));
  EXPECT_THAT(text, HasSubstr("Names [default: bleu,chrf]\n"));
  EXPECT_THAT(text, HasSubstr("Text [default: standard input]\n"));
  EXPECT_THAT(text, HasSubstr("--mode slow|fast         How it works [default: fast]\n"));
}

TEST(HelpText, WrapsToTheColumnsAndKeepsExamplesCopyable) {
  Program program("program", "For a test");
  Work work;
  const CommandPage page = page_of(work.add_to(program));
  for (const size_t columns : {40, 60, 100}) {
    for (const std::string& line : testing::split_lines(help_text(page, {.columns = columns}))) {
      EXPECT_LE(line.size(), columns) << line;
    }
  }
  EXPECT_THAT(help_text(page, {.columns = 60}),
              HasSubstr("Examples:\n  program work model --size 4 --metrics bleu \\\n"
                        "      --input a-long-name.txt\n  program work other\n"));
  EXPECT_THAT(help_text(page, {.columns = 60}), HasSubstr("\nA note in two lines.\n\nAnother.\n"));
}

TEST(HelpText, HeadingsAreBoldOnlyIfAsked) {
  Program program("program", "For a test");
  Work work;
  const CommandPage page = page_of(work.add_to(program));
  EXPECT_THAT(help_text(page, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(help_text(page, {.bold_headings = true}), HasSubstr("\x1b[1mArguments:\x1b[0m\n"));
}

TEST(HelpText, PagesAreTheSameAfterJson) {
  Program program("program", "For a test");
  Work work;
  work.add_to(program);
  const auto pages = pages_of(program);
  const auto read = pages_from_json(to_json(pages));
  ASSERT_EQ(read.size(), pages.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(help_text(read[i], {}), help_text(pages[i], {}));
  }
}

}  // namespace
}  // namespace eatt::cli
