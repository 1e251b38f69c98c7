// Any bytes read as TMX or XLIFF are pairs of one line each, or an Error.
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/utf8.h"
#include "convert/convert.h"
#include "memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string output =
      std::filesystem::temp_directory_path() / ("eatt-exchange-fuzz-" + std::to_string(::getpid()));
  const MemoryFile file(data, size);
  const std::string path = file.path();
  eatt::convert::ConvertOptions options;
  options.inputs = {eatt::TextFile(path)};
  options.source_language = "en";
  options.target_language = "de";
  options.tsv_output = output;
  try {
    const auto counts = eatt::convert::convert_corpus(options);
    const std::string text = eatt::read_file(output);
    std::filesystem::remove(output);
    const auto lines = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
    const auto tabs = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\t'));
    if (lines != counts.pairs || tabs != counts.pairs || !eatt::is_valid_utf8(text)) std::abort();
  } catch (const eatt::Error&) {
  }
  return 0;
}
