#include "cli/energy/energy_measure_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace eatt::cli {
namespace {

using energy::MeasuredEnergy;
using energy::Unavailable;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

MeasuredEnergy energy_of(double seconds, double package, double dram) {
  using Kind = energy::PowerDomain::Kind;
  return {seconds,
          {{"package-0", Kind::package, package}, {"dram of package-0", Kind::dram, dram}}};
}

MeasuredRun run_of(double seconds, double package, double dram) {
  return {0, std::nullopt, seconds, energy_of(seconds, package, dram)};
}

TEST(EnergyMeasureReport, OneRunHasNoSpread) {
  const MeasureReport report{{"x"}, 1, {run_of(2, 30, 10)}, std::nullopt, std::nullopt};
  EXPECT_EQ(measure_text(report),
            "seconds: 2.000\n"
            "                   joules   watts\n"
            "package-0          30.000  15.000\n"
            "dram of package-0  10.000   5.000\n"
            "total              40.000  20.000\n"
            "Measured for the whole machine while the command ran, not for the command alone.\n");
  const auto json = nlohmann::json::parse(measure_json(report));
  EXPECT_EQ(json["seconds"], nlohmann::json::parse(R"({"mean": 2.0, "deviation": null})"));
  EXPECT_EQ(json["measured_energy"]["domains"][0]["watts"], 15);
  EXPECT_EQ(json["measured_energy"]["scope"], "machine");
}

TEST(EnergyMeasureReport, SeveralRunsHaveAMeanAndAStandardDeviation) {
  const MeasureReport report{
      {"x"}, 3, {run_of(1, 10, 1), run_of(2, 20, 1), run_of(3, 30, 1)}, std::nullopt, std::nullopt};
  EXPECT_EQ(measure_text(report),
            "seconds: 2.000 ± 1.000 (mean and standard deviation of 3 runs)\n"
            "                   joules       ±   watts\n"
            "package-0          20.000  10.000  10.000\n"
            "dram of package-0   1.000   0.000   0.500\n"
            "total              21.000  10.000  10.500\n"
            "Measured for the whole machine while the command ran, not for the command alone.\n");
}

TEST(EnergyMeasureReport, IdlePowerIsSubtractedInAColumnOfItsOwn) {
  const MeasureReport report{{"x"}, 1, {run_of(2, 30, 10)}, std::nullopt, energy_of(10, 40, 20)};
  EXPECT_EQ(measure_text(report),
            "seconds: 2.000\n"
            "                   joules   watts  idle watts  joules above idle\n"
            "package-0          30.000  15.000       4.000             22.000\n"
            "dram of package-0  10.000   5.000       2.000              6.000\n"
            "total              40.000  20.000       6.000             28.000\n"
            "Measured for the whole machine while the command ran, not for the command alone.\n");
  const auto json = nlohmann::json::parse(measure_json(report))["measured_energy"];
  EXPECT_EQ(json["idle_seconds"], 10);
  EXPECT_EQ(json["domains"][2]["joules_above_idle"], 28);
}

TEST(EnergyMeasureReport, ARunThatFailedIsNotCountedAmongOthers) {
  MeasuredRun failed{7, std::nullopt, 100, energy_of(100, 1000, 1000)};
  const MeasureReport report{{"x"}, 5, {run_of(2, 30, 10), failed}, std::nullopt, std::nullopt};
  EXPECT_THAT(
      measure_text(report),
      HasSubstr("seconds: 2.000\nrun 2 of 5: ended with exit code 7, is not counted, is the "
                "last\n"));
  const auto json = nlohmann::json::parse(measure_json(report));
  EXPECT_THAT(json["runs"], SizeIs(2));
  EXPECT_EQ(json["counted_runs"], 1);
  const MeasureReport alone{{"x"}, 5, {failed}, std::nullopt, std::nullopt};
  EXPECT_THAT(measure_text(alone),
              HasSubstr("seconds: 100.000\nrun 1 of 5: ended with exit code 7, is the last\n"));
}

TEST(EnergyMeasureReport, ThatTheLastWantedRunFailedIsSaid) {
  const MeasuredRun failed{7, std::nullopt, 100, energy_of(100, 1000, 1000)};
  const MeasureReport series{{"x"}, 2, {run_of(2, 30, 10), failed}, std::nullopt, std::nullopt};
  EXPECT_THAT(measure_text(series),
              HasSubstr("seconds: 2.000\nrun 2 of 2: ended with exit code 7, is not counted\n"));
  const MeasureReport alone{{"x"}, 1, {failed}, std::nullopt, std::nullopt};
  EXPECT_THAT(measure_text(alone),
              HasSubstr("seconds: 100.000\nrun 1 of 1: ended with exit code 7\n"));
}

TEST(EnergyMeasureReport, NamesTheSignalThatEndedTheSeries) {
  const MeasuredRun stopped{0, Signal{SIGHUP, "SIGHUP"}, 1, energy_of(1, 10, 10)};
  const MeasureReport within{{"x"}, 5, {run_of(2, 30, 10), stopped}, std::nullopt, std::nullopt};
  EXPECT_THAT(measure_text(within),
              HasSubstr("run 2 of 5: was sent SIGHUP, ended with exit code 0, "
                        "is not counted, is the last\n"));
  EXPECT_EQ(nlohmann::json::parse(measure_json(within))["runs"][1]["stopped_by"], "SIGHUP");
  const MeasureReport between{
      {"x"}, 5, {run_of(2, 30, 10)}, Signal{SIGTERM, "SIGTERM"}, std::nullopt};
  EXPECT_THAT(measure_text(between), HasSubstr("run 1 of 5: is the last, by SIGTERM\n"));
  EXPECT_EQ(nlohmann::json::parse(measure_json(between))["stopped_by"], "SIGTERM");
}

TEST(EnergyMeasureReport, OneUnavailableRunMakesAllUnavailable) {
  MeasuredRun without{0, std::nullopt, 2, Unavailable{"no meter"}};
  const MeasureReport report{{"x"}, 2, {run_of(2, 30, 10), without}, std::nullopt, std::nullopt};
  EXPECT_EQ(measure_text(report),
            "seconds: 2.000 ± 0.000 (mean and standard deviation of 2 runs)\n"
            "energy: unavailable (no meter)\n");
  const auto json = nlohmann::json::parse(measure_json(report));
  EXPECT_EQ(json["measured_energy"], nlohmann::json::parse(R"({"unavailable": "no meter"})"));
}

TEST(EnergyMeasureReport, UnavailableIdlePowerMakesAllUnavailable) {
  const MeasureReport report{{"x"}, 1, {run_of(2, 30, 10)}, std::nullopt, Unavailable{"gone"}};
  EXPECT_THAT(measure_text(report), HasSubstr("energy: unavailable (gone)"));
}

TEST(EnergyMeasureReport, BytesThatAreNoTextDoNotHinderTheJson) {
  const MeasureReport report{{"x", "\xff"}, 1, {run_of(2, 30, 10)}, std::nullopt, std::nullopt};
  EXPECT_THAT(measure_json(report), Not(HasSubstr("\xff")));
}

}  // namespace
}  // namespace eatt::cli
