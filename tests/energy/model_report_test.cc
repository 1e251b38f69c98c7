#include "energy/model_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "energy/length_activity.h"
#include "energy/model_chart.h"
#include "written_activity.h"

namespace eatt::energy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Architecture small(Mechanism mechanism) {
  Architecture a;
  a.model_dim = a.qk_dim = a.attention_dim = 16;
  a.heads = 2;
  a.ffn_dim = 32;
  a.source_vocab = a.target_vocab = 100;
  for (Attention* attention : {&a.encoder_self, &a.decoder_self, &a.cross})
    attention->layers.assign(2, mechanism);
  return a;
}

ModelAccount account(Mechanism mechanism, Precision precision) {
  TextSize text;
  text.add(/*words=*/4, /*source=*/7, /*target=*/5);
  return account_of("model", small(mechanism), precision, text,
                    testing::written_activity(8, 6, 2, 100, /*ones=*/4));
}

ModelReport report_of(const ModelAccount& model, std::vector<ModelAccount> compared = {}) {
  return make_model_report(model, std::move(compared), usual_chips(model.precision),
                           "greedy search, one sentence at a time");
}

nlohmann::json json_of(const ModelReport& report) {
  return nlohmann::json::parse(model_report_json(report));
}

TEST(ModelReport, ComparesWithVanillaAtTheSamePrecisionAndWithInt8) {
  const auto models = json_of(report_of(account(Mechanism::eatt, Precision::float32)))["models"];
  ASSERT_EQ(models.size(), 4);
  EXPECT_EQ(models[1]["name"], "vanilla twin, float32");
  EXPECT_EQ(models[2]["name"], "the same, int8");
  EXPECT_EQ(models[3]["name"], "vanilla twin, int8");
  EXPECT_EQ(models[3]["mechanisms"], "vanilla");
  EXPECT_TRUE(models[0]["ran"]);
  EXPECT_FALSE(models[3]["ran"]);
  EXPECT_EQ(json_of(report_of(account(Mechanism::eatt, Precision::int8)))["models"].size(), 2);
}

TEST(ModelReport, AChipThatDoesNotKnowIntegersHasNoPriceForThem) {
  const auto models = json_of(report_of(account(Mechanism::eatt, Precision::float32)))["models"];
  const auto& int8 = models[2]["levels"]["model"]["exact"]["chips"];
  EXPECT_TRUE(int8["asic"].is_null());
  EXPECT_GT(int8["cmos45"]["arithmetic"]["joules"].get<double>(), 0);
  // Asked for by name, it is an error that names the class.
  const ModelAccount model = account(Mechanism::eatt, Precision::int8);
  const auto report = make_model_report(model, {}, {find_chip("asic")}, "");
  EXPECT_THROW(model_report_text(report, model_tables("")), Error);
}

TEST(ModelReport, LevelsAddUpToTheDutiesTheyAreMadeOf) {
  const ModelAccount model = account(Mechanism::eatt, Precision::float32);
  Work sum;
  for (const Duty duty :
       {Duty::encoder_self, Duty::decoder_self, Duty::cross_query, Duty::cross_key, Duty::scores})
    sum += model.ledger.of(duty);
  EXPECT_EQ(work_of(model.ledger, Level::alignment), sum);
  for (const Duty duty : {Duty::value, Duty::context}) sum += model.ledger.of(duty);
  EXPECT_EQ(work_of(model.ledger, Level::attention), sum);
  for (const Duty duty : {Duty::output, Duty::ffn}) sum += model.ledger.of(duty);
  EXPECT_EQ(work_of(model.ledger, Level::block), sum);
  for (const Duty duty :
       {Duty::norm, Duty::residual, Duty::embedding, Duty::vocabulary, Duty::search})
    sum += model.ledger.of(duty);
  EXPECT_EQ(model.ledger.total(), sum);
}

TEST(ModelReport, JoulesArePricesTimesCounts) {
  const auto chips = json_of(report_of(account(Mechanism::vanilla, Precision::float32)));
  const auto& exact = chips["models"][0]["levels"]["attention"]["exact"];
  const double adds = exact["operations"]["add"]["fp32"], muls = exact["operations"]["mul"]["fp32"];
  EXPECT_DOUBLE_EQ(exact["chips"]["asic"]["arithmetic"]["joules"],
                   (0.9 * adds + 3.7 * muls) * 1e-12);
  const auto& paper = chips["models"][0]["levels"]["attention"]["paper"];
  EXPECT_DOUBLE_EQ(
      paper["chips"]["fpga"]["joules"],
      (0.4 * paper["additions"].get<double>() + 18.8 * paper["multiplications"].get<double>()) *
          1e-12);
}

TEST(ModelReport, RatesAreJoulesOverSentencesPiecesAndWords) {
  const auto json = json_of(report_of(account(Mechanism::vanilla, Precision::float32)));
  const auto& rates = json["models"][0]["levels"]["model"]["exact"]["chips"]["asic"]["arithmetic"];
  const double joules = rates["joules"];
  EXPECT_DOUBLE_EQ(rates["joules_per_sentence"], joules);
  EXPECT_DOUBLE_EQ(rates["joules_per_target_piece"], joules / 5);
  EXPECT_DOUBLE_EQ(rates["joules_per_1000_source_words"], joules / 4 * 1000);
}

TEST(ModelReport, TextHasBothAccountingsSideBySide) {
  const auto report = report_of(account(Mechanism::eatt, Precision::float32));
  const std::string text = model_report_text(report, model_tables("all"));
  EXPECT_THAT(text, AllOf(HasSubstr("exact  % of vanilla"), HasSubstr("paper  % of vanilla"),
                          HasSubstr("whole model"), HasSubstr("vanilla twin, int8"),
                          HasSubstr("decoder layer 2, cross-attention, scores"),
                          HasSubstr("left out"), HasSubstr("25.00")));
  EXPECT_THAT(model_report_text(report, model_tables("")), Not(HasSubstr("LAYERS")));
}

TEST(ModelReport, AnUnknownTableIsNamedWithThoseThereAre) {
  EXPECT_THAT([] { model_tables("rows"); },
              ::testing::ThrowsMessage<UsageError>(
                  AllOf(HasSubstr("'rows'"), HasSubstr("levels, models, duties"))));
}

TEST(LengthActivity, IsThatOfASentenceWithTheDensitiesOfTheText) {
  const ModelAccount model = account(Mechanism::eatt, Precision::float32);
  Activity expected = testing::written_activity(12, 12, 2, 100, 4);
  Activity found = activity_of_length(model, 12);
  for (Activity* activity : {&expected, &found}) {  // A mean: how codes meet is not known.
    for (CodeActivity& codes : activity->encoder_self) codes.distinct = 0;
    activity->cross_key.distinct = 0;
  }
  EXPECT_EQ(found, expected);
}

TEST(ModelChart, ShowsAllModelsOnAChipThatKnowsThem) {
  ModelAccount other = account(Mechanism::dense, Precision::float32);
  other.name = "<other & co>";
  const std::string svg =
      model_chart(report_of(account(Mechanism::eatt, Precision::float32), {other}));
  EXPECT_THAT(svg, AllOf(HasSubstr("cmos45"), HasSubstr("vanilla twin, int8"),
                         HasSubstr("&lt;other &amp; co&gt; (dense, float32)"), HasSubstr(">1024<"),
                         Not(HasSubstr("nan")), Not(HasSubstr("<other"))));
}

}  // namespace
}  // namespace eatt::energy
