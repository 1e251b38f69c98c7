// `eatt selftest BUNDLE`: is this model folder whole and sound?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "bundle/check_bundle.h"
#include "cli/commands.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

struct SelftestOptions {
  std::string bundle;
  bool no_hash = false;
};

std::string_view state_name(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return "ok";
    case CheckState::failed:
      return "failed";
    case CheckState::skipped:
      break;
  }
  return "skipped";
}

void selftest(const SelftestOptions& options) {
  const auto results = check_bundle(options.bundle, {.hashes = !options.no_hash});
  for (const CheckResult& result : results) {
    print_result(
        fmt::format("{:<8}{}: {}\n", state_name(result.state), result.name, result.detail));
  }
  const auto failed = std::ranges::count(results, CheckState::failed, &CheckResult::state);
  if (failed != 0) {
    throw Error(fmt::format("{}: {} of {} checks failed; see the lines above", options.bundle,
                            failed, results.size()));
  }
}

}  // namespace

void add_selftest_command(CLI::App& app) {
  CLI::App* command = add_command(app, "selftest", "Check that a model bundle is whole and sound",
                                  "eatt selftest runs/zh-en/best");
  const auto options = std::make_shared<SelftestOptions>();
  command->add_option("bundle", options->bundle, "The bundle: a folder with config.json")
      ->required()
      ->option_text("BUNDLE");
  command->add_flag("--no-hash", options->no_hash,
                    "Leave out the SHA-256 of the files (sizes are still checked)");
  command->callback([options] { selftest(*options); });
}

}  // namespace eatt::cli
