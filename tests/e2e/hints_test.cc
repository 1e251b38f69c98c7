// Where people slip: what they are told is what to type next.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/run.h"
#include "support/speaking_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run;
using testing::RunResult;
using ::testing::SizeIs;
using testing::split_lines;
using ::testing::StartsWith;

// Runs eatt with a terminal as its input, on which nothing but Ctrl-D is typed.
RunResult run_on_terminal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), testing::program_path("eatt").string());
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  constexpr char kEnd = 4;  // Ctrl-D.
  EXPECT_EQ(::write(terminal, &kEnd, 1), 1);
  RunResult result;
  char bytes[4096];
  for (ssize_t got = 0; (got = ::read(terminal, bytes, sizeof bytes)) > 0;) {
    result.err.append(bytes, static_cast<size_t>(got));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  result.exit_code = WEXITSTATUS(status);
  return result;
}

class Hints : public ::testing::Test {
 protected:
  std::string in(std::string_view name) const { return (folder_ / name).string(); }

  static void expect_refused(const std::vector<std::string>& arguments, int code,
                             const std::string& reason) {
    const auto result = run("eatt", arguments);
    EXPECT_EQ(result.exit_code, code) << result.err;
    EXPECT_THAT(result.err, AllOf(StartsWith("eatt: "), HasSubstr(reason)));
    EXPECT_THAT(split_lines(result.err), SizeIs(1));
  }

  // A run as `eatt train` leaves it.
  std::string write_run(const std::string& name) const {
    fs::create_directories(folder_ / name / "checkpoints/step-00000800");
    testing::write_speaking_bundle(folder_ / name / "best");
    testing::write_speaking_bundle(folder_ / name / "last");
    return in(name);
  }

  testing::TemporaryFolder folder_;
  const std::string text_ = folder_.write("in.txt", "ein wort\nzwei wort\n").string();
};

TEST_F(Hints, ARunGivenAsAModelNamesItsBest) {
  const std::string run_folder = write_run("eatt");
  const std::string reason =
      run_folder + ": is a training run, not a model; use " + run_folder + "/best";
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"translate", run_folder, "-i", text_},
           {"quantize", run_folder, in("out")},
           {"energy", "model", run_folder, "-i", text_},
           {"energy", "trace", run_folder, "-i", text_, "-o", in("trace")},
           {"shortlist", run_folder, "--train-sets", text_, text_, "--output", in("list")},
           {"distill", run_folder, "--train-sets", text_, text_, "--output", in("distilled")}}) {
    expect_refused(command, 1, reason);
  }
  EXPECT_THAT(run("eatt", {"selftest", run_folder}).out, HasSubstr("use " + run_folder + "/best"));
  fs::remove_all(folder_ / "eatt/best");
  expect_refused({"translate", run_folder, "-i", text_}, 1, "use " + run_folder + "/last");
  fs::remove_all(folder_ / "eatt/last");
  expect_refused({"translate", run_folder, "-i", text_}, 1,
                 "is a training run without a model yet; the first is written at the first "
                 "validation, or at the end; `eatt train --model " +
                     run_folder + "` continues");
}

TEST_F(Hints, ACheckpointGivenAsAModelTellsHowToExportIt) {
  const std::string run_folder = write_run("eatt");
  expect_refused({"translate", run_folder + "/checkpoints/step-00000800", "-i", text_}, 1,
                 "is a checkpoint, not a model; use " + run_folder +
                     "/best, or make a model of it with `eatt export " + run_folder +
                     " --checkpoint 800 --output MODEL`");
  expect_refused({"translate", run_folder + "/checkpoints", "-i", text_}, 1,
                 "use " + run_folder + "/best");
}

TEST_F(Hints, AModelThatDoesNotExistNamesThoseNearIt) {
  const std::string run_folder = write_run("eatt");
  expect_refused(
      {"translate", run_folder + "/bset", "-i", text_}, 1,
      "cannot be opened: No such file or directory; " + run_folder + " has best and last");
  expect_refused({"translate", in("eat/best"), "-i", text_}, 1,
                 folder_.path().string() + " has eatt/best");
  expect_refused({"translate", folder_.path().string(), "-i", text_}, 1,
                 "is not a model, but has eatt/best");
}

