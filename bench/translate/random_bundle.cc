// Writes a model folder with random weights, for benchmarks: it translates, but into nonsense.
//
//   random_bundle FOLDER --model-dim 512 --ffn-dim 2048 --heads 8 --layers 6 --vocab 32000
//                 --attention eatt --code-levels 0 --threshold 1 --embeddings all
//                 [--shortlist FILE] [--pieces FILE]
//
// Norms and weights are such that activations neither grow nor vanish and a fifth of the features
// exceeds the threshold 1 of binary codes. Pieces are learnt from made-up words, or read from a
// file of `eatt corpus pieces train`, which must have --vocab of them. The shortlist has 100 pieces
// for every sentence and 50 more for each source piece, as one of a real corpus might have.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <span>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/random.h"
#include "bundle/expected_tensors.h"
#include "bundle/write_bundle.h"
#include "runtime/shortlist/shortlist.h"
#include "text/pieces/piece_trainer.h"
#include "text/pieces/pieces.h"

namespace {

using namespace eatt;

struct Options {
  std::string folder, shortlist, pieces;
  int model_dim = 512, ffn_dim = 2048, heads = 8, layers = 6, vocab = 32000;
  std::string attention = "vanilla", embeddings = "all";
  int code_levels = 0;
  double threshold = 1;
  uint64_t seed = 1;
};

Architecture architecture_of(const Options& options) {
  Architecture a;
  a.model_dim = a.attention_dim = a.qk_dim = options.model_dim;
  a.ffn_dim = options.ffn_dim;
  a.heads = options.heads;
  a.source_vocab = a.target_vocab = options.vocab;
  a.code_levels = static_cast<size_t>(options.code_levels);
  a.threshold.value = options.threshold;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    attention->layers = parse_mechanisms(options.attention, options.layers);
  }
  a.embeddings = options.embeddings == "all"      ? EmbeddingSharing::all
                 : options.embeddings == "target" ? EmbeddingSharing::target
                                                  : EmbeddingSharing::none;
  validate(a, "the shape asked for");
  return a;
}

// A model of `pieces` pieces that learnt words of random letters; more different words than pieces,
// each twice, so there is always something to merge.
std::string make_piece_model(int pieces, uint64_t seed) {
  Random random(seed);
  WordCounts words;
  std::string line;
  for (int i = 0; i < 2 * pieces + 100; ++i) {
    line.clear();
    for (uint64_t letters = 4 + random.below(7); letters > 0; --letters) {
      line += static_cast<char>('a' + std::min(random.below(26), random.below(26)));
    }
    words.add(line);
    words.add(line);
  }
  return train_pieces(std::move(words), {.vocab_size = pieces});
}

// Whether what a norm gives is binarised somewhere: by self- or cross-attention, or, after the
// encoder, by the keys of cross-attention.
bool feeds_attention(std::string_view name) {
  return name.ends_with("attn_layer_norm.weight") || name == "encoder.layer_norm.weight";
}

// Values of a tensor are `centre` ± `spread`, evenly.
struct Values {
  double centre, spread;
};

Values values_of(const TensorSpec& spec) {
  const std::string_view name = spec.name;
  if (feeds_attention(name)) return {1.19, 0};  // P(1.19·N(0, 1) > 1) is 0.2.
  if (name.ends_with("norm.weight")) return {1, 0};
  if (name.ends_with("threshold")) return {1, 0};
  if (name.ends_with("score_scale")) return {0.125, 0};
  if (name.ends_with("bias")) return {0, name.find("norm") == name.npos ? 0.05 : 0};
  return {0, std::sqrt(3.0 / static_cast<double>(spec.shape.back()))};  // Lengths stay.
}

std::vector<float> random_values(const TensorSpec& spec, Random& random) {
  const Values values = values_of(spec);
  std::vector<float> numbers(*tensor_bytes(spec.dtype, spec.shape) / sizeof(float));
  for (float& number : numbers) {
    number = static_cast<float>(values.centre + values.spread * (2 * random.uniform() - 1));
  }
  return numbers;
}

