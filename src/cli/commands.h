#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace eatt::cli {

// Each adds one command of `eatt`, and lives in a file of its own.
void add_corpus_command(CLI::App& app);
// Whatever stands behind `--` is for `eatt train`, which distill can hand over to.
void add_distill_command(CLI::App& app, std::vector<std::string> train_options);
// Whatever stands behind `--` is the command that energy measure runs.
void add_energy_command(CLI::App& app, std::vector<std::string> words);
void add_evaluate_command(CLI::App& app);
void add_quantize_command(CLI::App& app);
void add_selftest_command(CLI::App& app);
void add_shortlist_command(CLI::App& app);
void add_translate_command(CLI::App& app);

// Each adds one command of `eatt corpus`.
void add_corpus_generate(CLI::App& corpus);
void add_corpus_prepare(CLI::App& corpus);
void add_corpus_pieces(CLI::App& corpus);
void add_corpus_truecase(CLI::App& corpus);

// Each adds one command of `eatt energy`.
void add_energy_chips(CLI::App& energy);
void add_energy_formulas(CLI::App& energy);
void add_energy_measure(CLI::App& energy, std::vector<std::string> words);
void add_energy_model(CLI::App& energy);
void add_energy_trace(CLI::App& energy);

}  // namespace eatt::cli
