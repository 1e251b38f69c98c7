#include "training/run/run_folder.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

// A run inside a model folder would overwrite the model's files, and be deleted with the model.
void refuse_bundle(const fs::path& path) {
  if (!fs::exists(path / "config.json")) return;
  throw UsageError(fmt::format(
      "--model {} is a finished model; give the folder of a training run, or a new one, and start "
      "from this model with --init-from {}",
      path.string(), path.string()));
}

bool contains(const fs::path& file, std::string_view text) {
  std::error_code none;
  if (!fs::is_regular_file(file, none)) return false;
  return MappedFile(file).text().find(text) != std::string_view::npos;
}

bool holds_only_checkpoints(const fs::path& folder) {
  return std::ranges::all_of(fs::directory_iterator(folder), [](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    return name.starts_with("step-") || name.starts_with("removed-");
  });
}

// A folder in which a training was started, however soon it was killed.
bool was_started(const fs::path& path) {
  if (contains(path / "run.json", "\"training data\"")) return true;
  const fs::path checkpoints = path / "checkpoints";
  if (!fs::is_directory(checkpoints) || !holds_only_checkpoints(checkpoints)) return false;
  return !fs::is_empty(checkpoints) || !fs::exists(path / "training.toml");
}

bool is_data_set(const fs::path& path) {
  return fs::is_directory(path) &&
         (fs::is_empty(path) || contains(path / "dataset.json", "\"eatt-") ||
          fs::exists(path / "unfinished" / "plan.json"));
}

bool is_bundle(const fs::path& path) { return contains(path / "config.json", "\"eatt-"); }

// The log of this process may well be written into the folder by the shell.
bool is_standard_stream(const fs::path& path) {
  struct stat file {
  }, stream{};
  if (::stat(path.c_str(), &file) != 0) return false;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (::fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev &&
        stream.st_ino == file.st_ino) {
      return true;
    }
  }
  return false;
}

// A run may have notes beside its files. In any other folder, whatever lies there is somebody's.
bool is_foreign(const fs::path& path, bool in_run) {
  const std::string name = path.filename().string();
  if (name == "data") return !is_data_set(path);
  if (in_run) return (name == "best" || name == "last") && !is_bundle(path);
  return !name.starts_with('.') && !is_standard_stream(path);
}

// Training would overwrite files of the same names, and mix its own with the others.
void refuse_foreign_files(const fs::path& path) {
  if (!fs::is_directory(path)) return;
  const bool in_run = was_started(path);
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (is_foreign(entry.path(), in_run)) names.push_back(entry.path().filename().string());
  }
  if (names.empty()) return;
  std::ranges::sort(names);
  constexpr size_t kMostNames = 3;
  const size_t shown = std::min(names.size(), kMostNames);
  throw Error(fmt::format(
      "--model {} holds files that eatt did not make ({}{}); choose another folder for the run",
      path.string(), fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "),
      shown < names.size() ? ", …" : ""));
}

fs::path checked(fs::path path) {
  refuse_bundle(path);
  refuse_foreign_files(path);
  return path;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path)
    : path_(checked(std::move(path))),
      made_(checkpoints()),
      lock_(path_, {.work = "training", .option = "--model"}) {
  make_folder(checkpoints());
  for (const auto& file : {settings(), record(), events(), text_log()}) {
    if (!std::filesystem::exists(file)) missing_files_.push_back(file);
  }
  // Remove what a killed process left half written or half removed.
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("removed-") || name.find(".tmp-") != name.npos) {
      std::filesystem::remove_all(entry.path());
    }
  }
}

void RunFolder::remove_failed_start() const {
  std::error_code ignored;
  if (!std::filesystem::is_empty(checkpoints(), ignored)) return;
  for (const auto& file : missing_files_) std::filesystem::remove(file, ignored);
  made_.remove_empty();
}

