#include "cli/hand_over.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/error.h"

namespace eatt::cli {
namespace {

constexpr char kProgram[] = "eatt-train";
constexpr std::array<std::string_view, 5> kTrainCommands = {"train", "export", "average",
                                                            "validate", "align"};

std::filesystem::path beside_this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / kProgram;
}

// Empty if it is nowhere.
std::string find_eatt_train() {
  const auto is_program = [](const std::string& path) {
    return std::filesystem::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
  };
  if (const std::string beside = beside_this_program().string(); is_program(beside)) return beside;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (std::filesystem::path(folder) / kProgram).string();
    if (is_program(file)) return file;
  }
  return {};
}

}  // namespace

bool belongs_to_eatt_train(std::string_view command) {
  return std::ranges::find(kTrainCommands, command) != kTrainCommands.end();
}

void expect_eatt_train(std::string_view command) {
  if (!find_eatt_train().empty()) return;
  throw Error(fmt::format(
      "`{}` needs the program eatt-train, which is neither at {} nor on PATH; build it with "
      "`cmake --workflow --preset release` (it needs libtorch)",
      command, beside_this_program().string()));
}

void hand_over_to_eatt_train(char** argv) {
  expect_eatt_train(argv[1]);
  const std::string path = find_eatt_train();
  std::string name = kProgram;
  argv[0] = name.data();
  ::execv(path.c_str(), argv);
  throw Error(fmt::format("{}: cannot be started: {}", path, system_message(errno)));
}

std::vector<std::string> take_train_options(int& argc, char** argv) {
  int command = 1;  // Options of all commands may stand before it.
  while (command < argc && argv[command][0] == '-') {
    command += std::string_view(argv[command]) == "--log-format" ? 2 : 1;
  }
  if (command >= argc || std::string_view(argv[command]) != "distill") return {};
  const auto is_mark = [](const char* word) { return std::string_view(word) == "--"; };
  char** mark = std::find_if(argv + command, argv + argc, is_mark);
  if (mark == argv + argc) return {};
  std::vector<std::string> options(mark + 1, argv + argc);
  argc = static_cast<int>(mark - argv);
  return options;
}

}  // namespace eatt::cli
