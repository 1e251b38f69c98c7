// `eatt energy trace` as a hardware designer starts it, and scripts/check_trace.py, which was
// written from docs/trace-format.md alone.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bundle/bundle.h"
#include "bundle/safetensors.h"
#include "support/files.h"
#include "support/run.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_text;
using testing::run;
using testing::RunResult;
using testing::split_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

constexpr char kPython[] = EATT_PYTHON;  // Empty where there is none.
const std::string kScript = testing::repository_file("scripts/check_trace.py").string();

// Changes the last byte of a number of a tensor, so that its value changes a lot.
void spoil(const fs::path& file, const std::string& tensor, size_t number) {
  uint64_t at = 0;
  {
    const Safetensors opened(file);
    const TensorInfo& info = *opened.find(tensor);
    at = opened.file_offset(info) + (number + 1) * dtype_bytes(info.dtype) - 1;
  }
  std::string bytes = read_text(file);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
}

class EnergyTrace : public ::testing::Test {
 protected:
  RunResult trace(std::vector<std::string> options, std::string_view text) const {
    options.insert(options.begin(), {"energy", "trace"});
    return run("eatt", options, text);
  }
  RunResult trace_model(std::string_view text) const {
    return trace({model_, "--output", out_.string()}, text);
  }
  // Ends with one line and this exit code, and writes nothing.
  void expect_refused(const RunResult& result, int exit_code, const std::string& sentence) const {
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_THAT(split_lines(result.err), ::testing::SizeIs(1));
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_FALSE(fs::exists(out_));
  }

  const TemporaryFolder folder_;
  const std::string model_ = testing::write_random_bundle(folder_ / "model").string();
  const fs::path out_ = folder_ / "trace";
};

TEST_F(EnergyTrace, WritesAFolderThatSaysWhatItIs) {
  const RunResult result = trace_model("a b\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  EXPECT_THAT(result.out, StartsWith(out_.string() + ": weights and a sentence of greedy search"));
  const auto json = nlohmann::json::parse(read_text(out_ / "trace.json"));
  EXPECT_EQ(json["bundle"]["name"], "model");
  ASSERT_EQ(json["sentences"].size(), 1u);
  const RunResult translated = run("eatt", {"translate", model_, "--precision", "int8"}, "a b\n");
  EXPECT_EQ(json["sentences"][0]["translation"].get<std::string>() + "\n", translated.out);
}

TEST_F(EnergyTrace, TakesTheFirstLinesAndSaysWhenThereAreMore) {
  const RunResult one = trace_model("a\nb\nc\n");
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.err, HasSubstr("more lines were left out; --sentences N"));
  EXPECT_FALSE(fs::exists(out_ / "sentence-0002.safetensors"));
  const std::string file = folder_.write("text", "a\nb\nc\n").string();
  const RunResult two = trace({model_, "-o", out_.string(), "-i", file, "--sentences", "2"}, "");
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_THAT(two.err, HasSubstr("more lines were left out"));
  EXPECT_THAT(two.out, HasSubstr("weights and 2 sentences"));
  EXPECT_TRUE(fs::exists(out_ / "sentence-0002.safetensors"));
  EXPECT_FALSE(fs::exists(out_ / "sentence-0003.safetensors"));
  const RunResult all = trace({model_, "-o", out_.string(), "-i", file, "--sentences", "3"}, "");
  EXPECT_THAT(all.err, IsEmpty());
}

TEST_F(EnergyTrace, DoesNotWaitForTheEndOfItsInput) {
  const std::string eatt = testing::program_path("eatt").string();
  const RunResult result = run("/bin/sh", {"-c", "yes | timeout 60 " + eatt + " energy trace " +
                                                     model_ + " -o " + out_.string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("more lines were left out"));
}

TEST_F(EnergyTrace, IsNamedAfterTheBundleUnlessAFolderIsGiven) {
  const std::string eatt = testing::program_path("eatt").string();
  const RunResult result = run(
      "/bin/sh", {"-c", "cd " + folder_.path().string() + " && " + eatt + " energy trace model/"},
      "a b\n");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("model-trace: weights and a sentence"));
  EXPECT_TRUE(fs::exists(folder_ / "model-trace" / "trace.json"));
}

