// Int8 bundles as files: what is written opens, what is wrong is named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "bundle/bundle.h"
#include "bundle/bundle_checks.h"
#include "support/files.h"
#include "support/plain_int8_bundle.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::PlainInt8Bundle;
using testing::read_text;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;

// The sentence of the check `name`, which must have failed.
std::string failure(const fs::path& path, const std::string& name) {
  for (const CheckResult& result : check_bundle(path)) {
    if (result.name == name && result.state == CheckState::failed) return result.detail;
  }
  return "no failure of " + name;
}

class Int8Bundle : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const fs::path path_ = folder_ / "model";
  PlainInt8Bundle bundle_{tiny_architecture()};
};

TEST_F(Int8Bundle, EveryMechanismAndSharingRoundTrips) {
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt, Mechanism::selection,
                                    Mechanism::l1, Mechanism::dense, Mechanism::randinit}) {
    for (const EmbeddingSharing sharing :
         {EmbeddingSharing::none, EmbeddingSharing::target, EmbeddingSharing::all}) {
      Architecture a = tiny_architecture(mechanism);
      a.embeddings = sharing;
      a.target_vocab = a.source_vocab;
      PlainInt8Bundle written(a);
      write_bundle(path_, written.contents());
      const Bundle read = Bundle::open(path_);
      EXPECT_EQ(read.manifest().precision, Precision::int8);
      EXPECT_EQ(read.architecture(), with_folded_scales(a));
      for (const TensorView& tensor : written.contents().tensors) {
        const auto bytes = read.weights().tensor(tensor.name).bytes;
        EXPECT_TRUE(std::ranges::equal(bytes, tensor.bytes)) << tensor.name;
      }
      for (const CheckResult& result : check_bundle(path_)) {
        EXPECT_EQ(result.state, CheckState::ok) << result.name << ": " << result.detail;
      }
    }
  }
}

TEST_F(Int8Bundle, IsNamedAsSuchByTheChecks) {
  write_bundle(path_, bundle_.contents());
  EXPECT_THAT(check_bundle(path_).front().detail, ::testing::EndsWith(", int8"));
  EXPECT_EQ(json::parse(read_text(path_ / "config.json"))["precision"], "int8");
}

TEST_F(Int8Bundle, AScaleOfScoresThatIsNotFoldedIsRefused) {
  write_bundle(path_, bundle_.contents());
  json config = json::parse(read_text(path_ / "config.json"));
  config["architecture"]["decoder"]["cross_attention"]["score_scale"] = {{"kind", "head_width"}};
  std::ofstream(path_ / "config.json") << print_checked_json(config);
  EXPECT_THAT([&] { Bundle::open(path_); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("decoder.cross_attention.score_scale.kind: found \"head_width\""),
                        HasSubstr("expected \"folded\", since the precision is int8"))));
  bundle_.contents().manifest.architecture.encoder_self.scale = {ScaleKind::fixed, 8};
  EXPECT_THAT([&] { write_bundle(folder_ / "other", bundle_.contents()); },
              ThrowsMessage<Error>(HasSubstr("expected \"folded\"")));
}

TEST_F(Int8Bundle, TensorsOfTheOtherPrecisionAreRefused) {
  write_bundle(path_, bundle_.contents());
  json config = json::parse(read_text(path_ / "config.json"));
  config["precision"] = "float32";
  std::ofstream(path_ / "config.json") << print_checked_json(config);
  EXPECT_THAT([&] { Bundle::open(path_); },
              ThrowsMessage<Error>(HasSubstr("'encoder.embed_tokens.weight' is missing")));
  config["precision"] = "int4";
  std::ofstream(path_ / "config.json") << print_checked_json(config);
  EXPECT_THAT(
      [&] { Bundle::open(path_); },
      ThrowsMessage<Error>(HasSubstr("precision: found \"int4\", expected one of float32, int8")));
}

