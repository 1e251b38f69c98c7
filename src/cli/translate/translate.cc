// `eatt translate`: lines in, translations out, in the same order.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
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
#include "cli/translate/resumable_output.h"
#include "cli/translate/source_check.h"
#include "cli/translate/translate_markup.h"
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
    if (!options.detokenize.empty()) {
      show_.detokenizer.emplace(options.detokenize == "true" ? translator_.target_language()
                                                             : options.detokenize);
    }
    if (options.uses_markup()) use_markup();
  }

  std::vector<Translation> translate(std::span<const InputLine> window) {
    if (markup_) return markup_->translate_lines(window);
    return targets_ ? score(window) : search(window);
  }

  // A whole document in HTML, and the translations of its texts.
  std::string translate_html(const std::string& html,
                             std::vector<Translation>& translations) const {
    return markup_->translate_document(html, translations);
  }

  const std::string& source_language() const { return translator_.source_language(); }

  std::string print(const InputLine& line, const Translation& translation) const {
    const auto print = targets_ ? print_score : print_translation;
    return print(line.number, line.text, translation, show_);
  }

  // Files with a line for each line of the input begin with this one, too.
  void skip_lines(uint64_t lines) {
    if (prefixes_) prefixes_->skip(lines);
    if (targets_) targets_->skip(lines);
  }

  // After the last window of an input, if it ends there.
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

  // Texts are detokenized before tags and terms are put into them.
  void use_markup() {
    markup::MarkupOptions markup{
        .html = options_.html, .glossary = {}, .keep_placeholders = options_.keep_placeholders};
    if (!options_.glossary.empty()) {
      markup.glossary =
          std::make_shared<const markup::Glossary>(markup::read_glossary(options_.glossary));
    }
    detokenizer_ = std::exchange(show_.detokenizer, std::nullopt);
    markup_.emplace(translator_, options_.search, std::move(markup), detokenizer_);
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
  std::optional<Detokenizer> detokenizer_;  // Of what has markup.
  std::optional<MarkupTranslator> markup_;
};

void print_stats(const TranslateStats& stats) {
  const std::string text = log_format() == LogFormat::json ? stats.as_json() : stats.as_text();
  write_to_stderr(text);
}

[[noreturn]] void report_stop(const TranslateOptions& options, const TranslateStats& stats) {
  throw Stopped(fmt::format("stopped by {} after {}{}", StopSignal::received(),
                            format_count(stats.sentences(), "sentence"),
                            options.resume ? "; run the same command to continue" : ""));
}

// Translates a file of HTML as one document.
void translate_html(const TranslateOptions& options, const TranslationFile& file,
                    TranslateRun& translate, TranslateProgress& progress, TranslateStats& stats) {
  const auto output = open_line_output(file.output);
  LineWindows windows(file.input, {options.window_lines, std::chrono::milliseconds(0)});
  progress.start(/*lines_done=*/0);
  std::string html;
  size_t lines = 0;
  const auto stopped = [] { return StopSignal::received() != nullptr; };
  const auto begin = TranslateStats::Clock::now();
  for (std::vector<InputLine> window; windows.next(window, stopped);) {
    for (const InputLine& line : window) html += line.text + "\n";
    lines += window.size();
  }
  if (stopped()) report_stop(options, stats);
  progress.begin_window(lines);
  std::vector<Translation> translations;
  try {
    output->write(translate.translate_html(html, translations));
  } catch (const Stopped&) {
    report_stop(options, stats);
  }
  output->finish();
  const auto time = TranslateStats::Clock::now() - begin;
  for (const Translation& translation : translations) stats.add(translation, time);
  progress.end_window();
  if (translations.empty()) {
    spdlog::warn("{}: has no text to translate", TextFile(file.input).name);
  }
}

std::unique_ptr<LineOutput> open_output(const TranslateOptions& options,
                                        const TranslationFile& file, const LineRange& lines) {
  if (!options.resume) return open_line_output(file.output);
  auto output = std::make_unique<ResumableOutput>(file.output, options.show.format,
                                                  identity_of(options, file.input), lines);
  if (output->lines_done() > 0) {
    spdlog::info("{}: continuing after {}", file.output,
                 format_count(output->lines_done(), "line"));
  }
  return output;
}

// Which lines of a file to translate. Only a part has to be counted, and what an existing output is
// compared with.
LineRange lines_to_translate(const TranslateOptions& options, const TranslationFile& file) {
  const bool counts = options.resume || options.shard.count > 1;
  return counts ? lines_of_shard(file.input, options.shard) : LineRange();
}

// Whether an earlier run with --resume has written the whole output.
bool is_done(const TranslateOptions& options, const TranslationFile& file) {
  // An input is counted only to be compared with an output.
  if (!options.resume || !std::filesystem::exists(file.output) ||
      !ResumableOutput::is_complete(file.output, options.show.format,
                                    lines_to_translate(options, file))) {
    return false;
  }
  spdlog::info("{}: is complete; nothing to do", file.output);
  return true;
}

// Translates one file; its output appears when it is complete.
void translate_file(const TranslateOptions& options, const TranslationFile& file,
                    TranslateRun& translate, TranslateProgress& progress, TranslateStats& stats) {
  if (options.html) return translate_html(options, file, translate, progress, stats);
  SourceCheck check(translate.source_language(), file.input);
  LineRange range = lines_to_translate(options, file);
  const auto output = open_output(options, file, range);
  range.begin += output->lines_done();
  LineWindows windows(file.input,
                      {options.window_lines, std::chrono::milliseconds(options.window_ms), range});
  translate.skip_lines(range.begin);
  progress.start(output->lines_done());
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
  if (StopSignal::received() != nullptr) report_stop(options, stats);
  if (options.shard.number == options.shard.count) translate.expect_no_more_lines();
  output->finish();
  if (stats.sentences() == before && range.begin == 0 && options.shard.count == 1) {
    spdlog::warn("{}: is empty; there was nothing to translate", TextFile(file.input).name);
  }
}

// One after another into a folder. Those before one that fails stay.
void translate_files(const TranslateOptions& options, TranslateRun& translate,
                     TranslateProgress& progress, TranslateStats& stats) {
  const auto& files = options.plan.files;
  for (size_t i = 0; i < files.size(); ++i) {
    try {
      if (is_done(options, files[i])) continue;
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
  // Before the model is loaded.
  if (options.plan.files.size() == 1 && is_done(options, options.plan.files.front())) return;
  TranslateStats stats(/*measures_energy=*/options.stats);
  TranslateProgress progress(options.inputs, options.shard,
                             /*prints_to_stdout=*/options.output.empty());
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
      "  eatt translate model -i news.zh talks.zh.gz -o translated/\n"
      "  eatt translate model -i news.zh --shard 2/8 --resume -o news.en.2");
  const auto options = std::make_shared<TranslateOptions>();
  add_translate_options(command, *options);
  add_translation_habits(command);
  command.on_run([&command, options] {
    settle_translate_options(command, *options);
    run(*options);
  });
}

}  // namespace eatt::cli
