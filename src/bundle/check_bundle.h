#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace eatt {

enum class CheckState { ok, failed, skipped };

struct CheckResult {
  std::string name;  // "config.json", "tensors", …
  CheckState state = CheckState::ok;
  std::string detail;  // What was found; the sentence of a failure; what a skipped check needs.
};

struct CheckOptions {
  bool hashes = true;
};

// Checks everything about the bundle at `path` that can be checked without a decoder, and goes on
// after a failure: a bad bundle is a result here, not an exception. Reads all weights.
std::vector<CheckResult> check_bundle(const std::filesystem::path& path, CheckOptions options = {});

}  // namespace eatt
