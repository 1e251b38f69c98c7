#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::testing {

// A program of this build, e.g. program_path("eatt").
std::filesystem::path program_path(std::string_view name);

struct RunResult {
  int exit_code = -1;  // 128 + signal number if a signal ended it.
  std::string out;
  std::string err;
};

// Runs a program of this build ("eatt", "eatt-train"; a path is used as it is) and waits.
RunResult run(const std::string& program, const std::vector<std::string>& arguments,
              std::string_view standard_input = {});

// Starts a program and kills it (as by kill -9) after some milliseconds. True if it was still
// running then.
bool run_and_kill(const std::string& program, const std::vector<std::string>& arguments,
                  int milliseconds);

}  // namespace eatt::testing
