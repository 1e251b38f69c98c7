#include "energy/meter/power_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <span>

#include "support/fake_powercap.h"

namespace eatt::energy {
namespace {

using eatt::testing::FakePowercap;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr uint64_t kRange = FakePowercap::kRange;

// The reason; "available" if there is none.
std::string reason_of(const EnergyResult& result) {
  const auto* unavailable = std::get_if<Unavailable>(&result);
  return unavailable == nullptr ? "available" : unavailable->reason;
}

std::string reason_of(const PowerMeter& meter) {
  return meter.unavailable() ? meter.unavailable()->reason : "available";
}

// A clock that only moves when it is told to.
class FakeClock {
 public:
  void pass(double seconds) { *now_ = *now_ + seconds; }
  PowerMeter::Clock clock() const {
    return [now = now_] { return now->load(); };
  }

 private:
  std::shared_ptr<std::atomic<double>> now_ = std::make_shared<std::atomic<double>>(1000.0);
};

// What a meter of one package says when its counter goes through these values, so many seconds
// apart.
EnergyResult measure(std::initializer_list<uint64_t> microjoules, double seconds = 1,
                     uint64_t range = kRange) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", *microjoules.begin(), range);
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  meter.start();
  for (const uint64_t value : std::span(microjoules).subspan(1)) {
    powercap.set_energy("intel-rapl:0", value);
    clock.pass(seconds);
    meter.sample();
  }
  return meter.finish();
}

std::vector<std::string> domains_of(const FakePowercap& powercap) {
  std::vector<std::string> names;
  for (const PowerDomain& domain : find_power_domains(powercap.path()))
    names.push_back(domain.name);
  return names;
}

double joules_of(const EnergyResult& result) {
  EXPECT_EQ(reason_of(result), "available");
  return std::get<MeasuredEnergy>(result).package_joules();
}

TEST(PowerMeter, TellsWhatTheCounterWentOnBy) {
  EXPECT_DOUBLE_EQ(joules_of(measure({1'000'000, 3'500'000})), 2.5);
  EXPECT_DOUBLE_EQ(joules_of(measure({1'000'000, 3'500'000, 4'000'000})), 3);
  EXPECT_DOUBLE_EQ(joules_of(measure({1'000'000, 3'500'000, 3'500'000})), 2.5);
}

TEST(PowerMeter, ACounterThatWrapsStartsAgainFromZero) {
  EXPECT_DOUBLE_EQ(joules_of(measure({kRange - 1'000'000, 2'000'000})), 3);
  EXPECT_DOUBLE_EQ(joules_of(measure({kRange - 1'000'000, kRange, 2'000'000})), 3);
  EXPECT_DOUBLE_EQ(joules_of(measure({kRange, 1'000'000})), 1);
}

TEST(PowerMeter, AnyNumberOfWrapsIsCountedIfEachIsSeen) {
  EXPECT_NEAR(joules_of(measure({0, kRange / 2, 0, kRange / 2, 0, kRange / 2, 1'000'000},
                                /*seconds=*/200)),
              1e-6 * (3.0 * kRange + 1e6), 1e-5);
}

TEST(PowerMeter, AWrapThatMayHaveBeenMissedMakesItUnavailable) {
  // A range of 500 J is gone through in half a second at 1000 W.
  EXPECT_THAT(reason_of(measure({10, 20}, /*seconds=*/0.6, 500'000'000)),
              AllOf(HasSubstr("intel-rapl:0 (package-0): was not read for 0.6 s"),
                    HasSubstr("more than once")));
  EXPECT_DOUBLE_EQ(joules_of(measure({10, 20}, /*seconds=*/0.4, 500'000'000)), 10e-6);
}

TEST(PowerMeter, ACounterThatStepsBackIsNoWrap) {
  EXPECT_THAT(reason_of(measure({3'000'000, 2'999'999})),
              AllOf(HasSubstr("intel-rapl:0 (package-0): its counter went from 3000000 to 2999999"),
                    HasSubstr("it was reset")));
  EXPECT_THAT(reason_of(measure({3'000'000, 0, 5'000'000})), HasSubstr("from 3000000 to 0 µJ"));
}

TEST(PowerMeter, ACounterThatJumpsIsNotBelieved) {
  EXPECT_THAT(reason_of(measure({1, 250'000'000'000}, /*seconds=*/0.001)),
              AllOf(HasSubstr("(package-0): its counter went from 1 to 250000000000 µJ in 0.001 s"),
                    HasSubstr("1000 W")));
  // 1000 W, and what the 10 ms before may have left to a late update.
  EXPECT_DOUBLE_EQ(joules_of(measure({0, 1'009'000'000})), 1009);
  EXPECT_THAT(reason_of(measure({0, 1'011'000'000})), HasSubstr("1000 W"));
}

TEST(PowerMeter, ACounterThatDoesNotMoveIsNoZero) {
  EXPECT_THAT(reason_of(measure({7, 7}, /*seconds=*/1.2)),
              AllOf(HasSubstr("intel-rapl:0 (package-0): its counter does not move"),
                    HasSubstr("at 7 µJ for 1.2 s")));
  EXPECT_THAT(reason_of(measure({7, 7, 7}, /*seconds=*/0.06)), HasSubstr("does not move"));
  EXPECT_THAT(reason_of(measure({7, 7}, /*seconds=*/0.06)),
              AllOf(HasSubstr("package-0"), HasSubstr("0.06 s is too short for its counter")));
}

TEST(PowerMeter, MemoryThatDoesNotMoveIsNoZeroEither) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  powercap.add("intel-rapl:0:0", "dram", 5);
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  meter.start();
  powercap.set_energy("intel-rapl:0", 1'000'000);
  clock.pass(1);
  EXPECT_THAT(reason_of(meter.finish()),
              HasSubstr("(dram of package-0): its counter does not move"));
}

TEST(PowerMeter, AStretchBelowAnUpdateOfTheCountersIsTooShort) {
  EXPECT_THAT(reason_of(measure({7, 70}, /*seconds=*/0.0005)),
              HasSubstr("0.0005 s is too short for counters that are updated every 0.001 s"));
  EXPECT_DOUBLE_EQ(joules_of(measure({7, 70}, /*seconds=*/0.002)), 63e-6);
}

TEST(PowerMeter, ReadsShortRangesOftenByItself) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0, 2'000'000'000);  // A second between samples.
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  meter.start();
  clock.pass(1.6);
  powercap.set_energy("intel-rapl:0", 1'500'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));
  clock.pass(1.6);
  powercap.set_energy("intel-rapl:0", 500'000'000);  // Without a sample since, less than before.
  EXPECT_DOUBLE_EQ(joules_of(meter.finish()), 2500);
}

TEST(PowerMeter, AddsPackagesAndTheirMemoryButNothingTwice) {
  const FakePowercap powercap;
  const std::vector<std::pair<std::string, std::string>> zones = {
      {"intel-rapl:0", "package-0"},  {"intel-rapl:0:0", "core"},
      {"intel-rapl:0:1", "uncore"},   {"intel-rapl:0:2", "dram"},
      {"intel-rapl:1", "package-1"},  {"intel-rapl:1:0", "dram"},
      {"intel-rapl:2", "psys"},       {"intel-rapl-mmio:0", "package-0"},
      {"intel-rapl-mmio:0:0", "dram"}};
  for (const auto& [zone, name] : zones) powercap.add(zone, name, 0);
  std::filesystem::create_directory(powercap.path() / "intel-rapl");  // The driver's own folder.
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  meter.start();
  clock.pass(200);
  uint64_t joules = 1;
  for (const auto& [zone, name] : zones) {
    powercap.set_energy(zone, joules * 1'000'000);
    joules *= 10;
  }
  const auto energy = std::get<MeasuredEnergy>(meter.finish());
  EXPECT_THAT(energy.domains, ElementsAre(Field(&DomainJoules::name, "package-0"),
                                          Field(&DomainJoules::name, "dram of package-0"),
                                          Field(&DomainJoules::name, "package-1"),
                                          Field(&DomainJoules::name, "dram of package-1")));
  EXPECT_DOUBLE_EQ(energy.package_joules(), 10'001);
  EXPECT_DOUBLE_EQ(energy.dram_joules().value(), 101'000);
  EXPECT_DOUBLE_EQ(energy.joules(), 111'001);
}

TEST(PowerMeter, TakesAPackageThatOnlyMmioHas) {
  const FakePowercap powercap;
  powercap.add("intel-rapl-mmio:0", "package-0", 0);
  EXPECT_THAT(domains_of(powercap), ElementsAre("package-0"));
}

TEST(PowerMeter, TwoPackagesOfOneNameAreBothMeasured) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  powercap.add("intel-rapl:0:0", "dram", 0);
  powercap.add("intel-rapl:1", "package-0", 0);
  powercap.add("intel-rapl:1:0", "dram", 0);
  powercap.add("intel-rapl-mmio:0", "package-0", 0);
  EXPECT_THAT(domains_of(powercap),
              ElementsAre("package-0", "dram of package-0", "package-0 (intel-rapl:1)",
                          "dram of package-0 (intel-rapl:1)"));
}

TEST(PowerMeter, TakesMemoryThatOnlyMmioHas) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  powercap.add("intel-rapl-mmio:0", "package-0", 0);
  powercap.add("intel-rapl-mmio:0:0", "dram", 0);
  EXPECT_THAT(domains_of(powercap), ElementsAre("package-0", "dram of package-0"));
}

TEST(PowerMeter, AZoneWithoutANameMattersOnlyIfItMayBeMeasured) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  powercap.add("intel-rapl:0:0", "core", 0);
  powercap.add("intel-rapl:0:1", "dram", 0);
  powercap.remove("intel-rapl:0:0/name");
  EXPECT_THAT(domains_of(powercap), ElementsAre("package-0", "dram of package-0"));
  powercap.remove("intel-rapl:0:1");
  EXPECT_THAT(reason_of(PowerMeter(powercap.path())),
              HasSubstr("intel-rapl:0:0/name: cannot be read: No such file"))
      << "it may be the memory";
  powercap.remove("intel-rapl:0:0");
  powercap.add("intel-rapl:1", "package-1", 0);
  powercap.remove("intel-rapl:1/name");
  EXPECT_THAT(reason_of(PowerMeter(powercap.path())), HasSubstr("intel-rapl:1/name"))
      << "a package";
}

TEST(PowerMeter, WhatItReadsAndWhereFromCannotSteerATerminal) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-\x1b[31m", 0);
  EXPECT_THAT(domains_of(powercap), ElementsAre("package-\\x1b[31m"));
  EXPECT_THAT(reason_of(PowerMeter("/nowhere/\xff\x1b[2J")),
              HasSubstr("/nowhere/\\xff\\x1b[2J does not exist"));
}

TEST(PowerMeter, MemoryWithoutACounterIsAbsentRatherThanZero) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0-die-0", 0);
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  meter.start();
  powercap.set_energy("intel-rapl:0", 1);
  clock.pass(1);
  EXPECT_EQ(std::get<MeasuredEnergy>(meter.finish()).dram_joules(), std::nullopt);
}

TEST(PowerMeter, MeasuresStretchAfterStretch) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  for (const uint64_t joules : {3, 5}) {
    powercap.set_energy("intel-rapl:0", 1'000'000);
    meter.start();
    clock.pass(1);
    powercap.set_energy("intel-rapl:0", (1 + joules) * 1'000'000);
    EXPECT_DOUBLE_EQ(joules_of(meter.finish()), static_cast<double>(joules));
  }
}

TEST(PowerMeter, SecondsAreThoseOfTheStretch) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  PowerMeter meter(powercap.path());
  meter.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  powercap.set_energy("intel-rapl:0", 1);
  const double seconds = std::get<MeasuredEnergy>(meter.finish()).seconds;
  EXPECT_GE(seconds, 0.049);
  EXPECT_LT(seconds, 30);
}

TEST(PowerMeter, CanBeLeftRunning) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  {
    PowerMeter meter(powercap.path());
    meter.start();
    EXPECT_EQ(reason_of(meter), "available");
  }
  EXPECT_EQ(reason_of(PowerMeter(powercap.path())), "available") << "the next one starts afresh";
}

TEST(PowerMeter, NothingThereIsUnavailable) {
  const eatt::testing::TemporaryFolder folder;
  PowerMeter meter(folder / "powercap");
  EXPECT_THAT(reason_of(meter), AllOf(HasSubstr((folder / "powercap").string()),
                                      HasSubstr("does not exist"), Not(HasSubstr("\n"))));
  meter.start();
  EXPECT_EQ(reason_of(meter.finish()), reason_of(meter));
  EXPECT_THAT(reason_of(PowerMeter(folder.path())), HasSubstr("no package intel-rapl:N"));
}

TEST(PowerMeter, PsysAloneIsNoPackage) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "psys", 0);
  EXPECT_THAT(reason_of(PowerMeter(powercap.path())), HasSubstr("no package"));
}

TEST(PowerMeter, ADomainThatDisappearsLeavesNoPartialSum) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  powercap.add("intel-rapl:1", "package-1", 0);
  FakeClock clock;
  PowerMeter meter(powercap.path(), clock.clock());
  meter.start();
  clock.pass(1);
  powercap.set_energy("intel-rapl:0", 5'000'000);
  powercap.remove("intel-rapl:1");
  meter.sample();
  powercap.add("intel-rapl:1", "package-1", 0);  // Too late: nobody knows what it counted.
  EXPECT_THAT(reason_of(meter.finish()), AllOf(HasSubstr("intel-rapl:1/energy_uj: cannot be read"),
                                               HasSubstr("No such file")));
  meter.start();
  powercap.set_energy("intel-rapl:0", 6'000'000);
  powercap.set_energy("intel-rapl:1", 2'000'000);
  clock.pass(1);
  EXPECT_DOUBLE_EQ(joules_of(meter.finish()), 3) << "another stretch is another matter";
}

TEST(PowerMeter, ADomainThatIsGoneBeforeTheStartIsUnavailable) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  PowerMeter meter(powercap.path());
  powercap.remove("intel-rapl:0");
  meter.start();
  EXPECT_THAT(reason_of(meter.finish()), HasSubstr("cannot be read"));
}

TEST(PowerMeter, AFileThatCannotBeReadIsNamed) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  std::filesystem::remove(powercap.energy_file("intel-rapl:0"));
  std::filesystem::create_directory(powercap.energy_file("intel-rapl:0"));
  EXPECT_EQ(reason_of(PowerMeter(powercap.path())),
            powercap.energy_file("intel-rapl:0") + ": cannot be read: Is a directory");
}

