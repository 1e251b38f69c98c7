#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/files/text_file.h"
#include "convert/exchange_formats.h"
#include "text/corpus/pair_reader.h"

namespace eatt::convert {

enum class Format { tmx, xliff, tsv };

struct ConvertOptions {
  std::vector<TextFile> inputs;  // Plain or gzip.
  // The format of all inputs. If not set, a file whose name ends in .tsv or .tsv.gz is TSV, and for
  // others the root element decides.
  std::optional<Format> format;
  std::string source_language, target_language;  // Not checked for TSV files.
  TsvColumns tsv_columns;
  // Two files with a line for each pair, or one TSV file: the others are empty. Names that end in
  // .gz are compressed.
  std::filesystem::path source_output, target_output, tsv_output;
  bool overwrite = false;  // Replaces outputs that exist and have other content.
  // Called with the bytes read so far from all inputs; what it throws stops the conversion.
  std::function<void(uint64_t)> progress = [](uint64_t) {};
};

// Reads the pairs of all inputs, in order, and writes them in bounded memory. The outputs appear
// whole or not at all. Throws an Error if an input cannot be read, if an output would replace
// another file, or if there is no pair at all, with the languages that were found.
ConvertCounts convert_corpus(const ConvertOptions& options);

}  // namespace eatt::convert
