// Writes a model for the tests of the server: random weights, from "zh" to "en", letters as pieces.
//   serving_bundle FOLDER [WIDTH|broken|brittle|languages]
// A larger WIDTH (8 if it is left out) makes it slower; `broken` computes NaN, `brittle` only for
// texts with pieces that it knows; `languages` is from "en" to "de" and has profiles of both.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/tiny_bundle.h"
#include "text/language/language_profile.h"

namespace {

eatt::LanguageProfile profile_of(const std::string& language, std::string_view sentence) {
  eatt::ProfileLearner learner;
  for (int i = 0; i < 100; ++i) learner.add(sentence);
  return learner.finish(language);
}

void add_languages(eatt::BundleContents& contents) {
  contents.manifest.source_language = "en";
  contents.manifest.target_language = "de";
  contents.languages_json = eatt::print_profiles(
      {profile_of("en", "The quick brown fox jumps over the lazy dog while we are watching."),
       profile_of("de", "Der schnelle braune Fuchs springt über den faulen Hund, wir schauen.")});
}

eatt::TensorView& tensor_with(std::string_view name, eatt::BundleContents& contents) {
  return *std::ranges::find_if(contents.tensors, [&](const eatt::TensorView& tensor) {
    return tensor.name.find(name) != std::string::npos;
  });
}

// Sets the values of a tensor to NaN, from the given one on.
void spoil(eatt::TensorView& tensor, size_t first, std::vector<float>& values) {
  values.resize(tensor.bytes.size() / sizeof(float));
  std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(), NAN);
  tensor.bytes = std::as_bytes(std::span(values));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace eatt;
  if (argc < 2) return 2;
  const std::string_view kind = argc > 2 ? argv[2] : "8";
  Architecture architecture = testing::tiny_architecture();
  if (kind == "brittle") {
    architecture.embeddings = EmbeddingSharing::none;
  } else if (kind != "broken" && kind != "languages") {
    architecture.model_dim = architecture.attention_dim = architecture.qk_dim =
        static_cast<size_t>(std::atoi(kind.data()));
    architecture.ffn_dim = 4 * architecture.model_dim;
  }
  testing::RandomBundle bundle(architecture);
  if (kind == "languages") add_languages(bundle.contents());
  std::vector<float> broken;
  if (kind == "broken") spoil(tensor_with("norm", bundle.contents()), 0, broken);
  if (kind == "brittle") {
    constexpr size_t kMarkers = 4;  // The pieces before the letters.
    spoil(tensor_with("encoder.embed_tokens", bundle.contents()), kMarkers * architecture.model_dim,
          broken);
  }
  write_bundle(argv[1], bundle.contents());
}
