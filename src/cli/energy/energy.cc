// `eatt energy`, and its command that prints the paper's tables.
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "energy_report/formulas_report.h"

namespace eatt::cli {
namespace {

struct Options {
  int64_t length = static_cast<int64_t>(energy::paper_shape().length());
  int64_t width = static_cast<int64_t>(energy::paper_shape().width());
  std::optional<int64_t> attention_width;  // Without it, `width`.
  std::optional<double> density;           // Without it, the paper's.
  std::optional<std::string> table;        // Without it, all.
  bool json = false;
};

void run(const Options& options) {
  const energy::FormulasRequest request{
      .shape = energy::Shape(options.length, options.width, options.attention_width),
      .densities = options.density ? energy::uniform_densities(*options.density)
                                   : energy::paper_densities()};
  if (options.json && options.table) {
    throw UsageError("--json prints all tables at once; leave out --table");
  }
  print_result(options.json ? energy::formulas_json(request)
                            : energy::formulas_text(
                                  request, energy::formulas_table(options.table.value_or("all"))));
}

void add_energy_formulas(Command& energy) {
  const auto options = std::make_shared<Options>();
  Command& command = energy.add_command(
      "formulas", "Print the paper's energy tables, as computed and as published",
      "eatt energy formulas --length 22 --width 512 --table alignment");
  command.add_option("--length", options->length, "Positions l on both sides").shows("N");
  command.add_option("--width", options->width, "Model width d").shows("N");
  command
      .add_option("--attention-width", options->attention_width,
                  "Width k of Q, K and V, all heads together")
      .shows("N")
      .default_is("d");
  command
      .add_option("--density", options->density, "Share of ones, 0 to 1, for the exact accounting")
      .shows("R")
      .default_is("the paper's, by role");
  command
      .add_option("--table", options->table,
                  "parts, alignment, attention, block, roles, distillation or all")
      .shows("NAME")
      .default_is("all");
  command.add_flag("--json", options->json, "All tables as one JSON object, in full precision");
  command.on_run([options] { run(*options); });
}

}  // namespace

void add_energy_command(Command& program) {
  Command& energy = program.add_command("energy", "Compute or measure the energy of translation",
                                        "eatt energy formulas --length 22 --width 512");
  add_energy_chips(energy);
  add_energy_formulas(energy);
  add_energy_measure(energy);
  add_energy_model(energy);
  add_energy_trace(energy);
}

}  // namespace eatt::cli
