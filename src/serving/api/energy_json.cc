#include "serving/api/energy_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "energy/kinds.h"
#include "energy_report/model_report.h"

namespace eatt::serving {
namespace {

using energy::Level;
using energy::ModelAccount;
using Json = nlohmann::ordered_json;

// Nothing where the chip does not price all of it.
std::optional<double> joules_of(const energy::Chip& chip, const energy::Work& work,
                                const ModelAccount& account) {
  if (!energy::unpriced(chip, work).empty()) return std::nullopt;
  return energy::arithmetic_joules(chip, work, account);
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json operations_json(const energy::Work& work) {
  return {{"add", work.operations.total(energy::Operation::add)},
          {"multiply", work.operations.total(energy::Operation::mul)}};
}

Json account_json(const std::string& name, const energy::Chip& chip, const ModelAccount& account) {
  const energy::Work work = account.ledger.total();
  const auto arithmetic = joules_of(chip, work, account);
  std::optional<double> memory;
  if (arithmetic) {
    if (const auto whole = energy::joules_with_memory(chip, work, account)) {
      memory = *whole - *arithmetic;
    }
  }
  return {{"name", name},
          {"precision", precision_name(account.precision)},
          {"arithmetic", or_null(arithmetic)},
          {"memory", or_null(memory)},
          {"operations", operations_json(work)}};
}

Json percent(const std::optional<double>& value, const std::optional<double>& whole) {
  if (!value || !whole || *whole == 0) return nullptr;
  return 100 * *value / *whole;
}

}  // namespace

EnergyAnswer energy_answer(const energy::Chip& chip, const Architecture& architecture,
                           Precision precision, const energy::Activity& activity) {
  const ModelAccount model = energy::account_of("this model", energy::AccountKind::model,
                                                architecture, precision, {}, activity);
  const Precision other = precision == Precision::int8 ? Precision::float32 : Precision::int8;
  const ModelAccount vanilla = energy::mechanism_twin(model, kReferenceMechanism, precision);
  const ModelAccount vanilla_other = energy::mechanism_twin(model, kReferenceMechanism, other);
  EnergyAnswer answer;
  Json& json = answer.json;
  json = {{"chip", chip.name}, {"title", chip.title}, {"unit", "J"}};
  json["models"] = {
      account_json(model.name, chip, model),
      account_json(fmt::format("vanilla attention, {}", precision_name(precision)), chip, vanilla),
      account_json(fmt::format("vanilla attention, {}", precision_name(other)), chip,
                   vanilla_other)};
  Json exact, paper;
  for (const Level level : {Level::alignment, Level::attention}) {
    const std::string key = std::string(energy::name_of(level)) + "_percent";
    exact[key] = percent(joules_of(chip, energy::work_of(model.ledger, level), model),
                         joules_of(chip, energy::work_of(vanilla.ledger, level), vanilla));
    paper[key] = percent(energy::paper_joules(chip, model, level),
                         energy::paper_joules(chip, vanilla, level));
  }
  answer.arithmetic_joules = joules_of(chip, model.ledger.total(), model);
  exact["model_percent"] =
      percent(answer.arithmetic_joules, joules_of(chip, vanilla.ledger.total(), vanilla));
  json["accountings"] = {{"exact", exact}, {"paper", paper}};
  json["operations"] = operations_json(model.ledger.total());
  if (const auto classes = energy::unpriced(chip, model.ledger.total()); !classes.empty()) {
    json["unpriced"] = classes;
  }
  return answer;
}

}  // namespace eatt::serving