TEST_F(Hints, AFileGivenAsAModelIsToldFromAModel) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  expect_refused({"translate", text_}, 1, text_ + ": is a file, expected a bundle");
  expect_refused({"translate", bundle + "/config.json", "-i", text_}, 1,
                 "is a file of a model; use its folder, " + bundle);
  expect_refused({"translate", bundle, text_}, 2,
                 text_ + " is a file, not the folder of a model; did you mean -i " + text_ + "?");
}

TEST_F(Hints, AnInputThatIsAFolderOrEmptyIsNamed) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string empty = folder_.write("empty.txt", "").string();
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"translate", bundle, "-o", in("out"), "-i"},
           {"energy", "model", bundle, "-i"},
           {"evaluate", "--reference", text_, "--hypothesis"},
           {"corpus", "truecase", "train", "--model", in("case"), "--corpus"},
           {"corpus", "pieces", "train", "--output", in("spm"), "--input"},
           {"corpus", "prepare", "--output", in("data"), "--train-sets", text_}}) {
    auto with = command;
    with.push_back(folder_.path().string());
    expect_refused(with, 1, folder_.path().string() + ": is a folder, expected a text file");
  }
  expect_refused({"evaluate", "--reference", text_, "--hypothesis", empty}, 1,
                 empty + ": is empty, expected one sentence per line");
  expect_refused({"energy", "model", bundle, "-i", empty}, 1, empty + ": has no text");
  const auto translated = run("eatt", {"translate", bundle, "-i", empty, "-o", in("none")});
  EXPECT_EQ(translated.exit_code, 0);
  EXPECT_THAT(translated.err, HasSubstr(empty + ": is empty; there was nothing to translate"));
  EXPECT_EQ(testing::read_text(in("none")), "");
}

TEST_F(Hints, AnEmptyPipeIsToldLikeAnEmptyFile) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const auto piped = run("eatt", {"translate", bundle});
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_THAT(piped.err, HasSubstr("standard input: is empty; there was nothing to translate"));
  const auto null = run("eatt", {"translate", bundle, "-i", "/dev/null"});
  EXPECT_THAT(null.err, HasSubstr("/dev/null: is empty; there was nothing to translate"));
}

TEST_F(Hints, AFolderThatIsNotAModelIsCalledThat) {
  const std::string sentence =
      ": is not a model; a model is a folder with config.json, model.safetensors and its "
      "vocabulary, as `eatt train` writes to RUN/best";
  folder_.write("texts/a.txt", "a\n");
  expect_refused({"translate", in("texts")}, 1, in("texts") + sentence);
  expect_refused({"quantize", in("texts"), in("out")}, 1, in("texts") + sentence);
  // Of a model that was copied in part, the copy is at fault.
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  fs::remove(bundle + "/config.json");
  expect_refused({"translate", bundle}, 1, "copy the bundle again, with all its files");
}

TEST_F(Hints, TextInOtherEncodingsGetsTheAdviceThatHelps) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string utf16 = folder_.write("text.de", std::string("\xff\xfeW\0o\0\n\0", 8)).string();
  const std::string advice = utf16 +
                             ": is UTF-16, expected UTF-8; convert it with `iconv -f utf-16 "
                             "-t utf-8 " +
                             utf16 + " > " + in("text.utf8.de") + "`";
  expect_refused({"translate", bundle, "-i", utf16}, 1, advice);
  expect_refused({"evaluate", "--reference", text_, "--hypothesis", utf16}, 1, advice);
  expect_refused({"corpus", "prepare", "--train-sets", utf16, text_, "--output", in("data")}, 1,
                 advice);
  ASSERT_EQ(run("/bin/sh", {"-c", "iconv -f utf-16 -t utf-8 " + utf16 + " > " + in("text.utf8.de")})
                .exit_code,
            0);
  EXPECT_EQ(run("eatt", {"translate", bundle, "-i", in("text.utf8.de")}).exit_code, 0);

  const std::string binary = folder_
                                 .write("a.out", std::string("\x7f"
                                                             "ELF\0\0\x90\n",
                                                             8))
                                 .string();
  expect_refused({"translate", bundle, "-i", binary}, 1, binary + ": is a program, not text");
}