TrainingLog::TrainingLog(const std::filesystem::path& events, const std::filesystem::path& text)
    : path_(events),
      events_(::open(events.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
  if (!events_.is_open()) {
    throw Error(fmt::format("{}: cannot be opened: {}", path_.string(), system_message(errno)));
  }
  try {
    text_sink_ = std::make_shared<spdlog::sinks::basic_file_sink_mt>(text.string());
  } catch (const spdlog::spdlog_ex& problem) {
    throw Error(fmt::format("{}: cannot be opened: {}", text.string(), problem.what()));
  }
  text_sink_->set_pattern("%Y-%m-%d %H:%M:%S %l: %v");
  spdlog::default_logger()->sinks().push_back(text_sink_);
  spdlog::default_logger()->flush_on(spdlog::level::info);
}

TrainingLog::~TrainingLog() { std::erase(spdlog::default_logger()->sinks(), text_sink_); }

void TrainingLog::event(nlohmann::json object) {
  object["time"] = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
  const std::string line = object.dump() + "\n";
  if (::write(events_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  if (!failed_) spdlog::warn("{}: cannot be written: {}", path_.string(), system_message(errno));
  failed_ = true;
}

ProgressReport::ProgressReport(int64_t update, double done, int64_t all)
    : bar_("training", static_cast<uint64_t>(all), "updates", static_cast<uint64_t>(update),
           Progress::Elsewhere::nothing) {
  bar_.resume_at(done);
}

void ProgressReport::add(const UpdateResult& result) {
  const auto words = static_cast<double>(result.words);
  loss_ += result.loss * words;
  likelihood_ += result.likelihood * words;
  norm_ += result.gradient_norm;
  words_ += result.words;
  reduction_.first_started += result.reduction.first_started;
  reduction_.backward_ended += result.reduction.backward_ended;
  reduction_.finished += result.reduction.finished;
  reduction_.bytes += result.reduction.bytes;
  reduction_.bytes_in_backward += result.reduction.bytes_in_backward;
  alignment_loss_ += result.alignment_loss;
  alignment_rows_ += result.alignment_rows;
  ++updates_;
}

void ProgressReport::show_bar(int64_t update, double done) {
  bar_.update(static_cast<uint64_t>(update), done);
}

double ProgressReport::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count() - paused_;
}

ProgressReport::Line ProgressReport::line(const TrainingState& state, double learning_rate,
                                          double done, const Densities& densities) {
  const double now = seconds();
  const double speed = static_cast<double>(words_) / std::max(now - last_line_seconds_, 1e-9);
  const auto words = static_cast<double>(std::max<int64_t>(words_, 1));
  const double loss = loss_ / words;
  const double likelihood = likelihood_ / words;
  const double norm = norm_ / static_cast<double>(std::max<int64_t>(updates_, 1));
  const double left = bar_.update_now(static_cast<uint64_t>(state.update), done).value_or(0);
  const double density = densities.mean();

  Line line;
  line.text = fmt::format(
      "update {} epoch {} loss {:.4f} ppl {:.2f} {} words/s lr {:.3g} |g| {:.2f}{} {} left",
      format_count(static_cast<uint64_t>(state.update)), state.epoch + 1, loss,
      std::exp(likelihood), format_count(static_cast<uint64_t>(speed)), learning_rate, norm,
      density >= 0 ? fmt::format(" density {:.3f}", density) : "", format_duration(left));
  line.event = {{"event", "progress"},
                {"update", state.update},
                {"epoch", state.epoch + 1},
                {"loss", loss},
                {"perplexity", std::exp(likelihood)},
                {"words_per_second", speed},
                {"learning_rate", learning_rate},
                {"gradient_norm", norm},
                {"words", state.words},
                {"seconds", state.seconds},
                {"seconds_left", left}};
  if (density >= 0) line.event["density"] = to_json(densities);
  if (alignment_rows_ > 0) {
    line.event["alignment_loss"] = alignment_loss_ / static_cast<double>(alignment_rows_);
  }
  if (reduction_.finished > 0) {
    const double each = 1 / static_cast<double>(std::max<int64_t>(updates_, 1));
    line.event["reduction"] = {{"first_started", reduction_.first_started * each},
                               {"backward_ended", reduction_.backward_ended * each},
                               {"finished", reduction_.finished * each},
                               {"bytes", reduction_.bytes * each},
                               {"bytes_in_backward", reduction_.bytes_in_backward * each}};
  }
  reduction_ = {};
  alignment_loss_ = 0;
  alignment_rows_ = 0;
  loss_ = likelihood_ = norm_ = 0;
  words_ = updates_ = 0;
  last_line_seconds_ = now;
  return line;
}

}  // namespace eatt
