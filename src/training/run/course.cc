#include "training/run/course.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/stop_signal.h"
#include "base/threads.h"
#include "kernels/isa.h"
#include "model/computing.h"
#include "text/language/learn_profiles.h"
#include "training/run/bundles.h"
#include "training/run/log_lines.h"
#include "training/run/teamwork.h"
#include "training/run/tensorboard.h"
#include "training/update/batches.h"

namespace eatt {
namespace {

using nlohmann::json;

Schedule schedule_of(const TrainingOptions& options) {
  return {.kind = options.lr_schedule,
          .peak = options.learn_rate,
          .warmup = options.lr_warmup,
          .decay_start = options.lr_decay_start,
          .last_update = options.after.count};
}

BundleOrigin origin_of(const TrainingPlan& plan, const TrainingInputs& inputs) {
  BundleOrigin origin;
  origin.source_language = plan.options.source_language;
  origin.target_language = plan.options.target_language;
  origin.source_piece_model = read_file(inputs.data.source_pieces_file());
  origin.target_piece_model = read_file(inputs.data.target_pieces_file());
  origin.training_toml = print_recipe(plan.options);
  origin.made = {{"program", "eatt-train"},
                 {"command", plan.command},
                 {"date", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))}};
  if (inputs.valid) origin.golden_source = inputs.valid->sources().front();
  return origin;
}

// languages.json of the bundles; empty if the languages are not known.
std::string learn_languages(const TrainingOptions& options, const TrainingInputs& inputs) {
  const auto profiles =
      learn_profiles(inputs.data, {options.source_language, &inputs.source_pieces},
                     {options.target_language, &inputs.target_pieces});
  return profiles.empty() ? "" : print_profiles(profiles);
}

// One training run, from its first or next update to its last.
class Course {
 public:
  Course(const TrainingPlan& plan, const RunFolder* run, const TrainingInputs& inputs,
         ProcessGroup* group)
      : plan_(plan),
        options_(plan.options),
        run_(run),
        inputs_(inputs),
        schedule_(schedule_of(plan.options)),
        learner_(inputs.architecture, plan.options, plan.device == "cpu" ? worker_count() : 1,
                 torch::Device(plan.device), group),
        stream_(inputs.data, batch_options(plan.options, inputs.data),
                static_cast<uint64_t>(plan.options.seed), plan.options.max_length),
        data_check_(inputs.data),
        team_(group, learner_, state_) {
    if (run_ != nullptr) log_.emplace(run_->events(), run_->text_log());
  }

  TrainingEnd run() {
    kernels::check_forced_isa();
    data_check_.wait_at_most(std::chrono::seconds(1));
    begin();
    if (done() && state_.finished) return TrainingEnd::was_finished;
    if (run_ != nullptr) {
      open_tensorboard();
      report_.emplace(state_.update, share_done(),
                      options_.after.epochs ? 0 : options_.after.count);
    }
    const StopSignal stop;
    while (!done()) {
      attempt();
      if (team_.any(stop.received() != nullptr) && !done()) leave(stop.received());
    }
    finish();
    return TrainingEnd::finished;
  }

 private:
  void begin() {
    if (!plan_.teacher.empty()) {
      learner_.set_teacher(
          load_teacher(plan_.teacher, inputs_.source_pieces, inputs_.target_pieces));
    }
    team_.in_first_worker([this] { resume_or_start(); });
    follow_first_worker();
  }

  // The first worker has read a checkpoint.
  void follow_first_worker() {
    team_.take_weights_of_first();
    if (!team_.is_first()) go_to_state();
  }

