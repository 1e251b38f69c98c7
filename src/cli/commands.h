#pragma once

#include <CLI/CLI.hpp>

namespace eatt::cli {

// Each adds one command of `eatt`, and lives in a file of its own.
void add_corpus_command(CLI::App& app);
void add_energy_command(CLI::App& app);

// Subcommands of `eatt corpus`.
void add_corpus_prepare(CLI::App& corpus);
void add_corpus_pieces(CLI::App& corpus);

}  // namespace eatt::cli
