// `eatt translate -i A B … -o DIR`, and outputs that are compressed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files/text_file.h"
#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_text;
using testing::run;
using testing::RunResult;
using testing::TemporaryFolder;

class TranslateFiles : public ::testing::Test {
 protected:
  RunResult translate(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"translate", bundle_});
    return run("eatt", arguments);
  }
  // What standard output would show for this text.
  std::string translation_of(std::string_view text) const {
    return run("eatt", {"translate", bundle_}, text).out;
  }
  std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
  }
  // Bytes of a .gz file, unpacked; of any other file, as they are.
  static std::string unpacked(const fs::path& path) {
    const auto source = open_bytes(path.string());
    std::string text;
    for (char part[4096]; const size_t got = source->read(part);) text.append(part, got);
    return text;
  }

  TemporaryFolder folder_;
  std::string bundle_ = testing::write_speaking_bundle(folder_ / "model").string();
  std::string a_ = folder_.write("a.txt", "ein wort\nnoch eins\n").string();
  std::string b_ = folder_.write("b.txt", "ein haus\n\nzwei\n").string();
  std::string out_ = folder_ / "new" / "out";
};

TEST_F(TranslateFiles, SeveralInputsGoIntoAFolderUnderTheirNames) {
  const RunResult result = translate({"-i", a_, b_, "-o", out_});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(names_in(out_), ElementsAre("a.txt", "b.txt"));
  EXPECT_EQ(read_text(fs::path(out_) / "a.txt"), translation_of(read_text(a_)));
  EXPECT_EQ(read_text(fs::path(out_) / "b.txt"), translation_of(read_text(b_)));
}

TEST_F(TranslateFiles, OneInputGoesIntoAFolderThatExistsOrEndsInASlash) {
  fs::create_directories(folder_ / "there");
  ASSERT_EQ(translate({"-i", a_, "-o", folder_ / "there"}).exit_code, 0);
  EXPECT_EQ(read_text(folder_ / "there" / "a.txt"), translation_of(read_text(a_)));
  ASSERT_EQ(translate({"-i", a_, "-o", out_ + "/"}).exit_code, 0);
  EXPECT_EQ(read_text(fs::path(out_) / "a.txt"), translation_of(read_text(a_)));
  const RunResult nameless = translate({"-o", folder_ / "there"});
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_THAT(nameless.err, HasSubstr("the translation of standard input cannot be written into"));
}

TEST_F(TranslateFiles, FilesThatAreInTheFolderAreReplacedOnlyIfAskedTo) {
  const std::string there = folder_.write("there/b.txt", "mine\n").string();
  for (const std::vector<std::string>& inputs :
       {std::vector<std::string>{b_}, std::vector<std::string>{a_, b_}}) {
    std::vector<std::string> words = {"-o", folder_ / "there", "-i"};
    words.insert(words.end(), inputs.begin(), inputs.end());
    const RunResult result = translate(words);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(there + ": exists and is not replaced; choose another "
                                              "folder, or add --overwrite"));
    EXPECT_EQ(read_text(there), "mine\n");
    EXPECT_THAT(names_in(folder_ / "there"), ElementsAre("b.txt"));
  }
  EXPECT_EQ(translate({"-i", a_, b_, "-o", folder_ / "there", "--overwrite"}).exit_code, 0);
  EXPECT_EQ(read_text(there), translation_of(read_text(b_)));
}

TEST_F(TranslateFiles, TheBundleMayFollowTheInputs) {
  const RunResult result = run("eatt", {"translate", "-i", a_, bundle_});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, translation_of(read_text(a_)));
}

TEST_F(TranslateFiles, StatsSumUpAllInputs) {
  const RunResult result = translate({"-i", a_, b_, "-o", out_, "--stats"});
  EXPECT_THAT(result.err, HasSubstr("5 sentences in"));
}

