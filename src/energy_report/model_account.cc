#include "energy_report/model_account.h"

#include <fmt/format.h>

#include <algorithm>

#include "bundle/mechanisms.h"
#include "energy/paper_operations.h"

namespace eatt::energy {
namespace {

// The counts of one model on the activity of another.
ModelAccount twin_of(const ModelAccount& account, std::string kind,
                     const Architecture& architecture, Precision precision, DotScores dot_scores) {
  return {.name = {},
          .kind = std::move(kind),
          .architecture = architecture,
          .precision = precision,
          .dot_scores = dot_scores,
          .text = account.text,
          .activity = account.activity,
          .ledger = count_operations(architecture, precision, account.activity, dot_scores),
          .footprint = footprint(architecture, precision, account.activity, dot_scores)};
}

}  // namespace

ModelAccount account_of(std::string name, std::string kind, const Architecture& architecture,
                        Precision precision, const TextSize& text, const Activity& activity) {
  return {.name = std::move(name),
          .kind = std::move(kind),
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
  std::string kind(mechanism_name(mechanism));
  if (precision == Precision::int8) kind += integer ? "_int8_integer_scores" : "_int8";
  ModelAccount twin = twin_of(account, std::move(kind), architecture, precision, dot_scores);
  twin.name = fmt::format("{} twin, {}{}", mechanism_name(mechanism), precision_name(precision),
                          integer ? ", integer scores" : "");
  return twin;
}

ModelAccount int8_twin(const ModelAccount& account) {
  ModelAccount twin =
      twin_of(account, "int8", account.architecture, Precision::int8, DotScores::floating);
  twin.name = "the same in int8";
  return twin;
}

bool has_codes_everywhere(const ModelAccount& account) {
  const Architecture& a = account.architecture;
  return std::ranges::all_of(
      kRoles, [&](Role role) { return std::ranges::all_of(a.attention(role).layers, binarises); });
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

}  // namespace eatt::energy
