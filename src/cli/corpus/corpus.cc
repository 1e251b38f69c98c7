#include "cli/commands.h"
#include "cli/program.h"

namespace eatt::cli {

void add_corpus_command(CLI::App& app) {
  CLI::App* corpus = add_command(app, "corpus", "Make, check and prepare parallel text",
                                 "eatt corpus generate --pair zh-en --output corpus");
  corpus->require_subcommand(1);
  add_corpus_generate(*corpus);
  add_corpus_prepare(*corpus);
  add_corpus_pieces(*corpus);
  add_corpus_truecase(*corpus);
}

}  // namespace eatt::cli
