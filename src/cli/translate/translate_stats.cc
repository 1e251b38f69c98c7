#include "cli/translate/translate_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/progress.h"

namespace eatt::cli {

void LatencyHistogram::add(double milliseconds) {
  const double step = std::log(std::max(milliseconds, kLeast) / kLeast) / std::log(kStep);
  ++counts_[std::min(static_cast<size_t>(step), counts_.size() - 1)];
  ++total_;
}

double LatencyHistogram::percentile(double share) const {
  const double wanted = share * static_cast<double>(total_);
  double seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += static_cast<double>(counts_[i]);
    if (counts_[i] > 0 && seen >= wanted)
      return kLeast * std::pow(kStep, static_cast<double>(i + 1));
  }
  return 0;
}

namespace {

// "energy: 12.345 J of the whole machine (package 10.000, dram 2.345), 0.025 J per sentence"
std::string energy_line(const energy::EnergyResult& result, uint64_t sentences) {
  if (const auto* unavailable = std::get_if<energy::Unavailable>(&result)) {
    return fmt::format("energy: unavailable ({})\n", unavailable->reason);
  }
  const auto& energy = std::get<energy::MeasuredEnergy>(result);
  std::string line = fmt::format("energy: {:.3f} J for the whole machine (package {:.3f}",
                                 energy.joules(), energy.package_joules());
  if (const auto dram = energy.dram_joules()) line += fmt::format(", dram {:.3f}", *dram);
  line += ")";
  if (sentences > 0) {
    line +=
        fmt::format(", {:.4g} J per sentence", energy.joules() / static_cast<double>(sentences));
  }
  return line + "\n";
}

nlohmann::ordered_json energy_json(const energy::EnergyResult& result, uint64_t sentences) {
  if (const auto* unavailable = std::get_if<energy::Unavailable>(&result)) {
    return {{"unavailable", unavailable->reason}};
  }
  const auto& energy = std::get<energy::MeasuredEnergy>(result);
  nlohmann::ordered_json json = {{"package_joules", energy.package_joules()}};
  if (const auto dram = energy.dram_joules()) json["dram_joules"] = *dram;
  if (sentences > 0) {
    json["joules_per_sentence"] = energy.joules() / static_cast<double>(sentences);
  }
  return json;
}

}  // namespace

void TranslateStats::loaded() {
  loaded_at_ = Clock::now();
  if (meter_) meter_->start();
}

void TranslateStats::finished() {
  if (meter_) energy_ = meter_->finish();
  finished_at_ = Clock::now();
}

void TranslateStats::add(const Translation& translation, Clock::duration latency) {
  ++sentences_;
  source_pieces_ += translation.source_pieces.size();
  target_pieces_ += translation.hypotheses.front().pieces.size();
  latency_.add(std::chrono::duration<double, std::milli>(latency).count());
}

std::string TranslateStats::as_text() const {
  const double time = std::max(seconds(), 1e-9);
  return fmt::format(
      "{} in {:.2f} s ({:.1f}/s), after {:.2f} s of loading\n"
      "{} source pieces ({:.0f}/s), {} target pieces ({:.0f}/s)\n"
      "latency per sentence: {:.1f} ms median, {:.1f} ms at 90 %, {:.1f} ms at 99 %\n"
      "peak memory: {:.1f} MB\n"
      "{}",
      format_count(sentences_, "sentence"), time, static_cast<double>(sentences_) / time,
      load_seconds(), format_count(source_pieces_), static_cast<double>(source_pieces_) / time,
      format_count(target_pieces_), static_cast<double>(target_pieces_) / time,
      latency_.percentile(0.5), latency_.percentile(0.9), latency_.percentile(0.99),
      static_cast<double>(peak_memory_bytes()) / 1e6, energy_line(energy_, sentences_));
}

std::string TranslateStats::as_json() const {
  const double time = std::max(seconds(), 1e-9);
  nlohmann::ordered_json stats;
  stats["sentences"] = sentences_;
  stats["source_pieces"] = source_pieces_;
  stats["target_pieces"] = target_pieces_;
  stats["load_seconds"] = load_seconds();
  stats["seconds"] = time;
  stats["sentences_per_second"] = static_cast<double>(sentences_) / time;
  stats["source_pieces_per_second"] = static_cast<double>(source_pieces_) / time;
  stats["target_pieces_per_second"] = static_cast<double>(target_pieces_) / time;
  stats["latency_ms"] = {{"p50", latency_.percentile(0.5)},
                         {"p90", latency_.percentile(0.9)},
                         {"p99", latency_.percentile(0.99)}};
  stats["peak_memory_bytes"] = peak_memory_bytes();
  stats["measured_energy"] = energy_json(energy_, sentences_);
  using Json = nlohmann::ordered_json;
  return Json{{"stats", stats}}.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

}  // namespace eatt::cli
