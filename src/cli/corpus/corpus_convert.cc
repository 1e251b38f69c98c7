// `eatt corpus convert`: translation memories and jobs to plain parallel text.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/options.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/program.h"
#include "convert/convert.h"

namespace eatt::cli {
namespace {

using convert::ConvertCounts;
using convert::ConvertOptions;
using convert::Format;
using convert::Skipped;

struct Arguments {
  std::vector<std::string> inputs;
  std::string output;
  ConvertOptions options;
};

// A language is part of the names of files: "en", "pt-BR", "zh_Hans".
void check_language(const char* option, const std::string& language) {
  const auto is_allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  };
  if (language.empty() || !std::ranges::all_of(language, is_allowed)) {
    refuse_value(option, language, "a language tag, such as en or pt-BR");
  }
}

// A folder has no name to put the languages after: its files would be hidden ones, as dd/.en.
void check_prefix(const std::string& prefix) {
  const std::string name = std::filesystem::path(prefix).filename().string();
  if (!name.empty() && name != "." && name != ".." && name != ".gz") return;
  throw UsageError(fmt::format(
      "--output {} is a folder; add the beginning of the files' names, as in --output {}", prefix,
      (std::filesystem::path(prefix) / "train").string()));
}

// PREFIX.en; with a PREFIX of "train.gz", train.en.gz.
std::string file_of(const std::string& prefix, const std::string& language) {
  if (!prefix.ends_with(".gz")) return fmt::format("{}.{}", prefix, language);
  return fmt::format("{}.{}.gz", prefix.substr(0, prefix.size() - 3), language);
}

void check_outputs(const ConvertOptions& options) {
  for (const auto& output : {options.source_output, options.target_output, options.tsv_output}) {
    for (const TextFile& input : options.inputs) {
      std::error_code none;
      if (!std::filesystem::equivalent(input.path, output, none)) continue;
      throw UsageError(fmt::format("{} is an input and would be replaced; choose another output",
                                   output.string()));
    }
  }
}

void settle(Arguments& arguments) {
  ConvertOptions& options = arguments.options;
  check_language("--from", options.source_language);
  check_language("--to", options.target_language);
  if (convert::same_language(options.source_language, options.target_language)) {
    throw UsageError("--from and --to are the same language");
  }
  if (arguments.output.empty() == options.tsv_output.empty()) {
    throw UsageError("give either --output PREFIX, for two files, or --output-tsv FILE");
  }
  if (!arguments.output.empty()) {
    check_prefix(arguments.output);
    options.source_output = file_of(arguments.output, options.source_language);
    options.target_output = file_of(arguments.output, options.target_language);
  }
  options.inputs.assign(arguments.inputs.begin(), arguments.inputs.end());
  check_outputs(options);
}

// 0 if it cannot be known, as of a pipe.
uint64_t input_kilobytes(const std::vector<std::string>& inputs) {
  uint64_t bytes = 0;
  for (const std::string& input : inputs) {
    std::error_code error;
    const uintmax_t size = std::filesystem::file_size(input, error);
    if (error) return 0;
    bytes += size;
  }
  return (bytes >> 10) + 1;
}

std::string summary(const ConvertCounts& counts, const ConvertOptions& options) {
  const std::string files =
      options.tsv_output.empty()
          ? fmt::format("{}, {}", options.source_output.string(), options.target_output.string())
          : options.tsv_output.string();
  std::string text = fmt::format("pairs written {:>15}  {}\n", format_count(counts.pairs), files);
  const auto add = [&](Skipped reason, const std::string& what) {
    if (counts[reason] == 0) return;
    text += fmt::format("  skipped     {:>15}  {}\n", format_count(counts[reason]), what);
  };
  add(Skipped::no_source, "no text in " + options.source_language);
  add(Skipped::no_target, "no text in " + options.target_language);
  add(Skipped::untranslated, "marked as not translated yet");
  add(Skipped::empty, "an empty side");
  add(Skipped::too_long, "a side of more than 1 MB");
  add(Skipped::columns, "a wrong number of columns");
  add(Skipped::bad_text, "invalid UTF-8 or a NUL byte");
  return text;
}

void run(Arguments arguments) {
  settle(arguments);
  ConvertOptions& options = arguments.options;
  const uint64_t kilobytes = input_kilobytes(arguments.inputs);
  Progress progress("converting", kilobytes, "KB");
  const StopSignal stop;
  options.progress = [&](uint64_t bytes) {
    if (stop.received() != nullptr) {
      throw Error(fmt::format("stopped by {}; nothing was written", stop.received()));
    }
    progress.update(bytes >> 10);
  };
  const ConvertCounts counts = convert_corpus(options);
  if (kilobytes > 0) progress.update(kilobytes);
  progress.finish();
  print_result(summary(counts, options));
}

void add_options(Command& command, Arguments& arguments) {
  ConvertOptions& options = arguments.options;
  command
      .add_option("INPUT", arguments.inputs,
                  "TMX, XLIFF or TSV, plain or gzip; - is standard input")
      .shows("FILE...")
      .required()
      .reads();
  command.add_option("--from", options.source_language, "Source language; en takes en-US too")
      .shows("LANG")
      .required();
  command.add_option("--to", options.target_language, "Target language").shows("LANG").required();
  command
      .add_option("--output", arguments.output,
                  "Write PREFIX.FROM and PREFIX.TO, a sentence a line; a PREFIX that ends in .gz "
                  "gives compressed files")
      .shows("PREFIX");
  command
      .add_option("--output-tsv", options.tsv_output,
                  "Write source<TAB>target instead; a name that ends in .gz is compressed")
      .shows("FILE")
      .writes(kComparedOutput);
  command.add_flag("--overwrite", options.overwrite,
                   "Replace existing files that have other content");
  command
      .add_choice("--format", options.format,
                  {{"tmx", Format::tmx}, {"xliff", Format::xliff}, {"tsv", Format::tsv}},
                  "Format of the input; if not given, recognized by its content, TSV by its name")
      .shows("tmx|xliff|tsv");
  add_tsv_columns_option(command, options.tsv_columns);
}

}  // namespace

void add_corpus_convert(Command& corpus) {
  Command& command = corpus.add_command(
      "convert", "Turn translation memories (TMX) and jobs (XLIFF) into text",
      "eatt corpus convert memory.tmx --from en --to de --output train\n"
      "  eatt corpus convert jobs/*.xlf --from en --to pt-BR --output-tsv train.tsv.gz");
  const auto arguments = std::make_shared<Arguments>();
  add_options(command, *arguments);
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