TEST_F(Hints, TextThatWasPackedOrWrittenElsewhereGetsACommandThatWorksAsTyped) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const auto shell = [&](const std::string& command) {
    return run("/bin/sh", {"-c", "cd " + folder_.path().string() + " && " + command});
  };
  folder_.write("chinese.utf8", "他喜欢音乐。\n明天汤姆想解决这个问题吗？\n");
  const std::string eatt = testing::program_path("eatt").string();
  for (const std::string encoding : {"GB18030", "UTF-16LE"}) {
    ASSERT_EQ(
        shell("iconv -f utf-8 -t " + encoding + " chinese.utf8 > " + encoding + ".zh").exit_code,
        0);
    for (const std::string command : {"translate model -i ", "corpus truecase undo -i ",
                                      "evaluate --reference chinese.utf8 "
                                      "--hypothesis "}) {
      const auto result = shell(eatt + " " + command + encoding + ".zh");
      EXPECT_EQ(result.exit_code, 1);
      const size_t from = result.err.find('`');
      ASSERT_NE(from, std::string::npos) << result.err;
      const std::string advice =
          result.err.substr(from + 1, result.err.find('`', from + 1) - from - 1);
      ASSERT_EQ(shell(advice).exit_code, 0) << advice;
      EXPECT_EQ(testing::read_text(folder_ / (encoding + ".utf8.zh")),
                testing::read_text(folder_ / "chinese.utf8"));
    }
  }
  folder_.write("a.de.xz", std::string("\xfd"
                                       "7zXZ\0\0\4",
                                       8));
  expect_refused({"translate", bundle, "-i", in("a.de.xz")}, 1,
                 "unpack it with `xz -dc " + in("a.de.xz") + " > " + in("a.de") + "`");
  expect_refused({"corpus", "pieces", "train", "--input", in("a.de.xz"), "--output", in("pieces")},
                 1, "is compressed with xz");
  folder_.write("mac.de", "eins\rzwei\rdrei\r");
  expect_refused({"translate", bundle, "-i", in("mac.de")}, 1, "convert it with `tr '\\r' '\\n'");
}

TEST_F(Hints, TextThatIsNotInTheSourceLanguageIsWarnedOf) {
  const std::string bundle =
      testing::write_speaking_bundle(folder_ / "model", 1, Mechanism::eatt, "zh").string();
  const auto warning = [&](const std::string& file, const std::string& text) {
    folder_.write(file, text);
    const auto result = run("eatt", {"translate", bundle, "-i", in(file)});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(warning("test.en", "他喜欢音乐。\n"),
              HasSubstr("test.en: the ending says en, but the model translates from zh; is it the "
                        "right file?"));
  EXPECT_THAT(warning("text", "His colleague is as tall as her older brother .\n"),
              HasSubstr("is in another script than zh, which the model translates from"));
  EXPECT_THAT(warning("test.zh", "他喜欢音乐。\n"), Not(HasSubstr("right file")));
  EXPECT_THAT(warning("short", "OK\n"), Not(HasSubstr("right file")));
}

TEST_F(Hints, MarkupIsWarnedOf) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const auto warning = [&](const std::string& text) {
    const auto result = run("eatt", {"translate", bundle}, text);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(warning("\n<!DOCTYPE html>\n<html><body>\n"),
              HasSubstr("standard input: looks like HTML, whose tags are translated as text; "
                        "--html keeps them\n"));
  const std::string header = "<?xml version=\"1.0\"?>\n";
  EXPECT_THAT(
      warning(header + "<tmx version=\"1.4\">\n"),
      HasSubstr("looks like TMX, whose tags are translated as text; `eatt corpus convert`"));
  EXPECT_THAT(warning(header + "<xliff version=\"2.0\">\n"), HasSubstr("looks like XLIFF"));
  EXPECT_THAT(warning("ein wort <html>\n"), Not(HasSubstr("looks like")));
}

TEST_F(Hints, AWeightTooFewIsCountedInWords) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  expect_refused({"translate", bundle, bundle, "--weights", "1"}, 2,
                 "1 weight given for 2 bundles; expected one for each");
}