TEST_F(EnergyTrace, AnInt8BundleGivesTheNumbersOfItsFloat32Bundle) {
  const std::string int8 = (folder_ / "int8").string();
  ASSERT_EQ(run("eatt", {"quantize", model_, int8}).exit_code, 0);
  ASSERT_EQ(trace_model("a b c\n").exit_code, 0);
  const fs::path again = folder_ / "again";
  ASSERT_EQ(trace({int8, "--output", again.string()}, "a b c\n").exit_code, 0);
  for (const char* name : {"weights.safetensors", "sentence-0001.safetensors"}) {
    EXPECT_EQ(read_text(out_ / name), read_text(again / name)) << name;
  }
}

TEST_F(EnergyTrace, IsRefusedWhereThereAreNoWholeNumbersOrNoText) {
  const std::string out = out_.string();
  expect_refused(trace({model_, "-o", out, "--precision", "float32"}, "a\n"), 2, "--precision");
  expect_refused(trace({model_, "-o", out, "--sentences", "0"}, "a\n"), 2, "--sentences");
  expect_refused(trace_model(""), 1, "standard input: has no lines");
  expect_refused(trace_model("\n"), 1, "line 1: has no text");
  expect_refused(trace({(folder_ / "none").string(), "-o", out}, "a\n"), 1, "No such file");
}

TEST_F(EnergyTrace, TextThatTheModelCannotReadIsNamedByItsLine) {
  Architecture a = testing::tiny_architecture(Mechanism::randinit);
  const auto limited = testing::write_random_bundle(folder_ / "limited", a);
  expect_refused(trace({limited.string(), "-o", out_.string(), "--sentences", "2"},
                       "a\na b c d e f g h i j k l\n"),
                 1, "line 2: has 24 pieces, but a sentence to be traced may have 11; shorten it");
}

TEST_F(EnergyTrace, ReplacesAnOlderTraceAndNothingElse) {
  ASSERT_EQ(trace_model("a\n").exit_code, 0);
  ASSERT_EQ(trace_model("b\n").exit_code, 0);
  const std::string results = folder_.write("trace/results.csv", "mine").string();
  EXPECT_THAT(trace_model("c\n").err, HasSubstr("holds results.csv"));
  EXPECT_EQ(read_text(results), "mine");
  fs::remove_all(out_);
  fs::create_directory(folder_ / "mine");
  folder_.write("mine/notes.txt", "mine");
  expect_refused(trace({model_, "-o", (folder_ / "mine").string()}, "a\n"), 1,
                 "exists and is not a trace");
  for (const std::string& same : {model_, model_ + "/"}) {
    expect_refused(trace({model_, "-o", same}, "a\n"), 2, "are the same folder");
  }
  for (const std::string& around : {model_ + "/..", folder_.path().string()}) {
    expect_refused(trace({model_, "-o", around}, "a\n"), 2, "is a folder that holds BUNDLE");
  }
  expect_refused(trace({model_, "-o", model_ + "/vectors"}, "a\n"), 2,
                 "other files do not belong in it");
  EXPECT_NO_THROW(Bundle::open(model_));
}

TEST_F(EnergyTrace, AFullDiskLeavesTheOldTrace) {
  ASSERT_EQ(trace_model("a\n").exit_code, 0);
  const std::string before = read_text(out_ / "trace.json");
  const RunResult result =
      run("/bin/sh",
          {"-c", "trap '' XFSZ; ulimit -f 8; " + testing::program_path("eatt").string() +
                     " energy trace " + model_ + " -o " + out_.string()},
          "a b c\n");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("File too large"));
  EXPECT_EQ(read_text(out_ / "trace.json"), before);
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().filename().string(), ::testing::AnyOf("model", "trace"));
  }
}

