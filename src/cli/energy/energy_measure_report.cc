#include "cli/energy/energy_measure_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "base/text/text_layout.h"

namespace eatt::cli {
namespace {

using energy::DomainJoules;
using energy::EnergyResult;
using energy::MeasuredEnergy;
using energy::PowerDomain;
using energy::Unavailable;
using Json = nlohmann::ordered_json;

std::span<const MeasuredRun> counted_runs(const MeasureReport& report) {
  const std::span<const MeasuredRun> runs = report.runs;
  return runs.first(runs.size() > 1 && !runs.back().whole() ? runs.size() - 1 : runs.size());
}

struct Spread {
  double mean = 0;
  std::optional<double> deviation;  // Standard deviation of a sample; of one run there is none.
};

template <typename Value>
Spread spread_of(std::span<const MeasuredRun> runs, const Value& value) {
  const auto count = static_cast<double>(runs.size());
  Spread spread;
  for (const MeasuredRun& run : runs) spread.mean += value(run) / count;
  if (runs.size() < 2) return spread;
  double squares = 0;
  for (const MeasuredRun& run : runs) squares += std::pow(value(run) - spread.mean, 2);
  spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

std::optional<std::string> why_unavailable(const MeasureReport& report) {
  const auto reason = [](const EnergyResult& result) -> std::optional<std::string> {
    if (const auto* unavailable = std::get_if<Unavailable>(&result)) return unavailable->reason;
    return std::nullopt;
  };
  for (const MeasuredRun& run : counted_runs(report)) {
    if (const auto found = reason(run.energy)) return found;
  }
  return report.idle ? reason(*report.idle) : std::nullopt;
}

// A row of the table: a domain, or all of them.
struct Row {
  std::string name;
  std::string kind;  // package, dram, total
  Spread joules;
  double watts = 0;
  std::optional<double> idle_watts;
  std::optional<double> joules_above_idle;
};

// `joules` finds the row's part of a MeasuredEnergy.
template <typename Joules>
Row make_row(const MeasureReport& report, std::string name, std::string kind,
             const Joules& joules) {
  const auto runs = counted_runs(report);
  const auto energy_of = [](const MeasuredRun& run) -> const MeasuredEnergy& {
    return std::get<MeasuredEnergy>(run.energy);
  };
  Row row{.name = std::move(name),
          .kind = std::move(kind),
          .joules = {},
          .idle_watts = {},
          .joules_above_idle = {}};
  row.joules = spread_of(runs, [&](const MeasuredRun& run) { return joules(energy_of(run)); });
  const double seconds =
      spread_of(runs, [&](const MeasuredRun& run) { return energy_of(run).seconds; }).mean;
  row.watts = row.joules.mean / seconds;
  if (report.idle) {
    const auto& idle = std::get<MeasuredEnergy>(*report.idle);
    row.idle_watts = joules(idle) / idle.seconds;
    row.joules_above_idle = row.joules.mean - *row.idle_watts * seconds;
  }
  return row;
}

// Needs energy that is available.
std::vector<Row> make_rows(const MeasureReport& report) {
  std::vector<Row> rows;
  const auto& domains = std::get<MeasuredEnergy>(report.runs.front().energy).domains;
  for (size_t i = 0; i < domains.size(); ++i) {
    const bool is_package = domains[i].kind == PowerDomain::Kind::package;
    rows.push_back(
        make_row(report, domains[i].name, is_package ? "package" : "dram",
                 [i](const MeasuredEnergy& energy) { return energy.domains[i].joules; }));
  }
  if (rows.size() > 1) {
    rows.push_back(make_row(report, "total", "total",
                            [](const MeasuredEnergy& energy) { return energy.joules(); }));
  }
  return rows;
}

std::string table_of(const std::vector<Row>& rows) {
  using enum TextTable::Align;
  TextTable table({left, right, right, right, right, right});
  const bool has_spread = rows.front().joules.deviation.has_value();
  const bool has_idle = rows.front().idle_watts.has_value();
  table.add_row({"", "joules", has_spread ? "±" : "", "watts", has_idle ? "idle watts" : "",
                 has_idle ? "joules above idle" : ""});
  const auto cell = [](std::optional<double> value) {
    return value ? fmt::format("{:.3f}", *value) : "";
  };
  for (const Row& row : rows) {
    table.add_row({row.name, cell(row.joules.mean), cell(row.joules.deviation), cell(row.watts),
                   cell(row.idle_watts), cell(row.joules_above_idle)});
  }
  return table.text();
}

std::string seconds_line(const MeasureReport& report) {
  const auto runs = counted_runs(report);
  const Spread seconds = spread_of(runs, [](const MeasuredRun& run) { return run.seconds; });
  std::string line =
      seconds.deviation
          ? fmt::format("seconds: {:.3f} ± {:.3f} (mean and standard deviation of {} runs)\n",
                        seconds.mean, *seconds.deviation, runs.size())
          : fmt::format("seconds: {:.3f}\n", seconds.mean);
  return line;
}

// Why the last run differs from others, or is the last; mostly there is nothing to say.
std::string last_run_line(const MeasureReport& report) {
  const MeasuredRun& last = report.runs.back();
  const bool is_early = report.runs.size() < static_cast<size_t>(report.wanted_runs);
  std::vector<std::string> remarks;
  if (last.stopped_by) remarks.push_back(fmt::format("was sent {}", last.stopped_by->name));
  if (!last.whole()) remarks.push_back(fmt::format("ended with exit code {}", last.exit_code));
  if (counted_runs(report).size() < report.runs.size()) remarks.emplace_back("is not counted");
  if (is_early) {
    remarks.push_back(report.stopped_by ? fmt::format("is the last, by {}", report.stopped_by->name)
                                        : "is the last");
  }
  if (remarks.empty()) return {};
  return fmt::format("run {} of {}: {}\n", report.runs.size(), report.wanted_runs,
                     fmt::join(remarks, ", "));
}

Json to_json(const Spread& spread) {
  Json json = {{"mean", spread.mean}, {"deviation", nullptr}};
  if (spread.deviation) json["deviation"] = *spread.deviation;
  return json;
}

Json to_json(const Row& row) {
  Json json = {{"name", row.name},
               {"kind", row.kind},
               {"joules", to_json(row.joules)},
               {"watts", row.watts}};
  if (row.idle_watts) json["idle_watts"] = *row.idle_watts;
  if (row.joules_above_idle) json["joules_above_idle"] = *row.joules_above_idle;
  return json;
}

Json run_json(const MeasuredRun& run) {
  Json json = {{"exit_code", run.exit_code}, {"seconds", run.seconds}};
  if (run.stopped_by) json["stopped_by"] = run.stopped_by->name;
  if (const auto* unavailable = std::get_if<Unavailable>(&run.energy)) {
    json["unavailable"] = unavailable->reason;
    return json;
  }
  for (const DomainJoules& domain : std::get<MeasuredEnergy>(run.energy).domains) {
    json["joules"][domain.name] = domain.joules;
  }
  return json;
}

}  // namespace

std::string measure_text(const MeasureReport& report) {
  const std::string seconds = seconds_line(report) + last_run_line(report);
  if (const auto reason = why_unavailable(report)) {
    return seconds + fmt::format("energy: unavailable ({})\n", *reason);
  }
  return seconds + table_of(make_rows(report)) +
         "Measured for the whole machine while the command ran, not for the command alone.\n";
}

std::string measure_json(const MeasureReport& report) {
  const auto runs = counted_runs(report);
  Json json = {{"command", report.command}, {"wanted_runs", report.wanted_runs}};
  json["runs"] = Json::array();
  for (const MeasuredRun& run : report.runs) json["runs"].push_back(run_json(run));
  json["counted_runs"] = runs.size();
  if (report.stopped_by) json["stopped_by"] = report.stopped_by->name;
  json["seconds"] = to_json(spread_of(runs, [](const MeasuredRun& run) { return run.seconds; }));
  Json& energy = json["measured_energy"];
  if (const auto reason = why_unavailable(report)) {
    energy["unavailable"] = *reason;
  } else {
    energy["scope"] = "machine";
    energy["domains"] = Json::array();
    for (const Row& row : make_rows(report)) energy["domains"].push_back(to_json(row));
    if (report.idle) energy["idle_seconds"] = std::get<MeasuredEnergy>(*report.idle).seconds;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";  // Words may be any bytes.
}

}  // namespace eatt::cli
