// `eatt quantize BUNDLE OUT`: a model in eight bits.
#include "runtime/int8/quantize.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "base/text/text_layout.h"
#include "bundle/write_bundle.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "runtime/api/translation_engine.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  fs::path bundle;
  fs::path output;
  bool overwrite = false;
  std::string precision = "int8";
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string group_of(const std::string& matrix) {
  if (matrix.ends_with("_select")) return "selections";
  if (matrix.find("_attn.") != std::string::npos) return "attention";
  return matrix.find(".fc") != std::string::npos ? "feed-forward" : "embeddings";
}

// The matrix of each group that suffers most.
std::string error_table(const std::vector<QuantizationError>& errors) {
  using enum TextTable::Align;
  TextTable table({left, right, left});
  table.add_row({"matrices", "largest error", "of"});
  for (const char* group : {"embeddings", "selections", "attention", "feed-forward"}) {
    const QuantizationError* worst = nullptr;
    for (const QuantizationError& error : errors) {
      if (group_of(error.name) != group) continue;
      if (worst == nullptr || error.relative() > worst->relative()) worst = &error;
    }
    if (worst == nullptr) continue;
    table.add_row({group, fmt::format("{:.2f} %", 100 * worst->relative()), worst->name});
  }
  return table.text();
}

void check_arguments(const Arguments& arguments) {
  if (arguments.precision != "int8") {
    throw UsageError(fmt::format("--precision is '{}'; expected int8", arguments.precision));
  }
}

// How the int8 model translates the golden sentence of the float32 one.
std::optional<GoldenPair> int8_golden(const Bundle& bundle, const NamedTensors& tensors) {
  if (!bundle.manifest().golden) return std::nullopt;
  const Model model = make_int8_model(bundle.architecture(),
                                      [&](std::string_view name) { return *tensors.find(name); });
  const Pieces source(bundle.source_piece_model(), bundle.manifest().source_pieces);
  const Pieces target(bundle.target_piece_model(), bundle.manifest().target_pieces);
  return translate_golden(model, source, target, bundle.manifest().golden->source);
}

void run(const Arguments& arguments) {
  check_arguments(arguments);
  const Bundle bundle = Bundle::open(arguments.bundle);
  if (!arguments.overwrite) {
    expect_own_bundle(arguments.output, derived_by("quantize", std::span(&arguments.bundle, 1)));
  }
  const auto start = std::chrono::steady_clock::now();
  std::vector<QuantizationError> errors;
  const NamedTensors tensors = quantize(bundle, &errors);
  const double seconds = seconds_since(start);
  const Manifest written =
      write_int8_bundle(arguments.output, bundle, tensors, int8_golden(bundle, tensors));

  if (is_quiet()) return;
  const uint64_t before = bundle.manifest().files.at(kWeightsFile).bytes;
  const uint64_t after = written.files.at(kWeightsFile).bytes;
  print_result(
      fmt::format("{}: {} bytes of weights instead of {}, {:.1f} %, computed in {:.2f} s\n\n{}",
                  arguments.output.string(), format_count(after), format_count(before),
                  100 * static_cast<double>(after) / static_cast<double>(before), seconds,
                  error_table(errors)));
}

}  // namespace

void add_quantize_command(Command& app) {
  Command& command =
      app.add_command("quantize", "Write an int8 copy of a bundle, a quarter of its size",
                      "eatt quantize models/zh-en models/zh-en-int8");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("bundle", arguments->bundle, "A float32 bundle")
      .shows("BUNDLE")
      .required()
      .reads();
  command.add_option("output", arguments->output, "The bundle to write")
      .shows("OUT")
      .also("-o,--output")
      .required()
      .replaces();
  command.add_flag("--overwrite", arguments->overwrite,
                   "Replace a model that another command has made");
  command.add_option("--precision", arguments->precision, "Precision of the weights").shows("int8");
  command.add_threads_option();
  command.add_note(
      "Errors are the root mean square of the rounding differences, divided by that of the "
      "weights.");
  command.on_run([arguments] { run(*arguments); });
}

}  // namespace eatt::cli
