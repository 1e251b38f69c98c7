#include "trace/tracer.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "runtime/api/translation_engine.h"
#include "runtime/layers/transformer.h"
#include "runtime/quantized.h"
#include "runtime/random_model.h"
#include "runtime/search/search.h"
#include "trace/recorder.h"
#include "trace/tensors.h"

namespace eatt::trace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kAllMechanisms;
using testing::odd_architecture;
using testing::TemporaryFolder;

const TensorView& tensor(const TensorList& list, const std::string& name) {
  const auto found = std::ranges::find(list.tensors(), name, &TensorView::name);
  if (found == list.tensors().end()) throw std::out_of_range(name);
  return *found;
}

template <class T>
std::vector<T> values(const TensorList& list, const std::string& name) {
  const TensorView& found = tensor(list, name);
  EXPECT_EQ(found.dtype, dtype_of<T>()) << name;
  std::vector<T> result(found.bytes.size() / sizeof(T));
  std::memcpy(result.data(), found.bytes.data(), found.bytes.size());
  return result;
}

std::vector<std::string> names_of(const TensorList& list) {
  std::vector<std::string> names;
  for (const TensorView& view : list.tensors()) names.push_back(view.name);
  return names;
}

struct Traced {
  explicit Traced(const Architecture& architecture)
      : tracer(Bundle::open(testing::write_random_bundle(folder / "model", architecture))) {}

  const TemporaryFolder folder;
  const Tracer tracer;
};

// Every trace checks itself: that nothing is thrown says that all plain sums lead to the bits that
// the model computed.
TEST(Tracer, ReproducesEveryMechanismToTheLastBit) {
  for (const Mechanism mechanism : kAllMechanisms) {
    const Traced traced(odd_architecture(mechanism));
    for (const char* text : {"a", "hello world how do you do"}) {
      EXPECT_NO_THROW(traced.tracer.trace(text)) << mechanism_name(mechanism) << ": " << text;
    }
  }
}

TEST(Tracer, ReproducesMixedMechanismsPostNormSharedEmbeddingsAndLearnedThresholds) {
  Architecture a = testing::tiny_architecture();
  a.encoder_self.layers = {Mechanism::vanilla, Mechanism::eatt};
  a.decoder_self.layers = {Mechanism::dense, Mechanism::selection};
  a.cross.layers = {Mechanism::eatt, Mechanism::randinit};
  a.norm = NormPlacement::post;
  a.embeddings = EmbeddingSharing::all;
  a.source_vocab = a.target_vocab;
  a.threshold.learned = true;
  a.cross.scale = {ScaleKind::learned, 4};
  EXPECT_NO_THROW(Traced(a).tracer.trace("a b c"));
}

// The runtime computes long sentences in parts of 128 rows.
TEST(Tracer, ReproducesASentenceOfSeveralParts) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += "a ";
  const SentenceTrace trace = Traced(testing::tiny_architecture()).tracer.trace(text);
  const uint64_t rows = trace.source_pieces.size();
  EXPECT_GT(rows, 128u);
  for (const char* name : {"encoder.layers.1.fc1.sums", "encoder.layers.1.self_attn.codes",
                           "decoder.layers.1.cross_attn.key", "decoder.cross_attn.k_codes"}) {
    EXPECT_EQ(tensor(trace.tensors, name).shape[0], rows) << name;
  }
}

TEST(Tracer, TranslatesAsGreedySearchInInt8Does) {
  const Traced traced(odd_architecture(Mechanism::eatt));
  const SentenceTrace trace = traced.tracer.trace("hello world");
  const Bundle bundle = Bundle::open(traced.folder / "model");
  const Pieces source(bundle.source_piece_model(), "source");
  const Pieces target(bundle.target_piece_model(), "target");
  const Model model = load_model(Bundle::open(traced.folder / "model"), Precision::int8);
  EXPECT_EQ(trace.translation, translate_golden(model, source, target, "hello world").target);
  EXPECT_EQ(trace.source_pieces.back(), "</s>");
  EXPECT_EQ(trace.source_pieces.size(), source.encode("hello world").size() + 1);
}