TEST_F(Int8Bundle, AWrongTypeOrShapeIsNamed) {
  const auto expect_refused = [&](const char* name, Dtype dtype, const Shape& shape,
                                  const char* sentence) {
    write_bundle(path_, bundle_.contents());
    std::vector<TensorView> tensors = bundle_.contents().tensors;
    TensorView& wrong = *std::ranges::find(tensors, name, &TensorView::name);
    wrong.dtype = dtype;
    wrong.shape = shape;
    const FileRecord record = write_safetensors(path_ / "model.safetensors", tensors);
    json config = json::parse(read_text(path_ / "config.json"));
    config["files"]["model.safetensors"] = {{"bytes", record.bytes}, {"sha256", record.sha256}};
    std::ofstream(path_ / "config.json") << print_checked_json(config);
    EXPECT_THAT([&] { Bundle::open(path_); }, ThrowsMessage<Error>(HasSubstr(sentence)));
  };
  expect_refused("encoder.layers.0.fc1.panels", Dtype::u8, {1, 2, 64, 4},
                 "'encoder.layers.0.fc1.panels' is U8 [1, 2, 64, 4], the architecture in "
                 "config.json needs I8 [1, 2, 64, 4]");
  expect_refused("encoder.layers.0.fc1.panels", Dtype::i8, {2, 1, 64, 4},
                 "is I8 [2, 1, 64, 4], the architecture in config.json needs I8 [1, 2, 64, 4]");
  expect_refused("decoder.layers.1.cross_attn.k_select.bias", Dtype::f16, {8},
                 "k_select.bias' is F16 [8], the architecture in config.json needs I16 [8]");
  expect_refused("decoder.layers.1.cross_attn.k_select.scales", Dtype::f32, {2, 1},
                 "is F32 [2, 1], the architecture in config.json needs F32 [2]");
}

TEST_F(Int8Bundle, SumsThatAreNotThoseOfThePanelsAreFoundByTheCheck) {
  int32_t* sums = bundle_.values<int32_t>("decoder.layers.1.fc2.sums");
  const int32_t right = sums[5];
  sums[5] += 1;
  write_bundle(path_, bundle_.contents());
  EXPECT_NO_THROW(Bundle::open(path_));  // Which looks at no values.
  EXPECT_THAT(
      failure(path_, "values"),
      HasSubstr("value 5 of tensor 'decoder.layers.1.fc2.sums' is " + std::to_string(right + 1) +
                ", expected " + std::to_string(right) + ", the sum of its column in the panels"));
}

TEST_F(Int8Bundle, AWeightWhoseNegativeHasNoRoomIsFoundByTheCheck) {
  bundle_.values<int8_t>("decoder.layers.1.fc2.panels")[7] = -128;
  write_bundle(path_, bundle_.contents());
  EXPECT_THAT(failure(path_, "values"),
              HasSubstr("value 7 of tensor 'decoder.layers.1.fc2.panels' is -128, expected at "
                        "least -127"));
}

TEST_F(Int8Bundle, KeysInAnotherUnitThanQueriesAreFoundByTheCheck) {
  bundle_.values<float>("decoder.layers.1.cross_attn.k_select.scales")[1] *= 2;
  write_bundle(path_, bundle_.contents());
  EXPECT_THAT(failure(path_, "values"),
              HasSubstr("value 1 of tensor 'decoder.layers.1.cross_attn.k_select.scales' is "));
}

TEST_F(Int8Bundle, AScaleThatIsNotAboveZeroIsFoundByTheCheck) {
  bundle_.values<float>("encoder.embed_tokens.scales")[39] = 0;
  write_bundle(path_, bundle_.contents());
  EXPECT_THAT(failure(path_, "values"),
              HasSubstr("value 39 of tensor 'encoder.embed_tokens.scales' is 0, expected a finite "
                        "number above 0"));
}

TEST_F(Int8Bundle, SelectionsThatCanLeaveSixteenBitsAreFoundByTheCheck) {
  // Eight inputs of 1 in every column below 32.
  int16_t* bias = bundle_.values<int16_t>("encoder.layers.0.self_attn.qk_select.bias");
  bias[3] = 32767 - 8;
  write_bundle(path_, bundle_.contents());
  EXPECT_THAT(failure(path_, "values"), HasSubstr("no failure"));
  bias[3] = 32767 - 7;
  write_bundle(path_, bundle_.contents());
  EXPECT_THAT(failure(path_, "values"),
              AllOf(HasSubstr("value 3 of tensor 'encoder.layers.0.self_attn.qk_select.bias'"),
                    HasSubstr("they reach 32760 and 32768")));
}

TEST_F(Int8Bundle, TheChecksKnowBothHalvesOfPackedColumns) {
  Architecture a = tiny_architecture();
  a.qk_dim = 300;  // 600 columns of Q and K: three panels, the last of 128.
  PlainInt8Bundle wide(a);
  const std::string name = "encoder.layers.0.self_attn.qk_select";
  // Column 560 = 512 + 48: byte 2·16 + 1 of its 64, which hold −127 (129 as a signed byte).
  wide.values<int16_t>(name + ".bias")[560] = -32767 + 8 * 127;
  write_bundle(path_, wide.contents());
  EXPECT_THAT(failure(path_, "values"), HasSubstr("no failure"));
  // Input 7 of the last panel.
  wide.values<uint8_t>(name + ".packed")[2 * 8 * 256 + 7 * 128 + 33] = 128;
  write_bundle(path_, wide.contents());
  EXPECT_THAT(failure(path_, "values"), HasSubstr("value 560 of tensor '" + name + ".bias'"));
}

}  // namespace
}  // namespace eatt
