#include "base/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "base/error.h"

namespace eatt {
namespace {

std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Options, ANumberThatIsOutOfRangeIsRefusedWithItsRange) {
  const auto read = [](std::string_view text, Range range) {
    return complaint([&] {
      int value = 0;
      read_number("--n", text, range, value);
    });
  };
  EXPECT_EQ(read("7", {1, 9}), "none");
  EXPECT_EQ(read("0", {1, 9}), "--n is '0'; expected an integer from 1 to 9");
  EXPECT_EQ(read("2", {0, 1}), "--n is '2'; expected 0 or 1");
  EXPECT_EQ(read("-1", {0}), "--n is '-1'; expected an integer of at least 0");
  EXPECT_EQ(read("1.5", {}), "--n is '1.5'; expected an integer");
  EXPECT_EQ(read("99999999999", {}), "--n is '99999999999'; expected an integer");
  EXPECT_EQ(read("", {}), "--n is ''; expected an integer");
}

TEST(Options, RealNumbersMayExcludeTheirLeastAndAreNeverInfinite) {
  const auto read = [](std::string_view text, Range range) {
    return complaint([&] {
      double value = 0;
      read_number("--x", text, range, value);
    });
  };
  const Range share = {.least = 0, .most = 1, .above_least = true};
  EXPECT_EQ(read("+0.5", share), "none");
  EXPECT_EQ(read("0", share), "--x is '0'; expected a number above 0, at most 1");
  EXPECT_EQ(read("inf", {}), "--x is 'inf'; expected a number");
  EXPECT_EQ(read("nan", {0}), "--x is 'nan'; expected a number of at least 0");
}

TEST(Options, AnUnsignedNumberDoesNotWrapAround) {
  uint64_t value = 5;
  EXPECT_EQ(complaint([&] { read_number("--seed", "-1", {}, value); }),
            "--seed is '-1'; expected an integer of at least 0");
  EXPECT_EQ(value, 5u) << "a refused value changes nothing";
  read_number("--seed", "18446744073709551615", {}, value);
  EXPECT_EQ(value, UINT64_MAX);
}

struct Settings {
  int size = 4;
  double rate = 0.1;
  bool loud = false;
  enum class Colour { red, green } colour = Colour::red;
};

TEST(OptionTable, FieldsSetPrintAndCheckWhatTheyStandFor) {
  static constexpr std::array<std::string_view, 2> kColours = {"red", "green"};
  OptionTable<Settings> table;
  table.group("All")
      .number("size", "N", &Settings::size, {1, 9}, "How large")
      .number("rate", "X", &Settings::rate, {}, "How fast")
      .toggle("loud", &Settings::loud, "How loud")
      .choice("colour", &Settings::colour, kColours, "Which colour");
  Settings settings;
  table.find("size")->set(settings, "8");
  table.find("loud")->set(settings, "true");
  table.find("colour")->set(settings, "green");
  EXPECT_EQ(settings.size, 8);
  EXPECT_TRUE(settings.loud);
  EXPECT_EQ(table.find("colour")->get(settings), "green");
  EXPECT_EQ(table.find("colour")->value, "red|green");
  EXPECT_EQ(table.find("rate")->get(settings), "0.1");
  EXPECT_EQ(table.find("width"), nullptr);
  EXPECT_EQ(complaint([&] { table.find("colour")->set(settings, "blue"); }),
            "--colour is 'blue'; expected red or green");
  EXPECT_EQ(complaint([&] { table.find("loud")->set(settings, "very"); }),
            "--loud is 'very'; expected true or false");
  EXPECT_EQ(complaint([&] { table.check(settings); }), "none");
  settings.size = 10;
  EXPECT_EQ(complaint([&] { table.check(settings); }),
            "--size is '10'; expected an integer from 1 to 9");
  settings = {.rate = std::nan("")};
  EXPECT_EQ(complaint([&] { table.check(settings); }), "--rate is 'nan'; expected a number");
}

}  // namespace
}  // namespace eatt
