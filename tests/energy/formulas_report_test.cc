#include "energy_report/formulas_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/text_layout.h"
#include "energy/closed_forms.h"
#include "support/files.h"

namespace eatt::energy {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

std::string text_of(const FormulasRequest& request, std::string_view table = "all") {
  return formulas_text(request, {formulas_table(table)});
}

Json json_of(const FormulasRequest& request) { return Json::parse(formulas_json(request)); }

TEST(FormulasText, FitsIn100ColumnsWithoutTrailingSpaces) {
  const std::vector<FormulasRequest> requests = {
      {}, {Shape(1, 1), paper_densities()}, {Shape(1024, 1024, 256), uniform_densities(0.5)}};
  for (const FormulasRequest& request : requests) {
    for (const std::string& line : eatt::testing::split_lines(text_of(request))) {
      EXPECT_LE(display_width(line), 100u) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
  }
}

TEST(FormulasText, ShowsPrintedFiguresWithTheirMarksBesideComputedOnes) {
  const std::string text = text_of({});
  EXPECT_THAT(text,
              ContainsRegex("dense +both +6,014,976 +6,014,976 +27.669 +51.052 +51.10\\[c\\]"));
  EXPECT_THAT(text,
              ContainsRegex("eatt +paper +270,336 +0 +0.243 +0.449 +0.44\\[d\\] 0.45 +0.048 "));
  EXPECT_THAT(text, ContainsRegex("34.095 +34.10\\[g\\] 34.09 +33.829 +33.83"));
  EXPECT_THAT(text, HasSubstr("(printed 65.90[h] 65.91 66)"));
}

TEST(FormulasText, ExplainsEveryMarkOnce) {
  const std::string text = text_of({});
  for (const SlipNote& note : slip_notes()) {
    const std::string head = std::string("\n[") + note.letter + "] " + std::string(note.where);
    const size_t first = text.find(head);
    ASSERT_NE(first, std::string::npos) << head;
    EXPECT_EQ(text.find(head, first + 1), std::string::npos) << head;
  }
}

TEST(FormulasText, OtherShapesShowNothingPrinted) {
  for (const Shape& shape : {Shape(23, 512), Shape(22, 256)}) {
    EXPECT_THAT(text_of({.shape = shape}),
                AllOf(Not(HasSubstr("printed")), Not(HasSubstr("[a]")),
                      HasSubstr("--length 22 --width 512 with k = d only")));
  }
}

TEST(FormulasText, ANarrowAttentionKeepsThePrintedDistillationOnly) {
  const FormulasRequest narrow{.shape = Shape(22, 512, 256)};
  EXPECT_THAT(text_of(narrow, "attention"), Not(HasSubstr("34.10")));
  EXPECT_THAT(text_of(narrow, "attention"), ContainsRegex("eatt +paper .* 17.047 "));
  EXPECT_THAT(text_of(narrow, "distillation"), HasSubstr("4.28[k]"));
  EXPECT_THAT(text_of(narrow, "parts"), HasSubstr("8ld² / 8ld²"));
  EXPECT_THAT(text_of(narrow, "parts"), HasSubstr("ρldk / 0"));
}

TEST(FormulasText, OneTableLeavesTheOthersOut) {
  const std::string text = text_of({}, "roles");
  EXPECT_THAT(text, AllOf(HasSubstr("ROLES"), ContainsRegex("cross +0.455 +0.242 +7.494")));
  for (const char* other : {"PARTS", "ALIGNMENT", "ATTENTION", "BLOCK", "DISTILLATION"}) {
    EXPECT_THAT(text, Not(HasSubstr(other)));
  }
}

TEST(FormulasText, AGivenDensityReplacesTheRoles) {
  const std::string text = text_of({.densities = uniform_densities(0.17)}, "roles");
  EXPECT_THAT(text, ContainsRegex("eatt +all +0.170 +0.170 +4.079 +36.498 +83.786"));
  EXPECT_THAT(text, Not(HasSubstr("enc-self")));
}

TEST(FormulasText, AnUnknownTableIsAnsweredWithTheNames) {
  EXPECT_THAT([] { formulas_table("alignments"); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("--table is 'alignments'"),
                                              HasSubstr("parts, alignment, attention"))));
}

TEST(FormulasJson, GivesComputedAndPrintedPercentOfVanilla) {
  const Json json = json_of({});
  const Json& eatt = json["alignment"]["eatt"];
  EXPECT_EQ(eatt["asic"]["printed"], Json::parse("[0.44, 0.45]"));
  EXPECT_EQ(eatt["asic"]["slips"], Json::parse(R"(["alignment-cut"])"));
  EXPECT_EQ(eatt["fpga"]["printed"], Json::parse("[0.05]"));
  // 0.9·(2ld+l²d) / 4.6·(2ld²+l²d), in all digits that a double has.
  EXPECT_DOUBLE_EQ(eatt["asic"]["computed"], 100 * 0.9 * 270'336 / (4.6 * 11'782'144));
  EXPECT_THAT(json["block"]["l1"]["fpga"]["printed"], IsEmpty());
  for (const Level level : kLevels) {
    for (const Mechanism mechanism : kMechanisms) {
      for (const char* chip : {"asic", "fpga"}) {
        const Json& cell =
            json.at(std::string(name_of(level))).at(std::string(name_of(mechanism))).at(chip);
        EXPECT_TRUE(cell.at("computed").is_number());
        EXPECT_TRUE(cell.at("printed").is_array());
      }
    }
  }
}

TEST(FormulasJson, EverySlipOfAFigureIsExplained) {
  const Json json = json_of({});
  for (const char* level : {"alignment", "attention", "block"}) {
    for (const auto& chips : json[level]) {
      for (const auto& cell : chips) {
        for (const std::string key : cell.value("slips", Json::array())) {
          EXPECT_TRUE(json["slips"].contains(key)) << key;
        }
      }
    }
  }
  EXPECT_EQ(json["slips"].size(), slip_notes().size());
}

TEST(FormulasJson, KeepsTheExactAccountingApart) {
  const Json json = json_of({});
  const Json& eatt = json["exact"]["alignment"]["eatt"];
  EXPECT_NEAR(eatt["asic"], 5.5087, 5e-5);
  EXPECT_NEAR(eatt["roles"]["enc-self"]["asic"], 3.3449, 5e-5);
  EXPECT_NEAR(eatt["roles"]["cross"]["asic"], 7.4944, 5e-5);
  EXPECT_FALSE(json["exact"]["alignment"]["l1"].contains("roles")) << "no density in it";
  const Json& densities = json["exact"]["densities"];
  EXPECT_EQ(densities["source"], "paper");
  EXPECT_EQ(densities["roles"]["cross"]["layers"][4],
            Json::parse(R"({"query": 0.5499, "key": 0.2420})"));
  EXPECT_EQ(json_of({.densities = uniform_densities(0.17)})["exact"]["densities"]["mean"],
            Json::parse(R"({"query": 0.17, "key": 0.17})"));
}

TEST(FormulasJson, CountsOperationsPerPartAndLevel) {
  const Json operations = json_of({})["operations"];
  const Json& eatt = operations["paper"]["alignment"]["eatt"];
  EXPECT_EQ(eatt["additions"], 270'336);
  EXPECT_TRUE(eatt["additions"].is_number_unsigned());
  EXPECT_EQ(eatt["additions_form"], "2ld+l²d");
  EXPECT_EQ(eatt["multiplications"], 0);
  EXPECT_DOUBLE_EQ(eatt["picojoules"]["asic"], 0.9 * 270'336);
  EXPECT_EQ(operations["exact"]["alignment"]["eatt"]["additions_form"], "2ρld²+2l²d");
  for (const Accounting accounting : kAccountings) {
    const Json& by = operations[std::string(name_of(accounting))];
    for (const Mechanism mechanism : kMechanisms) {
      double additions = 0;
      for (const auto& part : by["parts"][std::string(name_of(mechanism))]) {
        additions += part["additions"].get<double>();
      }
      EXPECT_DOUBLE_EQ(additions, by["block"][std::string(name_of(mechanism))]["additions"]);
    }
  }
}

TEST(FormulasJson, PrintedFiguresAreEmptyForOtherShapes) {
  const Json json = json_of({.shape = Shape(30, 256, 128)});
  EXPECT_THAT(json["alignment"]["eatt"]["asic"]["printed"], IsEmpty());
  EXPECT_FALSE(json["alignment"]["eatt"]["asic"].contains("slips"));
  EXPECT_THAT(json["distillation"]["eatt"][0]["printed"], IsEmpty());
  EXPECT_EQ(json["shape"], Json::parse(R"({"length": 30, "width": 256, "attention_width": 128})"));
}

TEST(Distillation, HalvesAsFarAsWidthsAreWholeAndAddsTheGivenOne) {
  const auto widths = [](const Shape& shape) {
    std::vector<uint64_t> result;
    for (const DistillationRow& row : distillation_rows({.shape = shape})) {
      if (row.mechanism == Mechanism::vanilla) result.push_back(row.width);
    }
    return result;
  };
  EXPECT_THAT(widths(Shape(22, 512)), ElementsAre(512, 256, 128, 64));
  EXPECT_THAT(widths(Shape(22, 512, 100)), ElementsAre(512, 256, 128, 100, 64));
  EXPECT_THAT(widths(Shape(22, 6, 9)), ElementsAre(9, 6, 3));
}

}  // namespace
}  // namespace eatt::energy
