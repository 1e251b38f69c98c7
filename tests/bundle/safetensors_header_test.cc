// Hostile headers: each way to be wrong has its own sentence.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "base/error.h"
#include "bundle/safetensors.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

static_assert(std::endian::native == std::endian::little, "the tests write numbers as they are");

std::string with_length(uint64_t length, const std::string& rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + rest;
}

std::string file_of(const std::string& json, size_t data_bytes) {
  return with_length(json.size(), json + std::string(data_bytes, 'd'));
}

SafetensorsHeader parse(const std::string& file) {
  return parse_safetensors_header(std::as_bytes(std::span(file)), "m.safetensors");
}

void expect_refused(const std::string& file, const std::string& what) {
  EXPECT_THAT([&] { parse(file); },
              ThrowsMessage<Error>(AllOf(StartsWith("m.safetensors: "), HasSubstr(what),
                                         EndsWith("export or copy it again"))));
}

// One tensor 't' with these fields, and 8 bytes of data.
void expect_tensor_refused(const std::string& fields, const std::string& what) {
  expect_refused(file_of("{\"t\":{" + fields + "}}", 8), what);
}

TEST(SafetensorsHeader, ReadsTensorsInTheOrderOfTheirBytes) {
  const auto header =
      parse(file_of(R"({"__metadata__":{"format":"pt"},)"
                    R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[4,12]},)"
                    R"("b":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                    R"("scalar":{"dtype":"F16","shape":[],"data_offsets":[12,14]},)"
                    R"("empty":{"dtype":"F64","shape":[3,0],"data_offsets":[14,14]}}  )",
                    14));
  ASSERT_EQ(header.tensors.size(), 4u);
  EXPECT_EQ(header.tensors[0].name, "b");
  EXPECT_EQ(header.tensors[1].name, "a");
  EXPECT_EQ(header.tensors[1].dtype, Dtype::f32);
  EXPECT_EQ(header.tensors[1].shape, (Shape{2, 1}));
  EXPECT_EQ(header.tensors[2].name, "scalar");
  EXPECT_EQ(header.tensors[3].name, "empty");
  EXPECT_EQ(header.metadata.at("format"), "pt");
}

TEST(SafetensorsHeader, NoTensorsAtAllIsAFile) {
  EXPECT_TRUE(parse(file_of("{}", 0)).tensors.empty());
}

TEST(SafetensorsHeader, RefusesAFileTooShortForItsLength) {
  expect_refused("", "has 0 bytes, expected at least 8");
  expect_refused("1234567", "has 7 bytes, expected at least 8");
}

TEST(SafetensorsHeader, RefusesALengthBeyondTheFile) {
  expect_refused(
      with_length(1000, "{}"),
      "has a header of 1000 bytes that goes beyond the end of the file, expected at most "
      "2 after the first 8");
  expect_refused(with_length(3, "{}"), "beyond the end of the file");
}

TEST(SafetensorsHeader, RefusesALengthAboveTheFormatsLimit) {
  expect_refused(with_length(100'000'001, "{}"),
                 "has a header of 100000001 bytes, expected at most 100000000");
  expect_refused(with_length(UINT64_MAX, "{}"), "has a header of 18446744073709551615 bytes");
}

TEST(SafetensorsHeader, RefusesAHeaderThatIsNoObject) {
  expect_refused(file_of("[]", 0),
                 "has a header that starts with '[', expected a JSON object: '{'");
  expect_refused(file_of(" {}", 0), "starts with ' '");
  expect_refused(file_of("\xef\xbb\xbf{}", 0), "starts with '\\xef'");
  expect_refused(file_of("", 0), "starts with ''");
}

TEST(SafetensorsHeader, RefusesJsonThatIsCutDeepOrNotText) {
  expect_refused(file_of("{\"a\":", 0), "its JSON ends too early");
  expect_refused(file_of("{\"a\":}", 0), "is not valid JSON at line 1, column 6 (byte 5)");
  expect_refused(file_of("{\"a\":" + std::string(1'000'000, '['), 0),
                 "nested deeper than 3 levels");
  expect_refused(file_of("{\"\xff\":{}}", 0), "byte 2 of the JSON is not UTF-8");
}

