#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "study/child.h"
#include "study/live_table.h"
#include "study/manifest.h"
#include "study/runs.h"
#include "study/tables.h"

namespace eatt::study {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto kPoll = std::chrono::milliseconds(200);

// The end of a file that may be long.
std::string tail_of(const fs::path& path, std::streamoff most) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - most));
  return {std::istreambuf_iterator<char>(file), {}};
}

// A cell on its way through its steps.
class RunningCell {
 public:
  RunningCell(CellReport& report, const StudyOptions& options, int threads)
      : report_(report),
        options_(options),
        steps_(steps_of(report.cell, options, threads)),
        log_(StudyFolder{options.output}.log_of(report.cell.id())) {
    report_.state = CellState::running;
    const std::string difference = difference_of_run(report.cell, options);
    if (difference.empty()) {
      next();
    } else {
      fail(difference);
    }
  }

  // Looks after the program that runs; false once the cell is done or has failed.
  bool advance() {
    if (child_ == nullptr) return false;
    const auto code = child_->exit_code();
    if (!code) {
      read_progress();
      return true;
    }
    child_.reset();
    if (*code != 0) {
      fail(failure(log_, *code));
      return false;
    }
    const Step& step = steps_[at_];
    if (step.name == "train") {
      fs::remove(partial(step));
    } else {
      fs::rename(partial(step), step.result);
    }
    ++at_;
    next();
    return child_ != nullptr;
  }

  void ask_to_end() {
    if (child_ != nullptr) child_->ask_to_end();
  }
  void wait() {
    if (child_ != nullptr) child_->wait();
  }
  const CellReport& report() const { return report_; }

 private:
  static fs::path partial(const Step& step) { return step.result.string() + ".part"; }

  // Starts the next step that is left to do.
  void next() {
    while (at_ < steps_.size() && is_done(steps_[at_], report_.cell, options_)) ++at_;
    if (at_ == steps_.size()) {
      report_.state = CellState::done;
      report_.share = 1;
      report_.step.clear();
      return;
    }
    const Step& step = steps_[at_];
    report_.step = step.name;
    try {
      child_ = std::make_unique<Child>(step.words, Child::Outputs{partial(step), log_});
    } catch (const Error& error) {
      fail(error.what());
    }
  }

  void fail(const std::string& message) {
    report_.state = CellState::failed;
    report_.error = message;
  }

  void read_progress() {
    if (steps_[at_].name != "train") return;
    const StudyFolder folder{options_.output};
    std::istringstream lines(tail_of(folder.run_of(report_.cell.id()) / "log.jsonl", 8192));
    for (std::string line; std::getline(lines, line);) {
      const json event = json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (!event.is_object()) continue;
      const std::string kind = event.value("event", "");
      if (kind == "validation" && event.contains("cross_entropy"))
        report_.cross_entropy = event["cross_entropy"].get<double>();
      if (kind != "progress") continue;
      const double done = event.value("seconds", 0.0), left = event.value("seconds_left", 0.0);
      report_.seconds_left = left;
      if (done + left > 0) report_.share = done / (done + left);
    }
  }

  CellReport& report_;
  const StudyOptions& options_;
  std::vector<Step> steps_;
  fs::path log_;
  size_t at_ = 0;
  std::unique_ptr<Child> child_;
};

// All cells of a study, several at a time.
class Runner {
 public:
  Runner(const StudyOptions& options, std::vector<Cell> cells)
      : options_(options), threads_(std::max(1, options.threads / options.jobs)) {
    for (Cell& cell : cells) reports_.emplace_back().cell = std::move(cell);
  }

  std::vector<CellReport> run() {
    const StopSignal stop;
    mark_done_cells();
    save();
    while (start_cells(), !running_.empty()) {
      std::this_thread::sleep_for(kPoll);
      for (size_t i = 0; i < running_.size();) {
        if (running_[i]->advance()) {
          ++i;
          continue;
        }
        tell_end(running_[i]->report());
        running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        save();
      }
      if (stop.received() != nullptr) leave(stop.received());
      if (shows_status()) show_status(live_table(reports_, options_.jobs));
    }
    save();
    if (shows_status()) end_status();
    return reports_;
  }

