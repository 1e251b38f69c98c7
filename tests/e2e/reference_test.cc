// Completion, man pages and installation: what other tools get from the tables of commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run;
using testing::split_lines;
using testing::TemporaryFolder;
using ::testing::UnorderedElementsAre;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " '" + word + "'";
  return text;
}

bool has_program(const std::string& name) {
  return run("/bin/sh", {"-c", "command -v " + name}).exit_code == 0;
}

class Completion : public ::testing::Test {
 protected:
  // What the shell offers for the last word, in a folder with the file notes.txt.
  std::vector<std::string> bash(const std::vector<std::string>& words) const {
    const std::string script = "source <('" + eatt_ + "' completion bash); cd '" +
                               folder_.path().string() + "'\n" + "COMP_WORDS=(" + joined(words) +
                               ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n" +
                               "_eatt && printf '%s\\n' \"${COMPREPLY[@]}\"";
    const auto result = run("/bin/bash", {"--norc", "-c", script});
    EXPECT_THAT(result.err, IsEmpty());
    return split_lines(result.out);
  }
  // The builtins of zsh's completion system are replaced by ones that print.
  std::vector<std::string> zsh(const std::vector<std::string>& words) const {
    const std::string script =
        "compdef() { : }; source <('" + eatt_ + "' completion zsh); cd '" +
        folder_.path().string() + "'\n" +
        "compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }; _files() { ls }\n" +
        "words=(" + joined(words) + "); CURRENT=$#words; _eatt";
    const auto result = run("/bin/zsh", {"-f", "-c", script});
    EXPECT_THAT(result.err, IsEmpty());
    return split_lines(result.out);
  }
  template <typename Offers>
  void expect_offers(const Offers& offers) const {
    EXPECT_THAT(offers({"eatt", "transl"}), ElementsAre("translate"));
    EXPECT_THAT(offers({"eatt", "ex"}), ElementsAre("export"));
    EXPECT_THAT(offers({"eatt", "corpus", "p"}), UnorderedElementsAre("prepare", "pieces"));
    EXPECT_THAT(offers({"eatt", "--quiet", "corpus", "pieces", ""}),
                UnorderedElementsAre("train", "encode", "decode"));
    EXPECT_THAT(offers({"eatt", "help", "corpus", "gen"}), ElementsAre("generate"));
    EXPECT_THAT(offers({"eatt", "translate", "model", "--beam"}), ElementsAre("--beam-size"));
    EXPECT_THAT(offers({"eatt", "translate", "--precision", ""}),
                UnorderedElementsAre("float32", "int8"));
    EXPECT_THAT(offers({"eatt", "translate", "--output-format", "n"}), ElementsAre("nbest"));
    EXPECT_THAT(offers({"eatt", "translate", "--input", ""}), ElementsAre("notes.txt"));
    EXPECT_THAT(offers({"eatt", "translate", "model", ""}), ElementsAre("notes.txt"));
    EXPECT_THAT(offers({"eatt", "completion", ""}), UnorderedElementsAre("bash", "zsh"));
    EXPECT_THAT(offers({"eatt", "translate", "--log-format", ""}),
                UnorderedElementsAre("plain", "json"));
    EXPECT_THAT(offers({"eatt", "corpus", "generate", "--pair", ""}), ElementsAre("zh-en"));
    EXPECT_THAT(offers({"eatt", "evaluate", "--metrics", ""}),
                UnorderedElementsAre("bleu", "chrf", "ter"));
    EXPECT_THAT(offers({"eatt", "energy", "formulas", "--table", "p"}), ElementsAre("parts"));
    EXPECT_THAT(offers({"eatt", "energy", "model", "model", "--table", "l"}),
                UnorderedElementsAre("levels", "layers"));
    // Built-in names and files.
    EXPECT_THAT(offers({"eatt", "energy", "model", "model", "--chip", ""}),
                UnorderedElementsAre("asic", "fpga", "cmos45", "notes.txt"));
    EXPECT_THAT(offers({"eatt", "energy", "chips", ""}),
                UnorderedElementsAre("asic", "fpga", "cmos45", "notes.txt"));
    if (fs::exists(testing::program_path("eatt-train"))) {
      for (const char* option : {"--attention", "--encoder-self", "--decoder-self", "--cross"}) {
        EXPECT_THAT(
            offers({"eatt", "train", option, ""}),
            UnorderedElementsAre("vanilla", "eatt", "selection", "l1", "dense", "randinit"));
      }
      EXPECT_THAT(offers({"eatt", "train", "--recipe", ""}),
                  AllOf(Contains("tiny"), Contains("wmt14-en-de"), Contains("notes.txt")));
      EXPECT_THAT(offers({"eatt", "train", "--valid-tokenize", "1"}), ElementsAre("13a"));
      EXPECT_THAT(offers({"eatt", "train", "--rec"}), ElementsAre("--recipe"));
      EXPECT_THAT(offers({"eatt", "train", "--norm", ""}), Contains("pre"));
    }
    if (fs::exists(testing::program_path("eatt-serve"))) {
      EXPECT_THAT(offers({"eatt", "serve", "--tls-k"}), ElementsAre("--tls-key"));
      EXPECT_THAT(offers({"eatt", "serve", "model", "--glossary", ""}), ElementsAre("notes.txt"));
    }
  }

