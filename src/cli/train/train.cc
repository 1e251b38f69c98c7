#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log_worker.h"
#include "base/progress.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/habits.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"
#include "cli/suggest.h"
#include "cli/train/next_steps.h"
#include "training/distributed/launcher.h"
#include "training/distributed/rendezvous.h"
#include "training/options/training_options.h"
#include "training/run/trainer.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string recipe;
  std::vector<std::string> train_sets;
  std::vector<std::string> valid_sets;
  bool dry_run = false;
  bool json = false;  // What a dry run prints.
  bool dump_config = false;
  bool check_only = false;
  int workers = 1;         // To start; a worker itself finds its place in the environment.
  int timeout = 300;       // Seconds.
  bool continues = false;  // A run whose folder has its data and options.
  // Flags of recipe keys in the order given: they come after the recipe, wherever it stands.
  std::vector<std::pair<const TrainingOption*, std::string>> given;
  TrainingPlan plan;
};

// Whether this process trains nothing itself; its workers say what there is to say.
bool starts_workers(const Arguments& arguments) {
  return arguments.workers > 1 && arguments.plan.place.alone() && !arguments.dry_run;
}

void fill_plan(Arguments& arguments) {
  TrainingPlan& plan = arguments.plan;
  if (!arguments.valid_sets.empty()) {
    plan.valid_source = arguments.valid_sets[0];
    plan.valid_target = arguments.valid_sets[1];
  }
  if (arguments.train_sets.size() % 2 != 0) {
    throw UsageError(fmt::format(
        "--train-sets has {}; expected pairs of source and target{}",
        format_count(arguments.train_sets.size(), "file"),
        arguments.train_sets.size() == 1 ? std::string("; ") + kTsvHint : std::string()));
  }
  for (size_t i = 0; i < arguments.train_sets.size(); i += 2) {
    plan.train_sets.push_back({arguments.train_sets[i], arguments.train_sets[i + 1]});
  }
  const bool has_data = !plan.train_sets.empty() || !plan.prepared.empty();
  arguments.continues = !plan.run.empty() && continue_from_record(plan);
  if (!arguments.recipe.empty()) apply_recipe_named(arguments.recipe, plan.options);
  for (const auto& [option, value] : arguments.given) option->set(plan.options, value);
  if (arguments.continues) {
    plan.recipe = arguments.recipe;
    for (const auto& [option, value] : arguments.given) plan.flags.push_back(option->name);
  }
  if (arguments.continues && !arguments.check_only && !starts_workers(arguments)) {
    spdlog::info("{}: continuing with the {} that this run was started with", plan.run.string(),
                 has_data ? "options" : "data and the options");
  }
  plan.command = typed_command();
}

// The file without which a folder holds no run to continue; empty if it has all.
std::string missing_file(const fs::path& run) {
  std::error_code ignored;
  for (const char* name : {"run.json", "training.toml"}) {
    if (!fs::exists(run / name, ignored)) return name;
  }
  return {};
}

// "runs/en-de" of "runs/ende": a run beside the folder that was given; empty if none has a name
// like it.
std::string run_near(const fs::path& given) {
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  const fs::path parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; entry != end; entry.increment(ignored)) {
    const fs::path& run = entry->path();
    if (run.filename() == folder.filename()) continue;
    if (missing_file(run).empty()) names.push_back(run.filename());
  }
  std::ranges::sort(names);
  const std::string near = nearest_name(folder.filename().string(), names);
  return near.empty() ? "" : (folder.has_parent_path() ? parent / near : fs::path(near)).string();
}

// A folder that was given without data, to continue its run, but holds none.
[[noreturn]] void refuse_to_continue(const fs::path& folder) {
  std::error_code ignored;
  const fs::path parent = (folder.has_filename() ? folder : folder.parent_path()).parent_path();
  const bool in_run = fs::exists(parent / "run.json", ignored) && !parent.empty();
  const std::string near = in_run ? parent.string() : run_near(folder);
  const std::string missing = missing_file(folder);
  const std::string why = !fs::exists(folder, ignored) ? "does not exist"
                          : missing.empty()            ? "has a run.json that names no text"
                                                       : "has no " + missing;
  throw UsageError(fmt::format(
      "--model {} {}, so there is no run to continue{}; to start a new one, add --train-sets SRC "
      "TGT or --prepared DIR",
      folder.string(), why, did_you_mean(near)));
}

