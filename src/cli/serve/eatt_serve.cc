// The program eatt-serve: the server, apart from eatt, which stays small for devices.
#include <array>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/help/reference.h"
#include "cli/help/train_commands.h"
#include "cli/program.h"

namespace {

// `eatt-serve BUNDLE` is `eatt-serve serve BUNDLE`: there is nothing else that it does.
std::vector<char*> with_command(int argc, char** argv) {
  static char command[] = "serve";
  constexpr std::array<std::string_view, 5> kOthers = {"serve", "help", "describe-commands",
                                                       "--version", "-V"};
  std::vector<char*> words(argv, argv + argc);
  bool is_complete = false;
  for (int i = 1; i < argc; ++i) {
    for (const std::string_view other : kOthers) is_complete = is_complete || other == argv[i];
  }
  if (!is_complete) words.insert(words.begin() + 1, command);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace eatt::cli;
  Program program(name_in_messages(argv[0], "eatt-serve"), "The translation server of eatt");
  program.set_version([] { return version_text("eatt-serve"); });
  add_serve_command(program);
  add_describe_command(program, serve_commands());
  std::vector<char*> words = with_command(argc, argv);
  return program.run(static_cast<int>(words.size()), words.data());
}
