// The example programs of embedding, as an embedder would build and start them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::run;
using ::testing::SizeIs;
using testing::TemporaryFolder;

std::string example(const std::string& name) {
  return (testing::program_path("").parent_path().parent_path() / "examples" / name).string();
}

TEST(Examples, CAndCppPrintTheSameTranslations) {
  const TemporaryFolder folder;
  const auto bundle = testing::write_speaking_bundle(folder / "model").string();
  const auto cpp = run(example("translate_cpp"), {bundle, "ein wort", "noch eins"});
  const auto c = run(example("translate_c"), {bundle, "ein wort", "noch eins"});
  EXPECT_EQ(cpp.exit_code, 0) << cpp.err;
  EXPECT_THAT(testing::split_lines(cpp.out), SizeIs(4));
  EXPECT_EQ(c.exit_code, 0) << c.err;
  EXPECT_EQ(c.out, cpp.out);
}

TEST(Examples, ErrorsReachTheCaller) {
  for (const char* name : {"translate_cpp", "translate_c"}) {
    const auto result = run(example(name), {"/no/such/bundle", "ein wort"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr("/no/such/bundle"), HasSubstr("cannot be opened")));
  }
}

}  // namespace
}  // namespace eatt