// The run writes its whole configuration there, so a recipe that somebody wrote would be lost.
void expect_recipe_elsewhere(const Arguments& arguments) {
  std::error_code none;
  const fs::path settings = arguments.plan.run / "training.toml";
  if (arguments.plan.run.empty() || !fs::equivalent(arguments.recipe, settings, none)) return;
  const std::string text = read_file(settings, 1 << 20);
  TrainingOptions options;
  apply_recipe(text, settings.string(), options);
  if (print_recipe(options) == text) return;  // As an earlier start of this run has written it.
  throw UsageError(fmt::format(
      "--recipe {} would be overwritten, because training writes its configuration there; choose "
      "another --model, or move the recipe",
      arguments.recipe));
}

void require_paths(const Arguments& arguments) {
  const TrainingPlan& plan = arguments.plan;
  const bool has_data = !plan.train_sets.empty() || !plan.prepared.empty();
  if (!has_data && !plan.run.empty()) refuse_to_continue(plan.run);
  if (plan.train_sets.empty() == plan.prepared.empty()) {
    throw UsageError("give either --train-sets SRC TGT or --prepared DIR");
  }
  if (plan.run.empty() && !arguments.dry_run) {
    throw UsageError("--model is missing: the folder for checkpoints and bundles");
  }
}

// The default is what the paper trained on a GPU with millions of pairs.
void hint_at_recipes(const Arguments& arguments) {
  const auto sets_size = [](const auto& given) {
    return given.first->name == "model-dim" || given.first->name == "enc-depth";
  };
  if (!arguments.recipe.empty() || std::ranges::any_of(arguments.given, sets_size)) return;
  spdlog::info(
      "no --recipe is given, so the model has the paper's base size; for little text or a first "
      "try use --recipe tiny");
}

std::vector<std::string_view> names_of(
    const std::vector<std::pair<const TrainingOption*, std::string>>& given) {
  std::vector<std::string_view> names;
  for (const auto& [option, value] : given) names.push_back(option->name);
  return names;
}

// Starts the workers on this machine. What is wrong with the command shows here, once.
void run_workers(const Arguments& arguments) {
  check_training(arguments.plan);
  const int code =
      run_local_workers({.count = arguments.workers,
                         .threads = std::max(1, default_thread_count() / arguments.workers)});
  if (code != kDone) throw ExitCode{code, ""};
}

// Finds this process's place among several, which --workers or another launcher has started.
void take_place(Arguments& arguments) {
  TrainingPlan& plan = arguments.plan;
  plan.worker_timeout = std::chrono::seconds(arguments.timeout);
  plan.place = find_place();
  const bool several = arguments.workers > 1 || !plan.place.alone();
  if (several && arguments.dry_run) {
    throw UsageError("--dry-run estimates a training by one worker; leave the others out");
  }
  if (plan.place.alone()) return;
  if (arguments.workers > 1 && arguments.workers != plan.place.size) {
    throw UsageError(fmt::format(
        "--workers is {}, but this is one of {} that were started together; leave --workers out",
        arguments.workers, plan.place.size));
  }
  set_log_worker(plan.place.rank);
  // What all would say is said by the first.
  if (plan.place.rank > 0 && !spdlog::should_log(spdlog::level::debug)) {
    spdlog::set_level(spdlog::level::warn);
  }
}

void run(Arguments& arguments) {
  take_place(arguments);
  if (arguments.plan.tensorboard == "true") {  // Given without DIR.
    arguments.plan.tensorboard = arguments.plan.run / kTensorBoardFolder;
  }
  if (arguments.json && !arguments.dry_run)
    throw UsageError(
        "--json has an effect on --dry-run only; for a log in JSON use --log-format json");
  if (!arguments.dry_run && !arguments.dump_config) expect_recipe_elsewhere(arguments);
  fill_plan(arguments);
  if (arguments.dump_config) {
    if (!arguments.check_only) print_result(print_recipe(arguments.plan.options));
    return;
  }
  require_paths(arguments);
  refuse_idle_options(arguments.plan, names_of(arguments.given));
  if (arguments.check_only) return check_training(arguments.plan);
  if (starts_workers(arguments)) return run_workers(arguments);
  if (!arguments.continues) hint_at_recipes(arguments);
  if (arguments.dry_run) {
    const DryRun found = examine(arguments.plan);
    print_result(arguments.json ? dry_run_json(found) : print_dry_run(found));
    return;
  }
  if (arguments.plan.place.rank == 0) warn_of_slow_products();
  if (run_training(arguments.plan) == TrainingEnd::was_finished) {
    spdlog::info("{}: this training has already finished; nothing was left to do",
                 arguments.plan.run.string());
  }
  if (arguments.plan.place.rank > 0) return;
  for (const std::string& line : next_steps(arguments.plan)) spdlog::info("{}", line);
}

