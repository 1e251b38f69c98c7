// The program eatt: everything that needs no libtorch, and the door to what does.
#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/hand_over.h"
#include "cli/program.h"
#include "cli/version.h"

namespace {

constexpr char kFooter[] =
    "\nHanded over to eatt-train (which needs libtorch): train, export, average\n"
    "\n`eatt COMMAND --help` shows a command's options and an example.";

}  // namespace

int main(int argc, char** argv) {
  using namespace eatt;
  CLI::App app("Machine translation on additions", "eatt");
  cli::set_up_app(app);
  app.set_version_flag("--version", [] { return cli::version_text("eatt"); });
  app.footer(kFooter);
  const auto words = cli::take_words_for_another_program(argc, argv);
  cli::add_corpus_command(app);
  cli::add_distill_command(app, words);
  cli::add_energy_command(app, words);
  cli::add_evaluate_command(app);
  cli::add_quantize_command(app);
  cli::add_selftest_command(app);
  cli::add_shortlist_command(app);
  cli::add_translate_command(app);

  if (argc > 1 && cli::belongs_to_eatt_train(argv[1])) {
    try {
      cli::hand_over_to_eatt_train(argv);
    } catch (const Error& error) {
      std::fputs(fmt::format("eatt: {}\n", error.what()).c_str(), stderr);
      return cli::kFailed;
    }
  }
  return cli::run_app(app, argc, argv);
}
