#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/translate/line_input.h"
#include "cli/translate/translate_files.h"
#include "cli/translate/translate_output.h"
#include "runtime/api/translator.h"

namespace eatt::cli {

// What `eatt translate` was asked for.
struct TranslateOptions {
  std::vector<std::string> bundles;  // Several are an ensemble.
  std::vector<double> weights;
  std::vector<std::string> inputs = {"-"};
  std::string
      output;  // A file, or a folder where there are several inputs; empty: standard output.
  TranslationPlan plan;  // What follows from both.
  std::string prefixes;  // Files with a line per input line; empty: none.
  std::string targets;   // Not empty: these translations are scored, none is searched for.
  std::string n_best;    // The value of --n-best; "true" if it has none.
  // The value of --detokenize: a language, "true" for the bundle's, or empty for tokenized text.
  std::string detokenize;
  // HTML, placeholders and terms; with any of them, uses_markup().
  bool html = false;
  bool keep_placeholders = false;
  std::string glossary;  // A file; empty: none.
  SearchOptions search;
  TranslatorOptions translator;
  OutputOptions show;
  size_t window_lines = 1000;  // Lines that are sorted by length together.
  int window_ms = 10;          // How long the first of them waits for others.
  bool stats = false;
  bool overwrite = false;   // Files in the folder of -o DIR.
  bool resume = false;      // Outputs are kept when the process is killed, and continued.
  Shard shard;              // The part of the input that is translated.
  bool keep_lines = false;  // Several sentences of a line are translated as one.

  bool uses_markup() const { return html || keep_placeholders || !glossary.empty(); }
};

// The options of search and of a translator, for every command that translates: those of the shared
// tables, --no-hash and --cpu-threads. What is `without` has no meaning, or another form, there.
using OptionNames = std::initializer_list<std::string_view>;
void add_search_options(Command& command, SearchOptions& search, OptionNames without = {});
void add_translator_options(Command& command, TranslatorOptions& translator,
                            OptionNames without = {});

void add_translate_options(Command& command, TranslateOptions& options);

// What follows from several options together. Throws a UsageError for combinations that make no
// sense. Call after parsing.
void settle_translate_options(const Command& command, TranslateOptions& options);

}  // namespace eatt::cli