TEST(Tracer, RowsAreSourcePositionsOrSteps) {
  const Architecture a = odd_architecture(Mechanism::eatt);
  const Traced traced(a);
  const SentenceTrace trace = traced.tracer.trace("ab cd ef");
  const uint64_t source = trace.source_pieces.size();
  const uint64_t steps = trace.target_pieces.size() + (trace.finished ? 0 : 1);
  const auto shape = [&](const std::string& name) { return tensor(trace.tensors, name).shape; };
  EXPECT_EQ(shape("encoder.layers.0.self_attn.codes"), (Shape{source, 70}));
  EXPECT_EQ(shape("encoder.layers.1.self_attn.normed"), (Shape{source, 70}));
  EXPECT_EQ(shape("encoder.layers.1.self_attn.residual"), (Shape{source, 70}));
  EXPECT_EQ(shape("encoder.layers.1.self_attn.context"), (Shape{source, 69}));
  EXPECT_EQ(shape("decoder.layers.1.ffn.normed"), (Shape{steps, 70}));
  EXPECT_EQ(shape("encoder.output"), (Shape{source, 70}));
  EXPECT_EQ(shape("decoder.residual"), (Shape{steps, 70}));
  EXPECT_EQ(shape("encoder.layers.1.self_attn.query"), (Shape{source, 51}));
  EXPECT_EQ(shape("encoder.layers.1.self_attn.distances"), (Shape{3, source, source}));
  EXPECT_EQ(shape("encoder.layers.0.fc1.input"), (Shape{source, 70}));
  EXPECT_EQ(shape("encoder.layers.0.fc1.sums"), (Shape{source, 150}));
  EXPECT_EQ(shape("decoder.layers.0.self_attn.key"), (Shape{steps, 51}));
  EXPECT_EQ(shape("decoder.layers.0.self_attn.scores"), (Shape{3, steps, steps}));
  EXPECT_EQ(shape("decoder.layers.1.cross_attn.q_codes"), (Shape{steps, 70}));
  EXPECT_EQ(shape("decoder.cross_attn.k_codes"), (Shape{source, 70}));
  EXPECT_EQ(shape("decoder.layers.1.cross_attn.query"), (Shape{steps, 51}));
  EXPECT_EQ(shape("decoder.layers.1.cross_attn.key"), (Shape{source, 51}));
  EXPECT_EQ(shape("decoder.layers.1.cross_attn.distances"), (Shape{3, steps, source}));
  EXPECT_EQ(shape("decoder.layers.1.cross_attn.v_proj.input_scales"), (Shape{source}));
  EXPECT_EQ(shape("decoder.layers.1.cross_attn.out_proj.output"), (Shape{steps, 70}));
  EXPECT_EQ(shape("decoder.output_projection.sums"), (Shape{steps, 130}));
  EXPECT_EQ(shape("source_pieces"), (Shape{source}));
  EXPECT_EQ(shape("fed_pieces"), (Shape{steps}));
}

TEST(Tracer, AStepSeesItsOwnAndEarlierPositionsOnly) {
  const Traced traced(odd_architecture(Mechanism::eatt));
  const SentenceTrace trace = traced.tracer.trace("ab cd");
  const std::string name = "decoder.layers.0.self_attn";
  const auto distances = values<int32_t>(trace.tensors, name + ".distances");
  const auto scores = values<float>(trace.tensors, name + ".scores");
  const size_t steps = values<int32_t>(trace.tensors, "fed_pieces").size();
  ASSERT_EQ(distances.size(), 3 * steps * steps);
  for (size_t at = 0; at < distances.size(); ++at) {
    const bool seen = at % steps <= at / steps % steps;
    EXPECT_EQ(distances[at] >= 0, seen);
    EXPECT_EQ(std::isfinite(scores[at]), seen);
  }
}

TEST(Tracer, EveryStepChoosesTheHighestPieceThatIsNoMarker) {
  const Traced traced(odd_architecture(Mechanism::l1));
  const SentenceTrace trace = traced.tracer.trace("ab cd");
  const auto logits = values<float>(trace.tensors, "decoder.output_projection.output");
  const auto chosen = values<int32_t>(trace.tensors, "chosen_pieces");
  const auto fed = values<int32_t>(trace.tensors, "fed_pieces");
  ASSERT_EQ(logits.size(), fed.size() * 130);
  ASSERT_EQ(chosen.size(), trace.finished ? fed.size() : fed.size() - 1);
  for (size_t t = 0; t < chosen.size(); ++t) {
    const auto row = std::span(logits).subspan(t * 130, 130);
    EXPECT_EQ(row[static_cast<size_t>(chosen[t])], *std::max_element(row.begin() + 3, row.end()));
    EXPECT_EQ(fed[t], t == 0 ? kStartPiece : chosen[t - 1]);
  }
}

