#include "energy_report/ledger_json.h"

#include <nlohmann/json.hpp>

namespace eatt::energy {
namespace {

using Json = nlohmann::ordered_json;  // Keys in the order of reading.

std::string key(auto kind) { return std::string(name_of(kind)); }

Json operations_json(const OperationCounts& counts) {
  Json result = Json::object();
  for (const Operation operation : kOperations) {
    for (const Number number : kNumbers) {
      const uint64_t count = counts.at(operation, number);
      if (count > 0) result[key(operation)][key(number)] = count;
    }
  }
  return result;
}

Json bytes_json(const Work& work) {
  Json result = Json::object();
  for (const Data data : kData) {
    const Traffic& moved = work.moved(data);
    if (moved.read > 0) result[key(data)]["read"] = moved.read;
    if (moved.written > 0) result[key(data)]["written"] = moved.written;
  }
  return result;
}

}  // namespace

Json ledger_json(const Ledger& ledger) {
  Json lines = Json::array();
  for (const auto& [place, duty, work] : ledger.rows()) {
    lines.push_back(Json{{"stack", key(place.stack)},
                         {"layer", place.layer},
                         {"sub_layer", key(place.sub_layer)},
                         {"duty", duty->name},
                         {"operations", operations_json(work.operations)},
                         {"bytes", bytes_json(work)}});
  }
  return lines;
}

}  // namespace eatt::energy