  // Resumes from the newest checkpoint, or makes the first one.
  void resume_or_start() {
    const auto checkpoints = list_checkpoints(run_->checkpoints());
    if (!checkpoints.empty()) {
      restore(checkpoints.back());
      spdlog::info("resuming from update {}, epoch {}", state_.update, state_.epoch + 1);
      log_->event({{"event", "resumed"}, {"update", state_.update}});
      return;
    }
    keep_finished_models();
    if (!plan_.init_from.empty()) {
      // What is fitted to the text is saved before the first update, so the text must be sound.
      const auto checked_data = [this]() -> const DataSet& {
        data_check_.wait();
        return inputs_.data;
      };
      start_from_bundle(plan_.init_from, inputs_.source_pieces, inputs_.target_pieces, checked_data,
                        learner_);
    }
    log_->event(announce_training(options_, inputs_, stream_.pairs_in_epoch(), plan_.place.size));
    save();
  }

  // An event that is also drawn by TensorBoard, if the user wants that.
  void log_curves(json event) {
    if (tensorboard_) tensorboard_->add(event);
    log_->event(std::move(event));
  }

  // Events of updates that come again are removed.
  void open_tensorboard() {
    if (plan_.tensorboard.empty()) return;
    const auto name = std::filesystem::absolute(run_->path() / "").parent_path().filename();
    tensorboard_.emplace(plan_.tensorboard, name.string(), state_.update);
  }

  // A new start would replace the models of a run whose checkpoints somebody has removed.
  void keep_finished_models() const {
    for (const auto& model : {run_->best(), run_->last()}) {
      if (!std::filesystem::exists(model)) continue;
      throw Error(fmt::format(
          "{}: has no checkpoints left, so it cannot be continued, and a new start would replace "
          "{}; choose another --model, perhaps with --init-from {}",
          run_->path().string(), model.string(), model.string()));
    }
  }

  void restore(int64_t update) {
    state_ = load_checkpoint(run_->checkpoints(), update, learner_.rows());
    go_to_state();
  }

  void go_to_state() {
    stream_.seek(state_.epoch, state_.position);
    served_epoch_ = state_.epoch;
    validated_update_ = state_.score ? state_.update : -1;
  }

  bool reached_end() const {
    return options_.after.epochs ? static_cast<int64_t>(state_.epoch) >= options_.after.count
                                 : state_.update >= options_.after.count;
  }
  bool stopped_early() const {
    return options_.early_stopping > 0 && state_.stalled >= options_.early_stopping;
  }
  bool done() const { return reached_end() || stopped_early(); }

  double share_done() const {
    const auto count = static_cast<double>(options_.after.count);
    const double behind = options_.after.epochs
                              ? static_cast<double>(stream_.epoch()) + stream_.progress()
                              : static_cast<double>(state_.update);
    return std::min(behind / count, 1.0);
  }

  // Whether something with this interval is due after the update just done.
  bool due(Extent rhythm) const {
    if (rhythm.count == 0) return false;
    if (!rhythm.epochs) return state_.update % rhythm.count == 0;
    const auto count = static_cast<uint64_t>(rhythm.count);
    return state_.epoch / count != served_epoch_ / count;
  }

  // One update, or one that is skipped.
  void attempt() {
    data_check_.rethrow_if_failed();
    if (plan_.before_update) plan_.before_update(learner_, state_.attempts);
    const UpdateWork work = team_.draw(stream_, inputs_.data, options_.optimizer_delay);
    const double rate = schedule_.rate(state_.update + 1) * state_.rate_factor;
    const bool shown = !options_.disp_freq.epochs && options_.disp_freq.count > 0 &&
                       (state_.update + 1) % options_.disp_freq.count == 0;
    DensityCounter density;
    learner_.set_share_done(share_done());
    const UpdateResult result =
        learner_.update(work.batches, rate, dropout_seed(options_.seed, state_.attempts),
                        shown ? &density : nullptr, work.words_of_all);
    ++state_.attempts;
    state_.epoch = stream_.epoch();
    state_.position = stream_.position();
    if (!result.problem.empty()) return skip(result);
    ++state_.update;
    state_.words += result.words;
    state_.skipped_in_a_row = 0;
    state_.score.reset();
    state_.finished = false;
    if (report_) show_progress(result, rate, shown ? density.densities() : densities_);
    after_update();
  }

