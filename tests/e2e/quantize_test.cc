#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bundle/bundle.h"
#include "support/files.h"
#include "support/run.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

class Quantize : public ::testing::Test {
 protected:
  // Runs `eatt quantize` on the model and checks that it ends with one line and this exit code.
  void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                      const std::string& sentence) const {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_THAT(result.out, IsEmpty());
  }

  const TemporaryFolder folder_;
  const std::string model_ = testing::write_random_bundle(folder_ / "model").string();
  const std::string out_ = (folder_ / "int8").string();
};

TEST_F(Quantize, WritesASoundInt8BundleAndSaysWhatItCost) {
  const auto result = run("eatt", {"quantize", model_, out_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, StartsWith(out_ + ": "));
  EXPECT_THAT(result.out,
              AllOf(HasSubstr(" bytes of weights instead of "), HasSubstr("embeddings"),
                    HasSubstr("selections"), HasSubstr("attention"), HasSubstr("feed-forward")));
  const auto check = run("eatt", {"selftest", out_});
  EXPECT_EQ(check.exit_code, 0) << check.out;
  EXPECT_THAT(check.out, AllOf(HasSubstr(", int8\n"), HasSubstr("ok      training.toml"),
                               HasSubstr("sums and scales fit the weights")));
}

TEST_F(Quantize, ReplacesItsOwnModelAndNoOther) {
  const std::string other = testing::write_random_bundle(folder_ / "other").string();
  const std::string before = testing::read_text(other + "/config.json");
  expect_refused({"quantize", model_, other}, 1,
                 other +
                     ": is a model that another command has made, so it is not replaced; "
                     "choose another name, or add --overwrite");
  EXPECT_EQ(testing::read_text(other + "/config.json"), before);

  ASSERT_EQ(run("eatt", {"quantize", model_, out_}).exit_code, 0);
  ASSERT_EQ(run("eatt", {"quantize", model_ + "/", out_}).exit_code, 0) << "the same command";
  expect_refused({"quantize", other, out_}, 1, "is a model that `eatt quantize " + model_ + "`");
  EXPECT_EQ(run("eatt", {"quantize", other, out_, "--overwrite"}).exit_code, 0);
}

TEST_F(Quantize, FilesThatSomebodyPutIntoTheModelAreNotDeletedWithIt) {
  ASSERT_EQ(run("eatt", {"quantize", model_, out_}).exit_code, 0);
  const fs::path note = folder_.write("int8/note.txt", "the good one\n");
  for (const char* last : {"--precision=int8", "--overwrite"}) {
    expect_refused({"quantize", model_, out_, last}, 1,
                   out_ + ": holds note.txt, which is not a file of the model there");
  }
  EXPECT_EQ(testing::read_text(note), "the good one\n");
}

TEST_F(Quantize, IsAQuarterOfTheSizeWhereWidthsAreThoseOfAModel) {
  Architecture a = testing::tiny_architecture();
  a.model_dim = a.attention_dim = a.qk_dim = 128;
  a.ffn_dim = 256;
  a.source_vocab = a.target_vocab = 1000;
  const auto wide = testing::write_random_bundle(folder_ / "wide", a);
  ASSERT_EQ(run("eatt", {"quantize", wide.string(), out_, "--precision", "int8"}).exit_code, 0);
  const auto size = [](const fs::path& bundle) {
    return static_cast<double>(fs::file_size(bundle / "model.safetensors"));
  };
  EXPECT_LT(size(out_) / size(wide), 0.29);  // 0.25, and scales, sums, norms and names.
}

TEST_F(Quantize, EveryMechanismPasses) {
  for (const char* mechanism : {"vanilla", "selection", "l1", "dense", "randinit"}) {
    Architecture a = testing::tiny_architecture(*mechanism_named(mechanism));
    const auto path = testing::write_random_bundle(folder_ / mechanism, a);
    const std::string out = out_ + mechanism;
    EXPECT_EQ(run("eatt", {"quantize", path.string(), out}).exit_code, 0) << mechanism;
    const auto check = run("eatt", {"selftest", out});
    EXPECT_EQ(check.exit_code, 0) << mechanism << check.out;
  }
}

TEST_F(Quantize, ReplacesAnOlderBundleIfAskedTo) {
  testing::write_random_bundle(out_);
  EXPECT_EQ(run("eatt", {"quantize", model_, out_, "--overwrite"}).exit_code, 0);
  EXPECT_EQ(Bundle::open(out_).manifest().precision, Precision::int8);
}

TEST_F(Quantize, AnInt8BundleIsRefusedAsInput) {
  ASSERT_EQ(run("eatt", {"quantize", model_, out_}).exit_code, 0);
  expect_refused({"quantize", out_, (folder_ / "again").string()}, 1,
                 "is an int8 bundle already; give the float32 one");
  EXPECT_FALSE(fs::exists(folder_ / "again"));
}

TEST_F(Quantize, NothingElseIsOverwritten) {
  folder_.write("notes.txt", "mine");
  fs::create_directory(folder_ / "other");
  folder_.write("other/notes.txt", "mine");
  expect_refused({"quantize", model_, (folder_ / "other").string()}, 1,
                 "exists but is not a bundle");
  expect_refused({"quantize", model_, folder_.path().string()}, 2, "is a folder that holds BUNDLE");
  expect_refused({"quantize", model_, (folder_ / "notes.txt").string()}, 1,
                 "exists but is not a bundle");
  expect_refused({"quantize", model_, model_ + "/."}, 2, "are the same folder");
  for (const char* inside : {"/int8", "/models/int8"}) {
    expect_refused({"quantize", model_, model_ + inside}, 2,
                   "a model; other files do not belong in it; choose another folder");
    EXPECT_FALSE(fs::exists(model_ + inside));
  }
  EXPECT_EQ(Bundle::open(model_).manifest().precision, Precision::float32);
}

TEST_F(Quantize, WrongUsageEndsWithTwoAndADamagedBundleWithOne) {
  expect_refused({"quantize", model_}, 2, "OUT is missing; see `eatt quantize --help`");
  expect_refused({"quantize", model_, out_, "--precision", "int4"}, 2,
                 "--precision is 'int4'; expected int8");
  expect_refused({"quantize", (folder_ / "none").string(), out_}, 1, "No such file");
  fs::resize_file(fs::path(model_) / "model.safetensors", 100);
  expect_refused({"quantize", model_, out_}, 1, "has 100 bytes, config.json says");
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(Quantize, HelpHasAnExample) {
  const auto help = run("eatt", {"quantize", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("eatt quantize models/zh-en models/zh-en-int8"));
}

}  // namespace
}  // namespace eatt
