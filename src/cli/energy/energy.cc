#include "cli/commands.h"
#include "cli/program.h"

namespace eatt::cli {

void add_energy_command(CLI::App& app, std::vector<std::string> words) {
  CLI::App* energy = add_command(app, "energy", "What translation costs in additions and joules",
                                 "eatt energy formulas --length 22 --width 512");
  energy->require_subcommand(1);
  add_energy_chips(*energy);
  add_energy_formulas(*energy);
  add_energy_measure(*energy, std::move(words));
  add_energy_model(*energy);
  add_energy_trace(*energy);
}

}  // namespace eatt::cli