TEST(SafetensorsHeader, RefusesANameGivenTwice) {
  expect_refused(file_of(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                         R"("a":{"dtype":"I8","shape":[4],"data_offsets":[4,8]}})",
                         8),
                 "gives 'a' twice");
}

TEST(SafetensorsHeader, RefusesTooManyTensors) {
  std::string json = "{";
  for (size_t i = 0; i <= kMaxTensors; ++i) {
    json += fmt::format(R"("{}":{{"dtype":"I8","shape":[0],"data_offsets":[0,0]}},)", i);
  }
  json.back() = '}';
  expect_refused(file_of(json, 0), "has 100001 tensors, expected at most 100000");
}

TEST(SafetensorsHeader, RefusesATensorWithoutOrWithOtherFields) {
  expect_refused(file_of(R"({"t":[]})", 8), "t: found an array of length 0, expected an object");
  expect_tensor_refused(R"("shape":[2],"data_offsets":[0,8])", "t.dtype: is missing");
  expect_tensor_refused(R"("dtype":"F32","data_offsets":[0,8])", "t.shape: is missing");
  expect_tensor_refused(R"("dtype":"F32","shape":[2])", "t.data_offsets: is missing");
  expect_tensor_refused(R"("dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1)",
                        "t.more: is a key that this version does not know");
}

TEST(SafetensorsHeader, RefusesAnUnknownType) {
  expect_tensor_refused(R"("dtype":"F31","shape":[2],"data_offsets":[0,8])",
                        "t.dtype: found \"F31\", expected one of BOOL, U8, I8,");
  expect_tensor_refused(R"("dtype":4,"shape":[2],"data_offsets":[0,8])",
                        "t.dtype: found 4, expected a text");
}

TEST(SafetensorsHeader, RefusesSizesThatAreNotWholeNumbers) {
  for (const char* size : {"-2", "2.0", "1e1", "\"2\"", "null", "18446744073709551616"}) {
    expect_tensor_refused(fmt::format(R"("dtype":"F32","shape":[{}],"data_offsets":[0,8])", size),
                          "t.shape[0]: found ");
    expect_tensor_refused(fmt::format(R"("dtype":"F32","shape":[2],"data_offsets":[0,{}])", size),
                          "t.data_offsets[1]: found ");
  }
  expect_tensor_refused(R"("dtype":"F32","shape":2,"data_offsets":[0,8])",
                        "t.shape: found 2, expected an array");
  expect_tensor_refused(R"("dtype":"F32","shape":[2],"data_offsets":[0,4,8])",
                        "t.data_offsets: found an array of length 3, expected two offsets");
  expect_tensor_refused(R"("dtype":"I8","shape":[1,1,1,1,1,1,1,1,8],"data_offsets":[0,8])",
                        "t.shape: found an array of length 9, expected at most 8 sizes");
}

TEST(SafetensorsHeader, RefusesAShapeWhoseSizeOverflows) {
  expect_tensor_refused(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8])",
                        "tensor 't' of shape [4294967296, 4294967296] needs more bytes than 64");
  // 2^62 elements of 4 bytes: only the last product overflows, to 0.
  expect_tensor_refused(R"("dtype":"F32","shape":[4611686018427387904],"data_offsets":[0,0])",
                        "needs more bytes than 64");
}

TEST(SafetensorsHeader, RefusesOffsetsOutsideTheData) {
  expect_tensor_refused(R"("dtype":"F32","shape":[4],"data_offsets":[0,16])",
                        "tensor 't' ends at byte 16 of the data, but the file has only 8");
  expect_tensor_refused(R"("dtype":"F32","shape":[2],"data_offsets":[8,0])",
                        "tensor 't' begins at byte 8 of the data and ends before it, at 0");
  expect_tensor_refused(
      R"("dtype":"F32","shape":[2],"data_offsets":[18446744073709551608,18446744073709551615])",
      "ends at byte 18446744073709551615 of the data");
}

TEST(SafetensorsHeader, RefusesOffsetsThatDoNotFitTheShape) {
  expect_tensor_refused(R"("dtype":"F32","shape":[1],"data_offsets":[0,8])",
                        "tensor 't' has 8 bytes, expected 4 for F32 [1]");
}

