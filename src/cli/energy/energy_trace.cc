// `eatt energy trace BUNDLE`: test vectors of a translation, for logic.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "cli/translate/line_input.h"
#include "trace/trace_folder.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

// How long the first line waits for others, to say whether there are more than are traced.
constexpr std::chrono::milliseconds kWaitForMore{200};

struct Options {
  fs::path bundle;
  std::string input = "-";
  fs::path output;  // Empty: the bundle's name with "-trace", in the current folder.
  uint64_t sentences = 1;
};

// Without links, dots and a slash at the end, as far as the path exists.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path result = fs::weakly_canonical(path, error);
  if (error) result = fs::absolute(path).lexically_normal();
  return result.has_filename() ? result : result.parent_path();
}

// Whether `path` is `folder` or lies in it.
bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

void check_options(const Options& options) {
  const fs::path bundle = resolved(options.bundle), output = resolved(options.output);
  if (lies_in(output, bundle) || lies_in(bundle, output)) {
    throw UsageError(
        fmt::format("--output {} and the bundle {} contain one another, so writing one would "
                    "change the other; choose another folder",
                    options.output.string(), options.bundle.string()));
  }
}

// Traces the first lines of the input, and tells whether more came with them. It does not wait for
// others: the input may never end.
bool trace_lines(const Options& options, const trace::Tracer& tracer, trace::TraceFolder& folder) {
  LineWindows windows(options.input, {.lines = options.sentences + 1, .wait = kWaitForMore});
  const StopSignal stop;
  const auto stopped = [&] { return stop.received() != nullptr; };
  std::vector<InputLine> window;
  while (folder.sentences() < options.sentences && windows.next(window, stopped)) {
    for (const InputLine& line : window) {
      if (line.number >= options.sentences) return true;
      try {
        folder.add_sentence(tracer.trace(line.text));
      } catch (const Error& error) {
        throw Error(fmt::format("line {}: {}", line.number + 1, error.what()));
      }
      if (stopped()) break;
    }
  }
  if (stopped()) throw Error(fmt::format("stopped by {}; no trace was written", stop.received()));
  return false;
}

void run(Options options) {
  const std::string bundle_name = resolved(options.bundle).filename().string();
  if (options.output.empty()) options.output = bundle_name + "-trace";
  check_options(options);
  Bundle bundle = Bundle::open(options.bundle);
  trace::TraceFolder folder(options.output, {bundle_name, bundle.manifest()});
  const trace::Tracer tracer(std::move(bundle));
  folder.add_weights(tracer.model());
  const bool more = trace_lines(options, tracer, folder);
  if (folder.sentences() == 0) {
    throw Error(fmt::format("{}: has no lines; expected a sentence to trace",
                            options.input == "-" ? "standard input" : options.input));
  }
  if (more) spdlog::info("more lines were left out; --sentences N traces the first N");
  folder.finish();
  print_result(fmt::format(
      "{}: weights and {} of greedy search, {} bytes, checked\n", options.output.string(),
      folder.sentences() == 1 ? "a sentence"
                              : fmt::format("{} sentences", format_count(folder.sentences())),
      format_count(folder.bytes())));
}

}  // namespace

void add_energy_trace(Command& energy) {
  const auto options = std::make_shared<Options>();
  Command& command = energy.add_command(
      "trace", "Write every number of an int8 translation, to test hardware against",
      "eatt energy trace BUNDLE --output vectors < test.zh");
  command
      .add_option("BUNDLE", options->bundle,
                  "Model folder; a float32 model is quantized to int8 first")
      .required()
      .reads();
  command
      .add_option("-i,--input", options->input,
                  "Text, plain or gzip, a sentence per line; lines stay whole")
      .shows("FILE")
      .reads();
  command.add_option("-o,--output", options->output, "Folder to write; an older trace is replaced")
      .shows("FOLDER")
      .default_is("BUNDLE-trace")
      .replaces();
  command
      .add_option("--sentences", options->sentences, "Number of lines to trace, from the first",
                  Range{1, 9999})
      .shows("N");
  command.extra_arguments_mean({"-i"});
  command.add_threads_option();
  command.add_note("docs/trace-format.md describes the folder; scripts/check_trace.py checks it.");
  command.on_run([options] { run(*options); });
}

}  // namespace eatt::cli
