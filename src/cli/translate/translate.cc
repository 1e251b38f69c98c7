// `eatt translate`: lines in, translations out, in the same order.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "cli/commands.h"
#include "cli/habits.h"
#include "cli/program.h"
#include "cli/translate/line_input.h"
#include "cli/translate/source_check.h"
#include "cli/translate/translate_options.h"
#include "cli/translate/translate_progress.h"
#include "cli/translate/translate_stats.h"
#include "runtime/api/translator.h"

namespace eatt::cli {
namespace {

// How long after a signal the lines that are being translated may take: enough for the usual ones,
// which are then printed.
constexpr std::chrono::milliseconds kTimeToFinish{500};

// Throws a Stopped once that time is over. Called by any thread.
void leave_if_stopped() {
  using Clock = std::chrono::steady_clock;
  static std::atomic<Clock::duration::rep> first_seen = 0;
  if (StopSignal::received() == nullptr) return;
  const auto now = Clock::now().time_since_epoch();
  Clock::duration::rep before = 0;
  if (first_seen.compare_exchange_strong(before, now.count())) return;
  if (now - Clock::duration(before) > kTimeToFinish) throw Stopped("stopped within a line");
}

// Takes windows of lines to their translations.
class TranslateRun {
 public:
  // Tells `progress` of every batch.
  TranslateRun(const TranslateOptions& options, TranslateProgress& progress)
      : options_(options),
        show_(options.show),
        translator_(options.bundles, options.weights, reporting_to(progress, options.translator)),
        prefixes_(open_companion(options.prefixes)),
        targets_(open_companion(options.targets)) {
    if (options.detokenize.empty()) return;
    show_.detokenizer.emplace(options.detokenize == "true" ? translator_.target_language()
                                                           : options.detokenize);
  }

  std::vector<Translation> translate(std::span<const InputLine> window) {
    return targets_ ? score(window) : search(window);
  }

  const std::string& source_language() const { return translator_.source_language(); }

  std::string print(const InputLine& line, const Translation& translation) const {
    const auto print = targets_ ? print_score : print_translation;
    return print(line.number, line.text, translation, show_);
  }

  // After the last window.
  void expect_no_more_lines() {
    if (prefixes_) prefixes_->expect_end();
    if (targets_) targets_->expect_end();
  }

 private:
  static TranslatorOptions reporting_to(TranslateProgress& progress, TranslatorOptions options) {
    options.on_batch = [&progress](size_t done, size_t all) { progress.within_window(done, all); };
    options.before_step = leave_if_stopped;
    return options;
  }

  static std::optional<CompanionLines> open_companion(const std::string& file) {
    if (file.empty()) return std::nullopt;
    return std::optional<CompanionLines>(std::in_place, file);
  }

  std::vector<Translation> search(std::span<const InputLine> window) {
    std::vector<TranslationTask> tasks;
    for (const InputLine& line : window) {
      tasks.push_back({.source = line.text,
                       .prefix = prefixes_ ? prefixes_->next() : std::string(),
                       .number = static_cast<int64_t>(line.number)});
    }
    return translator_.translate(tasks, options_.search);
  }

  std::vector<Translation> score(std::span<const InputLine> window) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const InputLine& line : window) pairs.emplace_back(line.text, targets_->next());
    return translator_.score(pairs, window.front().number);
  }

  const TranslateOptions& options_;
  OutputOptions show_;
  Translator translator_;
  std::optional<CompanionLines> prefixes_, targets_;
};

void print_stats(const TranslateStats& stats) {
  const std::string text = log_format() == LogFormat::json ? stats.as_json() : stats.as_text();
  write_to_stderr(text);
}

// Translates one file; its output appears when it is complete.
void translate_file(const TranslateOptions& options, const TranslationFile& file,
                    TranslateRun& translate, TranslateProgress& progress, TranslateStats& stats) {
  SourceCheck check(translate.source_language(), file.input);
  const auto output = open_line_output(file.output);
  LineWindows windows(file.input,
                      {options.window_lines, std::chrono::milliseconds(options.window_ms)});
  progress.start();
  const uint64_t before = stats.sentences();
  std::string lines;
  for (std::vector<InputLine> window;
       windows.next(window, [] { return StopSignal::received() != nullptr; });) {
    progress.begin_window(window.size());
    std::vector<Translation> translations;
    try {
      translations = translate.translate(window);
    } catch (const Stopped&) {
      break;
    }
    lines.clear();
    for (size_t i = 0; i < window.size(); ++i) lines += translate.print(window[i], translations[i]);
    output->write(lines);
    check.look_at(window);
    const auto now = TranslateStats::Clock::now();
    for (size_t i = 0; i < window.size(); ++i) stats.add(translations[i], now - window[i].read_at);
    progress.end_window();
  }
  if (StopSignal::received() != nullptr) {
    throw Stopped(fmt::format("stopped by {} after {}", StopSignal::received(),
                              format_count(stats.sentences(), "sentence")));
  }
  translate.expect_no_more_lines();
  output->finish();
  if (stats.sentences() == before) {
    spdlog::warn("{}: is empty; there was nothing to translate", TextFile(file.input).name);
  }
}

// One after another into a folder. Those before one that fails stay.
void translate_files(const TranslateOptions& options, TranslateRun& translate,
                     TranslateProgress& progress, TranslateStats& stats) {
  const auto& files = options.plan.files;
  for (size_t i = 0; i < files.size(); ++i) {
    try {
      translate_file(options, files[i], translate, progress, stats);
    } catch (const Error& error) {
      const std::string message =
          fmt::format("{}, input {} of {}: {}", files[i].input, i + 1, files.size(), error.what());
      if (dynamic_cast<const Stopped*>(&error) != nullptr) throw Stopped(message);
      throw Error(message);
    }
  }
}

void translate_all(const TranslateOptions& options, TranslateRun& translate,
                   TranslateProgress& progress, TranslateStats& stats) {
  if (options.plan.files.size() > 1) return translate_files(options, translate, progress, stats);
  translate_file(options, options.plan.files.front(), translate, progress, stats);
}

void run(const TranslateOptions& options) {
  TranslateStats stats(/*measures_energy=*/options.stats);
  TranslateProgress progress(options.inputs, /*prints_to_stdout=*/options.output.empty());
  TranslateRun translate(options, progress);
  stats.loaded();
  create_output_folder(options.plan);
  const StopSignal stop;
  const auto finish = [&] {
    stats.finished();
    progress.finish();
    if (options.stats) print_stats(stats);
  };
  try {
    translate_all(options, translate, progress, stats);
  } catch (const Stopped&) {
    finish();  // What was done before counts.
    throw;
  }
  finish();
}

}  // namespace

void add_translate_command(Command& app) {
  Command& command = app.add_command(
      "translate", "Translate text, one sentence per line",
      "eatt translate model --beam-size 4 --length-penalty 0.6 < test.zh > test.en\n"
      "  eatt translate model --alignment hard --output-format json -i test.zh -o test.json\n"
      "  eatt translate model -i news.zh talks.zh.gz -o translated/");
  const auto options = std::make_shared<TranslateOptions>();
  add_translate_options(command, *options);
  add_translation_habits(command);
  command.on_run([&command, options] {
    settle_translate_options(command, *options);
    run(*options);
  });
}

}  // namespace eatt::cli