  const std::string eatt_ = testing::program_path("eatt").string();
  const TemporaryFolder folder_;
  const fs::path notes_ = folder_.write("notes.txt", "");
};

TEST_F(Completion, BashOffersCommandsOptionsChoicesAndFiles) {
  expect_offers([this](const std::vector<std::string>& words) { return bash(words); });
  EXPECT_THAT(bash({"eatt", "translate", "--precision", "=", "fl"}), ElementsAre("float32"));
  EXPECT_THAT(bash({"eatt", "evaluate", "--metrics", "bleu,c"}), ElementsAre("bleu,chrf"));
}

TEST_F(Completion, ZshOffersCommandsOptionsChoicesAndFiles) {
  if (!has_program("zsh")) GTEST_SKIP() << "zsh is not installed";
  expect_offers([this](const std::vector<std::string>& words) { return zsh(words); });
}

TEST_F(Completion, OfAnUnknownShellIsRefused) {
  const auto result = run("eatt", {"completion", "fish"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "eatt: SHELL is 'fish'; expected bash or zsh\n");
}

class ManPages : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto result = run("eatt", {"man", folder_.path().string()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }

  const TemporaryFolder folder_;
};

TEST_F(ManPages, AreWrittenForEveryCommand) {
  for (const char* name : {"eatt", "eatt-translate", "eatt-corpus", "eatt-corpus-pieces-train",
                           "eatt-train", "eatt-align", "eatt-serve", "eatt-help"}) {
    EXPECT_TRUE(fs::exists(folder_ / (std::string(name) + ".1"))) << name;
  }
  EXPECT_THAT(testing::read_text(folder_ / "eatt.1"),
              AllOf(HasSubstr(".SS Prepare\n"), HasSubstr("\\fBcorpus prepare\\fR"),
                    HasSubstr(".BR eatt\\-translate (1)")));
  EXPECT_THAT(testing::read_text(folder_ / "eatt-translate.1"),
              AllOf(HasSubstr("\\fB\\-b\\fR, \\fB\\-\\-beam\\-size\\fR \\fIN\\fR"),
                    HasSubstr(".SH EXAMPLES\n"), HasSubstr(".SH EXIT STATUS\n")));
}

TEST_F(ManPages, AreGoodTroff) {
  if (!has_program("groff")) GTEST_SKIP() << "groff is not installed";
  for (const auto& file : fs::directory_iterator(folder_.path())) {
    const auto result =
        run("/usr/bin/groff", {"-man", "-Tutf8", "-ww", "-z", file.path().string()});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.err, IsEmpty()) << file.path();
  }
}