TEST_F(EnergyTrace, HelpHasAnExample) {
  const RunResult help = run("eatt", {"energy", "trace", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("[default: BUNDLE-trace]"));
  EXPECT_THAT(help.out, HasSubstr("eatt energy trace BUNDLE --output vectors < test.zh"));
}

class CheckTrace : public EnergyTrace {
 protected:
  void SetUp() override {
    if (std::string_view(kPython).empty()) GTEST_SKIP() << "needs python3";
  }
  RunResult check() const { return run(kPython, {kScript, out_.string()}); }
  // Ends with one line and this exit code.
  void expect_found(const RunResult& result, int exit_code, const std::string& sentence) const {
    EXPECT_EQ(result.exit_code, exit_code) << sentence;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_THAT(split_lines(result.err), ::testing::SizeIs(1));
  }
  // A trace whose trace.json was changed.
  template <class Change>
  RunResult check_changed(const Change& change) const {
    fs::remove_all(out_);
    EXPECT_EQ(trace_model("a b\n").exit_code, 0);
    auto json = nlohmann::json::parse(read_text(out_ / "trace.json"));
    change(json);
    folder_.write("trace/trace.json", json.dump());
    return check();
  }
};

TEST_F(CheckTrace, FindsEveryMechanismRight) {
  for (const char* mechanism : {"vanilla", "eatt", "selection", "l1", "dense", "randinit"}) {
    Architecture a = testing::tiny_architecture(*mechanism_named(mechanism));
    a.embeddings = EmbeddingSharing::target;
    a.threshold.learned = true;
    for (const NormPlacement norm : {NormPlacement::pre, NormPlacement::post}) {
      a.norm = norm;
      const auto bundle = testing::write_random_bundle(folder_ / mechanism, a);
      ASSERT_EQ(
          trace({bundle.string(), "-o", out_.string(), "--sentences", "2"}, "a b\nc\n").exit_code,
          0);
      const RunResult result = check();
      EXPECT_EQ(result.exit_code, 0) << mechanism << result.err;
      EXPECT_THAT(result.out,
                  AllOf(HasSubstr("sentence-0001.safetensors: "),
                        HasSubstr("sentence-0002.safetensors: "), HasSubstr(" numbers are right")));
    }
  }
}

TEST_F(CheckTrace, FindsSignedCodesRight) {
  for (const size_t levels : {1, 6}) {
    Architecture a = testing::tiny_architecture(Mechanism::eatt);
    a.code_levels = levels;
    a.threshold = {.learned = levels == 1, .value = 0.25};
    const auto bundle = testing::write_random_bundle(folder_ / fmt::format("signed{}", levels), a);
    ASSERT_EQ(trace({bundle.string(), "-o", out_.string()}, "a b c\n").exit_code, 0);
    const RunResult result = check();
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr(" numbers are right"));
    const auto file = out_ / "sentence-0001.safetensors";
    spoil(file, "encoder.layers.0.self_attn.codes", 2);
    EXPECT_THAT(check().err, HasSubstr("encoder.layers.0.self_attn.codes: number 2 is"));
  }
}

