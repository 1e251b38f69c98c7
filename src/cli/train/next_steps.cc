#include "cli/train/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/text/utf8.h"
#include "bundle/bundle.h"
#include "training/options/training_options.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

// How `eatt` is called from here: by its name if the PATH leads to the one beside this program.
std::string eatt_program() {
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "eatt";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path found = fs::path(folder) / "eatt";
    if (!fs::exists(found, ignored)) continue;
    if (fs::equivalent(found, beside, ignored)) return "eatt";
    break;
  }
  if (!fs::exists(beside, ignored)) return "eatt";
  const fs::path from_here = beside.lexically_relative(fs::current_path(ignored));
  const bool is_below = !from_here.empty() && *from_here.begin() != "..";
  return shell_quoted(is_below ? "./" + from_here.string() : beside.string());
}

// Text of the source language to try the model on; empty if no file is known.
std::string source_text(const TrainingPlan& plan) {
  if (!plan.valid_source.empty()) return plan.valid_source.string();
  if (plan.train_sets.empty() || plan.train_sets.front().is_tsv()) return {};
  const std::string& path = plan.train_sets.front().source.path;
  return path == "-" ? std::string() : path;
}

// Several workers were started by a command that only its author knows.
std::string command_to_continue(const TrainingPlan& plan) {
  if (!plan.place.alone()) return "the same command with";
  return fmt::format("{} train --model {}", eatt_program(), shell_quoted(plan.run.string()));
}

// The next --after to try, and where the run stands.
std::string longer_training(const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  if (has_stopped_early(plan.run, options)) {
    return fmt::format("to train longer: {} --early-stopping {} (it was {})",
                       command_to_continue(plan), 2 * options.early_stopping,
                       options.early_stopping);
  }
  const std::string schedule = schedule_over_after(options, !plan.teacher.empty());
  if (!schedule.empty()) {
    return fmt::format(
        "to train longer, start a new run: a larger --after and another --model ({})",
        options.lr_schedule == ScheduleKind::linear ? "the linear schedule has reached its end"
                                                    : schedule + " is spread over --after");
  }
  // Of a run that was given a smaller --after than it has done, the latter counts.
  Extent reached = done_so_far(plan.run, options.after.epochs);
  const bool is_beyond = reached.count > options.after.count;
  if (!is_beyond) reached = options.after;
  return fmt::format("to train longer: {} --after {} (it {} {})", command_to_continue(plan),
                     print_extent({2 * reached.count, reached.epochs}),
                     is_beyond ? "has done" : "was", print_extent(reached));
}

}  // namespace

std::vector<std::string> next_steps(const TrainingPlan& plan) {
  const bool has_best = fs::exists(plan.run / "best" / kManifestFile);
  const std::string bundle = (plan.run / (has_best ? "best" : "last")).string();
  const std::string text = source_text(plan);
  return {fmt::format("the {} model is in {}", has_best ? "best" : "last", bundle),
          fmt::format("to translate with it: {} translate {}{}", eatt_program(),
                      shell_quoted(bundle), text.empty() ? "" : " < " + shell_quoted(text)),
          longer_training(plan)};
}

}  // namespace eatt::cli
