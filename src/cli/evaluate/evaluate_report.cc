#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/evaluate/evaluate.h"

namespace eatt::cli {
namespace {

using evaluation::Bleu;
using evaluation::BleuScore;
using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

// BLEU is more than one number.
std::optional<BleuScore> bleu_score(const ScoreReport& report) {
  const auto* bleu = dynamic_cast<const Bleu*>(report.metric);
  if (bleu == nullptr) return std::nullopt;
  return bleu->evaluate(report.sums);
}

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string as_table(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line.append(widths[c] - columns_of(row[c]) + 3, ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string score_text(const ScoreReport& report, int decimals) {
  std::string text = fmt::format("{:.{}f}", report.score, decimals);
  if (report.interval) {
    text += fmt::format(" (μ = {:.{}f} ± {:.{}f})", report.interval->mean, decimals,
                        report.interval->half_width, decimals);
  }
  if (report.p_value) {
    text += fmt::format(" (p = {:.4f}){}", *report.p_value, *report.p_value < 0.05 ? "*" : "");
  }
  return text;
}

// Aligned at the equals sign, as sacreBLEU does it.
std::string lines_of_one_system(const SystemReport& system, int decimals) {
  std::vector<std::string> names;
  size_t widest = 0;
  for (const ScoreReport& report : system.scores) {
    names.push_back(fmt::format("{}|{}", report.metric->name(), report.signature));
    widest = std::max(widest, names.back().size());
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const ScoreReport& report = system.scores[i];
    text += fmt::format("{:>{}} = {}", names[i], widest, score_text(report, decimals));
    if (const auto bleu = bleu_score(report)) text += fmt::format(" {}", bleu->details());
    text += "\n";
  }
  return text;
}

std::string table_of_systems(const EvaluationReport& report, int decimals) {
  const std::vector<ScoreReport>& first = report.systems.front().scores;
  const bool paired = report.systems.back().scores.front().p_value.has_value();
  Row header{"System"};
  for (const ScoreReport& score : first) header.push_back(score.metric->name());
  std::vector<Row> rows{header};
  for (const SystemReport& system : report.systems) {
    const bool baseline = paired && rows.size() == 1;
    Row row{(baseline ? "Baseline: " : "") + system.name};
    for (const ScoreReport& score : system.scores) row.push_back(score_text(score, decimals));
    rows.push_back(row);
  }
  std::string text = as_table(rows) + "\n";
  if (report.resampling) {
    text += fmt::format("μ ± half of the 95 % interval: {} resamples, seed {}\n",
                        report.resampling->resamples, report.resampling->seed);
  }
  if (paired) {
    text +=
        "p: how likely such a difference from the baseline is by chance (paired bootstrap); "
        "* below 0.05\n";
  }
  for (const ScoreReport& score : first) {
    text += fmt::format("{}|{}\n", score.metric->name(), score.signature);
  }
  return text;
}

Json score_json(const ScoreReport& report) {
  Json json{
      {"name", report.metric->name()}, {"score", report.score}, {"signature", report.signature}};
  if (const auto bleu = bleu_score(report)) {
    json["precisions"] = bleu->precisions;
    json["counts"] = bleu->counts;
    json["totals"] = bleu->totals;
    json["bp"] = bleu->brevity_penalty;
    json["ratio"] = bleu->ratio();
    json["sys_len"] = bleu->hypothesis_length;
    json["ref_len"] = bleu->reference_length;
  }
  if (report.metric->key() == "ter") {
    json["edits"] = static_cast<uint64_t>(report.sums[0]);
    json["ref_len"] = report.sums[1];
  }
  if (report.interval) {
    json["confidence"] = {{"mean", report.interval->mean},
                          {"half_width", report.interval->half_width}};
  }
  if (report.p_value) json["p_value"] = *report.p_value;
  return json;
}

void add_scores(const SystemReport& system, Json& json) {
  for (const ScoreReport& report : system.scores) {
    json[std::string(report.metric->key())] = score_json(report);
  }
}

Json alignment_json(const evaluation::AlignmentScore& score) {
  return {{"aer", score.error_rate()},
          {"precision", score.precision()},
          {"recall", score.recall()},
          {"links", score.links}};
}

// A file's name need not be UTF-8; JSON must.
std::string as_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string report_as_text(const EvaluationReport& report, int decimals) {
  if (report.systems.size() == 1) return lines_of_one_system(report.systems.front(), decimals);
  return table_of_systems(report, decimals);
}

std::string report_as_json(const EvaluationReport& report) {
  Json json;
  add_scores(report.systems.front(), json);
  if (report.systems.size() > 1) {
    for (const SystemReport& system : report.systems) {
      Json entry{{"system", system.name}};
      add_scores(system, entry);
      json["systems"].push_back(entry);
    }
  }
  return as_line(json);
}

std::string sentences_as_text(const SystemReport& system, int decimals) {
  std::string text;
  const size_t lines = system.scores.front().statistics.lines;
  for (size_t i = 0; i < lines; ++i) {
    for (size_t m = 0; m < system.scores.size(); ++m) {
      const ScoreReport& report = system.scores[m];
      text += fmt::format("{}{:.{}f}", m == 0 ? "" : "\t",
                          report.metric->score(report.statistics.line(i)), decimals);
    }
    text += "\n";
  }
  return text;
}

std::string sentences_as_json(const SystemReport& system) {
  Json json;
  for (const ScoreReport& report : system.scores) {
    std::vector<double> scores;
    for (size_t i = 0; i < report.statistics.lines; ++i) {
      scores.push_back(report.metric->score(report.statistics.line(i)));
    }
    json[std::string(report.metric->key())] = {
        {"name", report.metric->name()}, {"scores", scores}, {"signature", report.signature}};
  }
  return as_line(json);
}

std::string alignments_as_text(const std::vector<AlignmentReport>& systems) {
  std::vector<Row> rows{{"System", "AER", "Precision", "Recall", "Links"}};
  for (const AlignmentReport& system : systems) {
    const evaluation::AlignmentScore& score = system.score;
    rows.push_back({system.name, fmt::format("{:.6f}", score.error_rate()),
                    fmt::format("{:.6f}", score.precision()), fmt::format("{:.6f}", score.recall()),
                    fmt::format("{}", score.links)});
  }
  return as_table(rows);
}

std::string alignments_as_json(const std::vector<AlignmentReport>& systems) {
  Json json = alignment_json(systems.front().score);
  if (systems.size() > 1) {
    for (const AlignmentReport& system : systems) {
      Json entry{{"system", system.name}};
      entry.update(alignment_json(system.score));
      json["systems"].push_back(entry);
    }
  }
  return as_line(json);
}

}  // namespace eatt::cli
