#include "energy/model_account.h"

#include <fmt/format.h>

#include <algorithm>

#include "bundle/mechanisms.h"
#include "energy/paper_operations.h"

namespace eatt::energy {
namespace {

constexpr double kPicojoule = 1e-12;

Level level_of(Duty duty) {
  switch (duty) {
    case Duty::encoder_self:
    case Duty::decoder_self:
    case Duty::cross_query:
    case Duty::cross_key:
    case Duty::scores:
      return Level::alignment;
    case Duty::value:
    case Duty::context:
      return Level::attention;
    default:
      return Level::block;
  }
}

bool is_in_a_block(Duty duty) {
  return level_of(duty) != Level::block || duty == Duty::output || duty == Duty::ffn;
}

ModelAccount twin_of(const ModelAccount& account, std::string_view name,
                     const Architecture& architecture, Precision precision) {
  ModelAccount twin = account_of(fmt::format("{}, {}", name, precision_name(precision)),
                                 architecture, precision, account.text, account.activity);
  twin.ran = false;
  return twin;
}

}  // namespace

ModelAccount account_of(std::string name, const Architecture& architecture, Precision precision,
                        const TextSize& text, const Activity& activity) {
  return {.name = std::move(name),
          .architecture = architecture,
          .precision = precision,
          .text = text,
          .activity = activity,
          .ledger = count_operations(architecture, precision, activity),
          .footprint = footprint(architecture, precision, activity)};
}

ModelAccount vanilla_twin(const ModelAccount& account, Precision precision) {
  Architecture architecture = account.architecture;
  for (Attention* attention :
       {&architecture.encoder_self, &architecture.decoder_self, &architecture.cross}) {
    std::ranges::fill(attention->layers, Mechanism::vanilla);
  }
  return twin_of(account, "vanilla twin", architecture, precision);
}

ModelAccount in_precision(const ModelAccount& account, Precision precision) {
  return twin_of(account, "the same", account.architecture, precision);
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

bool knows(const Chip& chip, const Work& work) {
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      if (work.operations.at(operation, number) > 0 && !chip.price(operation, number) &&
          !chip.leaves_out(operation, number)) {
        return false;
      }
    }
  }
  return true;
}

double arithmetic_joules(const Chip& chip, const Work& work, const Footprint& footprint) {
  return price(chip, work, footprint).arithmetic_picojoules * kPicojoule;
}

std::optional<double> joules_with_memory(const Chip& chip, const Work& work,
                                         const Footprint& footprint) {
  const Price whole = price(chip, work, footprint);
  const auto memory = whole.memory_picojoules();
  if (!memory) return std::nullopt;
  return (whole.arithmetic_picojoules + *memory) * kPicojoule;
}

double paper_joules(const Chip& chip, const ModelAccount& account, Level level) {
  const OperationCount count = paper_operations(account.architecture, account.text, level);
  return picojoules(chip, {static_cast<double>(count.additions),
                           static_cast<double>(count.multiplications)}) *
         kPicojoule;
}

}  // namespace eatt::energy
