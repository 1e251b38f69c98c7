#include "study/live_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/progress.h"

namespace eatt::study {
namespace {

constexpr size_t kMostRows = 12;  // A terminal has 24 at least, and the log wants some.

size_t count(const std::vector<CellReport>& reports, CellState state) {
  return static_cast<size_t>(std::ranges::count(reports, state, &CellReport::state));
}

std::string row_of(const CellReport& report, size_t width) {
  std::string row = fmt::format("{:<{}}  {:<6}", report.cell.id(), width, report.step);
  if (report.step != "train") return row;
  row += fmt::format(" {:3.0f}%", 100 * report.share);
  if (report.cross_entropy) row += fmt::format("  dev {:.4f}", *report.cross_entropy);
  if (report.seconds_left) row += fmt::format("  {} left", format_duration(*report.seconds_left));
  return row;
}

std::string summary(const std::vector<CellReport>& reports, int jobs) {
  std::string text = fmt::format("{} of {} done", count(reports, CellState::done),
                                 format_count(reports.size(), "cell"));
  if (const size_t failed = count(reports, CellState::failed); failed > 0)
    text += fmt::format(", {} failed", failed);
  if (const auto left = seconds_left(reports, jobs))
    text += fmt::format(", about {} left", format_duration(*left));
  return text;
}

}  // namespace

std::string live_table(const std::vector<CellReport>& reports, int jobs) {
  std::vector<const CellReport*> running;
  size_t width = 0;
  for (const CellReport& report : reports) {
    if (report.state != CellState::running) continue;
    running.push_back(&report);
    width = std::max(width, report.cell.id().size());
  }
  std::string table;
  const size_t shown = std::min(running.size(), kMostRows);
  for (size_t i = 0; i < shown; ++i) table += row_of(*running[i], width) + "\n";
  if (shown < running.size()) table += fmt::format("and {} more\n", running.size() - shown);
  return table + summary(reports, jobs);
}

std::optional<double> seconds_left(const std::vector<CellReport>& reports, int jobs) {
  double whole = 0, rest = 0, longest = 0;
  size_t known = 0;
  for (const CellReport& report : reports) {
    if (report.state != CellState::running || !report.seconds_left) continue;
    if (report.share <= 0 || report.share >= 1) continue;
    whole += *report.seconds_left / (1 - report.share);
    rest += *report.seconds_left;
    longest = std::max(longest, *report.seconds_left);
    ++known;
  }
  if (known == 0) return std::nullopt;
  const double each = whole / static_cast<double>(known);
  const auto waiting = static_cast<double>(count(reports, CellState::waiting));
  // A single training is not faster because others could run beside it.
  return std::max(longest, (rest + waiting * each) / static_cast<double>(jobs));
}

}  // namespace eatt::study