std::vector<int32_t> random_pieces(size_t count, int vocab, Random& random) {
  std::vector<int32_t> pieces(count);
  for (int32_t& piece : pieces) {
    piece = kEndPiece + 1 + static_cast<int32_t>(random.below(static_cast<uint64_t>(vocab - 4)));
  }
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

void make_shortlist(const Options& options, const BundleContents& contents) {
  Random random = Random::stream(options.seed, 2);
  const std::string& target = contents.target_piece_model.empty() ? contents.source_piece_model
                                                                  : contents.target_piece_model;
  ShortlistContents list;
  list.target_vocab = options.vocab;
  list.source_sha256 = Pieces(contents.source_piece_model, "source pieces").sha256();
  list.target_sha256 = Pieces(target, "target pieces").sha256();
  list.always = random_pieces(100, options.vocab, random);
  list.always.insert(list.always.begin(), kEndPiece);
  list.likely.resize(static_cast<size_t>(options.vocab));
  for (auto& likely : list.likely) likely = random_pieces(50, options.vocab, random);
  write_shortlist(options.shortlist, list);
}

void make_bundle(const Options& options) {
  BundleContents contents;
  contents.manifest.architecture = architecture_of(options);
  contents.manifest.source_language = "en";
  contents.manifest.target_language = "de";
  contents.manifest.made = {{"program", "random_bundle"}};
  contents.source_piece_model = options.pieces.empty()
                                    ? make_piece_model(options.vocab, options.seed)
                                    : read_file(options.pieces);
  if (options.embeddings != "all") {
    contents.target_piece_model = make_piece_model(options.vocab, options.seed + 1);
  }
  Random random = Random::stream(options.seed, 1);
  std::vector<std::vector<float>> weights;  // What the tensors point to.
  for (const TensorSpec& spec : expected_tensors(contents.manifest.architecture)) {
    weights.push_back(random_values(spec, random));
    contents.tensors.push_back(
        {spec.name, spec.dtype, spec.shape, std::as_bytes(std::span<const float>(weights.back()))});
  }
  write_bundle(options.folder, contents);
  if (!options.shortlist.empty()) make_shortlist(options, contents);
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Writes a model folder with random weights", "random_bundle");
  const auto size = [&](const char* name, int& value, const char* help) {
    app.add_option(name, value, help)->check(CLI::Range(1, 1 << 20))->capture_default_str();
  };
  app.add_option("folder", options.folder, "Where it goes")->required();
  size("--model-dim", options.model_dim, "Model width");
  size("--ffn-dim", options.ffn_dim, "Feed-forward width");
  size("--heads", options.heads, "Heads");
  size("--layers", options.layers, "Layers a side");
  size("--vocab", options.vocab, "Pieces of each side, 40 at least");
  app.add_option("--attention", options.attention, "Mechanism, or as vanilla:1-3,eatt:4-6")
      ->capture_default_str();
  app.add_option("--code-levels", options.code_levels, "Of signed codes; 0: binary")
      ->check(CLI::Range(0, 6))
      ->capture_default_str();
  app.add_option("--threshold", options.threshold, "Of codes")->capture_default_str();
  app.add_option("--embeddings", options.embeddings, "What shares one matrix")
      ->check(CLI::IsMember({"all", "target", "none"}))
      ->capture_default_str();
  app.add_option("--shortlist", options.shortlist, "Also writes a random shortlist to this file");
  app.add_option("--pieces", options.pieces, "Piece model of the source, instead of made-up words");
  app.add_option("--seed", options.seed, "Of weights, pieces and shortlist")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  set_up_logging(LogFormat::plain, spdlog::level::warn);
  make_bundle(options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "random_bundle: " << error.what() << '\n';
    return 1;
  }
}
