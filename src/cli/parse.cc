#include "cli/parse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/error.h"
#include "base/text/utf8.h"
#include "cli/suggest.h"

namespace eatt::cli {
namespace {

// The options that may stand here: the command's own, and those of all commands.
std::vector<OptionSpec*> options_of(const Command& command) {
  std::vector<OptionSpec*> options;
  for (const auto& option : command.options()) options.push_back(option.get());
  if (&command.program() == &command) return options;
  for (const auto& option : command.program().options()) options.push_back(option.get());
  return options;
}

// "SRC TGT" of an option, or "a value".
std::string values_of(const OptionSpec& option) {
  return option.value.empty() ? "a value" : option.value;
}

// "a", "a and b", "a, b and c"
std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

class Parser {
 public:
  Parser(const Command& command, const std::vector<std::string>& words)
      : command_(command), words_(words), options_(options_of(command)) {}

  void parse() {
    refuse_dashes();
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (!only_arguments_ && word == "--") {
        only_arguments_ = true;
      } else if (!only_arguments_ && looks_like_option(word)) {
        read_option(word);
      } else {
        if (arguments_.size() == most_arguments()) refuse_argument(word);
        arguments_.push_back(word);
      }
    }
    hand_out_arguments();
  }

 private:
  // A dash that an editor or a web page made of two hyphens. Only where an option is meant: text
  // may begin with one.
  void refuse_dashes() const {
    for (const std::string& word : words_) {
      if (word == "--") return;
      for (const std::string_view dash : {"—", "–", "−"}) {
        if (!word.starts_with(dash)) continue;
        const size_t name = std::min(word.find_first_not_of("-", dash.size()), word.size());
        const std::string meant = "--" + word.substr(name, word.find('=') - name);
        if (find(meant) == nullptr) continue;
        refuse(fmt::format("{} begins with the dash {} and not with two hyphens (did you mean {}?)",
                           in_quotes(word), dash, meant));
      }
    }
  }

  [[noreturn]] void refuse(const std::string& sentence) const {
    throw UsageError(sentence + see_help(command_));
  }

  OptionSpec* find(std::string_view name) const {
    for (OptionSpec* option : options_) {
      if (option->answers_to(name)) return option;
    }
    return nullptr;
  }

  // Reads the option `word` and the values after it.
  void read_option(const std::string& word) {
    const bool is_long = word.starts_with("--");
    if (!is_long) refuse_one_hyphen(word);
    const size_t name_end = is_long ? std::min(word.find('='), word.size()) : 2;
    OptionSpec* option = find(word.substr(0, name_end));
    if (option == nullptr) refuse_unknown(word.substr(0, is_long ? name_end : word.size()));
    const bool has_value = name_end < word.size();
    if (option->is_flag() && has_value) {
      refuse(
          fmt::format("{} takes no value, but {} gives it one", option->name(), in_quotes(word)));
    }
    std::vector<std::string> values;
    if (has_value) values.push_back(word.substr(is_long ? name_end + 1 : name_end));
    take_values(*option, values);
    keep(*option, std::move(values));
  }

  // -beam-size is not -b with the value eam-size.
  void refuse_one_hyphen(const std::string& word) const {
    std::string meant = "-" + word.substr(0, word.find('='));
    std::ranges::replace(meant, '_', '-');
    if (word.size() == 2 || find(meant) == nullptr) return;
    refuse(fmt::format("unknown option {}{}", printable(word), did_you_mean(meant)));
  }

  // Adds the words that follow, as many as the option may have.
  void take_values(const OptionSpec& option, std::vector<std::string>& values) {
    const auto wanted = static_cast<size_t>(option.most);
    const auto needed = static_cast<size_t>(option.least);
    while (values.size() < wanted && at_ < words_.size() && is_value(words_[at_])) {
      if (values.size() >= needed && words_.size() - at_ <= required_arguments_left()) break;
      values.push_back(words_[at_++]);
    }
    join_list(option, values);
    if (values.size() >= needed) return;
    const std::string what = fmt::format("{} needs {}", option.name(), values_of(option));
    if (values.empty() && at_ < words_.size()) {
      refuse(fmt::format("{}, but {} follows", what, in_quotes(words_[at_])));
    }
    refuse(values.empty() ? what + ", but nothing follows"
                          : fmt::format("{}, but only {} follows", what, in_quotes(values.back())));
  }

