#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"

namespace eatt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const JsonOrigin kOrigin{"run/state.json", "resume from an earlier checkpoint"};

nlohmann::ordered_json example() {
  return {{"steps", 60},
          {"value", 1.0},
          {"tiny", 1e-300},
          {"most", UINT64_MAX},
          {"name", "Grün\n"},
          {"list", {1, 2.5, nullptr, true}},
          {"inner", {{"b", 1}, {"a", 2}}}};
}

void check(const std::string& text) { check_json_checksum(parse_json(text, kOrigin), kOrigin); }

TEST(CheckedJson, WhatWasPrintedIsAccepted) {
  EXPECT_NO_THROW(check(print_checked_json(example())));
  EXPECT_NO_THROW(check(print_checked_json({{"not UTF-8", "\xff"}})));
  EXPECT_NO_THROW(check(print_checked_json(nlohmann::ordered_json::object())));
}

TEST(CheckedJson, AnyOtherValueIsRefusedWithAWayOut) {
  const std::string text = print_checked_json(example());
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"60", "20"}, {"1.0", "0.0"}, {"true", "false"}, {"\"a\"", "\"c\""}, {"2.5", "2"}}) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    EXPECT_THAT([&] { check(changed); },
                ThrowsMessage<Error>(
                    AllOf(HasSubstr("run/state.json: its contents do not match its \"checksum\""),
                          HasSubstr("resume from an earlier checkpoint"),
                          HasSubstr("if you meant to edit it, delete the line \"checksum\""))))
        << from;
  }
}

TEST(CheckedJson, LayoutAndOrderOfKeysDoNotMatter) {
  const auto sorted = nlohmann::json::parse(print_checked_json(example()));
  EXPECT_NO_THROW(check(sorted.dump()));
}

TEST(CheckedJson, AFileWithoutAChecksumPasses) {
  EXPECT_NO_THROW(check(example().dump()));
  EXPECT_THROW(check(R"({"checksum": 5})"), Error);
}

}  // namespace
}  // namespace eatt