TEST_F(Hints, FilesWithoutAnOptionGetTheOneThatIsMeant) {
  expect_refused({"evaluate", "hyp.txt", "ref.txt"}, 2,
                 "(did you mean --hypothesis hyp.txt --reference ref.txt?)");
  expect_refused({"energy", "model", "BUNDLE", "file.txt"}, 2, "(did you mean -i file.txt?)");
  expect_refused({"energy", "trace", "BUNDLE", "my file"}, 2, "(did you mean -i 'my file'?)");
  expect_refused({"shortlist", "BUNDLE", "a.en", "a.de"}, 2,
                 "(did you mean --train-sets a.en a.de?)");
  expect_refused({"corpus", "pieces", "train", "a.en", "--output", in("x")}, 2,
                 "(did you mean --input a.en?)");
}

TEST_F(Hints, CommandsOfOtherToolkitsGetOurs) {
  expect_refused({"corpus", "pieces", "learn", "--input", text_}, 2,
                 "unknown command 'learn'; `eatt corpus pieces train` learns pieces");
  expect_refused({"bleu", text_}, 2, "unknown command 'bleu'; `eatt evaluate` scores translations");
  expect_refused({"info", "model"}, 2, "`eatt selftest BUNDLE` checks a model");
  expect_refused({"server"}, 2, "`eatt serve BUNDLE`");
}

TEST_F(Hints, ErrorsAreJsonWhereTheLogIs) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"translate", in("nothing"), "--log-format", "json"},
           {"--log-format=json", "translate", "--beam-sise", "4"},
           {"--log_format", "json", "tranlate"},
           {"translate", in("nothing"), "--log-format", "json", "--quiet"}}) {
    const auto result = run("eatt", words);
    EXPECT_NE(result.exit_code, 0);
    ASSERT_THAT(split_lines(result.err), SizeIs(1)) << result.err;
    const auto json = nlohmann::json::parse(result.err);
    EXPECT_EQ(json["level"], "error");
    EXPECT_NE(json["message"], "");
    EXPECT_TRUE(json.contains("time"));
  }
}

TEST_F(Hints, OptionsThatCannotWorkSayWhatWould) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  expect_refused({"translate", bundle, "--sampling", "--n-best", "2"}, 2,
                 "--n-best is 2 but --beam-size 1; with --sampling, that is the number of "
                 "translations that are drawn, so use --beam-size 2 or more");
  expect_refused({"translate", bundle, "--detokenize", "xx"}, 2,
                 "--detokenize is 'xx'; expected a language such as en");
}

TEST_F(Hints, EveryCommandThatReadsTheTerminalSaysSo) {
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string pieces = in("model/joint.spm");
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"translate", bundle},
           {"energy", "model", bundle},
           {"energy", "trace", bundle, "-o", in("trace")},
           {"evaluate", "--reference", text_},
           {"evaluate", "--reference", text_, text_, "--hypothesis", "-"},
           {"corpus", "pieces", "train", "--output", in("spm")},
           {"corpus", "pieces", "encode", pieces},
           {"corpus", "pieces", "decode", pieces},
           {"corpus", "truecase", "undo"},
           {"corpus", "truecase", "train", "--model", in("case")},
           {"shortlist", bundle, "--train-sets", "-", text_, "--output", in("list")},
           {"corpus", "prepare", "--train-sets", "-", text_, "--output", in("data")}}) {
    const auto result = run_on_terminal(command);
    EXPECT_THAT(result.err, HasSubstr("reading from the terminal; end with Ctrl-D")) << command[0];
  }
}

TEST_F(Hints, TranslationsGivenAsASecondReferenceAreAskedAbout) {
  const std::string mine = folder_.write("mine.txt", "ein wort\nzwei worte\n").string();
  const auto result = run_on_terminal({"evaluate", "--reference", text_, mine});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("did you mean --hypothesis " + mine + "?"));
}

TEST_F(Hints, StandardInputCanBeNamedAsTheHypothesis) {
  const auto named =
      run("eatt", {"evaluate", "--reference", text_, "--hypothesis", "-"}, "ein wort\nzwei wort\n");
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_EQ(named.out,
            run("eatt", {"evaluate", "--reference", text_}, "ein wort\nzwei wort\n").out);
  expect_refused({"evaluate", "--reference", "-"}, 2, "standard input (-) can be given only once");
}

