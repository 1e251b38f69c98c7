#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bundle/mechanisms.h"
#include "energy/closed_forms.h"
#include "energy_report/model_report.h"

namespace eatt::energy {
namespace {

// The counts of one model on the activity of another.
ModelAccount twin_of(const ModelAccount& account, AccountKind kind,
                     const Architecture& architecture, Precision precision, DotScores dot_scores) {
  return {.name = {},
          .kind = kind,
          .architecture = architecture,
          .precision = precision,
          .dot_scores = dot_scores,
          .text = account.text,
          .activity = account.activity,
          .ledger = count_operations(architecture, precision, account.activity, dot_scores),
          .footprint = footprint(architecture, precision, account.activity, dot_scores)};
}

// Codes of `calls` calls with `rows` rows each, if every feature is one with the same
// probability.
CodeActivity codes_like(const ModelAccount& account, const CodeActivity& codes, uint64_t calls,
                        uint64_t rows) {
  if (codes.rows == 0) return {};
  const double density = density_of(codes, account.architecture);
  const auto features = static_cast<double>(account.architecture.model_dim);
  const double seen = 1 - std::pow(1 - density, static_cast<double>(rows));
  const auto whole = [](double value) { return static_cast<uint64_t>(std::llround(value)); };
  return {.rows = calls * rows,
          .ones = whole(density * features * static_cast<double>(calls * rows)),
          .distinct = whole(seen * features * static_cast<double>(calls))};
}

std::vector<CodeActivity> layers_like(const ModelAccount& account,
                                      const std::vector<CodeActivity>& layers, uint64_t calls,
                                      uint64_t rows) {
  std::vector<CodeActivity> result;
  for (const CodeActivity& codes : layers)
    result.push_back(codes_like(account, codes, calls, rows));
  return result;
}

}  // namespace

std::string kind_name(const ModelAccount& account) {
  switch (account.kind) {
    case AccountKind::model:
      return "model";
    case AccountKind::compared:
      return "compared";
    case AccountKind::int8_twin:
      return "int8";
    case AccountKind::mechanism_twin:
      break;
  }
  const std::string mechanism(mechanism_name(account.architecture.encoder_self.layers.front()));
  if (account.precision != Precision::int8) return mechanism;
  return mechanism + (account.dot_scores == DotScores::integer ? "_int8_integer_scores" : "_int8");
}

ModelAccount account_of(std::string name, AccountKind kind, const Architecture& architecture,
                        Precision precision, const TextSize& text, const Activity& activity) {
  return {.name = std::move(name),
          .kind = kind,
          .architecture = architecture,
          .precision = precision,
          .dot_scores = DotScores::floating,
          .text = text,
          .activity = activity,
          .ledger = count_operations(architecture, precision, activity),
          .footprint = footprint(architecture, precision, activity)};
}

ModelAccount mechanism_twin(const ModelAccount& account, Mechanism mechanism, Precision precision,
                            DotScores dot_scores) {
  Architecture architecture = account.architecture;
  for (Attention* attention :
       {&architecture.encoder_self, &architecture.decoder_self, &architecture.cross}) {
    std::ranges::fill(attention->layers, mechanism);
  }
  const bool integer = dot_scores == DotScores::integer;
  ModelAccount twin =
      twin_of(account, AccountKind::mechanism_twin, architecture, precision, dot_scores);
  twin.name = fmt::format("{} twin, {}{}", mechanism_name(mechanism), precision_name(precision),
                          integer ? ", integer scores" : "");
  return twin;
}

ModelAccount int8_twin(const ModelAccount& account) {
  ModelAccount twin = twin_of(account, AccountKind::int8_twin, account.architecture,
                              Precision::int8, DotScores::floating);
  twin.name = "the same in int8";
  return twin;
}

bool has_codes_everywhere(const ModelAccount& account) {
  const Architecture& a = account.architecture;
  return std::ranges::all_of(
      kRoles, [&](Role role) { return std::ranges::all_of(a.attention(role).layers, binarises); });
}

bool has_signed_codes(const Architecture& architecture) {
  return architecture.code_levels > 0 && std::ranges::any_of(kRoles, [&](Role role) {
           return std::ranges::any_of(architecture.attention(role).layers, binarises);
         });
}

double density_of(const CodeActivity& codes, const Architecture& architecture) {
  if (codes.rows == 0) return 0;
  return static_cast<double>(codes.ones) /
         (static_cast<double>(codes.rows) * static_cast<double>(architecture.model_dim));
}

std::string mechanisms_text(const Architecture& architecture) {
  const std::string self = print_mechanisms(architecture.encoder_self.layers);
  const std::string decoder = print_mechanisms(architecture.decoder_self.layers);
  const std::string cross = print_mechanisms(architecture.cross.layers);
  if (self == decoder && self == cross) return self;
  return fmt::format("enc-self {}, dec-self {}, cross {}", self, decoder, cross);
}

Work work_of(const Ledger& ledger, Level level) {
  Work sum;
  for (const auto& [line, work] : ledger.lines()) {
    if (is_in_a_block(line.duty) && level_of(line.duty) <= level) sum += work;
  }
  return sum;
}

std::vector<std::string> unpriced(const Chip& chip, const Work& work) {
  std::vector<std::string> classes;
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      if (work.operations.at(operation, number) > 0 && !chip.price(operation, number) &&
          !chip.leaves_out(operation, number)) {
        classes.push_back(class_name(operation, number));
      }
    }
  }
  return classes;
}

double arithmetic_joules(const Chip& chip, const Work& work, const ModelAccount& account) {
  return price(chip, work, account.footprint).arithmetic_picojoules * kPicojoule;
}

std::optional<double> joules_with_memory(const Chip& chip, const Work& work,
                                         const ModelAccount& account) {
  const Price whole = price(chip, work, account.footprint);
  const auto memory = whole.memory_picojoules();
  if (!memory) return std::nullopt;
  return (whole.arithmetic_picojoules + *memory) * kPicojoule;
}

double paper_joules(const Chip& chip, const ModelAccount& account, Level level) {
  const OperationCount count = paper_operations(account.architecture, account.activity, level);
  return picojoules(chip, {static_cast<double>(count.additions),
                           static_cast<double>(count.multiplications)}) *
         kPicojoule;
}

Activity activity_of_length(const ModelAccount& account, uint64_t length) {
  const Activity& own = account.activity;
  const uint64_t columns = own.rows == 0 ? 0 : own.columns / own.rows;
  Activity activity;
  activity.sentences = activity.batches = 1;
  activity.source_rows = activity.most_source_rows = activity.longest_source = length;
  activity.source_pairs = length * length;
  activity.steps = activity.rows = activity.most_cached_rows = length;
  activity.self_pairs = length * (length + 1) / 2;
  activity.cross_pairs = length * length;
  activity.columns = activity.distinct_columns = columns * length;
  activity.most_rows = 1;
  activity.most_columns = columns;
  activity.encoder_self = layers_like(account, own.encoder_self, 1, length);
  activity.decoder_self = layers_like(account, own.decoder_self, length, 1);
  activity.cross_query = layers_like(account, own.cross_query, length, 1);
  activity.cross_key = codes_like(account, own.cross_key, 1, length);
  activity.search = {.rows = length,
                     .columns = columns * length,
                     .candidates = 2 * length,  // The best piece and the end marker.
                     .comparisons = columns * length,
                     .ended = 1,
                     .best_rows = length,
                     .best_pairs = length * length,
                     .best_cross_pairs = length * length};
  return activity;
}

}  // namespace eatt::energy
