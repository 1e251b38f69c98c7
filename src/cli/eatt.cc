// The program eatt: everything that needs no libtorch, and the way to eatt-train, which does.
#include "cli/commands.h"
#include "cli/program.h"

int main(int argc, char** argv) {
  using namespace eatt::cli;
  Program program("eatt", "Machine translation on additions");
  program.set_version([] { return version_text("eatt"); });
  program.add_note(
      "\nHanded over to eatt-train (which needs libtorch): train, export, average\n"
      "\n`eatt COMMAND --help` shows a command's options and an example.");
  add_corpus_command(program);
  add_distill_command(program);
  add_energy_command(program);
  add_evaluate_command(program);
  add_quantize_command(program);
  add_selftest_command(program);
  add_shortlist_command(program);
  add_translate_command(program);
  return program.run(argc, argv, [&](const std::string& command) {
    if (belongs_to_eatt_train(command)) hand_over_to_eatt_train(command, argv);
  });
}
