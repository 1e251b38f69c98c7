#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

constexpr char kProgram[] = "eatt-train";
constexpr char kThisProgram[] = "eatt";

std::filesystem::path beside_this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / kProgram;
}

}  // namespace

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

void expect_eatt_train(std::string_view command) {
  if (!find_eatt_train().empty()) return;
  throw Error(fmt::format(
      "`{}` needs the program eatt-train, which is neither at {} nor on PATH; build it with "
      "`cmake --workflow --preset release` (it needs libtorch)",
      command, beside_this_program().string()));
}

void hand_over_to_eatt_train(const std::string& command,
                             const std::vector<std::string>& arguments) {
  expect_eatt_train(command);
  const std::string path = find_eatt_train();
  std::vector<std::string> words = {kThisProgram};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  throw Error(fmt::format("{}: cannot be started: {}", path, system_message(errno)));
}

std::string name_in_messages(const char* program) {
  return std::string_view(program) == kThisProgram ? kThisProgram : kProgram;
}

}  // namespace eatt::cli
