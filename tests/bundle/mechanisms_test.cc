#include "bundle/mechanisms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using enum Mechanism;

TEST(Mechanisms, NamesReadBack) {
  for (const std::string_view name : kMechanismNames) {
    ASSERT_TRUE(mechanism_named(name)) << name;
    EXPECT_EQ(mechanism_name(*mechanism_named(name)), name);
  }
  EXPECT_FALSE(mechanism_named("Eatt"));
  EXPECT_FALSE(mechanism_named(""));
}

TEST(Mechanisms, PropertiesAreThoseOfTheirScores) {
  const auto with = [](bool (*property)(Mechanism)) {
    std::vector<Mechanism> having;
    for (const Mechanism m : {vanilla, eatt, selection, l1, dense, randinit}) {
      if (property(m)) having.push_back(m);
    }
    return having;
  };
  EXPECT_THAT(with(has_queries_and_keys), ElementsAre(vanilla, eatt, selection, l1));
  EXPECT_THAT(with(binarises), ElementsAre(eatt, selection));
  EXPECT_THAT(with(scores_by_distance), ElementsAre(eatt, l1));
  EXPECT_THAT(with(bounds_length), ElementsAre(dense, randinit));
}

TEST(ParseMechanisms, OneNameServesAllLayers) {
  EXPECT_THAT(parse_mechanisms("l1", 6), AllOf(SizeIs(6), Each(l1)));
}

TEST(ParseMechanisms, RangesServeTheirLayersInAnyOrder) {
  EXPECT_THAT(parse_mechanisms("eatt:1-3,vanilla:4-6", 6),
              ElementsAre(eatt, eatt, eatt, vanilla, vanilla, vanilla));
  EXPECT_THAT(parse_mechanisms("dense:2,eatt:3,randinit:1", 3), ElementsAre(randinit, dense, eatt));
}

TEST(ParseMechanisms, ErrorsShowTheTextAndThePlace) {
  const auto expect_refused = [](const std::string& text, const std::string& what) {
    EXPECT_THAT([&] { parse_mechanisms(text, 6); },
                ThrowsMessage<UsageError>(AllOf(HasSubstr("'" + text + "'"), HasSubstr(what),
                                                HasSubstr("as in `eatt:1-3,vanilla:4-6`"))));
  };
  expect_refused("eatt:1-3,vanila:4-6",
                 "at character 10: expected one of vanilla, eatt, selection, l1, dense, randinit, "
                 "found 'vanila'");
  expect_refused("", "at character 1: expected one of");
  expect_refused("eatt:1-6,", "at character 10: expected one of");
  expect_refused("eatt,vanilla", "at character 5: expected ':' and a range of layers");
  expect_refused("eatt:1-7", "at character 8: expected a layer from 1 to 6");
  expect_refused("eatt:0-6", "at character 6: expected a layer from 1 to 6");
  expect_refused("eatt:", "at character 6: expected a layer");
  expect_refused("eatt:-1", "at character 6: expected a layer");
  expect_refused("eatt:99999999999999999999", "at character 6: expected a layer");
  expect_refused("eatt:3-1,vanilla:2", "at character 6: expected an ascending range, found 3-1");
  expect_refused("eatt:1-3,vanilla:3-6",
                 "at character 18: expected each layer once, found layer 3 twice");
  expect_refused("eatt:1-6;", "at character 9: expected ',' or the end");
  expect_refused("eatt:1-2,vanilla:4-6", "does not cover layer 3 of 6");
}

TEST(PrintMechanisms, TheShortestTextReadsBack) {
  for (const char* text : {"eatt", "eatt:1-3,vanilla:4-6", "eatt:1,vanilla:2,eatt:3-6",
                           "l1:1,dense:2,l1:3,dense:4,l1:5,dense:6"}) {
    EXPECT_EQ(print_mechanisms(parse_mechanisms(text, 6)), text);
  }
  EXPECT_EQ(print_mechanisms(parse_mechanisms("eatt:2-4,eatt:1,eatt:5-6", 6)), "eatt");
}

}  // namespace
}  // namespace eatt