TEST_F(Hints, OptionsOfMetricsThatAreNotComputedAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--metrics", "bleu", "--chrf-word-order", "2"},
       "--chrf-word-order has no effect on --metrics bleu; leave it out, or add chrf"},
      {{"--metrics", "ter", "--tokenize", "zh"}, "--tokenize has no effect on --metrics ter"},
      {{"--metrics", "chrf,ter", "--lowercase"}, "--lowercase has no effect on --metrics chrf,ter"},
      {{"--metrics", "chrf", "--ter-no-punct"}, "--ter-no-punct has no effect on --metrics chrf"},
      {{"--ter-asian-support"}, "--ter-asian-support needs --ter-normalized or --ter-no-punct"}};
  for (const auto& [options, reason] : cases) {
    std::vector<std::string> command = {"evaluate", "--reference", text_, "--hypothesis", text_};
    command.insert(command.end(), options.begin(), options.end());
    expect_refused(command, 2, reason);
  }
}

TEST_F(Hints, LinksWithoutAZeroHintAtTheBase) {
  const std::string from_one = folder_.write("one.align", "1-1 2-2\n1-2\n").string();
  const std::string from_zero = folder_.write("zero.align", "0-0 1-1\n0-1\n").string();
  const auto scored = [](const std::vector<std::string>& options) {
    std::vector<std::string> command = {"evaluate"};
    command.insert(command.end(), options.begin(), options.end());
    return run("eatt", command);
  };
  EXPECT_THAT(scored({"--alignment-reference", from_one, "--alignment", from_zero}).err,
              HasSubstr("one.align: no link has a word 0, so words seem to be counted from 1; if "
                        "so, add --gold-base 1"));
  EXPECT_THAT(scored({"--alignment-reference", from_zero, "--alignment", from_one}).err,
              HasSubstr("add --hypothesis-base 1"));
  EXPECT_THAT(
      scored({"--alignment-reference", from_one, "--gold-base", "1", "--alignment", from_zero}).err,
      IsEmpty());
}

TEST_F(Hints, TheAdviceOnTextThatIsNotUtf8WorksAsTyped) {
  const std::string latin = folder_.write("it's latin.de", "sch\xf6n\nsch\xf6n\n").string();
  const auto refused = run("eatt", {"evaluate", "--reference", text_, "--hypothesis", latin});
  EXPECT_EQ(refused.exit_code, 1);
  const size_t begin = refused.err.find('`') + 1;
  const std::string advice = refused.err.substr(begin, refused.err.find('`', begin) - begin);
  EXPECT_THAT(advice, StartsWith("iconv -f latin1 -t utf-8 "));
  const auto converted = run("/bin/sh", {"-c", advice});
  EXPECT_EQ(converted.exit_code, 0) << advice << converted.err;
  EXPECT_EQ(testing::read_text(in("it's latin.utf8.de")), "schön\nschön\n");
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  EXPECT_THAT(run("eatt", {"translate", bundle, "-i", latin}).err, HasSubstr("`" + advice + "`"));
}

TEST(CheckTraceScript, ItsHelpTellsHowToCallIt) {
  const std::string python = EATT_PYTHON;
  if (python.empty()) GTEST_SKIP() << "needs Python";
  const auto script = testing::repository_file("scripts/check_trace.py").string();
  const auto result = run(python, {script, "--help"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("scripts/check_trace.py FOLDER"));
  EXPECT_EQ(run(python, {script}).exit_code, 2);
}

TEST_F(Hints, ATraceIsCheckedByItsFolderOrItsFile) {
  const std::string python = EATT_PYTHON;
  if (python.empty()) GTEST_SKIP() << "needs Python";
  const std::string bundle = testing::write_speaking_bundle(folder_ / "model").string();
  const std::string int8 = in("int8");
  ASSERT_EQ(run("eatt", {"quantize", bundle, int8}).exit_code, 0);
  ASSERT_EQ(run("eatt", {"energy", "trace", int8, "-i", text_, "-o", in("tr")}).exit_code, 0);
  const auto script = testing::repository_file("scripts/check_trace.py").string();
  const auto by_folder = run(python, {script, in("tr")});
  const auto by_file = run(python, {script, in("tr/trace.json")});
  EXPECT_EQ(by_file.exit_code, 0) << by_file.err;
  EXPECT_EQ(by_file.out, by_folder.out);
}

}  // namespace
}  // namespace eatt