  // `--attention eatt:1-3, vanilla:4-6` is one list, although the shell makes two words of it.
  void join_list(const OptionSpec& option, std::vector<std::string>& values) {
    if (option.choices.empty() || option.separator != '\0' || values.empty()) return;
    while (values.back().ends_with(',') && at_ < words_.size() && is_value(words_[at_])) {
      values.back() += words_[at_++];
    }
  }

  static bool is_value(const std::string& word) { return word != "--" && !looks_like_option(word); }

  // Arguments without a name that there may be.
  size_t most_arguments() const {
    size_t most = 0;
    for (const OptionSpec* option : options_) {
      if (option->is_argument() && option->is_list()) return kAnyNumber;
      most += option->is_argument() ? 1 : 0;
    }
    return most;
  }

  // Arguments without a name that must still come: `--train-sets a b TEACHER`.
  size_t required_arguments_left() const {
    size_t required = 0;
    for (const OptionSpec* option : options_) {
      required += option->is_argument() && option->required && !option->given ? 1 : 0;
    }
    return required - std::min(required, arguments_.size());
  }

  static void keep(OptionSpec& option, std::vector<std::string> values) {
    if (values.empty()) values = {"true"};
    if (option.separator != '\0') {
      std::vector<std::string> parts;
      for (const std::string& value : values) {
        std::istringstream stream(value);
        for (std::string part; std::getline(stream, part, option.separator);) {
          parts.push_back(part);
        }
      }
      values = std::move(parts);
    }
    if (!option.is_list()) option.texts.clear();
    option.texts.insert(option.texts.end(), values.begin(), values.end());
    option.given = true;
  }

  void hand_out_arguments() {
    size_t next = 0;
    for (OptionSpec* option : options_) {
      // Given by another spelling: `quantize BUNDLE --output OUT`.
      if (!option->is_argument() || option->given || next == arguments_.size()) continue;
      const size_t count = option->is_list() ? arguments_.size() - next : 1;
      const auto begin = arguments_.begin() + static_cast<long>(next);
      keep(*option, {begin, begin + static_cast<long>(count)});
      next += count;
    }
    if (next < arguments_.size()) refuse_argument(arguments_[next]);
  }

  [[noreturn]] void refuse_unknown(const std::string& name) const {
    for (const Command* asked : {&command_, &command_.program()}) {
      if (const std::string hint = asked->hint_on(name); !hint.empty()) {
        refuse(fmt::format("unknown option {}; {}", printable(name), hint));
      }
    }
    refuse(fmt::format("unknown option {}{}", printable(name), did_you_mean(meant_by(name))));
  }

  // "--recipe tiny" for the word tiny, if an option has that choice.
  std::string option_with_choice(const std::string& word) const {
    for (const OptionSpec* option : options_) {
      if (option->is_argument() || option->hidden) continue;
      if (std::ranges::find(option->choices, word) != option->choices.end()) {
        return fmt::format("{} {}", option->name(), word);
      }
    }
    return {};
  }

  // --json is --output-format json where an option has that choice; else the option of the nearest
  // name, if there is one.
  std::string meant_by(const std::string& name) const {
    const std::string word =
        name.substr(std::min<size_t>(name.find_first_not_of('-'), name.size()));
    if (const std::string chosen = option_with_choice(word); !chosen.empty()) return chosen;
    std::vector<std::string> names;
    for (const OptionSpec* option : options_) {
      if (option->is_argument() || option->hidden) continue;
      names.insert(names.end(), option->names.begin(), option->names.end());
    }
    return nearest_name(name, names);
  }