  void show_progress(const UpdateResult& result, double rate, const Densities& densities) {
    report_->add(result);
    report_->show_bar(state_.update, share_done());
    note_time();
    if (!due(options_.disp_freq)) return;
    auto line = report_->line(state_, rate, share_done(), densities);
    spdlog::info("{}", line.text);
    log_curves(std::move(line.event));
  }

  void after_update() {
    const bool validating = validates() && due(options_.valid_freq);
    if (validating || due(options_.save_freq)) {
      team_.expect_same_weights();
      team_.in_first_worker([&] {
        if (validating) validate();
        save();
      });
      inputs_.data.release_pages();
    }
    served_epoch_ = state_.epoch;
  }

  bool validates() const { return !plan_.valid_source.empty(); }

  // Seconds of training so far go into the state; earlier processes' are in it already.
  void note_time() {
    const double now = report_->seconds();
    state_.seconds += now - noted_seconds_;
    noted_seconds_ = now;
  }

  void skip(const UpdateResult& result) {
    ++state_.skipped_in_a_row;
    if (log_) {
      spdlog::warn("update {} skipped: {}", state_.update + 1, result.problem);
      log_->event(
          {{"event", "skipped"}, {"update", state_.update + 1}, {"problem", result.problem}});
    }
    if (state_.skipped_in_a_row < options_.skip_limit) return;
    team_.in_first_worker([&] { roll_back(result.problem); });
    follow_first_worker();
  }

  void roll_back(const std::string& problem) {
    const int64_t rollbacks = state_.rollbacks + 1;
    const double factor = state_.rate_factor * options_.rollback_factor;
    if (rollbacks > options_.rollback_limit) {
      throw Error(
          fmt::format("gave up at update {}: {} updates in a row failed, {} times after returning "
                      "to a checkpoint; the last: {}; try a lower --learn-rate, a longer "
                      "--lr-warmup or a smaller --clip-norm (checkpoints stay in {})",
                      state_.update + 1, options_.skip_limit, options_.rollback_limit, problem,
                      run_->checkpoints().string()));
    }
    auto checkpoints = list_checkpoints(run_->checkpoints());
    // Nothing worked from there the last time: it was saved after the damage was done.
    if (checkpoints.back() == rolled_back_to_ && state_.update == rolled_back_to_ &&
        checkpoints.size() > 1) {
      remove_checkpoint(run_->checkpoints(), checkpoints.back());
      checkpoints.pop_back();
    }
    rolled_back_to_ = checkpoints.back();
    restore(rolled_back_to_);
    state_.rollbacks = rollbacks;
    state_.rate_factor = factor;
    state_.skipped_in_a_row = 0;
    spdlog::warn("returning to update {} with the learning rate times {:.3g}", state_.update,
                 factor);
    open_tensorboard();
    log_->event({{"event", "rolled back"}, {"update", state_.update}, {"rate_factor", factor}});
    save();
  }

  void validate() {
    std::optional<Scoring> scoring;
    if (needs_translations(options_.valid_metric))
      scoring = Scoring{.tokenizer = *evaluation::tokenizer_from_name(options_.valid_tokenize),
                        .search = {}};
    learner_.with_kept_weights([&] {
      const ValidationScores scores = inputs_.valid->score(learner_.model(), scoring);
      note_scores(scores);
      const json results = {{"update", state_.update}, {"dev", to_json(scores)}};
      if (state_.best_update == state_.update) write_model(run_->best(), results);
      write_model(run_->last(), results);
      report_->pause(scores.seconds);
    });
    validated_update_ = state_.update;
  }

  void note_scores(const ValidationScores& scores) {
    densities_ = scores.densities;
    const bool better = state_.note_score(scores.value(options_.valid_metric),
                                          higher_is_better(options_.valid_metric));
    auto line = validation_line(state_, scores, better);
    spdlog::info("{}", line.text);
    log_curves(std::move(line.event));
  }

  // Nothing learnt from damaged data is ever written: a large data set may still be being checked.
  void expect_sound_data() {
    if (state_.update > 0) data_check_.wait();
  }

