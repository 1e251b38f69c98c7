#include "bundle/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "bundle/bundle_checks.h"
#include "bundle/expected_tensors.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::piece_model;
using testing::RandomBundle;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;
using testing::write_random_bundle;

void expect_refused(const fs::path& path, const std::vector<std::string>& parts,
                    OpenOptions options = {}) {
  for (const std::string& part : parts) {
    EXPECT_THAT([&] { Bundle::open(path, options); }, ThrowsMessage<Error>(HasSubstr(part)));
  }
}

// Writes a file into the bundle and records its size and hash in config.json, as a forger would.
void forge(const fs::path& bundle, const std::string& name, const std::string& bytes) {
  std::ofstream(bundle / name, std::ios::binary) << bytes;
  json config = json::parse(read_text(bundle / "config.json"));
  config["files"][name] = {{"bytes", bytes.size()}, {"sha256", sha256_hex(bytes)}};
  std::ofstream(bundle / "config.json") << print_checked_json(config);
}

void change_config(const fs::path& bundle, const char* pointer, const json& value) {
  json config = json::parse(read_text(bundle / "config.json"));
  config[json::json_pointer(pointer)] = value;
  std::ofstream(bundle / "config.json") << print_checked_json(config);
}

class BundleTest : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const fs::path path_ = write_random_bundle(folder_ / "model");
};

TEST_F(BundleTest, AnEditedConfigIsRefusedAndSaysHowToKeepTheEdit) {
  std::string config = read_text(path_ / "config.json");
  const std::string was = "\"value\": 1.0";
  ASSERT_NE(config.find(was), std::string::npos);
  config.replace(config.find(was), was.size(), "\"value\": 0.0");
  std::ofstream(path_ / "config.json") << config;
  expect_refused(path_, {"config.json: its contents do not match its \"checksum\"",
                         "if you meant to edit it, delete the line \"checksum\""});
  json edited = json::parse(config);
  edited.erase("checksum");
  std::ofstream(path_ / "config.json") << edited.dump(2);
  EXPECT_EQ(Bundle::open(path_).architecture().threshold.value, 0.0);
}

TEST_F(BundleTest, OpensWithEverythingThatWasWritten) {
  RandomBundle written(tiny_architecture());
  const Bundle bundle = Bundle::open(path_);
  EXPECT_EQ(bundle.architecture(), tiny_architecture());
  EXPECT_EQ(bundle.manifest().source_language, "zh");
  EXPECT_EQ(bundle.manifest().golden, written.contents().manifest.golden);
  EXPECT_EQ(bundle.source_piece_model(), piece_model(40));
  EXPECT_EQ(bundle.target_piece_model(), piece_model(50));
  for (const TensorView& tensor : written.contents().tensors) {
    const TensorView read = bundle.weights().tensor(tensor.name);
    EXPECT_EQ(read.shape, tensor.shape);
    EXPECT_THAT(read.bytes, ElementsAreArray(tensor.bytes)) << tensor.name;
  }
}

TEST_F(BundleTest, EveryMechanismSharingAndNormRoundTrips) {
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt, Mechanism::selection,
                                    Mechanism::l1, Mechanism::dense, Mechanism::randinit}) {
    for (const auto sharing :
         {EmbeddingSharing::none, EmbeddingSharing::target, EmbeddingSharing::all}) {
      Architecture a = tiny_architecture(mechanism);
      a.embeddings = sharing;
      if (sharing == EmbeddingSharing::all) a.source_vocab = a.target_vocab;
      a.norm = sharing == EmbeddingSharing::none ? NormPlacement::post : NormPlacement::pre;
      a.threshold.learned = true;
      a.cross.scale = {ScaleKind::learned, 2};
      const Bundle bundle = Bundle::open(write_random_bundle(folder_ / "other", a));
      EXPECT_EQ(bundle.architecture(), a) << mechanism_name(mechanism);
      EXPECT_EQ(bundle.weights().tensors().size(), expected_tensors(a).size());
    }
  }
}

TEST_F(BundleTest, AJointPieceModelServesBothSides) {
  Architecture a = tiny_architecture();
  a.source_vocab = a.target_vocab;
  a.embeddings = EmbeddingSharing::all;
  const Bundle bundle = Bundle::open(write_random_bundle(folder_ / "joint", a));
  EXPECT_TRUE(fs::exists(folder_ / "joint/joint.spm"));
  EXPECT_EQ(bundle.source_piece_model().data(), bundle.target_piece_model().data());
}