TEST(SafetensorsHeader, RefusesOverlapsAndHoles) {
  const auto two = [](const char* first, const char* second) {
    return file_of(fmt::format(R"({{"a":{{"dtype":"I8","shape":[4],"data_offsets":{}}},)"
                               R"("b":{{"dtype":"I8","shape":[4],"data_offsets":{}}}}})",
                               first, second),
                   12);
  };
  expect_refused(two("[0,4]", "[2,6]"),
                 "tensors 'a' and 'b' overlap: the first ends at byte 4 of the data, the second "
                 "begins at 2");
  expect_refused(two("[0,4]", "[0,4]"), "tensors 'a' and 'b' overlap");
  expect_refused(two("[0,4]", "[8,12]"),
                 "bytes 4 to 8 of the data, before tensor 'b', belong to no tensor");
  expect_refused(two("[4,8]", "[8,12]"), "bytes 0 to 4 of the data, before tensor 'a'");
  expect_refused(two("[0,4]", "[4,8]"), "the last 4 bytes, after the last tensor, belong to no");
}

TEST(SafetensorsHeader, RefusesMetadataThatIsNotTexts) {
  expect_refused(file_of(R"({"__metadata__":{"a":1}})", 0),
                 "__metadata__.a: found 1, expected a text");
  expect_refused(file_of(R"({"__metadata__":3})", 0), "__metadata__: found 3, expected an object");
}

TEST(SafetensorsHeader, AHostileNameCannotBreakTheLine) {
  EXPECT_THAT([] { parse(file_of("{\"a\\nb\\u001b\":1}", 0)); },
              ThrowsMessage<Error>(HasSubstr("'a\\x0ab\\x1b': found 1")));
}

TEST(PlaceTensors, EachStartsAtAMultipleOfWhatItsSizeAllows) {
  std::vector<TensorInfo> tensors;
  // Sizes in bytes: 4, 64, 6, 32, 128, 1, 0, 96.
  for (const auto& [name, dtype, shape] :
       std::vector<std::tuple<std::string, Dtype, Shape>>{{"scalar", Dtype::f32, {}},
                                                          {"row", Dtype::f32, {16}},
                                                          {"halves", Dtype::f16, {3}},
                                                          {"scales", Dtype::f32, {8}},
                                                          {"bytes", Dtype::i8, {2, 64}},
                                                          {"flag", Dtype::boolean, {1}},
                                                          {"empty", Dtype::f64, {0, 4}},
                                                          {"three", Dtype::f32, {3, 8}}}) {
    tensors.push_back({name, dtype, shape, 0, 0});
  }
  tensors = place_tensors(tensors);
  std::vector<std::string> names;
  uint64_t covered = 0;
  for (const TensorInfo& tensor : tensors) {
    names.push_back(tensor.name);
    const uint64_t bytes = tensor.end - tensor.begin;
    EXPECT_EQ(tensor.begin, covered) << tensor.name;
    EXPECT_EQ(bytes, tensor_bytes(tensor.dtype, tensor.shape)) << tensor.name;
    EXPECT_EQ(tensor.begin % dtype_bytes(tensor.dtype), 0u) << tensor.name;
    EXPECT_TRUE(bytes % kAlignment != 0 || tensor.begin % kAlignment == 0) << tensor.name;
    covered = tensor.end;
  }
  EXPECT_THAT(names, ::testing::ElementsAre("row", "bytes", "empty", "scales", "three", "scalar",
                                            "halves", "flag"));
  EXPECT_EQ(covered, 331u);
}

TEST(PrintSafetensorsHeader, ReadsBackAndStartsTheDataAtAMultipleOf64) {
  for (size_t length = 0; length < 70; ++length) {  // Every remainder.
    std::vector<TensorInfo> tensors = {
        {std::string(length, 'n') + "\"\n注", Dtype::f32, {2}, 0, 0}};
    tensors = place_tensors(tensors);
    const std::string text = print_safetensors_header(tensors, {{"key", "value\t"}});
    EXPECT_EQ(text.size() % 64, 0u);
    const auto header = parse(text + std::string(8, 'd'));
    EXPECT_EQ(header.data_start, text.size());
    EXPECT_EQ(header.tensors.at(0).name, tensors[0].name);
    EXPECT_EQ(header.metadata.at("key"), "value\t");
  }
}

}  // namespace
}  // namespace eatt