  void write_model(const std::filesystem::path& path, const json& results) {
    expect_sound_data();
    BundleOrigin origin = origin_of(plan_, inputs_);
    origin.results_json = results.dump(2) + "\n";
    if (!languages_json_) languages_json_ = learn_languages(options_, inputs_);
    origin.languages_json = *languages_json_;
    export_bundle(path, inputs_.architecture, weights_of(*learner_.model()), origin,
                  OtherFiles::kept);
  }

  void save() {
    expect_sound_data();
    save_checkpoint(run_->checkpoints(), state_, learner_.rows());
    prune_checkpoints(run_->checkpoints(),
                      {.last = options_.keep_last,
                       .best = options_.keep_best,
                       .higher_is_better = higher_is_better(options_.valid_metric)});
  }

  // A signal that came to another worker has no name here.
  [[noreturn]] void leave(const char* signal) {
    team_.in_first_worker(
        [&] { save_and_leave(signal != nullptr ? signal : "a signal to a worker"); });
    throw Error("stopped with worker 0");  // Which has thrown.
  }

  [[noreturn]] void save_and_leave(const char* signal) {
    // Checking a large data set can take longer than a process that is told to stop has left.
    const bool checked = data_check_.wait_at_most(std::chrono::seconds(1));
    if (state_.update > 0 && !checked) leave_unsaved(signal);
    save();
    log_->event({{"event", "stopped"}, {"update", state_.update}, {"signal", signal}});
    throw Error(
        fmt::format("stopped by {} after update {}; everything is saved in {}; run the same "
                    "command to continue",
                    signal, state_.update, run_->path().string()));
  }

  [[noreturn]] void leave_unsaved(const char* signal) {
    const int64_t saved = list_checkpoints(run_->checkpoints()).back();
    log_->event({{"event", "stopped"}, {"update", saved}, {"signal", signal}});
    throw Error(
        fmt::format("stopped by {} after update {}, which is not saved, because the data set was "
                    "still being checked; {} has the state after update {}, and the same command "
                    "continues from there",
                    signal, state_.update, run_->path().string(), saved));
  }

  void finish() {
    team_.expect_same_weights();
    team_.in_first_worker([this] { write_last_files(); });
  }

  void write_last_files() {
    note_time();
    state_.finished = true;
    const bool has_bundle = std::filesystem::exists(run_->last() / kManifestFile);
    if (inputs_.valid && (validated_update_ != state_.update || !has_bundle)) {
      validate();
    } else if (!inputs_.valid) {
      learner_.with_kept_weights([&] { write_model(run_->last(), {{"update", state_.update}}); });
    }
    save();
    const bool early = stopped_early() && !reached_end();
    if (early) spdlog::info("{}", early_stop_text(state_, options_));
    auto line = finished_line(state_, options_.valid_metric,
                              static_cast<double>(stream_.epoch()) + stream_.progress());
    line.event["early"] = early;
    log_->event(std::move(line.event));
    spdlog::info("{}", line.text);
  }

  const TrainingPlan& plan_;
  const TrainingOptions& options_;
  const RunFolder* run_;  // Of the first worker.
  const TrainingInputs& inputs_;
  Schedule schedule_;
  std::optional<TrainingLog> log_;  // Of the first worker, and so are the next and report_.
  std::optional<TensorBoardLog> tensorboard_;
  Learner learner_;
  BatchStream stream_;
  DataSetCheck data_check_;
  TrainingState state_;
  Teamwork team_;
  std::optional<ProgressReport> report_;
  std::optional<std::string> languages_json_;  // Learned when the first bundle is written.
  double noted_seconds_ = 0;
  int64_t validated_update_ = -1;
  int64_t rolled_back_to_ = -1;
  uint64_t served_epoch_ = 0;  // Whose validation, checkpoint and log line are done.
  Densities densities_;        // Of the last validation.
};

}  // namespace

TrainingEnd run_course(const TrainingPlan& plan, const RunFolder* run, const TrainingInputs& inputs,
                       ProcessGroup* group) {
  return Course(plan, run, inputs, group).run();
}

}  // namespace eatt