TEST_F(CheckTrace, FindsMixedMechanismsOddWidthsAndSharedEmbeddingsRight) {
  Architecture a = testing::tiny_architecture();
  a.model_dim = 18;
  a.heads = 3;
  a.qk_dim = 15;
  a.attention_dim = 21;
  a.encoder_self.layers = {Mechanism::vanilla, Mechanism::eatt};
  a.decoder_self.layers = {Mechanism::dense, Mechanism::selection};
  a.cross.layers = {Mechanism::eatt, Mechanism::randinit};
  a.embeddings = EmbeddingSharing::all;
  a.source_vocab = a.target_vocab;
  a.max_length = 40;
  const auto bundle = testing::write_random_bundle(folder_ / "mixed", a);
  ASSERT_EQ(trace({bundle.string(), "-o", out_.string()}, "a b c\n").exit_code, 0);
  const RunResult result = check();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(CheckTrace, NamesTheNumberThatWasSpoilt) {
  const std::string cross = "decoder.layers.1.cross_attn.";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"encoder.layers.0.self_attn.codes", "encoder.layers.0.self_attn.codes: number 5 is "},
      {cross + "q_codes", cross + "q_codes: number 5 is "},
      {cross + "query", cross + "query: number 5 is "},
      {cross + "key", cross + "key: number 5 is "},
      {cross + "distances", cross + "distances: number 5 is "},
      {cross + "scores", cross + "scores: number 5 is "},
      {cross + "v_proj.sums", cross + "v_proj.sums: number 5 is "},
      {"encoder.layers.1.fc1.output", "encoder.layers.1.fc1.output: number 5 is "},
      {"decoder.layers.1.fc2.input", "decoder.layers.1.fc2.input: number 5 is "},
      {"decoder.layers.1.fc2.input_scales", "decoder.layers.1.fc2.input_scales: number 5 is "},
      {"encoder.layers.0.self_attn.residual", "encoder.layers.0.self_attn.residual: number 5 is "},
      {"encoder.layers.1.ffn.residual", "encoder.layers.1.ffn.residual: number 5 is "},
      {"encoder.layers.1.ffn.normed", "encoder.layers.1.ffn.normed: number 5 is "},
      {cross + "context", cross + "context: number 5 is "},
      {"encoder.output", "encoder.output: number 5 is "},
      {"decoder.output", "decoder.output: number 5 is "},
      {"decoder.output_projection.output", "decoder.output_projection.output: number 5 is "},
      {"chosen_pieces", "chosen_pieces: number 5 is "},
      {"fed_pieces", "that the decoder reads is not in its vocabulary"},
  };
  for (const auto& [tensor, difference] : cases) {
    ASSERT_EQ(trace_model("a b\n").exit_code, 0);
    spoil(out_ / "sentence-0001.safetensors", tensor, 5);
    expect_found(check(), 1, difference);
  }
}

TEST_F(CheckTrace, TellsZeroFromMinusZero) {
  ASSERT_EQ(trace_model("a b\n").exit_code, 0);
  const fs::path file = out_ / "sentence-0001.safetensors";
  std::string bytes = read_text(file);
  {
    const Safetensors opened(file);
    const TensorInfo& info = *opened.find("encoder.layers.0.fc1.output");
    size_t at = opened.file_offset(info);
    while (bytes.substr(at, 4) != std::string(4, '\0')) at += 4;  // What the relu has cut.
    bytes[at + 3] = static_cast<char>(0x80);
  }
  std::ofstream(file, std::ios::binary) << bytes;
  expect_found(check(), 1, "is -0.0, expected 0.0");
}

TEST_F(CheckTrace, MissesTensorsThatAreNotThere) {
  for (const std::string name : {"encoder.layers.0.fc1.sums", "chosen_pieces",
                                 "decoder.layers.1.self_attn.distances", "encoder.output"}) {
    ASSERT_EQ(trace_model("a b\n").exit_code, 0);
    const fs::path file = out_ / "sentence-0001.safetensors";
    std::string bytes = read_text(file);
    bytes.replace(bytes.find('"' + name + '"') + 1, 1, "x");
    std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_THAT(check().err, ::testing::ContainsRegex("is missing|is not of this architecture"));
    EXPECT_EQ(check().exit_code, 1);
  }
  using Json = nlohmann::json;
  expect_found(check_changed([](Json& json) { json["architecture"]["model_dim"] = 10; }), 1,
               "expected ");
  expect_found(
      check_changed([](Json& json) { json["architecture"]["norm"]["placement"] = "post"; }), 1,
      "is not of this architecture");
}

