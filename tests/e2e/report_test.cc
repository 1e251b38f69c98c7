// `eatt report` as a researcher types it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"

namespace eatt::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Report : public ::testing::Test {
 protected:
  static std::string example(const std::string& name) {
    return repository_file("tests/report/example/" + name).string();
  }
  std::string in(std::string_view name) const { return (folder_ / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(Report, TheEndingOfTheFileChoosesTheFormat) {
  const std::string runs[] = {example("runs/vanilla"), example("runs/eatt")};
  for (const auto& [name, start] : {std::pair{"new/report.html", "<!doctype html>"},
                                    {"report.md", "# vanilla, eatt\n"},
                                    {"report.json", "{\n \"title\": \"vanilla, eatt\""},
                                    {"report.csv", "table,title,made by\nreport,"}}) {
    // A second time replaces the report of the first.
    for (int time = 0; time < 2; ++time) {
      const auto result = run("eatt", {"report", runs[0], runs[1], "-o", in(name)});
      ASSERT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.out, "");
      EXPECT_THAT(read_text(in(name)), StartsWith(start));
    }
  }
}

TEST_F(Report, StandardOutputGetsMarkdownOrWhatIsAskedFor) {
  const auto text = run("eatt", {"report", example("study")});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, AllOf(StartsWith("# Study study\n"), HasSubstr("| paper, dev BLEU |")));
  const auto object = run("eatt", {"report", example("study"), "--format", "json"});
  EXPECT_EQ(nlohmann::json::parse(object.out)["sections"].size(), 6);
}

TEST_F(Report, SaysWhatItCannotDo) {
  const auto expect = [&](const std::vector<std::string>& words, int code,
                          const std::string& reason) {
    const auto result = run("eatt", words);
    EXPECT_EQ(result.exit_code, code);
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(split_lines(result.err).size(), 1) << result.err;
  };
  expect({"report", folder_.path().string()}, 1, "is neither a study (it has no study.json)");
  expect({"report", in("none")}, 1, "none: no such folder");
  expect({"report", example("study"), "-o", in("report.pdf")}, 2,
         "its ending is none of .html, .md, .json, .csv and .svg; add --format");
  expect({"report", example("study"), "--format", "pdf"}, 2, "--format");
  expect({"report"}, 2, "FOLDER");
  expect({"report", example("study"), "--chart", "BLEU", "-o", in("report.html")}, 2,
         "--chart applies to SVG only");
  expect({"report", example("study"), "--chart", "cake", "-o", in("cake.svg")}, 2,
         "--chart 'cake': no chart has that in its title; there are 'BLEU against");
}

TEST_F(Report, FilesOfOthersStay) {
  const std::string page = folder_.write("page.html", "<!doctype html>\nmine\n").string();
  const auto result = run("eatt", {"report", example("study"), "-o", page});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("is not a report"));
  EXPECT_EQ(read_text(page), "<!doctype html>\nmine\n");
  const std::string notes = folder_.write("README.md", "# Mine\n").string();
  EXPECT_EQ(run("eatt", {"report", example("study"), "-o", notes}).exit_code, 2);
  EXPECT_EQ(read_text(notes), "# Mine\n");
}

}  // namespace
}  // namespace eatt::testing
