#include "support/tiny_bundle.h"

#include <bit>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/random.h"
#include "bundle/expected_tensors.h"

namespace eatt::testing {
namespace {

// A minimal protobuf writer: integers, strings and 32-bit floats.
class Message {
 public:
  Message& number(int field, uint64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(value);
    return *this;
  }
  Message& text(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& real(int field, float value) {
    varint(static_cast<uint64_t>(field) << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xff);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// "▁", a, b, …, z, aa, ab, …, zz, aaa, …
std::string normal_piece(int index) {
  if (index == 0) return "▁";
  std::string letters;
  for (; index > 0; index = (index - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('a' + (index - 1) % 26));
  }
  return letters;
}

float random_weight(const TensorSpec& spec, Random& random) {
  const double spread = 2 * random.uniform() - 1;
  const std::string_view name = spec.name;
  if (name.ends_with("norm.weight")) return static_cast<float>(1 + 0.1 * spread);
  if (name.ends_with("score_scale")) return static_cast<float>(0.5 + 0.1 * spread);
  return static_cast<float>(spread / std::sqrt(static_cast<double>(spec.shape.back())));
}

}  // namespace

Architecture tiny_architecture(Mechanism mechanism) {
  Architecture a;
  a.model_dim = a.attention_dim = a.qk_dim = 8;
  a.heads = 2;
  a.ffn_dim = 16;
  a.max_length = 12;
  a.source_vocab = 40;
  a.target_vocab = 50;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    attention->layers.assign(2, mechanism);
  }
  return a;
}

std::string piece_model(int pieces) {
  if (pieces < 5) throw std::invalid_argument("a piece model has at least 5 pieces");
  constexpr int kUnknown = 2, kControl = 3;  // SentencePiece's types of pieces.
  Message model;
  const auto marker = [&](std::string_view text, int type) {
    model.text(1, Message().text(1, text).real(2, 0).number(3, type).bytes());
  };
  marker("<pad>", kControl);
  marker("<unk>", kUnknown);
  marker("<s>", kControl);
  marker("</s>", kControl);
  for (int i = 0; i < pieces - 4; ++i) {
    model.text(
        1, Message().text(1, normal_piece(i)).real(2, -1 - 1e-3f * static_cast<float>(i)).bytes());
  }
  const auto vocab = static_cast<uint64_t>(pieces);
  // Trainer: BPE, size, ids of <unk>, <s>, </s> and <pad>.
  model.text(2, Message()
                    .number(3, 2)
                    .number(4, vocab)
                    .number(40, 1)
                    .number(41, 2)
                    .number(42, 3)
                    .number(43, 0)
                    .bytes());
  model.text(3, Message().text(1, "identity").bytes());  // Normalizer.
  return model.bytes();
}

RandomBundle::RandomBundle(const Architecture& architecture, uint64_t seed) {
  Random random(seed);
  for (const TensorSpec& spec : expected_tensors(architecture)) {
    std::vector<float> values(*tensor_bytes(spec.dtype, spec.shape) / sizeof(float));
    for (float& value : values) value = random_weight(spec, random);
    weights_.push_back(std::move(values));
    contents_.tensors.push_back({spec.name, spec.dtype, spec.shape,
                                 std::as_bytes(std::span<const float>(weights_.back()))});
  }
  contents_.manifest.architecture = architecture;
  contents_.manifest.source_language = "zh";
  contents_.manifest.target_language = "en";
  contents_.manifest.golden = {.source = "a b", .target = "ab", .score = -1.25, .tolerance = 1e-3};
  contents_.manifest.made = {{"program", "tiny_bundle"}};
  contents_.source_piece_model = piece_model(architecture.source_vocab);
  if (architecture.embeddings != EmbeddingSharing::all) {
    contents_.target_piece_model = piece_model(architecture.target_vocab);
  }
  contents_.training_toml = "seed = 1\n";
  contents_.results_json = "{\"bleu\": 0.5}\n";
}

std::filesystem::path write_random_bundle(const std::filesystem::path& path,
                                          const Architecture& architecture, uint64_t seed) {
  write_bundle(path, RandomBundle(architecture, seed).contents());
  return path;
}

}  // namespace eatt::testing
