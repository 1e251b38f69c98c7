#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "evaluation/bleu.h"
#include "evaluation/chrf.h"
#include "evaluation/ter.h"

namespace eatt::cli {

// What `eatt evaluate` was asked for.
struct EvaluateOptions {
  std::vector<std::string> references;
  std::vector<std::string> hypotheses;  // Empty: standard input.
  std::vector<std::string> paired;
  std::vector<std::string> metrics{"bleu", "chrf", "ter"};
  evaluation::BleuOptions bleu;
  evaluation::ChrfOptions chrf;
  evaluation::TerOptions ter;
  bool confidence = false;
  evaluation::Resampling resampling;
  bool sentence = false;
  bool json = false;
  int width = 1;

  std::string gold;  // Not empty: links are scored, not translations.
  std::vector<std::string> alignments;
  uint32_t gold_base = 0;
  uint32_t hypothesis_base = 0;
  bool reversed = false;
};

void add_evaluate_options(CLI::App& command, EvaluateOptions& options);

// Throws a UsageError for combinations that make no sense. Call after parsing.
void check_evaluate_options(const CLI::App& command, const EvaluateOptions& options);

}  // namespace eatt::cli
