// `eatt report`: studies and training runs as a page, Markdown, JSON or CSV.
#include "report/report.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;
using report::Format;

struct Arguments {
  std::vector<std::string> folders;
  std::string output = "-";
  std::optional<Format> format;
  std::string chart;  // What the titles of the charts contain; empty: all.
};

// By the file's ending; on standard output, Markdown can be read as it is.
Format format_of(const Arguments& arguments) {
  if (arguments.format) return *arguments.format;
  if (is_written_through(arguments.output)) return Format::markdown;
  const std::string ending = fs::path(arguments.output).extension().string();
  if (ending == ".html" || ending == ".htm") return Format::html;
  if (ending == ".md" || ending == ".markdown") return Format::markdown;
  if (ending == ".json") return Format::json;
  if (ending == ".csv") return Format::csv;
  if (ending == ".svg") return Format::svg;
  throw UsageError(fmt::format(
      "--output {}: its ending is none of .html, .md, .json, .csv and .svg; add --format",
      arguments.output));
}

bool is_report(const fs::path& file) {
  const MappedFile bytes(file);
  return report::is_report(bytes.text()) || is_svg(file);
}

void run(const Arguments& arguments) {
  const Format format = format_of(arguments);
  if (!arguments.chart.empty() && format != Format::svg)
    throw UsageError("--chart applies to SVG only: write to a file that ends in .svg");
  const std::vector<fs::path> folders(arguments.folders.begin(), arguments.folders.end());
  report::Document document = report::make_report(folders, made_by_text());
  if (format == Format::svg) report::keep_charts(arguments.chart, document);
  const std::string text = report::print(document, format);
  if (is_standard_output(arguments.output)) return print_result(text);
  write_file_atomically(arguments.output, text);
  spdlog::info("the report is in {}", arguments.output);
}

}  // namespace

void add_report_command(Command& program) {
  const auto arguments = std::make_shared<Arguments>();
  Command& command =
      program.add_command("report", "Show studies and training runs as one page, with charts",
                          "eatt report studies/en-de -o report.html\n"
                          "  eatt report runs/vanilla runs/eatt -o report.html\n"
                          "  eatt report studies/en-de --chart 'BLEU against' -o bleu.svg\n"
                          "  eatt report runs/eatt --format csv");
  command.add_note(
      "The page is one file that needs no network. Several runs stand side by side. A run that has "
      "not ended is shown as far as it is.");
  command
      .add_option("FOLDER", arguments->folders,
                  "Folders of `eatt study` or `eatt train`, or with an alignments.json")
      .shows("FOLDER...")
      .required()
      .reads();
  command.extra_arguments_mean({"-o"});
  command.add_option("-o,--output", arguments->output, "Where to write the report")
      .shows("FILE")
      .default_is("standard output")
      .writes({"a report", is_report});
  command
      .add_setting(
          "--format",
          [arguments](const std::string& text) {
            arguments->format =
                static_cast<Format>(read_choice("--format", text, report::kFormatNames));
          },
          "Format of the report")
      .shows("html|markdown|json|csv|svg")
      .default_is("by the ending of --output; markdown on standard output");
  command
      .add_option("--chart", arguments->chart,
                  "Only charts whose titles contain this, as SVG: 'BLEU against'")
      .shows("TEXT");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