void add_path_options(Command& command, Arguments& arguments) {
  const char* group = "Files";
  command
      .add_option("--train-sets", arguments.train_sets,
                  "Source and target text, one sentence per line; more pairs of files may follow")
      .shows("SRC TGT...")
      .group(group)
      .reads();
  command
      .add_option("--prepared", arguments.plan.prepared,
                  "A data set made by `eatt corpus prepare`, instead of --train-sets")
      .shows("DIR")
      .group(group)
      .reads();
  command.add_option("--valid-sets", arguments.valid_sets, "Source and target text for validation")
      .shows("SRC TGT")
      .takes(2)
      .group(group)
      .reads();
  command
      .add_option("--model", arguments.plan.run,
                  "Run folder: checkpoints, the bundles best and last, logs. A run that was "
                  "interrupted continues with --model RUN alone")
      .shows("RUN")
      .group(group)
      .trains();
  command
      .add_option("--tensorboard", arguments.plan.tensorboard,
                  "Write the curves of the training to TensorBoard event files; without DIR, to "
                  "tensorboard in the run folder")
      .shows("[DIR]")
      .takes(0, 1)
      .group(group);
  command
      .add_option("--init-from", arguments.plan.init_from,
                  "Start from a bundle with the same pieces; tensors that do not match are listed")
      .shows("BUNDLE")
      .group(group)
      .reads();
  command
      .add_option("--guided-alignment", arguments.plan.guided_alignment,
                  "Word links of --train-sets in Pharaoh format, such as 0-0 1-2, a file for each "
                  "pair of files: guide cross-attention by them")
      .shows("FILE...")
      .group(group)
      .reads();
  command
      .add_option("--teacher", arguments.plan.teacher,
                  "Distill word by word from a bundle with the same pieces")
      .shows("BUNDLE")
      .group(group)
      .reads();
}

void add_worker_options(Command& command, Arguments& arguments) {
  command
      .add_option("--workers", arguments.workers,
                  "Processes on this machine that train one model together; --mini-batch-words and "
                  "--cpu-threads are of each. Under torchrun, srun and mpirun it is not needed",
                  {1, 1024})
      .shows("N");
  command
      .add_option("--worker-timeout", arguments.timeout,
                  "Seconds after which a worker that does not answer is given up; at least 5, "
                  "because a busy worker answers once a second",
                  {5, 1'000'000})
      .shows("SECONDS");
}

void add_recipe_options(Command& command, Arguments& arguments) {
  std::vector<std::string> names;
  for (const BuiltInRecipe& recipe : built_in_recipes()) names.emplace_back(recipe.name);
  command
      .add_option(
          "--recipe", arguments.recipe,
          fmt::format("A TOML file, or one of {}; the flags below are its keys, and override it",
                      fmt::join(names, ", ")))
      .shows("NAME|FILE")
      .offers(names)
      .reads();
  for (const TrainingOption& option : training_option_table()) {
    Option flag = command.add_setting(
        "--" + option.name,
        [&arguments, &option](const std::string& value) {
          arguments.given.emplace_back(&option, value);
        },
        option.help);
    flag.offers(option.choices)
        .shows(option.value.empty() ? "[true|false]" : option.value)
        .default_is(option.get(TrainingOptions{}))
        .group(option.group);
    if (option.value.empty()) flag.takes(0, 1);
    if (option.name == "valid-tokenize") flag.also("--tokenize");
  }
}

}  // namespace

void add_train_command(Command& program) {
  Command& command = add_foreign_command(program, "train");
  const auto arguments = std::make_shared<Arguments>();
  add_path_options(command, *arguments);
  command.add_option("--device", arguments->plan.device, "cpu, or cuda if libtorch supports it")
      .shows("cpu|cuda");
  command.add_threads_option();
  add_worker_options(command, *arguments);
  command.add_flag("--dry-run", arguments->dry_run,
                   "Print parameters, memory, disk, energy, updates and time; train nothing");
  command.add_flag("--json", arguments->json, "Print the dry run as JSON");
  command.add_flag("--dump-config", arguments->dump_config,
                   "Print the whole configuration as a recipe; train nothing");
  command
      .add_flag("--check-only", arguments->check_only,
                "Check all that can be checked before the text of --train-sets exists")
      .hide();
  add_recipe_options(command, *arguments);
  add_training_habits(command);
  command.extra_arguments_mean({"--train-sets", ""});
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
