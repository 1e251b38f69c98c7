#include "text/corpus/pair_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/progress.h"
#include "base/text/json.h"
#include "base/text/utf8.h"

namespace eatt {
namespace {

constexpr std::array<const char*, kPairProblems> kKeys = {
    "none",   "columns",   "long_line", "nul_byte",    "invalid_utf8", "empty", "identical",
    "script", "duplicate", "no_pieces", "many_pieces", "few_pieces",   "ratio"};

bool has_nul(std::string_view text) {
  return !text.empty() && std::memchr(text.data(), '\0', text.size()) != nullptr;
}

bool is_blank_line(std::string_view text) {
  return text.find_first_not_of(" \t\v\f\r") == std::string_view::npos;
}

bool has(PairProblem problem, std::string_view text) {
  switch (problem) {
    case PairProblem::nul_byte:
      return has_nul(text);
    case PairProblem::invalid_utf8:
      return !is_valid_utf8(text);
    case PairProblem::empty:
      return is_blank_line(text);
    default:
      return false;
  }
}

}  // namespace

std::string_view description(PairProblem problem) {
  constexpr std::array<std::string_view, kPairProblems> kDescriptions = {
      "nothing wrong",
      "a wrong number of columns",
      "an over-long line",
      "a NUL byte",
      "invalid UTF-8",
      "an empty side",
      "the same text on both sides",
      "too few letters of the script",
      "a copy of an earlier pair",
      "only characters that normalization removes",
      "too many pieces",
      "too few pieces",
      "lengths too different"};
  return kDescriptions[static_cast<size_t>(problem)];
}

PairProblem find_text_problem(std::string_view source, std::string_view target) {
  for (const auto problem :
       {PairProblem::nul_byte, PairProblem::invalid_utf8, PairProblem::empty}) {
    if (has(problem, source) || has(problem, target)) return problem;
  }
  return PairProblem::none;
}

int side_at_fault(PairProblem problem, std::string_view source) {
  return has(problem, source) ? 0 : 1;
}

uint64_t ProblemCounts::total() const {
  uint64_t sum = 0;
  for (const Entry& entry : entries) sum += entry.count;
  return sum;
}

ProblemCounts ProblemCounts::bad_lines() const {
  ProblemCounts bad;
  std::copy_n(entries.begin(), static_cast<size_t>(PairProblem::identical), bad.entries.begin());
  return bad;
}

void ProblemCounts::add(const ProblemCounts& later) {
  for (size_t i = 0; i < kPairProblems; ++i) {
    const uint64_t count = entries[i].count + later.entries[i].count;
    if (entries[i].count == 0) entries[i] = later.entries[i];
    entries[i].count = count;
  }
}

std::string ProblemCounts::text() const {
  std::vector<std::string> clauses;
  for (size_t i = 0; i < kPairProblems; ++i) {
    const Entry& entry = entries[i];
    if (entry.count == 0) continue;
    const std::string detail = entry.detail.empty() ? "" : ", " + entry.detail;
    clauses.push_back(fmt::format("{} {} with {} (first: {}, line {}{})", format_count(entry.count),
                                  entry.count == 1 ? "pair" : "pairs",
                                  description(static_cast<PairProblem>(i)), entry.first_file,
                                  entry.first_line, detail));
  }
  return fmt::format("{}", fmt::join(clauses, ", "));
}

nlohmann::ordered_json problems_to_json(const ProblemCounts& problems) {
  auto json = nlohmann::ordered_json::object();
  for (size_t i = 0; i < kPairProblems; ++i) {
    const auto& entry = problems.entries[i];
    if (entry.count == 0) continue;
    json[kKeys[i]] = {{"count", entry.count},
                      {"file", entry.first_file},
                      {"line", entry.first_line},
                      {"detail", entry.detail}};
  }
  return json;
}

ProblemCounts problems_from_json(const JsonNode& node) {
  ProblemCounts problems;
  for (size_t i = 0; i < kPairProblems; ++i) {
    const auto value = node.find(kKeys[i]);
    if (!value) continue;
    problems.entries[i] = {.count = (*value)["count"].integer(0, UINT64_MAX),
                           .first_file = (*value)["file"].text(),
                           .first_line = (*value)["line"].integer(0, UINT64_MAX),
                           .detail = (*value)["detail"].text()};
  }
  return problems;
}

}  // namespace eatt
