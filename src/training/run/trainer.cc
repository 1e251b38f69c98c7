#include "training/run/trainer.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/stop_signal.h"
#include "model/computing.h"
#include "training/distributed/process_group.h"
#include "training/run/checkpoint.h"
#include "training/run/course.h"
#include "training/run/run_folder.h"
#include "training/run/training_inputs.h"

namespace eatt {

Extent done_so_far(const std::filesystem::path& run, bool in_epochs) {
  const auto folder = run / "checkpoints";
  const auto checkpoints = list_checkpoints(folder);
  if (checkpoints.empty()) return {0, in_epochs};
  const TrainingState state = read_training_state(folder, checkpoints.back());
  return {in_epochs ? static_cast<int64_t>(state.epoch) : state.update, in_epochs};
}

bool has_stopped_early(const std::filesystem::path& run, const TrainingOptions& options) {
  const auto folder = run / "checkpoints";
  const auto checkpoints = list_checkpoints(folder);
  if (options.early_stopping == 0 || checkpoints.empty()) return false;
  const TrainingState state = read_training_state(folder, checkpoints.back());
  const auto& after = options.after;
  const auto done = after.epochs ? static_cast<int64_t>(state.epoch) : state.update;
  return state.stalled >= options.early_stopping && done < after.count;
}

void check_training(const TrainingPlan& plan) {
  with_plain_errors([&] {
    check_options(plan);
    TrainingPlan settled = plan;
    settled.train_sets.clear();  // Only their names are known.
    check_files(settled);
    settled.train_sets = plan.train_sets;
    fill_in_languages(settled);
    check_plan_languages(settled);
    const RunFolder run(plan.run);
    try {
      compare_options(run, settled);
    } catch (...) {
      run.remove_failed_start();
      throw;
    }
    run.remove_failed_start();
  });
}

namespace {

// What a training needs before its first update. The first of several workers makes it, in the run
// folder; the others take over its options and read the same data set.
struct Start {
  TrainingPlan plan;
  std::optional<RunFolder> run;  // Of the first worker.
  std::optional<TrainingInputs> inputs;
};

void make_start(Start& start) {
  TrainingPlan& plan = start.plan;
  check_options(plan);
  check_files(plan);
  fill_in_languages(plan);
  check_plan_languages(plan);
  start.run.emplace(plan.run);
  try {
    start.inputs.emplace(plan, prepare_data(plan, *start.run));
    begin_or_resume(*start.run, plan, *start.inputs);
  } catch (const Stopped&) {
    throw;
  } catch (...) {
    start.run->remove_failed_start();
    throw;
  }
}

// Text was prepared in the run folder by the first worker. It alone validates.
void follow_start(Start& start, const std::string& recipe) {
  TrainingPlan& plan = start.plan;
  apply_recipe(recipe, "the options of worker 0", plan.options);
  TrainingPlan reading = plan;
  if (reading.prepared.empty()) reading.prepared = plan.run / "data";
  reading.valid_source.clear();
  start.inputs.emplace(reading, reading.prepared);
}

// Gloo adds up what lies in memory.
void expect_cpu(const TrainingPlan& plan) {
  if (plan.device == "cpu") return;
  throw UsageError(
      fmt::format("several workers train on the CPU only; --device is {}", plan.device));
}

void share_start(Start& start, ProcessGroup& group) {
  const std::string recipe = group.broadcast(print_recipe(start.plan.options));
  if (!group.is_first()) follow_start(start, recipe);
  const std::string own = data_digest(*start.inputs);
  const bool differs = own != group.broadcast(own);
  if (!group.any(differs)) return;
  throw Error(fmt::format("{} than worker 0; give all of them the same --prepared",
                          differs ? start.inputs->data.folder().string() + ": another data set"
                                  : "some workers have another data set"));
}

}  // namespace

TrainingEnd run_training(const TrainingPlan& plan) {
  return with_plain_errors([&] {
    set_up_computing();
    Start start = {.plan = plan, .run = {}, .inputs = {}};
    std::optional<ProcessGroup> group;
    if (plan.place.alone()) {
      make_start(start);
    } else {
      expect_cpu(plan);
      group.emplace(plan.place, plan.worker_timeout);
      group->while_first_works([&] { make_start(start); });
      share_start(start, *group);
    }
    try {
      return run_course(start.plan, start.run ? &*start.run : nullptr, *start.inputs,
                        group ? &*group : nullptr);
    } catch (const Stopped&) {
      throw;  // The same command goes on from there.
    } catch (...) {
      if (start.run) start.run->remove_failed_start();
      throw;
    }
  });
}

}  // namespace eatt
