#include "trace/trace_folder.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/sha256.h"
#include "bundle/architecture.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt::trace {
namespace {

namespace fs = std::filesystem;
using testing::read_text;
using testing::TemporaryFolder;

class TraceFolderTest : public ::testing::Test {
 protected:
  TraceFolder start(const fs::path& path) const {
    return TraceFolder(path, {"model", Bundle::open(model_).manifest()});
  }
  void write(const fs::path& path) const {
    TraceFolder folder = start(path);
    folder.add_weights(tracer_.model());
    folder.add_sentence(tracer_.trace("a b"));
    folder.add_sentence(tracer_.trace("c"));
    folder.finish();
  }

  const TemporaryFolder folder_;
  const fs::path model_ = testing::write_random_bundle(folder_ / "model");
  const Tracer tracer_{Bundle::open(model_)};
  const fs::path out_ = folder_ / "trace";
};

TEST_F(TraceFolderTest, SaysWhatItIsAndWhereItIsFrom) {
  write(out_);
  const auto json = nlohmann::json::parse(read_text(out_ / "trace.json"));
  EXPECT_EQ(json["format"], "eatt-trace");
  EXPECT_EQ(json["format_version"], 1);
  EXPECT_EQ(json["bundle"]["name"], "model");
  EXPECT_EQ(json["bundle"]["precision"], "float32");
  EXPECT_EQ(json["bundle"]["weights_sha256"], sha256_of_file(model_ / "model.safetensors"));
  EXPECT_EQ(json["architecture"]["heads"], 2);
  EXPECT_EQ(json["architecture"]["encoder"]["self_attention"]["score_scale"]["kind"], "folded");
  ASSERT_EQ(json["files"].size(), 3u);
  for (const auto& [name, record] : json["files"].items()) {
    EXPECT_EQ(record["sha256"], sha256_of_file(out_ / name)) << name;
    EXPECT_EQ(record["bytes"], fs::file_size(out_ / name)) << name;
  }
  const auto& sentence = json["sentences"][0];
  EXPECT_EQ(sentence["file"], "sentence-0001.safetensors");
  EXPECT_EQ(sentence["source"], "a b");
  EXPECT_EQ(sentence["source_pieces"].back(), "</s>");
  // The encoder's last norm: of width 8, for every piece.
  EXPECT_EQ(sentence["operations"][0]["duty"], "norm");
  EXPECT_EQ(sentence["operations"][0]["operations"]["mul"]["fp32"],
            sentence["source_pieces"].size() * (3 * 8 + 2));
}

TEST_F(TraceFolderTest, ExplainsEveryKindOfTensor) {
  write(out_);
  const auto json = nlohmann::json::parse(read_text(out_ / "trace.json"));
  std::string explained;
  for (const auto& [suffix, meaning] : json["tensors"].items()) explained += suffix + ", ";
  for (const char* file : {"weights.safetensors", "sentence-0001.safetensors"}) {
    const Safetensors opened(out_ / file);
    for (const TensorInfo& tensor : opened.tensors()) {
      const std::string suffix = tensor.name.substr(tensor.name.rfind('.') + 1);
      EXPECT_THAT(explained, ::testing::HasSubstr(suffix + ", ")) << tensor.name;
    }
  }
}

TEST_F(TraceFolderTest, AppearsWithFinishOnlyAndReplacesAnOlderTrace) {
  {
    TraceFolder unfinished = start(out_);
    unfinished.add_sentence(tracer_.trace("a"));
  }
  EXPECT_FALSE(fs::exists(out_));
  write(out_);
  write(out_);
  EXPECT_TRUE(fs::exists(out_ / "sentence-0002.safetensors"));
}

TEST_F(TraceFolderTest, ReplacesNothingElse) {
  EXPECT_THROW(start(model_), Error);
  EXPECT_THROW(start(folder_.write("notes.txt", "mine")), Error);
  fs::create_directory(folder_ / "empty");
  EXPECT_NO_THROW(start(folder_ / "empty"));
}

TEST_F(TraceFolderTest, TheNameOfTheFormatInAFileMakesNoTrace) {
  const fs::path notes = folder_ / "notes";
  fs::create_directory(notes);
  for (const char* text : {R"({"format": "notes", "about": "eatt-trace"})", "eatt-trace", "",
                           R"({"files": {}, "made by": "eatt-trace"})"}) {
    folder_.write("notes/trace.json", text);
    EXPECT_THROW(start(notes), Error) << text;
  }
}

TEST_F(TraceFolderTest, FilesThatSomebodyPutBesideTheVectorsAreKept) {
  write(out_);
  const auto problem = [&] {
    try {
      start(out_);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(problem(), "");
  folder_.write("trace/results.csv", "mine");
  EXPECT_THAT(problem(),
              ::testing::HasSubstr("holds results.csv, which is not a file of the trace"));
  fs::remove(out_ / "results.csv");
  fs::create_directory(out_ / "waves");
  EXPECT_THAT(problem(), ::testing::HasSubstr("holds waves"));
  fs::remove(out_ / "waves");
  // Files of the trace may be missing.
  fs::remove(out_ / "sentence-0002.safetensors");
  EXPECT_EQ(problem(), "");
}

TEST_F(TraceFolderTest, FilesThatComeDuringTheTraceAreKeptToo) {
  write(out_);
  TraceFolder folder = start(out_);
  folder.add_sentence(tracer_.trace("a"));
  folder_.write("trace/results.csv", "mine");
  EXPECT_THROW(folder.finish(), Error);
  EXPECT_EQ(read_text(out_ / "results.csv"), "mine");
}

}  // namespace
}  // namespace eatt::trace