TEST(PowerMeter, AMissingPermissionComesWithTheCommandThatGrantsIt) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  std::filesystem::permissions(powercap.energy_file("intel-rapl:0"), std::filesystem::perms::none);
  const std::string reason = reason_of(PowerMeter(powercap.path()));
  EXPECT_THAT(reason, AllOf(HasSubstr("Permission denied"), HasSubstr("sudo chmod a+r")));
  const size_t begin = reason.find("sudo ") + 5;
  const std::string command = reason.substr(begin, reason.find('`', begin) - begin);
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(reason_of(PowerMeter(powercap.path())), "available");
}

TEST(PowerMeter, ThatCommandIsOnlyNamedWhereItHelps) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  for (const auto& path : {powercap.path() / "intel-rapl:0/name", powercap.path()}) {
    std::filesystem::permissions(path, std::filesystem::perms::none);
    EXPECT_THAT(reason_of(PowerMeter(powercap.path())),
                AllOf(HasSubstr(path.string() + ": cannot be read: Permission denied"),
                      Not(HasSubstr("chmod"))));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
}

TEST(PowerMeter, NumbersThatAreNoneAreUnavailable) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"energy_uj", "lots"},
      {"energy_uj", ""},
      {"energy_uj", "-5"},
      {"energy_uj", "12 13"},
      {"energy_uj", "1e6"},
      {"energy_uj", "99999999999999999999999"},
      {"energy_uj", std::to_string(kRange + 1)},
      {"max_energy_range_uj", "0"},
      {"max_energy_range_uj", "\x1b[2J"},
  };
  for (const auto& [file, text] : cases) {
    const FakePowercap powercap;
    powercap.add("intel-rapl:0", "package-0", 0);
    powercap.set("intel-rapl:0", file, text);
    EXPECT_THAT(reason_of(PowerMeter(powercap.path())),
                AllOf(HasSubstr("intel-rapl:0/" + file + ": found '"), Not(HasSubstr("\x1b")),
                      HasSubstr("expected an integer")));
  }
}

TEST(PowerMeter, GarbageInTheMiddleIsUnavailable) {
  const FakePowercap powercap;
  powercap.add("intel-rapl:0", "package-0", 0);
  PowerMeter meter(powercap.path());
  meter.start();
  powercap.set("intel-rapl:0", "energy_uj", "?");
  meter.sample();
  powercap.set_energy("intel-rapl:0", 1'000'000);
  EXPECT_THAT(reason_of(meter.finish()), HasSubstr("found '?'"));
}

TEST(PowerMeter, TheEnvironmentNamesAnotherRoot) {
  ::setenv("EATT_POWERCAP", "/elsewhere", 1);
  EXPECT_EQ(powercap_root(), "/elsewhere");
  ::unsetenv("EATT_POWERCAP");
  EXPECT_EQ(powercap_root(), "/sys/class/powercap");
}

}  // namespace
}  // namespace eatt::energy
