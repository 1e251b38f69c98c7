#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/bundle_checks.h"
#include "bundle/write_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNames = 4;

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none);
}

bool is_bundle(const fs::path& folder) { return is_there(folder / kManifestFile); }

fs::path parent_of(const fs::path& path) {
  const fs::path name = path.has_filename() ? path : path.parent_path();
  return name.has_parent_path() ? name.parent_path() : fs::path(".");
}

// The bundle of a run to use: the best, or the last before any was validated. Empty if it has none.
fs::path bundle_of_run(const fs::path& run) {
  for (const char* name : {"best", "last"}) {
    if (is_bundle(run / name)) return run / name;
  }
  return {};
}

// 800 of "step-00000800"; nothing of other names.
std::optional<int64_t> update_of(const std::string& name) {
  constexpr std::string_view kBegin = "step-";
  int64_t update = 0;
  const char* const end = name.data() + name.size();
  if (!name.starts_with(kBegin)) return std::nullopt;
  const auto [rest, error] = std::from_chars(name.data() + kBegin.size(), end, update);
  if (error != std::errc() || rest != end) return std::nullopt;
  return update;
}

std::string explain_run(const fs::path& run) {
  const fs::path bundle = bundle_of_run(run);
  if (!bundle.empty()) {
    return fmt::format("is a training run, not a model; use {}", bundle.string());
  }
  return fmt::format(
      "is a training run without a model yet; the first is written at the first validation, or at "
      "the end; `eatt train --model {}` continues",
      run.string());
}

std::string explain_checkpoint(const fs::path& run, int64_t update) {
  const fs::path bundle = bundle_of_run(run);
  return fmt::format(
      "is a checkpoint, not a model; {}make a model of it with `eatt export {} --checkpoint {} "
      "--output MODEL`",
      bundle.empty() ? "" : fmt::format("use {}, or ", bundle.string()), run.string(), update);
}

// Bundles in `folder`, and those of runs in it, by their names there.
std::vector<std::string> bundles_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    const fs::path& path = entry->path();
    if (!fs::is_directory(path, ignored)) continue;
    const fs::path bundle = is_bundle(path) ? path : bundle_of_run(path);
    if (!bundle.empty()) names.push_back(bundle.lexically_relative(folder).string());
  }
  std::ranges::sort(names);
  return names;
}

std::string listed(std::vector<std::string> names) {
  if (names.size() > kMostNames) {
    names.resize(kMostNames);
    return fmt::format("{}, …", fmt::join(names, ", "));
  }
  if (names.size() == 1) return names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

}  // namespace

std::optional<std::string> explain_folder(const fs::path& folder) {
  const std::string name =
      (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  if (const auto update = update_of(name); update && !is_bundle(folder)) {
    return explain_checkpoint(parent_of(parent_of(folder)), *update);
  }
  if (name == "checkpoints") return explain_run(parent_of(folder));
  if (is_there(folder / "checkpoints") || !bundle_of_run(folder).empty())
    return explain_run(folder);
  const auto inside = bundles_in(folder);
  if (inside.empty()) return std::nullopt;
  return fmt::format("is not a model, but has {}; use one of them", listed(inside));
}

std::optional<std::string> explain_file(const fs::path& file) {
  const fs::path folder = parent_of(file);
  if (!is_bundle(folder)) return std::nullopt;
  return fmt::format("is a file of a model; use its folder, {}", folder.string());
}

void expect_float32(const Bundle& bundle) {
  const Manifest& manifest = bundle.manifest();
  if (manifest.precision == Precision::float32) return;
  constexpr std::string_view kCommand = "quantize ";
  const auto derived = manifest.made.find(kDerivedKey);
  fs::path original;
  if (derived != manifest.made.end() && derived->second.starts_with(kCommand)) {
    original = derived->second.substr(kCommand.size());
  }
  const std::string found = original.empty() || !is_bundle(original)
                                ? "such as RUN/best of the training run"
                                : original.string();
  throw Error(
      fmt::format("{}: is an int8 bundle; this command needs the float32 one it was made "
                  "from, {}",
                  bundle.path().string(), found));
}

std::optional<std::string> bundles_near(const fs::path& missing) {
  fs::path folder = parent_of(missing);
  while (!is_there(folder) && folder != parent_of(folder)) folder = parent_of(folder);
  if (is_bundle(folder)) return fmt::format("{} is a model", folder.string());
  const auto names = bundles_in(folder);
  if (names.empty()) return std::nullopt;
  return fmt::format("{} has {}", folder == "." ? "this folder" : folder.string(), listed(names));
}

}  // namespace eatt