TEST_F(TranslateFiles, InputsAndOutputThatDoNotFitAreWrongUsage) {
  fs::create_directories(folder_ / "other");
  const std::string twin = folder_.write("other/a.txt", "zwei\n").string();
  const std::string file = folder_.write("file", "old");
  const auto refusal = [&](std::vector<std::string> arguments) {
    const RunResult result = translate(std::move(arguments));
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_FALSE(fs::exists(out_));
    return result.err;
  };
  EXPECT_THAT(refusal({"-i", a_, b_}), HasSubstr("there are 2 inputs; give a folder"));
  EXPECT_THAT(refusal({"-i", a_, b_, "-o", file}), HasSubstr("is a file; 2 inputs need a folder"));
  for (const std::string ending : {".xz", ".bz2", ".zst", ".zip"}) {
    EXPECT_THAT(refusal({"-i", a_, "-o", out_ + ending}),
                HasSubstr("-o " + out_ + ending + ": only .gz is compressed; choose " + out_ +
                          ".gz or " + out_ + "\n"));
    EXPECT_FALSE(fs::exists(out_ + ending));
  }
  EXPECT_THAT(refusal({"-i", a_, b_, "-o", out_ + ".gz"}),
              HasSubstr("-o " + out_ + ".gz names a file; 2 inputs need a folder"));
  EXPECT_FALSE(fs::exists(out_ + ".gz"));
  EXPECT_THAT(refusal({"-i", a_, twin, "-o", out_}),
              AllOf(HasSubstr(a_ + " and " + twin), HasSubstr("different folders")));
  EXPECT_THAT(refusal({"-i", a_, "-", "-o", out_}), HasSubstr("standard input"));
  EXPECT_THAT(refusal({"-i", a_, b_, "-o", out_, "--prefix", file}),
              HasSubstr("--prefix has a line for each line of one input, but 2 are given"));
  EXPECT_THAT(refusal({"-i", a_, b_, "-o", folder_.path()}),
              HasSubstr("the translation of " + a_ + " would replace it"));
  fs::create_directory(folder_ / "links");
  fs::create_symlink(a_, folder_ / "links" / fs::path(b_).filename());
  EXPECT_THAT(refusal({"-i", a_, b_, "-o", (folder_ / "links").string()}),
              AllOf(HasSubstr("links/"), HasSubstr(a_), HasSubstr("same file")));
  EXPECT_EQ(read_text(file), "old");
  EXPECT_EQ(read_text(a_), "ein wort\nnoch eins\n");
}

TEST_F(TranslateFiles, AnInputThatCannotBeReadIsFoundBeforeAnyIsTranslated) {
  const std::string missing = folder_ / "missing.txt";
  const RunResult result = translate({"-i", a_, missing, "-o", out_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(missing + ": cannot be read: No such file"));
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(TranslateFiles, AFailingInputIsNamedAndLeavesNoOutput) {
  const std::string cut = folder_.write("cut.gz", "\x1f\x8b\x08").string();
  const RunResult result = translate({"-i", a_, cut, b_, "-o", out_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(cut + ", input 2 of 3: "));
  EXPECT_THAT(names_in(out_), ElementsAre("a.txt"));
}

TEST_F(TranslateFiles, AnOutputCalledGzIsCompressedAndGzipAcceptsIt) {
  const std::string packed = folder_ / "a.de.gz";
  ASSERT_EQ(translate({"-i", a_, "-o", packed}).exit_code, 0);
  EXPECT_NE(read_text(packed), translation_of(read_text(a_)));
  EXPECT_EQ(unpacked(packed), translation_of(read_text(a_)));
  EXPECT_EQ(run("/usr/bin/gzip", {"-t", packed}).exit_code, 0);
  // Compressed inputs keep their names in a folder, so their translations are compressed too.
  ASSERT_EQ(translate({"-i", packed, b_, "-o", out_}).exit_code, 0);
  EXPECT_EQ(read_text(fs::path(out_) / "a.de.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(unpacked(fs::path(out_) / "a.de.gz"), translation_of(unpacked(packed)));
}

}  // namespace
}  // namespace eatt