TEST_F(ManPages, PleaseMandoc) {
  if (!has_program("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  for (const auto& file : fs::directory_iterator(folder_.path())) {
    const auto result =
        run("/usr/bin/mandoc", {"-T", "lint", "-W", "warning", file.path().string()});
    EXPECT_THAT(result.out, Not(HasSubstr("ERROR"))) << file.path();
  }
}

// Builds the examples as another project would, and translates with them.
TEST(Install, OtherProjectsLinkTheLibrary) {
  if (EATT_SANITIZED) GTEST_SKIP() << "a library with sanitizers needs programs with them";
  const TemporaryFolder folder;
  const std::string prefix = (folder / "prefix").string();
  ASSERT_EQ(run("/usr/bin/cmake", {"--install", EATT_BUILD_DIR, "--prefix", prefix}).exit_code, 0);
  const std::string bundle = testing::write_speaking_bundle(folder / "model").string();
  const std::string examples = testing::repository_file("examples").string();
  const std::string expected =
      run(EATT_BUILD_DIR "/examples/translate_c", {bundle, "ein wort"}).out;
  EXPECT_THAT(expected, Not(IsEmpty()));
  const auto by_pkg_config =
      run("/bin/sh",
          {"-c", "cd '" + folder.path().string() + "' && PKG_CONFIG_PATH='" + prefix +
                     "/lib/pkgconfig' && export PKG_CONFIG_PATH && cc -std=c99 '" + examples +
                     "/translate.c' $(pkg-config --cflags --libs eatt) " + "-Wl,-rpath,'" + prefix +
                     "/lib' -o translate && ./translate '" + bundle + "' 'ein wort'"});
  EXPECT_EQ(by_pkg_config.exit_code, 0) << by_pkg_config.err;
  EXPECT_EQ(by_pkg_config.out, expected);

  folder.write("CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\n"
               "set(CMAKE_CXX_STANDARD 20)\nfind_package(eatt 0.1 REQUIRED)\n"
               "add_executable(translate \"" +
                   examples +
                   "/translate.cc\")\n"
                   "target_link_libraries(translate PRIVATE eatt::eatt)\n");
  const auto by_cmake =
      run("/bin/sh",
          {"-c", "cd '" + folder.path().string() + "' && cmake -B build -DCMAKE_PREFIX_PATH='" +
                     prefix + "' . > log && cmake --build build >> log && " + "build/translate '" +
                     bundle + "' 'ein wort'"});
  EXPECT_EQ(by_cmake.exit_code, 0) << by_cmake.err << testing::read_text(folder / "log");
  EXPECT_EQ(by_cmake.out, expected);
}

TEST(Install, GivesAWorkingTree) {
  const TemporaryFolder folder;
  const std::string prefix = folder.path().string();
  const auto install = run("/usr/bin/cmake", {"--install", EATT_BUILD_DIR, "--prefix", prefix});
  ASSERT_EQ(install.exit_code, 0) << install.err;
  const auto version = run(prefix + "/bin/eatt", {"--version"});
  EXPECT_EQ(version.exit_code, 0) << version.err;
  EXPECT_THAT(version.out, HasSubstr("eatt 0."));
  EXPECT_TRUE(fs::exists(folder / "share/bash-completion/completions/eatt"));
  EXPECT_TRUE(fs::exists(folder / "share/zsh/site-functions/_eatt"));
  EXPECT_TRUE(fs::exists(folder / "share/man/man1/eatt-translate.1"));
  EXPECT_TRUE(fs::exists(folder / "share/eatt/recipes/tiny.toml"));
  if (fs::exists(testing::program_path("eatt-train"))) {
    const auto train =
        run(prefix + "/bin/eatt",
            {"train", "--recipe", prefix + "/share/eatt/recipes/tiny.toml", "--dump-config"});
    EXPECT_EQ(train.exit_code, 0) << train.err;
    EXPECT_THAT(testing::read_text(folder / "share/man/man1/eatt-train.1"), HasSubstr("recipe"));
  }
  if (fs::exists(testing::program_path("eatt-serve"))) {
    const auto help = run(prefix + "/bin/eatt", {"serve", "--help"});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_THAT(testing::read_text(folder / "share/man/man1/eatt-serve.1"), HasSubstr("glossary"));
  }
}

}  // namespace
}  // namespace eatt
