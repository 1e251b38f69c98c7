// tests/bundle/read_bundle.py was written from docs/formats.md alone: what it reads must be what we
// wrote.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bundle/expected_tensors.h"
#include "support/files.h"
#include "support/plain_int8_bundle.h"
#include "support/run.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using testing::read_text;
using testing::run;
using testing::split_lines;
using testing::TemporaryFolder;

constexpr char kPython[] = EATT_PYTHON;  // Empty where there is none.

testing::RunResult read_in_python(const std::filesystem::path& bundle, const std::string& tensor) {
  return run(kPython, {testing::repository_file("tests/bundle/read_bundle.py").string(),
                       bundle.string(), tensor});
}

TEST(PythonReader, FindsTheTensorsAndValuesThatWeWrote) {
  if (std::string_view(kPython).empty()) GTEST_SKIP() << "needs python3";
  const TemporaryFolder folder;
  const Architecture architecture = testing::tiny_architecture();
  const std::string wanted = "decoder.layers.1.cross_attn.q_proj.weight";
  testing::RandomBundle bundle(architecture);
  write_bundle(folder / "model", bundle.contents());
  const auto result = read_in_python(folder / "model", wanted);
  ASSERT_EQ(result.exit_code, 0) << result.err;

  const auto lines = split_lines(result.out);
  const auto tensors = expected_tensors(architecture);
  const std::vector<std::string> listed(lines.begin(),
                                        lines.begin() + static_cast<ptrdiff_t>(tensors.size()));
  for (const TensorSpec& tensor : tensors) {
    EXPECT_THAT(listed, ::testing::Contains(tensor.name + " " + shape_text(tensor.shape)));
  }

  const auto written = std::ranges::find(bundle.contents().tensors, wanted, &TensorView::name);
  const auto* values = reinterpret_cast<const float*>(written->bytes.data());
  ASSERT_EQ(lines.size() - tensors.size(), 64u);
  for (size_t i = 0; i < 64; ++i) {
    const double read = std::strtod(lines[tensors.size() + i].c_str(), nullptr);  // Hexadecimal.
    EXPECT_EQ(static_cast<float>(read), values[i]) << i;
  }
}

TEST(PythonReader, ReadsTheTensorsOfAnInt8Bundle) {
  if (std::string_view(kPython).empty()) GTEST_SKIP() << "needs python3";
  const TemporaryFolder folder;
  const Architecture architecture = testing::tiny_architecture();
  testing::PlainInt8Bundle bundle(architecture);
  const std::string wanted = "encoder.layers.1.self_attn.qk_select.bias";
  for (int i = 0; i < 16; ++i) {
    bundle.values<int16_t>(wanted)[i] = static_cast<int16_t>(1000 * (i - 8));
  }
  write_bundle(folder / "model", bundle.contents());
  const auto result = read_in_python(folder / "model", wanted);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto lines = split_lines(result.out);
  const size_t tensors = expected_tensors(architecture, Precision::int8).size();
  ASSERT_EQ(lines.size(), tensors + 16);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(lines[tensors + static_cast<size_t>(i)], std::to_string(1000 * (i - 8)));
  }
}

TEST(PythonReader, NoticesAChangedByte) {
  if (std::string_view(kPython).empty()) GTEST_SKIP() << "needs python3";
  const TemporaryFolder folder;
  const auto path = testing::write_random_bundle(folder / "model");
  std::string bytes = read_text(path / "source.spm");
  bytes[0] ^= 1;
  std::ofstream(path / "source.spm", std::ios::binary) << bytes;
  const auto result = read_in_python(path, "encoder.layer_norm.bias");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("source.spm: wrong hash"));
}

TEST(PythonReader, IsShort) {
  EXPECT_LE(split_lines(read_text(testing::repository_file("tests/bundle/read_bundle.py"))).size(),
            45u);
}

}  // namespace
}  // namespace eatt
