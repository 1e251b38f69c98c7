#pragma once

#include "cli/command.h"

namespace eatt::cli {

// Each adds one command of `eatt`.
void add_completion_command(Command& program);
void add_corpus_command(Command& program);
void add_detect_command(Command& program);
void add_distill_command(Command& program);
void add_energy_command(Command& program);
void add_inspect_command(Command& program);
void add_evaluate_command(Command& program);
void add_man_command(Command& program);
void add_quantize_command(Command& program);
void add_report_command(Command& program);
void add_selftest_command(Command& program);
void add_shortlist_command(Command& program);
void add_study_command(Command& program);
void add_translate_command(Command& program);

// Each adds one command of `eatt corpus`.
void add_corpus_convert(Command& corpus);
void add_corpus_prepare(Command& corpus);
void add_corpus_pieces(Command& corpus);
void add_corpus_truecase(Command& corpus);

// Each adds one command of `eatt energy`.
void add_energy_chips(Command& energy);
void add_energy_measure(Command& energy);
void add_energy_model(Command& energy);
void add_energy_trace(Command& energy);

// Each adds one command of `eatt-train`.
void add_train_command(Command& program);
void add_export_command(Command& program);
void add_average_command(Command& program);
void add_validate_command(Command& program);
void add_align_command(Command& program);

// Adds the command of `eatt-serve`.
void add_serve_command(Command& program);

// A log line if matrix products are served by a BLAS that makes training crawl.
void warn_of_slow_products();

}  // namespace eatt::cli
