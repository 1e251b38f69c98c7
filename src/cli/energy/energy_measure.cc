// `eatt energy measure -- COMMAND`: the energy of the machine while any command runs.
#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "cli/commands.h"
#include "cli/energy/energy_measure_report.h"
#include "cli/energy/foreign_command.h"
#include "cli/program.h"
#include "energy/meter/power_meter.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> command;
  int repeat = 1;
  std::optional<double> idle_seconds;  // Without it, idle power is not measured.
  bool json = false;
  bool require = false;
  std::string output;  // Empty: standard error.
};

constexpr char kUsage[] = "eatt energy measure -- COMMAND ARGUMENTS";

MeasuredRun measure_run(energy::PowerMeter& meter, const CommandRunner& commands,
                        const std::vector<std::string>& command) {
  const auto begin = std::chrono::steady_clock::now();
  meter.start();
  const CommandEnd end = commands.run(command);
  if (end.error) throw ExitCode{end.exit_code, *end.error};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  MeasuredRun run{.exit_code = end.exit_code,
                  .stopped_by = end.stopped_by,
                  .seconds = elapsed.count(),
                  .energy = meter.finish()};
  // The energy's own seconds where it has some, so that watts fit.
  if (const auto* energy = std::get_if<energy::MeasuredEnergy>(&run.energy)) {
    run.seconds = energy->seconds;
  }
  return run;
}

energy::EnergyResult measure_idle(energy::PowerMeter& meter, const CommandRunner& commands,
                                  double seconds) {
  meter.start();
  if (const auto signal = commands.wait(seconds)) {
    throw ExitCode{kEndedBySignal + signal->number,
                   fmt::format("stopped by {} before the command ran", signal->name)};
  }
  return meter.finish();
}

MeasureReport measure(energy::PowerMeter& meter, const CommandRunner& commands,
                      const Options& options) {
  MeasureReport report{.command = options.command,
                       .wanted_runs = options.repeat,
                       .runs = {},
                       .stopped_by = std::nullopt,
                       .idle = std::nullopt};
  if (options.idle_seconds && !meter.unavailable()) {
    report.idle = measure_idle(meter, commands, *options.idle_seconds);
  }
  for (;;) {
    report.runs.push_back(measure_run(meter, commands, options.command));
    if (!report.runs.back().whole() || report.runs.size() == static_cast<size_t>(options.repeat)) {
      return report;
    }
    report.stopped_by = commands.wait(0);
    if (report.stopped_by) return report;
  }
}

// Of this program: the command's, or why the series ended without it.
int exit_code_of(const MeasureReport& report) {
  if (report.stopped_by) return kEndedBySignal + report.stopped_by->number;
  return report.runs.back().exit_code;
}

bool is_available(const MeasureReport& report) {
  for (const MeasuredRun& run : report.runs) {
    if (std::holds_alternative<energy::Unavailable>(run.energy)) return false;
  }
  return !report.idle || !std::holds_alternative<energy::Unavailable>(*report.idle);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code none;
  if (fs::equivalent(a, b, none)) return true;
  return fs::weakly_canonical(a, none) == fs::weakly_canonical(b, none);
}

// The report would replace what the command reads or writes there: as a word of its own, after "=",
// or in what a shell is to run.
void expect_file_of_its_own(const Options& options) {
  if (options.output.empty() || is_written_through(options.output)) return;
  constexpr char kBetweenNames[] = " \t\n'\"<>|&;()=";
  for (const std::string& word : options.command) {
    for (size_t begin = 0; (begin = word.find_first_not_of(kBetweenNames, begin)) != word.npos;) {
      const size_t end = std::min(word.find_first_of(kBetweenNames, begin), word.size());
      if (is_same_file(options.output, word.substr(begin, end - begin))) {
        throw UsageError(fmt::format(
            "--output {} is also a file of the measured command, which the report would overwrite; "
            "choose another name for the report",
            options.output));
      }
      begin = end;
    }
  }
}

void check(const Options& options) {
  if (options.command.empty()) {
    throw UsageError(fmt::format("no command to measure; give it after --, as in `{}`", kUsage));
  }
  expect_file_of_its_own(options);
}

void write_to_standard_error(const std::string& text) {
  if (std::fputs(text.c_str(), stderr) < 0 || std::fflush(stderr) != 0) {
    throw Error(
        fmt::format("standard error: the report cannot be written: {}", system_message(errno)));
  }
}

bool is_report(const fs::path& file) {
  const MappedFile mapped(file);
  for (const char* mark :
       {"energy: unavailable", "Measured for the whole machine", "\"measured_energy\""}) {
    if (mapped.text().find(mark) != std::string_view::npos) return true;
  }
  return false;
}

void write(const std::string& text, std::optional<AtomicFile>& file) {
  if (!file) return write_to_standard_error(text);
  file->write(text);
  file->commit();
}

void run(const Options& options) {
  check(options);
  energy::PowerMeter meter;
  if (options.require && meter.unavailable()) {
    throw Error("energy is unavailable, so nothing was run: " + meter.unavailable()->reason);
  }
  const CommandRunner commands;  // From before the file is made until it is written or removed.
  // A file that cannot be written is better known before the command has run for hours.
  std::optional<AtomicFile> file;
  if (!options.output.empty()) file.emplace(options.output);
  const MeasureReport report = measure(meter, commands, options);
  const int exit_code = exit_code_of(report);
  try {
    write(options.json ? measure_json(report) : measure_text(report), file);
  } catch (const Error& error) {
    throw ExitCode{exit_code == kDone ? kFailed : exit_code, error.what()};
  }
  if (exit_code != kDone) throw ExitCode{exit_code, ""};
  if (options.require && !is_available(report)) throw ExitCode{kFailed, ""};
}

}  // namespace

void add_energy_measure(Command& energy) {
  const auto options = std::make_shared<Options>();
  Command& command = energy.add_command(
      "measure", "Run a command and report how many joules the machine used",
      "eatt energy measure --repeat 5 --idle 10 -- eatt translate model -i test.zh -o test.en");
  command
      .add_option("--repeat", options->repeat, "Number of runs, for mean and standard deviation",
                  Range{1, 1e9})
      .shows("N");
  command
      .add_option("--idle", options->idle_seconds,
                  "First measure the idle machine for this long, and show the energy above idle",
                  Range{0.01, 86'400})
      .shows("SECONDS");
  command.add_flag("--require", options->require,
                   "Fail before running the command if energy cannot be measured");
  command.add_flag("--json", options->json, "A JSON object instead of a table");
  command.add_option("-o,--output", options->output, "Where to write the report")
      .shows("FILE")
      .default_is("standard error")
      .writes({"a report of this command", is_report});
  command.take_words(options->command, "-- COMMAND ARGUMENTS...");
  command.on_run([options] { run(*options); });
}

}  // namespace eatt::cli