  // "--sets a b" for the words a and b, of which the first is `argument`, at or before at_.
  std::string meant_by_extra(const std::string& argument) const {
    if (const std::string chosen = option_with_choice(argument); !chosen.empty()) return chosen;
    if (!command_.extra_model().empty() && std::filesystem::exists(argument + "/config.json")) {
      return fmt::format("{} {}", command_.extra_model(), printable(shell_quoted(argument)));
    }
    const auto& options = command_.extra_arguments();
    std::string text;
    size_t next = at_;
    for (size_t i = 0; i < options.size(); ++i) {
      const bool has_word = i == 0 || (next < words_.size() && is_value(words_[next]));
      if (!has_word) break;
      const std::string& word = i == 0 ? argument : words_[next++];
      if (!options[i].empty()) text += fmt::format("{}{}", text.empty() ? "" : " ", options[i]);
      text += " " + printable(shell_quoted(word));
    }
    return text;
  }

  [[noreturn]] void refuse_argument(const std::string& argument) const {
    if (command_.words() != nullptr) {
      refuse(fmt::format("{} is not expected before --; use `{} {}`", in_quotes(argument),
                         command_.path(), command_.words_usage()));
    }
    std::vector<std::string> known;
    for (const OptionSpec* option : options_) {
      if (option->is_argument()) known.push_back(option->name());
    }
    known.emplace_back(known.empty() ? "options only" : "options");
    refuse(fmt::format("unexpected argument {}: `{}` takes {}{}", in_quotes(argument),
                       command_.path(), joined(known), did_you_mean(meant_by_extra(argument))));
  }

  const Command& command_;
  const std::vector<std::string>& words_;
  const std::vector<OptionSpec*> options_;
  std::vector<std::string> arguments_;  // Those without a name.
  size_t at_ = 0;
  bool only_arguments_ = false;
};

void read_values(const Command& command) {
  for (const auto& option : command.options()) {
    if (option->given) option->read(option->name(), option->texts);
  }
}

// `--compare A B` takes both words, so that no argument is left: says so where it may be the cause.
std::string greedy_option(const Command& command, const std::vector<std::string>& missing) {
  const OptionSpec* lost = command.find_option(missing.front());
  if (lost == nullptr || !lost->is_argument()) return "";
  for (const OptionSpec* option : options_of(command)) {
    if (option->is_argument() || !option->given || option->texts.size() < 2) continue;
    if (!option->is_list() || option->separator != '\0') continue;
    return fmt::format(": {} took all of {}; put {} before it", option->name(),
                       joined(option->texts), lost->name());
  }
  return "";
}

void check_presence(const Command& command) {
  std::vector<std::string> missing;
  for (const OptionSpec* option : options_of(command)) {
    if (!option->required || option->given) continue;
    const bool is_named = !option->is_argument() && !option->value.empty();
    missing.push_back(option->name() + (is_named ? " " + option->value : ""));
  }
  if (missing.empty()) return;
  throw UsageError(fmt::format("{} {} missing{}{}", joined(missing),
                               missing.size() == 1 ? "is" : "are", greedy_option(command, missing),
                               see_help(command)));
}

void check_company(const Command& command) {
  for (const OptionSpec* option : options_of(command)) {
    if (!option->given) continue;
    for (const OptionSpec* other : option->needs) {
      if (other->given) continue;
      throw UsageError(
          fmt::format("{} needs {}{}", option->name(), other->name(), see_help(command)));
    }
    for (const OptionSpec* other : option->excludes) {
      if (!other->given) continue;
      throw UsageError(fmt::format("{} and {} exclude each other; give one of them{}",
                                   option->name(), other->name(), see_help(command)));
    }
  }
}

}  // namespace

bool looks_like_option(std::string_view word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return std::string_view("0123456789.").find(word[1]) == std::string_view::npos;
}

std::string see_help(const Command& command) {
  return fmt::format("; see `{} --help`", command.path());
}

void parse_options(const Command& command, const std::vector<std::string>& arguments,
                   const std::function<void()>& before_values) {
  Parser(command, arguments).parse();
  const Command& program = command.program();
  read_values(program);
  before_values();
  if (&program != &command) read_values(command);
  check_presence(command);
  check_company(command);
}

}  // namespace eatt::cli
