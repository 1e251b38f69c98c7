// `eatt energy`, and its command that prints the paper's tables.
#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  std::vector<std::string> tables;         // Without one, all.
  bool json = false;
};

void run(const Options& options) {
  const energy::FormulasRequest request{
      .shape = energy::Shape(options.length, options.width, options.attention_width),
      .densities = options.density ? energy::uniform_densities(*options.density)
                                   : energy::paper_densities()};
  if (options.json && !options.tables.empty()) {
    throw UsageError("--json prints all tables at once; leave out --table");
  }
  if (options.json) return print_result(energy::formulas_json(request));
  std::vector<energy::FormulasTable> tables;
  for (const std::string& name : options.tables) tables.push_back(energy::formulas_table(name));
  if (tables.empty()) tables.push_back(energy::FormulasTable::all);
  print_result(energy::formulas_text(request, tables));
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
      .add_option("--table", options->tables,
                  "Tables to print: " + one_of(energy::kFormulasTableNames))
      .split_at(',')
      .shows("NAME,...")
      .offers({energy::kFormulasTableNames.begin(), energy::kFormulasTableNames.end()})
      .default_is("all");
  command.add_hint("--chip",
                   "the paper's tables are for its two chips, asic and fpga, which are always "
                   "shown; `eatt energy model BUNDLE --chip NAME` computes for others");
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
