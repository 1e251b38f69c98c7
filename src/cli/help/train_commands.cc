#include "cli/help/train_commands.h"

#include <algorithm>

#include "base/error.h"

namespace eatt::cli {

const std::vector<CommandSummary>& train_commands() {
  static const std::vector<CommandSummary> commands = {
      {"train", "Train a translation model with any mix of attention mechanisms",
       "eatt train --recipe tiny --train-sets train.en train.de --valid-sets dev.en dev.de --model "
       "runs/en-de"},
      {"average", "Average checkpoints of a run, or several bundles, into one bundle",
       "eatt average runs/eatt --last 8 --output models/eatt"},
      {"validate", "Score a bundle on a dev or test set: loss, BLEU and chrF",
       "eatt validate runs/eatt/best --valid-sets test.en test.de"},
      {"align", "Align the words of given translations, by a model's cross-attention",
       "eatt align runs/eatt/best --sets test.zh test.en --choose-on dev.zh dev.en dev.align > "
       "test.links"},
      {"export", "Write a checkpoint of a run as a bundle",
       "eatt export runs/eatt --output models/eatt"},
      {"check", "Show which libtorch and BLAS training uses, and how fast they are",
       "eatt check --cpu-threads 2"},
  };
  return commands;
}

const std::vector<CommandSummary>& serve_commands() {
  static const std::vector<CommandSummary> commands = {
      {"serve", "Serve translations over HTTP, with LibreTranslate's API and a page",
       "eatt serve models/eatt.int8 --port 5000"},
  };
  return commands;
}

const std::vector<CommandSummary>& foreign_commands() {
  static const std::vector<CommandSummary> commands = [] {
    std::vector<CommandSummary> all = train_commands();
    all.insert(all.end(), serve_commands().begin(), serve_commands().end());
    return all;
  }();
  return commands;
}

bool belongs_to_eatt_train(std::string_view command) {
  return std::ranges::find(train_commands(), command, &CommandSummary::name) !=
         train_commands().end();
}

Command& add_foreign_command(Command& program, std::string_view name) {
  const auto entry = std::ranges::find(foreign_commands(), name, &CommandSummary::name);
  expects(entry != foreign_commands().end(), "the tables have every command of other programs");
  return program.add_command(entry->name, entry->description, entry->example);
}

}  // namespace eatt::cli
