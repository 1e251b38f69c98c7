// The program eatt: everything that needs no libtorch, and the way to eatt-train, which does, and
// to eatt-serve.
#include "cli/commands.h"
#include "cli/help/overview.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"

namespace {

// Names of commands that other toolkits have.
void add_command_hints(eatt::cli::Program& program) {
  for (const char* name : {"score", "bleu", "chrf", "ter", "sacrebleu", "eval"}) {
    program.add_hint(name,
                     "`eatt evaluate` scores translations, `eatt validate` a model, and `eatt "
                     "translate --score` prints log-probabilities");
  }
  for (const char* name : {"info", "show", "verify"}) {
    program.add_hint(
        name,
        "`eatt selftest BUNDLE` checks a model, `eatt inspect BUNDLE` shows what it does "
        "inside, and `eatt energy model BUNDLE` its size and costs");
  }
  for (const char* name : {"decode", "infer"}) {
    program.add_hint(name, "`eatt translate BUNDLE` translates");
  }
  program.add_hint("server", "`eatt serve BUNDLE` serves translations over HTTP");
  for (const char* name : {"spm", "bpe", "tokenize"}) {
    program.add_hint(name, "`eatt corpus pieces` learns and applies subword pieces");
  }
  for (const char* name : {"langid", "identify", "detect-language"}) {
    program.add_hint(name, "`eatt detect BUNDLE` tells the language of text");
  }
  program.add_hint("detokenize", "`eatt translate --detokenize` writes plain text");
}

}  // namespace

int main(int argc, char** argv) {
  using namespace eatt::cli;
  Program program("eatt", "Machine translation with additions in place of multiplications");
  program.set_version([] { return version_text("eatt"); });
  program.set_overview([&] { return overview_text(program, help_style()); });
  program.add_note("`eatt help COMMAND` shows a command's options, such as `eatt help train`.");
  add_completion_command(program);
  add_corpus_command(program);
  add_detect_command(program);
  add_distill_command(program);
  add_energy_command(program);
  add_inspect_command(program);
  add_evaluate_command(program);
  add_man_command(program);
  add_quantize_command(program);
  add_report_command(program);
  add_selftest_command(program);
  add_shortlist_command(program);
  add_study_command(program);
  add_translate_command(program);
  add_command_hints(program);
  std::vector<std::string> names;
  for (const CommandSummary& command : foreign_commands()) names.push_back(command.name);
  program.set_foreign_commands(
      std::move(names), [](const std::string& command, const std::vector<std::string>& arguments) {
        if (belongs_to_eatt_train(command)) hand_over_to_eatt_train(command, arguments);
        hand_over_to_eatt_serve(command, arguments);
      });
  return program.run(argc, argv);
}
