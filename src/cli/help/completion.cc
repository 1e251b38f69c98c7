// Completion for bash and zsh. Both scripts ask the same question: which command is being typed,
// and what may stand here? A function made from the pages answers it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/help/reference.h"
#include "cli/program.h"

namespace eatt::cli {
namespace {

// "corpus prepare" of "eatt corpus prepare"; empty for the program.
std::string path_without_program(const CommandPage& page) {
  const size_t space = page.path.find(' ');
  return space == std::string::npos ? "" : page.path.substr(space + 1);
}

std::string option_names(const CommandPage& page) {
  std::vector<std::string> names;
  for (const OptionPage& option : page.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// Choices in a shell's quotes, and whether files may stand there too: "'tiny base' eatt_files=1".
std::string choices_and_files(const OptionPage& option) {
  const bool names_files = option.value.find("FILE") != option.value.npos;
  return fmt::format("'{}'{}", fmt::join(option.choices, " "), names_files ? " eatt_files=1" : "");
}

// Of an argument without a name.
std::string argument_choices(const CommandPage& page) {
  for (const OptionPage& option : page.options) {
    if (option.names.empty()) return choices_and_files(option);
  }
  return "''";
}

// The shell function eatt__words PATH OPTION, for bash and zsh. It sets eatt_commands, eatt_options
// and eatt_arguments to what may follow the command PATH, and eatt_values to the choices of OPTION;
// eatt_takes_value is empty if OPTION is a flag or unknown. eatt_files is 1 where a file may stand
// instead of a choice.
std::string words_function(const std::vector<CommandPage>& pages) {
  std::string text =
      "eatt__words() {\n"
      "  eatt_commands='' eatt_options='' eatt_arguments='' eatt_values='' eatt_takes_value=''\n"
      "  eatt_files=''\n"
      "  case \"$1\" in\n";
  for (const CommandPage& page : pages) {
    std::vector<std::string> names;
    for (const CommandSummary& command : page.subcommands) names.push_back(command.name);
    text += fmt::format(
        "    '{}')\n      eatt_commands='{}'\n      eatt_options='{}'\n      eatt_arguments={}\n",
        path_without_program(page), fmt::join(names, " "), option_names(page),
        argument_choices(page));
    text += "      case \"$2\" in\n";
    for (const OptionPage& option : page.options) {
      if (option.names.empty() || option.value.empty()) continue;
      text += fmt::format("        {}) eatt_takes_value=1 eatt_files='' eatt_values={} ;;\n",
                          fmt::join(option.names, "|"), choices_and_files(option));
    }
    text += "      esac ;;\n";
  }
  return text + "  esac\n}\n\n";
}

// The shell function eatt__command WORD...: sets eatt_path to the command that the words name.
constexpr char kCommandFunction[] = R"(eatt__command() {
  local word eatt_commands eatt_options eatt_arguments eatt_values eatt_takes_value eatt_files
  eatt_path=''
  for word in "$@"; do
    case "$word" in -* | help) continue ;; esac
    eatt__words "$eatt_path" ''
    case " $eatt_commands " in *" $word "*) eatt_path="${eatt_path:+$eatt_path }$word" ;; esac
  done
}

)";

constexpr char kBash[] = R"(_eatt() {
  local eatt_path eatt_commands eatt_options eatt_arguments eatt_values eatt_takes_value eatt_files
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  # bash makes three words of --option=value.
  if [ "$current" = = ]; then current=''; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  eatt__command "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  eatt__words "$eatt_path" "$before"
  if [ -n "$eatt_values" ]; then
    # Of a,b only b is completed.
    local list=''
    case "$current" in *,*) list="${current%,*}," current=${current##*,} ;; esac
    mapfile -t COMPREPLY < <(compgen -P "$list" -W "$eatt_values" -- "$current"
                             [ -z "$eatt_files" ] || compgen -f -- "$list$current")
  elif [ -n "$eatt_takes_value" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$eatt_options" -- "$current")
  elif [ -n "$eatt_commands$eatt_arguments" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$eatt_commands $eatt_arguments" -- "$current"
                             [ -z "$eatt_files" ] || compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _eatt eatt
)";

constexpr char kZsh[] = R"(_eatt() {
  local eatt_path eatt_commands eatt_options eatt_arguments eatt_values eatt_takes_value eatt_files
  eatt__command "${(@)words[2,CURRENT-1]}"
  eatt__words "$eatt_path" "${words[CURRENT-1]}"
  if [[ -n $eatt_values ]]; then
    [[ -z $eatt_files ]] || _files
    [[ ${words[CURRENT]} != *,* ]] || compset -P '*,'  # Of a,b only b is completed.
    compadd -- ${=eatt_values}
  elif [[ -n $eatt_takes_value ]]; then
    _files
  elif [[ ${words[CURRENT]} == -* ]]; then
    compadd -- ${=eatt_options}
  elif [[ -n $eatt_commands$eatt_arguments ]]; then
    [[ -z $eatt_files ]] || _files
    compadd -- ${=eatt_commands} ${=eatt_arguments}
  else
    _files
  fi
}
if [[ $funcstack[1] == _eatt ]]; then _eatt "$@"; else compdef _eatt eatt; fi
)";

void print_completion(const Command& program, const std::string& shell) {
  print_result(shell == "bash" ? bash_completion(every_page(program))
                               : zsh_completion(every_page(program)));
}

}  // namespace

std::string bash_completion(const std::vector<CommandPage>& pages) {
  return "# Completion of eatt for bash, made by `eatt completion bash`.\n" +
         words_function(pages) + kCommandFunction + kBash;
}

std::string zsh_completion(const std::vector<CommandPage>& pages) {
  return "#compdef eatt\n# Completion of eatt for zsh, made by `eatt completion zsh`.\n" +
         words_function(pages) + kCommandFunction + kZsh;
}

void add_completion_command(Command& program) {
  Command& command =
      program.add_command("completion", "Print a script that completes eatt's commands and options",
                          "source <(eatt completion bash)\n"
                          "  eatt completion zsh > ~/.zfunc/_eatt");
  const auto shell = std::make_shared<std::string>();
  command
      .add_setting(
          "SHELL",
          [shell](const std::string& text) {
            constexpr std::array<std::string_view, 2> kShells = {"bash", "zsh"};
            *shell = kShells[read_choice("SHELL", text, kShells)];
          },
          "The shell that reads the script")
      .shows("bash|zsh")
      .required();
  command.add_note(
      "For bash, put the first example into ~/.bashrc. For zsh, put the second one's folder into "
      "fpath before compinit.");
  command.on_run([&program, shell] { print_completion(program, *shell); });
}

}  // namespace eatt::cli
