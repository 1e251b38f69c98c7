// Every text gets a translation whose attention and score fit its pieces; long texts are split and
// come to an end.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/log.h"
#include "runtime/api/translator.h"
#include "runtime/api/word_alignment.h"
#include "support/tiny_bundle.h"
#include "text/pieces/piece_trainer.h"
#include "text/pieces/pieces.h"

namespace {

// A tiny random model whose pieces know a few letters.
std::string write_bundle() {
  spdlog::set_level(spdlog::level::off);
  eatt::WordCounts words;
  for (const char* line : {"abc abd abe", "ab ba cab", "中文 。", "x, y. z! w?"}) words.add(line);
  const std::string model = eatt::train_pieces(std::move(words), {.vocab_size = 23});
  auto architecture = eatt::testing::tiny_architecture();
  architecture.embeddings = eatt::EmbeddingSharing::all;
  architecture.source_vocab = architecture.target_vocab = eatt::Pieces(model, "fuzz").size();
  eatt::testing::RandomBundle bundle(architecture);
  bundle.contents().source_piece_model = model;
  std::string folder = (std::filesystem::temp_directory_path() / "eatt-fuzz-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) std::abort();
  eatt::write_bundle(folder + "/model", bundle.contents());
  return folder;
}

const eatt::Translator& translator() {
  static const eatt::Translator opened = [] {
    const std::string folder = write_bundle();
    eatt::Translator own(folder + "/model",
                         {.threads = 1, .wants_attention = true, .max_input_pieces = 12});
    std::filesystem::remove_all(folder);  // The files stay mapped.
    return own;
  }();
  return opened;
}

void check(const eatt::Translation& translation) {
  if (translation.hypotheses.size() != 1) std::abort();
  const eatt::Hypothesis& best = translation.hypotheses.front();
  if (!std::isfinite(best.score) || best.words.size() != best.pieces.size()) std::abort();
  if (!best.pieces.empty() && best.attention.size() < best.pieces.size()) std::abort();
  eatt::hard_alignment(translation, best, eatt::AlignmentUnits::word);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 2000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t half = size / 2;
  const eatt::TranslationTask tasks[] = {
      {.source = text}, {.source = text.substr(0, half), .prefix = text.substr(half, 10)}};
  const auto translations = translator().translate(tasks, {.max_length = 8});
  if (translations.size() != 2) std::abort();
  for (const auto& translation : translations) check(translation);
  return 0;
}
