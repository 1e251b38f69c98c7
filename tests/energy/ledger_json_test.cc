#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "energy_report/model_report.h"

namespace eatt::energy {
namespace {

using Json = nlohmann::ordered_json;

TEST(LedgerJson, HasALinePerPlaceAndDutyWithWhatIsNotZero) {
  Work scores;
  scores.operations.at(Operation::add, Number::int32) = 1'000'000'000'000;
  scores.operations.at(Operation::add, Number::int16) = 7;
  scores.operations.at(Operation::shift, Number::fp32) = 5;
  scores.moved(Data::caches).read = 96;
  Work norm;
  norm.moved(Data::weights) = {.read = 8, .written = 0};
  norm.moved(Data::activations) = {.read = 16, .written = 32};
  Ledger ledger;
  ledger.add({{Stack::decoder, 2, SubLayer::cross_attention}, Duty::scores}, scores);
  ledger.add({{Stack::encoder, 0, SubLayer::none}, Duty::norm}, norm);

  const Json expected = Json::parse(R"([
    {"stack": "encoder", "layer": 0, "sub_layer": "none", "duty": "norm", "operations": {},
     "bytes": {"weights": {"read": 8}, "activations": {"read": 16, "written": 32}}},
    {"stack": "decoder", "layer": 2, "sub_layer": "cross-attention", "duty": "scores",
     "operations": {"add": {"int16": 7, "int32": 1000000000000}, "shift": {"fp32": 5}},
     "bytes": {"caches": {"read": 96}}}
  ])");
  EXPECT_EQ(ledger_json(ledger).dump(2), expected.dump(2));
}

TEST(LedgerJson, OfNothingIsAnEmptyArray) { EXPECT_EQ(ledger_json({}).dump(), "[]"); }

}  // namespace
}  // namespace eatt::energy
