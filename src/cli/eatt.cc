// The program eatt: everything that needs no libtorch, and the way to eatt-train, which does.
#include "cli/commands.h"
#include "cli/help/overview.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace eatt::cli;
  Program program("eatt", "Machine translation with additions in place of multiplications");
  program.set_version([] { return version_text("eatt"); });
  program.set_overview([&] { return overview_text(program, help_style()); });
  program.add_note("`eatt help COMMAND` shows a command's options, such as `eatt help train`.");
  add_completion_command(program);
  add_corpus_command(program);
  add_distill_command(program);
  add_energy_command(program);
  add_evaluate_command(program);
  add_man_command(program);
  add_quantize_command(program);
  add_selftest_command(program);
  add_shortlist_command(program);
  add_translate_command(program);
  std::vector<std::string> names;
  for (const CommandSummary& command : train_commands()) names.push_back(command.name);
  program.set_foreign_commands(std::move(names), hand_over_to_eatt_train);
  return program.run(argc, argv);
}
