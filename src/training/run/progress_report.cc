#include "training/run/progress_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace eatt {

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
  loss_ = likelihood_ = norm_ = 0;
  words_ = updates_ = 0;
  last_line_seconds_ = now;
  return line;
}

}  // namespace eatt