TEST_F(CheckTrace, ChecksWhatTraceJsonSays) {
  using Json = nlohmann::json;
  const auto expect_wrong = [&](const std::string& sentence, const auto& change) {
    expect_found(check_changed(change), 1, sentence);
  };
  expect_wrong("its format is other", [](Json& json) { json["format"] = "other"; });
  expect_wrong("has format version 2, expected 1", [](Json& json) { json["format_version"] = 2; });
  expect_wrong("sentences are not there", [](Json& json) { json["sentences"] = Json::array(); });
  expect_wrong("files are not the weights",
               [](Json& json) { json["files"].erase("weights.safetensors"); });
  expect_wrong("has another size or hash",
               [](Json& json) { json["files"]["weights.safetensors"]["sha256"] = "0"; });
  expect_wrong("steps, expected", [](Json& json) {
    Json& finished = json["sentences"][0]["finished"];
    finished = !finished.get<bool>();
  });
  expect_wrong("texts of piece",
               [](Json& json) { json["sentences"][0]["target_pieces"].erase(0); });
  expect_wrong("the translation is 'x'",
               [](Json& json) { json["sentences"][0]["translation"] = "x"; });
  expect_wrong("mul/int8 is 0, expected", [](Json& json) {
    for (Json& line : json["sentences"][0]["operations"]) {
      if (line["operations"].contains("mul")) line["operations"]["mul"].erase("int8");
    }
  });
  expect_wrong("add/fp32 is 0, expected ",
               [](Json& json) { json["sentences"][0]["operations"].erase(0); });
  expect_wrong("has two lines, expected one", [](Json& json) {
    Json& lines = json["sentences"][0]["operations"];
    lines.push_back(lines[0]);
  });
  expect_wrong("operations", [](Json& json) { json["sentences"][0].erase("operations"); });
  expect_wrong("is no trace as", [](Json& json) { json["sentences"] = 3; });
  EXPECT_EQ(check_changed([](Json& json) { json["note"] = "mine"; }).exit_code, 0);
}

TEST_F(CheckTrace, FindsAWrongCountInEveryClassOfOperations) {
  using Json = nlohmann::json;
  size_t classes = 0;
  for (const char* operation : {"add", "mul", "shift", "compare", "exp", "div"}) {
    for (const char* number : {"int8", "int16", "int32", "fp16", "fp32"}) {
      uint64_t count = 0;
      const RunResult result = check_changed([&](Json& json) {
        for (Json& line : json["sentences"][0]["operations"]) {
          Json& counts = line["operations"];
          if (count > 0 || !counts.contains(operation) || !counts[operation].contains(number)) {
            continue;
          }
          count = counts[operation][number];
          counts[operation][number] = count + 1;
        }
      });
      if (count == 0) continue;
      ++classes;
      expect_found(result, 1,
                   fmt::format("{}/{} is {}, expected {}", operation, number, count + 1, count));
    }
  }
  // add int16, int32, fp32; mul int8, fp32; shift int8, fp16, fp32; compare, exp, div fp32.
  EXPECT_EQ(classes, 11u);
}

TEST_F(CheckTrace, SaysInOneSentenceWhatCannotBeRead) {
  expect_found(run(kPython, {kScript}), 2, "usage: ");
  expect_found(run(kPython, {kScript, out_.string(), "more"}), 2, "usage: ");
  expect_found(check(), 1, "trace.json: No such file");
  for (const char* text : {"", "{", "[]", "7", "{}", "\xff"}) {
    fs::create_directory(out_);
    folder_.write("trace/trace.json", text);
    expect_found(check(), 1, "trace.json: is no trace as docs/trace-format.md describes it");
    fs::remove_all(out_);
  }
  for (const char* name : {"weights.safetensors", "sentence-0001.safetensors"}) {
    ASSERT_EQ(trace_model("a\n").exit_code, 0);
    const std::string bytes = read_text(out_ / name);
    for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() - 1}) {
      std::ofstream(out_ / name, std::ios::binary) << bytes.substr(0, size);
      expect_found(check(), 1, std::string(name) + ": is no whole safetensors file");
    }
    fs::remove(out_ / name);
    expect_found(check(), 1, std::string(name) + ": No such file");
  }
}

TEST_F(CheckTrace, NoticesSpoiltWeights) {
  ASSERT_EQ(trace_model("a b\n").exit_code, 0);
  spoil(out_ / "weights.safetensors", "encoder.layers.0.self_attn.k_select.bias", 0);
  EXPECT_THAT(check().err, HasSubstr("encoder.layers.0.self_attn.key: number 0 is "));
  ASSERT_EQ(trace_model("a b\n").exit_code, 0);
  spoil(out_ / "weights.safetensors", "decoder.layers.1.ffn_layer_norm.weight", 1);
  EXPECT_THAT(check().err, HasSubstr("decoder.layers.1.ffn.normed: number 1 is "));
}

}  // namespace
}  // namespace eatt
