#pragma once

#include <CLI/CLI.hpp>

namespace eatt::cli {

// Each adds one command of `eatt`, and lives in a file of its own.
void add_corpus_command(CLI::App& app);
void add_energy_command(CLI::App& app);
void add_selftest_command(CLI::App& app);

}  // namespace eatt::cli
