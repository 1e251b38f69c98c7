#include <fmt/format.h>
#include <spdlog/version.h>
#include <utf8proc.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/threads.h"
#include "cli/program.h"
#include "eatt_build.h"  // Written by CMake: version, commit, compiler, build type.
#include "kernels/isa.h"

namespace eatt::cli {

std::string version_text(const std::string& program) {
  return fmt::format(
      "{} {} (commit {}, {}, {})\n"
      "cpu: {}, {}, {}\n"
      "libraries: fmt {}.{}.{}, spdlog {}.{}.{}, nlohmann-json {}.{}.{}, "
      "zlib {}, utf8proc {}, nettle {}\n",
      program, build::kVersion, build::kCommit, build::kBuildType, build::kCompiler,
      kernels::cpu_model_name(), kernels::chosen_isa().name,
      format_count(static_cast<uint64_t>(thread_count()), "thread"), FMT_VERSION / 10000,
      FMT_VERSION / 100 % 100, FMT_VERSION % 100, SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR,
      SPDLOG_VER_PATCH, NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
      NLOHMANN_JSON_VERSION_PATCH, zlibVersion(), utf8proc_version(), build::kNettleVersion);
}

std::string made_by_text() {
  const std::string version = version_text("eatt");
  return "Made by " + version.substr(0, version.find('\n')) + ".";
}

}  // namespace eatt::cli
