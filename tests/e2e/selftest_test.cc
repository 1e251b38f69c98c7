#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"
#include "support/run.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

TEST(Selftest, WithoutABundleItChecksEveryKernelOnThisCpu) {
  const auto result = run("eatt", {"selftest"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(StartsWith("instruction set "),
                                HasSubstr("ok      attention and its gradients, L1: differs by "),
                                Not(HasSubstr("failed"))));
}

TEST(Selftest, AnInstructionSetCanBeForcedAndAWrongOneIsNamed) {
  const std::string program = testing::program_path("eatt").string();
  const auto scalar = run("/usr/bin/env", {"EATT_FORCE_ISA=scalar", program, "selftest"});
  EXPECT_EQ(scalar.exit_code, 0) << scalar.err;
  EXPECT_THAT(scalar.out, StartsWith("instruction set scalar "));
  const auto wrong = run("/usr/bin/env", {"EATT_FORCE_ISA=mmx", program, "selftest"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("EATT_FORCE_ISA is 'mmx'"));
}

// Without the golden pair, which is not what the random weights make of it.
fs::path write_sound_bundle(const fs::path& path) {
  testing::RandomBundle bundle(testing::tiny_architecture());
  bundle.contents().manifest.golden.reset();
  write_bundle(path, bundle.contents());
  return path;
}

TEST(Selftest, ASoundBundlePassesEveryCheck) {
  const TemporaryFolder folder;
  const auto path = write_sound_bundle(folder / "model");
  const auto result = run("eatt", {"selftest", path.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  auto lines = split_lines(result.out);
  ASSERT_THAT(lines, SizeIs(13));
  EXPECT_EQ(lines.back(), "skipped golden pair: the bundle has none");
  lines.pop_back();
  EXPECT_THAT(lines, Each(StartsWith("ok      ")));
  EXPECT_THAT(result.out, AllOf(HasSubstr("config.json: format 1, zh to en, 2+2 layers of width 8"),
                                HasSubstr("model.safetensors: "), HasSubstr("SHA-256"),
                                HasSubstr("header: "), HasSubstr("tensors: "),
                                HasSubstr("values: all finite"), HasSubstr("source vocabulary: "),
                                HasSubstr("target vocabulary: "), HasSubstr("results: ")));
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Selftest, TheGoldenPairIsTranslatedAgain) {
  const TemporaryFolder folder;
  const auto path = testing::write_random_bundle(folder / "model");  // With a made-up pair.
  const auto wrong = run("eatt", {"selftest", path.string()});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("failed  golden pair: 'a b' became '"));
  EXPECT_THAT(wrong.err, HasSubstr("1 of 13 checks failed"));
  // Quantizing translates it anew.
  const std::string int8 = (folder / "int8").string();
  ASSERT_EQ(run("eatt", {"quantize", path.string(), int8}).exit_code, 0);
  const auto right = run("eatt", {"selftest", int8});
  EXPECT_EQ(right.exit_code, 0) << right.out;
  EXPECT_THAT(right.out, HasSubstr("ok      golden pair: '"));
}

TEST(Selftest, NoHashLeavesTheHashesOutAndSaysSo) {
  const TemporaryFolder folder;
  const auto path = write_sound_bundle(folder / "model");
  folder.write("model/training.toml", "seed = 2\n");  // As long as before.
  const auto quick = run("eatt", {"selftest", path.string(), "--no-hash"});
  EXPECT_EQ(quick.exit_code, 0) << quick.err;
  EXPECT_THAT(quick.out, Not(HasSubstr("SHA-256")));
  const auto full = run("eatt", {"selftest", path.string()});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.out, HasSubstr("failed  training.toml: "));
}

TEST(Selftest, AFailedCheckIsShownAndEndsWithOne) {
  const TemporaryFolder folder;
  const auto path = testing::write_random_bundle(folder / "model");
  fs::resize_file(path / "model.safetensors", 100);
  const auto result = run("eatt", {"selftest", path.string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("ok      config.json: "), HasSubstr("failed  model.safetensors: "),
                    HasSubstr("failed  header: "),
                    HasSubstr("skipped tensors, values: needs a valid "
                              "model.safetensors"),
                    HasSubstr("ok      source.spm: ")));
  EXPECT_THAT(split_lines(result.err), SizeIs(1));
  EXPECT_THAT(result.err, HasSubstr("2 of "));
}

TEST(Selftest, SomethingElseThanABundleFails) {
  const TemporaryFolder folder;
  const auto result = run("eatt", {"selftest", (folder / "none").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("failed  config.json: "), HasSubstr("No such file"),
                                HasSubstr("skipped files, tensors, vocabularies: needs a valid "
                                          "config.json")));
}

}  // namespace
}  // namespace eatt
