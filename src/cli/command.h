// Commands and their options. CLI11 parses them, but its headers take longer to compile than any
// command: command.cc and program.cc alone include them.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace eatt::cli {

// An option of a command: a handle, cheap to copy.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  // What help shows for the value: "N [4]".
  Option& shows(const std::string& value);
  // The heading in the help that it stands under.
  Option& group(const std::string& heading);
  Option& required();
  Option& needs(const Option& other);
  Option& excludes(const Option& other);
  // The number of values; without this, one, or of a list one or more.
  Option& takes(int least, int most);
  Option& takes(int values) { return takes(values, values); }
  // Values of a list may also be joined by this character.
  Option& split_at(char separator);
  // Given several times, the last one counts. Without this, that is wrong usage.
  Option& last_counts();

  bool given() const;
  std::string name() const;  // "--beam-size", or "BUNDLE" of what has no name.
  std::string heading() const;

 private:
  CLI::Option* option_;
};

// A command, or a program, which is the outermost command. Lives as long as the program; so must
// every variable that an option is bound to.
class Command {
 public:
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();

  // A command of this one. The help ends with `example`; more than one are lines that start with
  // two spaces.
  Command& add_command(const std::string& name, const std::string& description,
                       const std::string& example);
  // Stands in the help before the example.
  void add_note(const std::string& note);
  // What the command does once its options are read.
  void on_run(std::function<void()> run);

  // `names` are "-o,--output", or "BUNDLE" for a value without a name.
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  Option add_flag(const std::string& names, std::function<void(bool)> set, const std::string& help);

  // A value that `set` reads; it throws a UsageError if the text is wrong.
  Option add_setting(const std::string& names, std::function<void(const std::string&)> set,
                     const std::string& help);

  // A text, a path, a number, or an optional one. `range` is of numbers.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& help,
                    Range range = {}) {
    return add_value(
        names,
        [&value, range](const std::string& option, const std::string& text) {
          read(option, text, range, value);
        },
        help);
  }

  // A list of them.
  template <typename Value>
  Option add_option(const std::string& names, std::vector<Value>& values, const std::string& help,
                    Range range = {}) {
    return add_list(
        names,
        [&values, range](const std::string& option, const std::vector<std::string>& texts) {
          values.clear();
          for (const std::string& text : texts) {
            Value value{};
            read(option, text, range, value);
            values.push_back(std::move(value));
          }
        },
        help);
  }

  // One of several names, each with the value that it stands for.
  template <typename Value>
  Option add_choice(
      const std::string& names, Value& value,
      std::initializer_list<std::pair<std::string_view, std::type_identity_t<Value>>> choices,
      const std::string& help) {
    std::vector<std::string_view> words;
    std::vector<Value> values;
    for (const auto& [word, meaning] : choices) {
      words.push_back(word);
      values.push_back(meaning);
    }
    return add_value(
        names,
        [&value, words, values](const std::string& option, const std::string& text) {
          value = values[read_choice(option, text, words)];
        },
        help);
  }

  // An option of a table, with its default behind the name of its value. `short_name` is "-b,".
  template <typename Struct>
  Option add_field(const OptionField<Struct>& field, Struct& options,
                   const std::string& short_name = "") {
    const std::string names = short_name + "--" + field.name;
    const auto set = [&field, &options](const std::string& text) { field.set(options, text); };
    if (field.value.empty()) {
      return add_flag(
                 names, [set](bool on) { set(on ? "true" : "false"); }, field.help)
          .group(field.group);
    }
    const std::string shown = field.get(options);
    return add_setting(names, set, field.help)
        .shows(field.value + (shown.empty() ? "" : " [" + shown + "]"))
        .group(field.group);
  }

  // --cpu-threads, for the whole process.
  void add_threads_option();

  // What follows a lone "--" is for another program, and goes into `words`; help shows `usage`.
  void take_words(std::vector<std::string>& words, const std::string& usage);

  // Once options are read: whether this one was given, and all that were.
  bool given(const std::string& option) const;
  std::vector<Option> given_options() const;

 protected:
  explicit Command(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}
  // Null if there is no command of that name.
  Command* find(std::string_view name) const;

  std::shared_ptr<CLI::App> app_;  // All commands of a program share its App.
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::string>* words_ = nullptr;
  std::string words_usage_;

 private:
  friend class Program;
  using ReadValue = std::function<void(const std::string& option, const std::string& text)>;
  using ReadList =
      std::function<void(const std::string& option, const std::vector<std::string>& texts)>;
  Option add_value(const std::string& names, ReadValue read, const std::string& help);
  Option add_list(const std::string& names, ReadList read, const std::string& help);

  template <typename Value>
  static void read(const std::string& option, const std::string& text, Range range, Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      read_number(option, text, range, value);
    } else {
      value = text;  // A std::string or a path.
    }
  }
  template <typename Value>
  static void read(const std::string& option, const std::string& text, Range range,
                   std::optional<Value>& value) {
    Value inner{};
    read(option, text, range, inner);
    value = std::move(inner);
  }
};

}  // namespace eatt::cli
