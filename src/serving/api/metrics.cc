#include "serving/api/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace eatt::serving {
namespace {

void describe(std::string& text, std::string_view name, std::string_view type,
              std::string_view help) {
  fmt::format_to(std::back_inserter(text), "# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void add_single(std::string& text, std::string_view name, std::string_view type,
                std::string_view help, uint64_t value) {
  describe(text, name, type, help);
  fmt::format_to(std::back_inserter(text), "{} {}\n", name, value);
}

}  // namespace

EngineStatus sum_of(const EngineStatus& a, const EngineStatus& b) {
  return {.waiting = a.waiting + b.waiting,
          .running = a.running + b.running,
          .cache_hits = a.cache_hits + b.cache_hits,
          .cache_misses = a.cache_misses + b.cache_misses,
          .steps = a.steps + b.steps,
          .rows = a.rows + b.rows,
          .source_pieces = a.source_pieces + b.source_pieces,
          .target_pieces = a.target_pieces + b.target_pieces};
}

void Metrics::request_done(int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[status];
  seconds_ += seconds;
  const auto bucket = std::ranges::lower_bound(kBounds, seconds) - kBounds.begin();
  ++durations_[static_cast<size_t>(bucket)];
}

void Metrics::request_refused(int status) {
  const std::lock_guard lock(mutex_);
  ++requests_[status];
}

void Metrics::energy_counted(const std::string& chip, double joules) {
  const std::lock_guard lock(mutex_);
  joules_[chip] += joules;
}

std::string Metrics::text(const Gauges& now) const {
  const std::lock_guard lock(mutex_);
  std::string text;
  const auto out = std::back_inserter(text);
  describe(text, "eatt_requests_total", "counter", "Requests, by status code.");
  for (const auto& [status, count] : requests_) {
    fmt::format_to(out, "eatt_requests_total{{code=\"{}\"}} {}\n", status, count);
  }
  describe(text, "eatt_request_duration_seconds", "histogram",
           "From a request's last byte to its response.");
  uint64_t count = 0;
  for (size_t i = 0; i < durations_.size(); ++i) {
    count += durations_[i];
    const std::string bound = i < kBounds.size() ? fmt::format("{}", kBounds[i]) : "+Inf";
    fmt::format_to(out, "eatt_request_duration_seconds_bucket{{le=\"{}\"}} {}\n", bound, count);
  }
  fmt::format_to(out, "eatt_request_duration_seconds_sum {}\n", seconds_);
  fmt::format_to(out, "eatt_request_duration_seconds_count {}\n", count);
  describe(text, "eatt_batch_size", "summary", "Hypotheses computed together in a step.");
  fmt::format_to(out, "eatt_batch_size_sum {}\neatt_batch_size_count {}\n", now.engines.rows,
                 now.engines.steps);
  add_single(text, "eatt_queue_depth", "gauge", "Texts that wait for a worker.",
             now.engines.waiting);
  add_single(text, "eatt_texts_running", "gauge", "Texts that are being translated.",
             now.engines.running);
  describe(text, "eatt_tokens_total", "counter", "Subword pieces read and written.");
  fmt::format_to(out, "eatt_tokens_total{{side=\"source\"}} {}\n", now.engines.source_pieces);
  fmt::format_to(out, "eatt_tokens_total{{side=\"target\"}} {}\n", now.engines.target_pieces);
  add_single(text, "eatt_cache_hits_total", "counter", "Texts found in the cache.",
             now.engines.cache_hits);
  add_single(text, "eatt_cache_misses_total", "counter", "Texts that were not in the cache.",
             now.engines.cache_misses);
  if (!joules_.empty() || !now.measured_joules.empty()) {
    describe(text, "eatt_energy_joules_total", "counter",
             "Computed energy of arithmetic of requests that asked for it (model), and measured "
             "energy of the whole machine (rapl).");
  }
  for (const auto& [chip, joules] : joules_) {
    fmt::format_to(out, "eatt_energy_joules_total{{source=\"model\",chip=\"{}\"}} {}\n", chip,
                   joules);
  }
  for (const auto& [domain, joules] : now.measured_joules) {
    fmt::format_to(out, "eatt_energy_joules_total{{source=\"rapl\",domain=\"{}\"}} {}\n", domain,
                   joules);
  }
  describe(text, "eatt_build_info", "gauge", "The program.");
  fmt::format_to(out, "eatt_build_info{{version=\"{}\"}} 1\n", now.version);
  return text;
}

}  // namespace eatt::serving
