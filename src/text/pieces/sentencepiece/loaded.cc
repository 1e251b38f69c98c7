#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"
#include "text/pieces/sentencepiece/library.h"

namespace eatt {
namespace {

// Loaded once, on first use, and never unloaded. It looks for its own symbols before those of the
// program, and the program never sees them.
const SentencePieceEntry& entry() {
  static const SentencePieceEntry* const found = [] {
    void* module = ::dlopen(kSentencePieceModule, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void* symbol = module != nullptr ? ::dlsym(module, kSentencePieceEntry) : nullptr;
    if (symbol == nullptr) {
      throw Error(fmt::format("{}: cannot be loaded: {}; it belongs beside eatt-train",
                              kSentencePieceModule, ::dlerror()));
    }
    return static_cast<const SentencePieceEntry*>(symbol);
  }();
  return *found;
}

}  // namespace

std::unique_ptr<SentencePieceModel> load_sentencepiece_model(std::string_view bytes,
                                                             const std::string& name) {
  return entry().load(bytes, name);
}

std::string make_sentencepiece_template(bool byte_fallback) {
  return entry().make_template(byte_fallback);
}

}  // namespace eatt
