#include "energy_report/model_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "written_activity.h"

namespace eatt::energy {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
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
  const TextSize text{.lines = 1, .source_words = 4, .source_pieces = 7, .target_pieces = 5};
  return account_of("model", AccountKind::model, small(mechanism), precision, text,
                    testing::written_activity(8, 6, 2, 100, /*ones=*/4));
}

ModelReport report_of(const ModelAccount& model, std::vector<ModelAccount> compared = {}) {
  return make_model_report(model, std::move(compared), usual_chips(model.precision), {});
}

nlohmann::json json_of(const ModelReport& report) {
  return nlohmann::json::parse(model_report_json(report));
}

TEST(ModelReport, ComparesWithVanillaAtTheSamePrecisionAndWithInt8) {
  const auto kinds = [](const ModelReport& report) {
    std::vector<std::string> found;
    for (const ModelAccount& account : report.accounts) found.push_back(kind_name(account));
    return found;
  };
  EXPECT_THAT(
      kinds(report_of(account(Mechanism::eatt, Precision::float32))),
      ElementsAre("model", "vanilla", "int8", "vanilla_int8", "vanilla_int8_integer_scores"));
  EXPECT_THAT(kinds(report_of(account(Mechanism::eatt, Precision::int8))),
              ElementsAre("model", "vanilla_int8", "vanilla_int8_integer_scores"));
}

TEST(ModelReport, VanillaWithIntegerScoresIsTheCheaperRival) {
  const auto report = report_of(account(Mechanism::eatt, Precision::int8));
  const OperationCounts& counts = report.vanilla_int8().ledger.of(Duty::scores).operations;
  EXPECT_EQ(counts.at(Operation::mul, Number::int8), counts.at(Operation::add, Number::int32));
  EXPECT_EQ(counts.at(Operation::add, Number::fp32), 0);
  const Chip chip = find_chip("cmos45");
  EXPECT_LT(arithmetic_joules(chip, report.vanilla_int8().ledger.total(), report.vanilla_int8()),
            arithmetic_joules(chip, report.vanilla().ledger.total(), report.vanilla()));
}

TEST(ModelReport, AChipThatDoesNotKnowIntegersSaysWhichClassesItLacks) {
  const auto models = json_of(report_of(account(Mechanism::eatt, Precision::float32)))["models"];
  const auto& int8 = models[2]["levels"]["model"]["exact"]["chips"];
  EXPECT_THAT(int8["asic"]["unpriced"].dump(), HasSubstr("mul/int8"));
  EXPECT_FALSE(int8["asic"].contains("arithmetic"));
  EXPECT_GT(int8["cmos45"]["arithmetic"]["joules"].get<double>(), 0);
}

TEST(ModelReport, AChipThatCannotPriceTheModelIsRefusedBeforeAnyWork) {
  const ModelAccount model = account(Mechanism::eatt, Precision::int8);
  EXPECT_THROW(make_model_report(model, {}, {find_chip("asic")}, {}), Error);
  EXPECT_THAT(
      [] { check_chips({find_chip("asic")}, small(Mechanism::eatt), Precision::int8); },
      ::testing::ThrowsMessage<Error>(AllOf(HasSubstr("chip asic has no price for"),
                                            HasSubstr("add/int16"), HasSubstr("int8 model"))));
  EXPECT_NO_THROW(check_chips(built_in_chips(), small(Mechanism::dense), Precision::float32));
}

TEST(ModelReport, LevelsAddUpToTheDutiesTheyAreMadeOf) {
  const ModelAccount model = account(Mechanism::eatt, Precision::float32);
  Work sum;
  for (const Duty duty : {Duty::query, Duty::key, Duty::scores}) sum += model.ledger.of(duty);
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
  EXPECT_THAT(text, AllOf(HasSubstr("exact  % of vanilla"), HasSubstr("paper (fp32)  % of vanilla"),
                          HasSubstr("whole model"), HasSubstr("vanilla twin, int8"),
                          HasSubstr("decoder 2 cross  scores"), HasSubstr("v. int8"),
                          HasSubstr("left out"), HasSubstr("25.00")));
  EXPECT_THAT(model_report_text(report, model_tables("")), Not(HasSubstr("LAYERS")));
}

// The text without its line ends.
std::string unwrapped(const ModelReport& report, std::string_view table) {
  std::string text = model_report_text(report, model_tables(table));
  std::ranges::replace(text, '\n', ' ');
  for (size_t at; (at = text.find("  ")) != text.npos;) text.erase(at, 1);
  return text;
}

