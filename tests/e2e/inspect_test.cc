// `eatt inspect` as a user starts it, on a random model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::read_text;
using testing::run;
using testing::RunResult;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class InspectProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::write_speaking_bundle(folder_ / "model");
    folder_.write("text.src", "the little house\na dog\n");
    folder_.write("text.tgt", "a small house\none dog here\n");
    folder_.write("gold", "0-0 1-1 2-2\n0-0 1p1\n");
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  RunResult inspect(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"inspect", path("model")});
    return run("eatt", arguments);
  }
  std::vector<std::string> sets(std::vector<std::string> more) const {
    more.insert(more.begin(), {"--sets", path("text.src"), path("text.tgt")});
    return more;
  }
  TemporaryFolder folder_;
};

TEST_F(InspectProgram, PrintsTablesForPeople) {
  const RunResult result = inspect(sets({"--gold", path("gold"), "--sentence", "2"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(StartsWith(path("model") + " (float32): 2 sentences, "),
                    HasSubstr("density (rows of weights added per feature)"),
                    HasSubstr("cross key, the encoder's output, shared by all layers"),
                    HasSubstr("entropy of attention in nats"), HasSubstr("alignment error (AER)"),
                    HasSubstr("most frequent features"),
                    HasSubstr("attention of sentence 2 (layer 2, mean of heads, shift 0)"),
                    HasSubstr("here")));
}

TEST_F(InspectProgram, WritesLinksAlignmentsAndAHeatMap) {
  const RunResult result = inspect(sets({"--pharaoh", path("links"), "--alignments", path("a.json"),
                                         "--heat-map", path("map.svg"), "--json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("sentences"), 2);
  EXPECT_EQ(json.at("codes").size(), 7u);
  EXPECT_EQ(json.at("attention").size(), 6u);
  EXPECT_EQ(testing::split_lines(read_text(path("links"))).size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(read_text(path("a.json"))).at("sentences").size(), 2u);
  EXPECT_THAT(read_text(path("map.svg")), AllOf(HasSubstr("<svg"), HasSubstr("little")));
}

TEST_F(InspectProgram, ReplacesItsOwnFilesAndNoOthers) {
  for (const char* option : {"--pharaoh", "--alignments", "--heat-map"}) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(inspect(sets({option, path(option)})).exit_code, 0) << option;
    }
    folder_.write("notes", "my notes\n");
    const RunResult result = inspect(sets({option, path("notes")}));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(read_text(path("notes")), "my notes\n");
  }
}

TEST_F(InspectProgram, ReadsSourceTextAloneAndComputesInInt8) {
  const RunResult result = inspect({"-i", path("text.src"), "--precision", "int8"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(path("model") + " (int8): 2 sentences, "));
}

TEST_F(InspectProgram, MistakesAreOneSentence) {
  const auto expect = [&](const std::vector<std::string>& arguments, int code,
                          const std::string& text) {
    const RunResult result = inspect(arguments);
    EXPECT_EQ(result.exit_code, code);
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.out, "");
  };
  expect({}, 2, "give either -i FILE, source text, or --sets SRC TGT");
  expect({"-i", path("text.src"), "--gold", path("gold")}, 2, "--gold needs --sets");
  expect(sets({"--sentence", "3"}), 2, "--sentence is 3, but the text has 2 lines");
  expect(sets({"--layer", "9"}), 2, "--layer is 9, but the model has 2 decoder layers");
  expect({"--sets", path("text.src"), path("gold"), "--gold", path("text.tgt")}, 1, "text.tgt");
  expect({"-i", path("none")}, 1, path("none"));
}

}  // namespace
}  // namespace eatt