TEST_F(BundleTest, SomethingElseThanABundleIsNamed) {
  expect_refused(folder_ / "none", {"none: cannot be opened: No such file", "has model"});
  expect_refused(folder_.write("file", "x"), {"/file: is a file, expected a bundle: the folder"});
  fs::create_directory(folder_ / "empty");
  expect_refused(folder_ / "empty", {"/empty: is not a model; a model is a folder with"});
  fs::create_symlink("loop", folder_ / "loop");
  expect_refused(folder_ / "loop", {"Too many levels of symbolic links"});
}

TEST_F(BundleTest, AMissingFileIsNamed) {
  for (const char* name : {"model.safetensors", "source.spm", "target.spm", "training.toml"}) {
    fs::rename(path_ / name, folder_ / "away");
    expect_refused(path_, {std::string(name) + ": is missing", "with all its files"});
    fs::rename(folder_ / "away", path_ / name);
  }
  EXPECT_NO_THROW(Bundle::open(path_));
}

TEST_F(BundleTest, AFolderALoopOrAPipeInPlaceOfAFileIsNamed) {
  for (const char* name : {"config.json", "model.safetensors", "source.spm"}) {
    const std::string bytes = read_text(path_ / name);
    fs::remove(path_ / name);
    fs::create_directory(path_ / name);
    expect_refused(path_, {std::string(name) + ": is a folder, expected a file"});
    fs::remove(path_ / name);
    fs::create_symlink(name, path_ / name);
    expect_refused(path_, {std::string(name) + ": cannot be opened: Too many levels of symbolic",
                           "replace the link by the file"});
    fs::remove(path_ / name);
    ASSERT_EQ(::mkfifo((path_ / name).c_str(), 0600), 0);
    expect_refused(path_, {std::string(name) + ": is a device or a pipe, expected a file"});
    fs::remove(path_ / name);
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  EXPECT_NO_THROW(Bundle::open(path_));
}

TEST_F(BundleTest, ALinkToAFileElsewhereIsFollowed) {
  fs::rename(path_ / "source.spm", folder_ / "elsewhere");
  fs::create_symlink(folder_ / "elsewhere", path_ / "source.spm");
  EXPECT_NO_THROW(Bundle::open(path_));
}

TEST_F(BundleTest, ACutFileIsNamedWithBothSizes) {
  const auto size = fs::file_size(path_ / "model.safetensors");
  fs::resize_file(path_ / "model.safetensors", size - 1);
  expect_refused(path_, {"model.safetensors: has " + std::to_string(size - 1) +
                         " bytes, config.json says " + std::to_string(size)});
}

TEST_F(BundleTest, AChangedByteIsFoundByItsHashAndOnlyIfAsked) {
  std::string bytes = read_text(path_ / "model.safetensors");
  bytes.back() ^= 1;
  std::ofstream(path_ / "model.safetensors", std::ios::binary) << bytes;
  EXPECT_NO_THROW(Bundle::open(path_, {.verify_hashes = false}));
  expect_refused(path_, {"model.safetensors: its SHA-256 is " + sha256_hex(bytes).substr(0, 16),
                         "config.json says ", "copy the bundle again"});
}

TEST_F(BundleTest, SwappedPieceModelsAreNamedBySizeWithoutHashes) {
  fs::rename(path_ / "source.spm", folder_ / "away");
  fs::rename(path_ / "target.spm", path_ / "source.spm");
  fs::rename(folder_ / "away", path_ / "target.spm");
  expect_refused(
      path_,
      {"source.spm: has the size that config.json gives for target.spm, so the two piece "
       "models are swapped; exchange their names"},
      {.verify_hashes = false});
}

TEST_F(BundleTest, SwappedPieceModelsOfOneSizeAreNamedByTheirHashes) {
  Architecture a = tiny_architecture();
  a.source_vocab = a.target_vocab = 40;
  RandomBundle written(a);
  std::string other = piece_model(40);
  other.back() = 'X';  // The last letter of the normaliser's name.
  written.contents().target_piece_model = other;
  write_bundle(path_, written.contents());
  std::ofstream(path_ / "source.spm", std::ios::binary) << other;
  std::ofstream(path_ / "target.spm", std::ios::binary) << piece_model(40);
  expect_refused(path_, {"source.spm: has the SHA-256 that config.json gives for target.spm"});
}

TEST_F(BundleTest, AnotherVocabularyThanTheEmbeddingsIsNamedWithBothFilesAndNumbers) {
  forge(path_, "source.spm", piece_model(41));
  expect_refused(path_, {"source.spm: has 41 pieces, but the embedding "
                         "'encoder.embed_tokens' in",
                         "model.safetensors has 40 rows, expected as many; put back the piece"});
  forge(path_, "source.spm", piece_model(40));
  EXPECT_NO_THROW(Bundle::open(path_));
  forge(path_, "target.spm", piece_model(40));
  expect_refused(path_, {"target.spm: has 40 pieces, but the embedding "
                         "'decoder.embed_tokens' in",
                         "has 50 rows"});
}

TEST_F(BundleTest, APieceModelThatIsNoneIsNamed) {
  forge(path_, "source.spm", "<html>not found</html>");
  expect_refused(path_, {"source.spm: is not a SentencePiece model: at byte"});
  forge(path_, "source.spm", "");
  expect_refused(path_, {"source.spm: has no pieces in its 0 bytes"});
}

TEST_F(BundleTest, TensorsThatDoNotFitTheArchitectureAreNamed) {
  change_config(path_, "/architecture/ffn_dim", 24);
  expect_refused(path_, {"model.safetensors: tensor 'encoder.layers.0.fc1.weight' is F32 [16, 8], "
                         "the architecture in config.json needs F32 [24, 8]"});
  change_config(path_, "/architecture/ffn_dim", 16);
  change_config(path_, "/architecture/threshold/kind", "learned");
  expect_refused(path_, {"tensor 'encoder.layers.0.self_attn.threshold' is missing, the "
                         "architecture in config.json needs it as F32 [8]"});
  change_config(path_, "/architecture/threshold/kind", "fixed");
  change_config(path_, "/architecture/norm/placement", "post");
  expect_refused(path_, {"tensor 'encoder.layer_norm.weight' does not belong to the architecture"});
}

TEST_F(BundleTest, ATensorOfAnotherTypeIsNamed) {
  RandomBundle written(tiny_architecture());
  std::vector<TensorView> tensors = written.contents().tensors;
  tensors.back().dtype = Dtype::i32;
  write_safetensors(folder_ / "weights", tensors);
  forge(path_, "model.safetensors", read_text(folder_ / "weights"));
  expect_refused(path_, {"tensor 'decoder.layer_norm.bias' is I32 [8], the architecture in "
                         "config.json needs F32 [8]"});
}

TEST_F(BundleTest, WeightsThatCannotBeUsedInPlaceAreNamed) {
  // The same file with one more space after the header: sound, but nothing is aligned any more.
  std::string bytes = read_text(path_ / "model.safetensors");
  const size_t header = static_cast<uint8_t>(bytes[0]) + 256u * static_cast<uint8_t>(bytes[1]);
  bytes.insert(8 + header, " ");
  bytes[0] = static_cast<char>((header + 1) % 256);
  bytes[1] = static_cast<char>((header + 1) / 256);
  forge(path_, "model.safetensors", bytes);
  expect_refused(path_, {"expected a multiple of 4 so that it can be used in place"});
}

TEST_F(BundleTest, AHugeConfigIsNotRead) {
  fs::resize_file(path_ / "config.json", 5 << 20);
  expect_refused(path_, {"config.json: has 5242880 bytes, expected at most 1048576"});
}

TEST_F(BundleTest, CheckBundleGoesOnAfterAFailure) {
  const auto states = [&] {
    std::map<std::string, CheckState> found;
    for (const CheckResult& result : check_bundle(path_)) found[result.name] = result.state;
    return found;
  };
  for (const auto& [name, state] : states()) EXPECT_EQ(state, CheckState::ok) << name;
  EXPECT_EQ(states().size(), 12u);

  forge(path_, "source.spm", piece_model(41));
  fs::remove(path_ / "training.toml");
  const auto found = states();
  EXPECT_EQ(found.at("training.toml"), CheckState::failed);
  EXPECT_EQ(found.at("source vocabulary"), CheckState::failed);
  EXPECT_EQ(found.at("target vocabulary"), CheckState::ok);
  EXPECT_EQ(found.at("values"), CheckState::ok);
}

TEST_F(BundleTest, CheckBundleFindsValuesThatAreNotFinite) {
  RandomBundle written(tiny_architecture());
  std::vector<float> bad(8, 0.5f);
  bad[3] = std::numeric_limits<float>::quiet_NaN();
  written.contents().tensors.back().bytes = std::as_bytes(std::span<const float>(bad));
  write_bundle(path_, written.contents());
  for (const CheckResult& result : check_bundle(path_)) {
    EXPECT_EQ(result.state == CheckState::failed, result.name == "values") << result.detail;
    if (result.name == "values") {
      EXPECT_THAT(result.detail, HasSubstr("value 3 of tensor 'decoder.layer_norm.bias' is nan"));
    }
  }
}

TEST_F(BundleTest, CheckBundleFindsResultsThatAreNotJson) {
  forge(path_, "results.json", "{oops");
  for (const CheckResult& result : check_bundle(path_)) {
    EXPECT_EQ(result.state == CheckState::failed, result.name == "results") << result.detail;
  }
}

}  // namespace
}  // namespace eatt
