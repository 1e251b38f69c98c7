// `eatt selftest`: does this CPU compute rightly? `eatt selftest BUNDLE`: is this model folder
// sound?
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "bundle/check_bundle.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "kernels/isa.h"
#include "kernels/self_check.h"

namespace eatt::cli {
namespace {

struct SelftestOptions {
  std::string bundle;  // Empty: check the CPU.
  bool no_hash = false;
};

std::string isa_names() {
  std::string names;
  for (const auto& isa : kernels::supported_isas()) names += (names.empty() ? "" : ", ") + isa.name;
  return names;
}

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

void check_cpu() {
  const auto checks = kernels::check_kernels();
  print_result(fmt::format("instruction set {} (of {}), against {}\n", kernels::chosen_isa().name,
                           isa_names(), kernels::supported_isas().back().name));
  for (const auto& check : checks) {
    print_result(fmt::format("{:<8}{}: differs by {:.1e}, may differ by {:.0e}\n",
                             check.ok() ? "ok" : "failed", check.name, check.difference,
                             check.tolerance));
  }
  const auto failed = std::ranges::count(checks, false, &kernels::KernelCheck::ok);
  if (failed != 0) {
    throw Error(fmt::format(
        "{} of {} kernels compute wrongly on this CPU; EATT_FORCE_ISA={} avoids it, slowly", failed,
        checks.size(), kernels::supported_isas().back().name));
  }
}

void check_model(const SelftestOptions& options) {
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
  CLI::App* command = add_command(
      app, "selftest", "Check that this CPU computes rightly, or that a model bundle is sound",
      "eatt selftest runs/zh-en/best");
  const auto options = std::make_shared<SelftestOptions>();
  command
      ->add_option("bundle", options->bundle,
                   "Check this bundle instead: a folder with config.json")
      ->option_text("BUNDLE");
  command->add_flag("--no-hash", options->no_hash,
                    "Leave out the SHA-256 of the files (sizes are still checked)");
  command->callback([options] {
    if (options->bundle.empty()) {
      check_cpu();
    } else {
      check_model(*options);
    }
  });
}

}  // namespace eatt::cli
