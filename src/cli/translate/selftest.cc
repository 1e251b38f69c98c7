// `eatt selftest`: does this CPU compute correctly? `eatt selftest BUNDLE`: is this model folder
// intact?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/bundle_checks.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "kernels/isa.h"
#include "kernels/self_check.h"
#include "runtime/api/translation_engine.h"

namespace eatt::cli {
namespace {

struct SelftestOptions {
  std::string bundle;  // Empty: check the CPU.
  bool no_hash = false;
};

std::string isa_names() {
  std::string names;
  for (const auto& isa : kernels::supported_isas())
    names += (names.empty() ? "" : ", ") + std::string(isa.name);
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
  if (!is_quiet()) {
    print_result(fmt::format("instruction set {} (of {}), against {}\n", kernels::chosen_isa().name,
                             isa_names(), kernels::supported_isas().back().name));
  }
  for (const auto& check : checks) {
    if (is_quiet() && check.ok()) continue;
    print_result(fmt::format("{:<8}{}: differs by {:.1e}, may differ by {:.0e}\n",
                             check.ok() ? "ok" : "failed", check.name, check.difference,
                             check.tolerance));
  }
  const auto failed = std::ranges::count(checks, false, &kernels::KernelCheck::ok);
  if (failed != 0) {
    throw Error(
        fmt::format("{} of {} kernels give wrong results on this CPU; EATT_FORCE_ISA={} avoids "
                    "this, but is slower",
                    failed, checks.size(), kernels::supported_isas().back().name));
  }
}

// Whether this machine translates the golden sentence as the one did that wrote the bundle.
CheckResult replay_golden(const std::string& path) {
  Bundle bundle = Bundle::open(path, {.verify_hashes = false});
  const auto golden = bundle.manifest().golden;
  if (!golden) return {"golden pair", CheckState::skipped, "the bundle has none"};
  const Pieces source(bundle.source_piece_model(), bundle.manifest().source_pieces);
  const Pieces target(bundle.target_piece_model(), bundle.manifest().target_pieces);
  const Model model = load_model(std::move(bundle));
  const GoldenPair found = translate_golden(model, source, target, golden->source);
  if (found.target != golden->target) {
    return {"golden pair", CheckState::failed,
            fmt::format("'{}' became '{}', expected '{}'", golden->source, found.target,
                        golden->target)};
  }
  const double difference = std::abs(found.score - golden->score);
  return {"golden pair", difference <= golden->tolerance ? CheckState::ok : CheckState::failed,
          fmt::format("'{}' with log-probability {:.6f}, off by {:.1e}, may be off by {:.0e}",
                      found.target, found.score, difference, golden->tolerance)};
}

std::vector<CheckResult> all_checks(const SelftestOptions& options) {
  auto results = check_bundle(options.bundle, {.hashes = !options.no_hash});
  if (std::ranges::any_of(
          results, [](const CheckResult& result) { return result.state == CheckState::failed; })) {
    return results;
  }
  try {
    results.push_back(replay_golden(options.bundle));
  } catch (const Error& error) {
    results.push_back({"golden pair", CheckState::failed, error.what()});
  }
  return results;
}

void check_model(const SelftestOptions& options) {
  const auto results = all_checks(options);
  for (const CheckResult& result : results) {
    if (is_quiet() && result.state != CheckState::failed) continue;
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

void add_selftest_command(Command& app) {
  Command& command = app.add_command(
      "selftest", "Check that this CPU computes correctly, or that a model bundle is intact",
      "eatt selftest runs/zh-en/best");
  const auto options = std::make_shared<SelftestOptions>();
  command
      .add_option("BUNDLE", options->bundle, "Check this bundle instead: a folder with config.json")
      .reads();
  command.add_flag("--no-hash", options->no_hash,
                   "Skip the SHA-256 of the files (sizes are still checked)");
  command.add_note(
      "With --quiet, only what failed is printed; the exit code is 1 if anything did.");
  command.on_run([options] {
    if (options->bundle.empty()) {
      check_cpu();
    } else {
      check_model(*options);
    }
  });
}

}  // namespace eatt::cli