TEST(Tracer, MechanismsWithoutCodesHaveProductsAndScoresAlone) {
  const Traced traced(odd_architecture(Mechanism::vanilla));
  const auto names = names_of(traced.tracer.trace("ab").tensors);
  EXPECT_THAT(names, Contains("encoder.layers.0.self_attn.qkv_proj.sums"));
  EXPECT_THAT(names, Contains("decoder.layers.0.cross_attn.kv_proj.output"));
  EXPECT_THAT(names, Contains("encoder.layers.0.self_attn.scores"));
  for (const std::string& name : names) {
    EXPECT_THAT(name, ::testing::Not(HasSubstr("codes")));
    EXPECT_THAT(name, ::testing::Not(HasSubstr("distances")));
  }
}

TEST(Tracer, RefusesWhatCannotBeTraced) {
  const auto problem = [](const Tracer& tracer, const std::string& text) -> std::string {
    try {
      tracer.trace(text);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const Traced limited(testing::tiny_architecture(Mechanism::dense));  // Twelve positions.
  EXPECT_THAT(problem(limited.tracer, "a a a a a a a a a a a a a"), HasSubstr("may have 11"));
  EXPECT_THAT(problem(limited.tracer, " "), HasSubstr("nothing to trace"));
  const Traced unlimited(testing::tiny_architecture());
  std::string long_text;
  for (int i = 0; i < 600; ++i) long_text += "a ";
  EXPECT_THAT(problem(unlimited.tracer, long_text), HasSubstr("may have 512"));
}

constexpr Place kMemoryPlace{Stack::decoder, 0, SubLayer::cross_attention};

// A recording in which one number is not what the model computed.
class SpoiltRecording : public ::testing::Test {
 protected:
  SpoiltRecording()
      : model_(testing::random_model(odd_architecture(Mechanism::eatt), Precision::int8)),
        plain_(model_) {
    Recorder recorder;
    TransformerSteps steps(model_, {.observer = &recorder});
    const SearchTask task{.source = {10, 20, 30}};
    search(steps, std::span(&task, 1), {});
    recording_ = recorder.take();
  }

  std::string problem() const {
    try {
      sentence_tensors(plain_, recording_);
      return "";
    } catch (const InternalError& error) {
      return error.what();
    }
  }

  const Model model_;
  const PlainModel plain_;
  Recording recording_;
};

TEST_F(SpoiltRecording, IsNoticedWhateverTheNumber) {
  EXPECT_EQ(problem(), "");
  const DecoderLayerWeights& layer = model_.decoder[1];
  const auto cross =
      std::ranges::find(plain_.attentions, "decoder.layers.1.cross_attn", &PlainAttention::name);
  const SelectionWeights* cross_keys = cross->key->packed.weights;

  const Recording good = recording_;
  recording_.products[&layer.feed_forward.second].output[7] *= 1 + 1e-6f;
  EXPECT_THAT(problem(), HasSubstr("decoder.layers.1.fc2.output: number 7 is "));
  recording_ = good;
  recording_.products[&layer.feed_forward.first].input[0] ^= 1;
  EXPECT_THAT(problem(), HasSubstr("decoder.layers.1.fc1.input: number 0 is "));
  recording_ = good;
  recording_.products[&layer.self.output].input_scales[1] *= 1 + 1e-6f;
  EXPECT_THAT(problem(),
              HasSubstr("decoder.layers.1.self_attn.out_proj.input_scales: number 1 is "));
  recording_ = good;
  recording_.products[&layer.feed_forward.second].values[4] += 1e-3f;
  EXPECT_THAT(problem(), HasSubstr("decoder.layers.1.fc1.output: number 4 is "));
  recording_ = good;
  recording_.residuals[&layer.cross.norm][5] += 1e-3f;
  EXPECT_THAT(problem(), HasSubstr("decoder.layers.1.cross_attn.residual: number 5 is "));
  recording_ = good;
  recording_.codes[kMemoryPlace].values[3] += 1e-3f;
  EXPECT_THAT(problem(), HasSubstr("encoder.output: number 3 is "));
  recording_ = good;
  recording_.codes[kMemoryPlace].codes[3] ^= 1;
  EXPECT_THAT(problem(), HasSubstr("decoder.cross_attn.k_codes: number 3 is "));
  recording_ = good;
  recording_.selections[cross_keys][2] += 1;
  EXPECT_THAT(problem(), HasSubstr("decoder.layers.1.cross_attn.key: number 2 is "));
  recording_ = good;
  recording_.scores[layer.self.mechanism.get()].queries[1].scores[0] += 0.5f;
  EXPECT_THAT(problem(), HasSubstr("decoder.layers.1.self_attn.scores: "));
}

}  // namespace
}  // namespace eatt::trace