 private:
  // Those that an earlier command has trained and scored.
  void mark_done_cells() {
    for (CellReport& report : reports_) {
      const auto steps = steps_of(report.cell, options_, threads_);
      const bool is_left = std::ranges::any_of(
          steps, [&](const Step& step) { return !is_done(step, report.cell, options_); });
      if (!is_left && difference_of_run(report.cell, options_).empty())
        report.state = CellState::done;
    }
    if (const size_t done = count(CellState::done); done > 0)
      spdlog::info("{} of {} are done already", done, format_count(reports_.size(), "cell"));
  }

  // Starts as many cells as there are free places. Those that need a teacher wait for it.
  void start_cells() {
    const size_t before = running_.size();
    start_waiting_cells();
    if (running_.size() != before) save();
  }

  void start_waiting_cells() {
    for (CellReport& report : reports_) {
      if (running_.size() >= static_cast<size_t>(options_.jobs)) return;
      if (report.state != CellState::waiting) continue;
      const CellReport* teacher = find(report.cell.teacher);
      if (teacher != nullptr && teacher->state == CellState::failed) {
        report.state = CellState::failed;
        report.error = fmt::format("its teacher, {}, failed", teacher->cell.id());
        tell_end(report);
        continue;
      }
      if (teacher != nullptr && teacher->state != CellState::done) continue;
      auto cell = std::make_unique<RunningCell>(report, options_, threads_);
      if (report.state == CellState::running) {
        spdlog::info("{}: started", report.cell.id());
        running_.push_back(std::move(cell));
      } else {
        tell_end(report);
      }
    }
  }

  const CellReport* find(const std::string& id) const {
    const auto found = std::ranges::find_if(
        reports_, [&](const CellReport& report) { return report.cell.id() == id; });
    return id.empty() || found == reports_.end() ? nullptr : &*found;
  }

  size_t count(CellState state) const {
    return static_cast<size_t>(std::ranges::count(reports_, state, &CellReport::state));
  }

  void tell_end(const CellReport& report) const {
    if (report.state == CellState::failed) {
      spdlog::error("{}: failed: {} (see {})", report.cell.id(), report.error,
                    StudyFolder{options_.output}.log_of(report.cell.id()).string());
    } else {
      spdlog::info("{}: done, {} of {}", report.cell.id(), count(CellState::done),
                   format_count(reports_.size(), "cell"));
    }
  }

  // What is known so far, so that `eatt report` shows it.
  void save() const {
    const StudyOptions all = with_earlier_studies(options_);
    const auto reports = with_earlier_cells(all, reports_);
    write_manifest(all, reports);
    if (std::ranges::find(reports, CellState::done, &CellReport::state) != reports.end())
      write_results(all, reports);
  }

  [[noreturn]] void leave(const char* signal) {
    if (shows_status()) end_status();
    for (const auto& cell : running_) cell->ask_to_end();
    for (const auto& cell : running_) cell->wait();
    for (CellReport& report : reports_) {
      if (report.state == CellState::running || report.state == CellState::waiting)
        report.state = CellState::unfinished;
    }
    save();
    throw Stopped(fmt::format("stopped by {}; run the same command to continue with {}", signal,
                              options_.output.string()));
  }

  const StudyOptions& options_;
  const int threads_;
  std::vector<CellReport> reports_;
  std::vector<std::unique_ptr<RunningCell>> running_;
};

// Cells that earlier commands have trained are scored as this one asks, and stay in the results.
void add_trained_cells(std::vector<Cell>& cells, const StudyOptions& all) {
  for (Cell& cell : cells_of(all.kinds, all.seeds, all.size)) {
    const bool is_there = std::ranges::find(cells, cell.id(), &Cell::id) != cells.end();
    const bool is_trained = end_of(StudyFolder{all.output}.run_of(cell.id())).finished;
    if (!is_there && is_trained) cells.push_back(std::move(cell));
  }
}

}  // namespace

std::vector<CellReport> run_study(const StudyOptions& options) {
  const StudyFolder folder{options.output};
  std::vector<Cell> cells = chosen_cells(options);
  add_trained_cells(cells, with_earlier_studies(options));
  for (const char* below : {"cells", "logs", "scores"}) make_folder(folder.path / below);
  write_texts(options);
  prepare_data(options);
  check_lengths(options, cells);
  return Runner(options, std::move(cells)).run();
}

}  // namespace eatt::study