TEST(ModelReport, SignedCodesAreNamedOnlyWhereALayerHasThem) {
  const auto levels_of = [](Mechanism mechanism) {
    Architecture architecture = small(mechanism);
    architecture.code_levels = 6;  // As the preset sets it, whatever the mechanism.
    const TextSize text{.lines = 1, .source_words = 4, .source_pieces = 7, .target_pieces = 5};
    const ModelAccount model =
        account_of("model", AccountKind::model, architecture, Precision::float32, text,
                   testing::written_activity(8, 6, 2, 100, /*ones=*/4));
    return unwrapped(report_of(model), "levels");
  };
  EXPECT_THAT(levels_of(Mechanism::eatt),
              AllOf(HasSubstr("model: eatt, signed codes up to 6, float32"),
                    HasSubstr("The paper's formulas are for binary codes")));
  EXPECT_THAT(levels_of(Mechanism::vanilla),
              AllOf(HasSubstr("model: vanilla, float32"), Not(HasSubstr("codes"))));
}

TEST(ModelReport, SaysWhereTheDataOfEveryModelThatRanAreKept) {
  ModelAccount other = account(Mechanism::vanilla, Precision::float32);
  other.name = "other";
  other.kind = AccountKind::compared;
  const auto report = report_of(account(Mechanism::eatt, Precision::float32), {other});
  EXPECT_THAT(unwrapped(report, "models"),
              AllOf(HasSubstr("Data of model: weights ("), HasSubstr("Data of other: weights (")));
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
  other.kind = AccountKind::compared;
  const std::string svg =
      model_chart(report_of(account(Mechanism::eatt, Precision::float32), {other}));
  EXPECT_THAT(svg, AllOf(HasSubstr("cmos45"), HasSubstr("vanilla twin, int8"),
                         HasSubstr("l1 twin, float32"),
                         HasSubstr("&lt;other &amp; co&gt; (dense, float32)"), HasSubstr(">1,024<"),
                         HasSubstr("vanilla twin, int8, integer scores, 1,024"),
                         Not(HasSubstr("nan")), Not(HasSubstr("<other"))));
}

TEST(ModelChart, StacksMemoryOnArithmeticInPercentOfVanilla) {
  const auto report = report_of(account(Mechanism::eatt, Precision::float32), {});
  const std::string svg = model_chart(report);
  EXPECT_THAT(svg,
              AllOf(HasSubstr(">arithmetic<"), HasSubstr(">memory<"), HasSubstr(">100.0 %<"),
                    HasSubstr("energy of a sentence, % of vanilla twin, float32"),
                    HasSubstr("The same in int8, enlarged"), HasSubstr("nJ per target piece")));
  const std::string without = model_chart(
      make_model_report(account(Mechanism::eatt, Precision::float32), {}, {find_chip("asic")}, {}));
  EXPECT_THAT(without, AllOf(HasSubstr("asic has no prices of memory"), Not(HasSubstr(">memory<")),
                             Not(HasSubstr("nan"))));
}

TEST(ModelChart, OnlyEattHasTheColorOfEatt) {
  const auto has_its_color = [](Mechanism mechanism) {
    const std::string svg = model_chart(report_of(account(mechanism, Precision::float32), {}));
    return svg.find("<rect class=\"eatt\"") != svg.npos;
  };
  EXPECT_TRUE(has_its_color(Mechanism::eatt));
  EXPECT_FALSE(has_its_color(Mechanism::dense));
}

TEST(ModelChart, SaysWhatItDoesNotShow) {
  ModelAccount other = account(Mechanism::eatt, Precision::int8);
  other.name = "other";
  other.kind = AccountKind::compared;
  const ModelAccount model = account(Mechanism::eatt, Precision::float32);
  const auto all_chips = report_of(model, {other});
  const std::string expected = "Not drawn: chip asic; chip fpga.";
  EXPECT_EQ(left_out_of_chart(all_chips), expected);
  // Long text is broken into lines.
  EXPECT_THAT(model_chart(all_chips), AllOf(HasSubstr("Not drawn: chip"), HasSubstr("chip fpga.")));
  EXPECT_EQ(left_out_of_chart(make_model_report(model, {other}, {find_chip("asic")}, {})),
            "Not drawn: other, which asic has no prices for.");
  EXPECT_EQ(left_out_of_chart(make_model_report(model, {}, {find_chip("cmos45")}, {})), "");
}

}  // namespace
}  // namespace eatt::energy
