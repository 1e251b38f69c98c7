// Exhaustive damage: every file of a small bundle cut at every byte, and every byte changed. Run
// under the sanitizers this is the promise that a bad file gives an Error and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "bundle/bundle.h"
#include "bundle/bundle_checks.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using testing::read_text;
using testing::TemporaryFolder;

// As small as a bundle with both sides can be.
Architecture smallest() {
  Architecture a;
  a.model_dim = a.attention_dim = a.qk_dim = a.ffn_dim = 2;
  a.heads = 1;
  a.source_vocab = 5;
  a.target_vocab = 6;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    attention->layers = {Mechanism::eatt};
  }
  return a;
}

void write(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// True if `act` threw an Error; any other exception fails the test.
template <typename Act>
bool refuses(const Act& act) {
  try {
    act();
    return false;
  } catch (const Error&) {
    return true;
  }
}

// Opens without hashes and touches every byte that the result offers.
void open_and_read(const fs::path& path) {
  const Bundle bundle = Bundle::open(path, {.verify_hashes = false});
  unsigned sum = 0;
  for (const TensorInfo& tensor : bundle.weights().tensors()) {
    for (const std::byte byte : bundle.weights().view(tensor).bytes)
      sum += std::to_integer<unsigned>(byte);
  }
  for (const char byte : bundle.source_piece_model()) sum += static_cast<unsigned char>(byte);
  for (const char byte : bundle.target_piece_model()) sum += static_cast<unsigned char>(byte);
  volatile unsigned sink = sum;
  static_cast<void>(sink);
}

class Damage : public ::testing::Test {
 protected:
  const TemporaryFolder folder_;
  const fs::path path_ = testing::write_random_bundle(folder_ / "model", smallest());
};

TEST_F(Damage, AnyFileCutAnywhereIsRefused) {
  for (const auto& entry : fs::directory_iterator(path_)) {
    const fs::path file = entry.path();
    const std::string whole = read_text(file);
    for (size_t size = whole.size(); size-- > 0;) {
      // Only the newline after the last brace may go.
      if (file.filename() == "config.json" && size + 1 == whole.size()) continue;
      fs::resize_file(file, size);
      ASSERT_TRUE(refuses([&] { open_and_read(path_); })) << file << " cut to " << size;
    }
    write(file, whole);
  }
  EXPECT_NO_THROW(open_and_read(path_));
}

TEST_F(Damage, AHeaderCutAnywhereIsRefusedWithoutTheHelpOfSizes) {
  const std::string whole = read_text(path_ / "model.safetensors");
  for (size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly this size, so that a read beyond it is seen.
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    ASSERT_TRUE(refuses([&] { parse_safetensors_header(std::as_bytes(std::span(cut)), "cut"); }))
        << size;
  }
}

TEST_F(Damage, APieceModelCutAnywhereIsRefusedOrHasFewerPieces) {
  const std::string whole = testing::piece_model(12);
  const size_t pieces_end = whole.rfind("\x18\x02\x20\x0c") - 2;  // Then the trainer.
  ASSERT_LT(pieces_end, whole.size());
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    size_t pieces = 0;
    const bool refused =
        refuses([&] { pieces = count_pieces(std::as_bytes(std::span(cut)), "cut"); });
    ASSERT_TRUE(refused || pieces < 12 || size >= pieces_end) << size;
  }
}

TEST_F(Damage, AChangedByteNeverCrashesAParser) {
  Random random(1);
  const auto parse_changed = [&](std::string bytes, const auto& parse) {
    size_t refused = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
      const char old = bytes[i];
      // A random byte, and the digit and the quote, which do most harm in JSON.
      for (const char changed : {static_cast<char>(random.below(256)), '9', '"'}) {
        bytes[i] = changed;
        refused += refuses([&] { parse(bytes); });
      }
      bytes[i] = old;
    }
    return refused;
  };
  // Three tensors are enough: the header of the whole bundle only repeats them.
  const std::vector<std::byte> zeros(16);
  const std::vector<TensorView> tensors = {
      {"encoder.layers.0.fc1.weight", Dtype::f32, {2, 2}, zeros},
      {"encoder.layers.0.fc1.bias", Dtype::f32, {2}, std::span(zeros).first(8)},
      {"scale", Dtype::u8, {}, std::span(zeros).first(1)}};
  write_safetensors(folder_ / "weights", tensors, {{"format", "pt"}});
  const std::string weights = read_text(folder_ / "weights");
  const std::string config = read_text(path_ / "config.json");
  const std::string pieces = testing::piece_model(12);
  const auto bytes_of = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  // Blanks, and letters of names and texts, may change; most bytes may not.
  EXPECT_GT(parse_changed(weights,
                          [&](const std::string& bytes) {
                            parse_safetensors_header(bytes_of(bytes), "changed");
                          }),
            weights.size());
  EXPECT_GT(
      parse_changed(config, [](const std::string& bytes) { parse_manifest(bytes, "changed"); }),
      config.size());
  EXPECT_GT(
      parse_changed(pieces,
                    [&](const std::string& bytes) { count_pieces(bytes_of(bytes), "changed"); }),
      0u);
}

TEST_F(Damage, AChangedByteOfAHashedFileIsAlwaysFound) {
  Random random(2);
  for (const auto& entry : fs::directory_iterator(path_)) {
    const fs::path file = entry.path();
    if (file.filename() == "config.json") continue;
    std::string bytes = read_text(file);
    for (size_t i = 0; i < bytes.size(); i += bytes.size() < 200 ? 1 : 13) {
      const char old = bytes[i];
      bytes[i] = static_cast<char>(old ^ (1 + random.below(255)));
      write(file, bytes);
      refuses([&] { open_and_read(path_); });  // Whatever it says, it must not crash.
      ASSERT_TRUE(refuses([&] { Bundle::open(path_); })) << file << " byte " << i;
      bytes[i] = old;
    }
    write(file, bytes);
  }
  EXPECT_NO_THROW(Bundle::open(path_));
}

TEST_F(Damage, CheckBundleNeverThrowsForADamagedBundle) {
  Random random(3);
  for (const char* name : {"config.json", "model.safetensors", "source.spm", "results.json"}) {
    const std::string whole = read_text(path_ / name);
    for (int i = 0; i < 40; ++i) {
      std::string bytes = whole;
      bytes.resize(random.below(bytes.size() + 1));
      for (int flips = 0; flips < 3 && !bytes.empty(); ++flips) {
        bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      }
      write(path_ / name, bytes);
      ASSERT_NO_THROW(check_bundle(path_)) << name;
    }
    write(path_ / name, whole);
  }
}

}  // namespace
}  // namespace eatt
