#pragma once

#include <CLI/CLI.hpp>

namespace eatt::cli {

// Each adds one command of `eatt-train`, and lives in a file of its own.
void add_train_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_average_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_align_command(CLI::App& app);
void add_check_command(CLI::App& app);

// A log line if matrix products are served by a BLAS that makes training crawl.
void warn_of_slow_products();

}  // namespace eatt::cli
