#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "bundle/bundle.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;

Manifest example() {
  Manifest manifest;
  manifest.architecture = tiny_architecture();
  manifest.source_language = "zh-Hant";
  manifest.target_language = "en";
  manifest.source_pieces = "source.spm";
  manifest.target_pieces = "target.spm";
  const FileRecord record{12, std::string(64, 'a')};
  manifest.files = {{"model.safetensors", record}, {"source.spm", record}, {"target.spm", record}};
  manifest.golden = GoldenPair{"一 二", "one \"two\"", -0.1, 1e-4};
  manifest.made = {{"program", "eatt-train 0.1.0"}, {"command", "eatt train"}};
  return manifest;
}

Manifest parse(const std::string& text) { return parse_manifest(text, "m/config.json"); }

void expect_refused(const char* pointer, const json& value, const std::string& message) {
  json changed = json::parse(print_manifest(example()));
  changed[json::json_pointer(pointer)] = value;
  EXPECT_THAT([&] { parse(print_checked_json(changed)); },
              ThrowsMessage<Error>(StartsWith("m/config.json: " + message)));
}

TEST(Manifest, EveryFieldReadsBack) {
  Manifest manifest = example();
  EXPECT_EQ(parse(print_manifest(manifest)), manifest);
  manifest.golden.reset();
  manifest.made.clear();
  manifest.target_pieces = manifest.source_pieces;
  EXPECT_EQ(parse(print_manifest(manifest)), manifest);
  EXPECT_TRUE(manifest.joint_pieces());
}

TEST(Manifest, ANewerFormatIsNamedBeforeAnythingElse) {
  EXPECT_THAT([] { parse(R"({"format": "eatt-bundle", "format_version": 2, "new": {}})"); },
              ThrowsMessage<Error>(StartsWith("m/config.json: format_version: found 2, this eatt "
                                              "reads up to 1; use a newer eatt")));
  expect_refused("/format_version", "one", "format_version: found \"one\", expected an integer");
  expect_refused("/format_version", 0, "format_version: found 0, expected an integer");
}

TEST(Manifest, AConfigOfSomethingElseIsNamedAsSuch) {
  EXPECT_THAT([] { parse(R"({"model_type": "marian"})"); },
              ThrowsMessage<Error>(HasSubstr("has no \"format\", expected \"eatt-bundle\"")));
  expect_refused("/format", "other", "has another \"format\", expected \"eatt-bundle\"");
  expect_refused("/format", 1, "format: found 1, expected a text");
  EXPECT_THAT([] { parse("[1]"); },
              ThrowsMessage<Error>(HasSubstr("found an array of length 1, expected an object")));
}

TEST(Manifest, UnknownKeysOutsideTheArchitectureAreIgnored) {
  json changed = json::parse(print_manifest(example()));
  changed["licence"] = "MIT";
  changed["golden"]["beam"] = 4;
  changed["files"]["source.spm"]["note"] = "x";
  EXPECT_EQ(parse(print_checked_json(changed)), example());
  changed["architecture"]["rotary"] = true;
  EXPECT_THAT([&] { parse(print_checked_json(changed)); },
              ThrowsMessage<Error>(HasSubstr("architecture.rotary: is a key that this version")));
}

TEST(Manifest, WrongValuesAreNamedByTheirPath) {
  expect_refused("/architecture/encoder/layers", "six",
                 "architecture.encoder.layers: found \"six\", expected an integer from 1 to");
  expect_refused("/precision", "int4", "precision: found \"int4\", expected one of float32");
  expect_refused("/languages/source", "z h",
                 "languages.source: found \"z h\", expected a language");
  expect_refused("/languages/source", "", "languages.source: found \"\", expected a language");
  expect_refused("/languages", "en", "languages: found \"en\", expected an object");
  expect_refused("/files", json::array(), "files: found an array of length 0, expected an object");
  expect_refused("/files/source.spm/bytes", -1, "files.'source.spm'.bytes: found -1, expected");
  expect_refused("/files/source.spm/sha256", "abc",
                 "files.'source.spm'.sha256: found \"abc\", expected 64 lower-case hexadecimal");
  expect_refused("/files/source.spm/sha256", std::string(64, 'A'),
                 "files.'source.spm'.sha256: found \"AAAA");
  expect_refused("/vocabulary/target", "other.spm",
                 "vocabulary.target: found \"other.spm\", expected a name ending in .spm");
  expect_refused("/vocabulary/source", "model.safetensors",
                 "vocabulary.source: found \"model.safetensors\", expected a name ending in .spm");
  expect_refused("/golden/score", "high", "golden.score: found \"high\", expected a number");
  expect_refused("/golden/tolerance", -1, "golden.tolerance: found -1, expected a number of at");
  expect_refused("/golden/target", 3, "golden.target: found 3, expected a text");
  expect_refused("/made/command", {1}, "made.command: found an array of length 1, expected a text");
}

TEST(Manifest, NoFileNameLeadsOutOfTheFolder) {
  for (const char* name : {"../model.safetensors", "/etc/passwd", "a/b", ".hidden", "", "a\nb",
                           "config.json", "..", "back\\slash"}) {
    json changed = json::parse(print_manifest(example()));
    changed["files"][name] = {{"bytes", 1}, {"sha256", std::string(64, 'a')}};
    EXPECT_THAT([&] { parse(print_checked_json(changed)); },
                ThrowsMessage<Error>(HasSubstr("expected files named by letters")))
        << name;
  }
}

TEST(Manifest, MissingPartsAreNamed) {
  for (const char* key : {"architecture", "precision", "languages", "vocabulary", "files"}) {
    json changed = json::parse(print_manifest(example()));
    changed.erase(key);
    EXPECT_THAT([&] { parse(print_checked_json(changed)); },
                ThrowsMessage<Error>(StartsWith("m/config.json: " + std::string(key))))
        << key;
  }
  json changed = json::parse(print_manifest(example()));
  changed["files"].erase("model.safetensors");
  EXPECT_THAT([&] { parse(print_checked_json(changed)); },
              ThrowsMessage<Error>(HasSubstr("files: lists no model.safetensors")));
}

TEST(Manifest, OneEmbeddingForAllNeedsOnePieceModel) {
  Manifest manifest = example();
  manifest.architecture.source_vocab = manifest.architecture.target_vocab;
  manifest.architecture.embeddings = EmbeddingSharing::all;
  EXPECT_THAT(
      [&] { parse(print_manifest(manifest)); },
      ThrowsMessage<Error>(StartsWith(
          "m/config.json: vocabulary.target: found \"target.spm\", expected 'source.spm'")));
}

TEST(Manifest, HugeAndDeepTextsAreRefused) {
  EXPECT_THAT([] { parse("{\"format\": \"" + std::string(2 << 20, 'x') + "\"}"); },
              ThrowsMessage<Error>(HasSubstr("bytes of JSON, expected at most 1048576")));
  EXPECT_THAT([] { parse("{\"format\": " + std::string(100'000, '[')); },
              ThrowsMessage<Error>(HasSubstr("nested deeper than 16 levels")));
}

TEST(Manifest, WordsThatAreNotUtf8DoNotStopTheWriting) {
  Manifest manifest = example();
  manifest.made["command"] = "eatt train \xff";
  EXPECT_EQ(parse(print_manifest(manifest)).made.at("command"), "eatt train \xef\xbf\xbd");
}

}  // namespace
}  // namespace eatt
