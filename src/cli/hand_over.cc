#include "cli/hand_over.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string>

#include "base/error.h"

namespace eatt::cli {
namespace {

constexpr std::array<std::string_view, 5> kTrainCommands = {"train", "export", "average",
                                                            "validate", "align"};

}  // namespace

bool belongs_to_eatt_train(std::string_view command) {
  return std::ranges::find(kTrainCommands, command) != kTrainCommands.end();
}

void hand_over_to_eatt_train(char** argv) {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string beside = (self.parent_path() / "eatt-train").string();
  std::string name = "eatt-train";
  argv[0] = name.data();
  if (::access(beside.c_str(), X_OK) == 0) {
    ::execv(beside.c_str(), argv);
    throw Error(fmt::format("{}: cannot be started: {}", beside, system_message(errno)));
  }
  ::execvp(name.c_str(), argv);
  throw Error(fmt::format(
      "`{}` needs the program eatt-train, which is neither at {} nor on PATH; build it with "
      "`cmake --workflow --preset release` (it needs libtorch)",
      argv[1], beside));
}

}  // namespace eatt::cli
