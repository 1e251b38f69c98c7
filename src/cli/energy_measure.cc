// `eatt energy measure -- COMMAND`: what the machine takes while any command runs.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "base/atomic_file.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/energy_measure_report.h"
#include "cli/foreign_command.h"
#include "cli/program.h"
#include "energy/power_meter.h"

namespace eatt::cli {
namespace {

struct Options {
  std::vector<std::string> command;
  int repeat = 1;
  std::optional<double> idle_seconds;  // Without it, idle power is not measured.
  bool json = false;
  bool require = false;
  std::string output;  // Empty: standard error.
};

energy::EnergyResult measure_idle(energy::PowerMeter& meter, double seconds) {
  meter.start();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return meter.finish();
}

MeasuredRun measure_run(energy::PowerMeter& meter, const std::vector<std::string>& command) {
  const auto begin = std::chrono::steady_clock::now();
  meter.start();
  const CommandEnd end = run_command(command);
  if (end.error) throw ExitCode{end.exit_code, *end.error};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  MeasuredRun run{.exit_code = end.exit_code,
                  .whole = end.exit_code == 0 && !end.stopped,
                  .seconds = elapsed.count(),
                  .energy = meter.finish()};
  // The energy's own seconds where it has some, so that watts fit.
  if (const auto* energy = std::get_if<energy::MeasuredEnergy>(&run.energy)) {
    run.seconds = energy->seconds;
  }
  return run;
}

MeasureReport measure(energy::PowerMeter& meter, const Options& options) {
  MeasureReport report{
      .command = options.command, .wanted_runs = options.repeat, .runs = {}, .idle = std::nullopt};
  if (options.idle_seconds && !meter.unavailable()) {
    report.idle = measure_idle(meter, *options.idle_seconds);
  }
  do {
    report.runs.push_back(measure_run(meter, options.command));
  } while (report.runs.back().whole && report.runs.size() < static_cast<size_t>(options.repeat));
  return report;
}

bool is_available(const MeasureReport& report) {
  for (const MeasuredRun& run : report.runs) {
    if (std::holds_alternative<energy::Unavailable>(run.energy)) return false;
  }
  return !report.idle || !std::holds_alternative<energy::Unavailable>(*report.idle);
}

void check(const Options& options) {
  if (options.command.empty()) {
    throw UsageError(
        "no command to measure; give it behind --, as in `eatt energy measure -- COMMAND "
        "ARGUMENTS`");
  }
  if (options.repeat < 1) {
    throw UsageError(fmt::format("--repeat {}: expected at least 1 run", options.repeat));
  }
  if (options.idle_seconds && !(*options.idle_seconds >= 0.01 && *options.idle_seconds <= 86400)) {
    throw UsageError(
        fmt::format("--idle {}: expected seconds from 0.01 to 86,400", *options.idle_seconds));
  }
}

void run(const Options& options) {
  check(options);
  energy::PowerMeter meter;
  if (options.require && meter.unavailable()) {
    throw Error("energy is unavailable, so nothing was run: " + meter.unavailable()->reason);
  }
  // A file that cannot be written is better known before the command has run for hours.
  std::optional<AtomicFile> file;
  if (!options.output.empty()) file.emplace(options.output);
  const MeasureReport report = measure(meter, options);
  const std::string text = options.json ? measure_json(report) : measure_text(report);
  if (file) {
    file->write(text);
    file->commit();
  } else {
    std::fputs(text.c_str(), stderr);
  }
  const int exit_code = report.runs.back().exit_code;
  if (exit_code != 0) throw ExitCode{exit_code, ""};
  if (options.require && !is_available(report)) throw ExitCode{kFailed, ""};
}

}  // namespace

void add_energy_measure(CLI::App& energy, std::vector<std::string> words) {
  const auto options = std::make_shared<Options>();
  options->command = std::move(words);
  CLI::App* command = add_command(
      energy, "measure", "Run the command behind --, and tell the joules of the machine",
      "eatt energy measure --repeat 5 --idle 10 -- eatt translate model -i test.zh -o test.en");
  command->add_option("--repeat", options->repeat, "Runs, for a mean and its spread (default: 1)")
      ->option_text("N");
  command
      ->add_option("--idle", options->idle_seconds,
                   "First measure the idle machine for so long, and show\n"
                   "what the command took above that")
      ->option_text("SECONDS");
  command->add_flag("--require", options->require,
                    "Fail, before the command runs, if energy cannot\nbe measured");
  command->add_flag("--json", options->json, "A JSON object instead of a table");
  command->add_option("-o,--output", options->output, "Write it there and not to standard error")
      ->option_text("FILE");
  command->callback([options] { run(*options); });
}

}  // namespace eatt::cli
