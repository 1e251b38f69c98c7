// Commands and their options. What a command declares here is all there is: the parser, help, shell
// completion and man pages read the same description.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/options.h"
#include "cli/file_roles.h"

namespace eatt::cli {

inline constexpr int kAnyNumber = std::numeric_limits<int>::max();

// What is declared of an option, and what the command line gave it.
struct OptionSpec {
  using Read = std::function<void(const std::string& name, const std::vector<std::string>& texts)>;

  std::vector<std::string> names;  // "-o", "--output"; of an argument without one, "BUNDLE".
  std::vector<std::string> other_spellings;  // Read like the names, but not shown.
  std::string value;  // What help shows for the value: "FILE"; empty for a flag.
  std::string help;
  std::string heading;               // In the help; empty for the first.
  std::string default_value;         // As help shows it; empty if there is none to show.
  std::vector<std::string> choices;  // What completion offers.
  int least = 1;                     // Values. A flag takes none.
  int most = 1;
  char separator = '\0';  // Values may also be joined by this.
  bool required = false;
  bool hidden = false;         // Help, completion and suggestions leave it out: for other programs.
  bool checked_later = false;  // Required, but the command itself finds out whether it is given.
  std::vector<const OptionSpec*> needs;
  std::vector<const OptionSpec*> excludes;
  Read read;                          // Throws a UsageError if a text is wrong.
  std::optional<FileRole> file_role;  // Of what names files or folders.
  OutputKind output_kind = kComparedOutput;

  bool given = false;
  std::vector<std::string> texts;

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool is_flag() const { return most == 0; }
  bool is_list() const { return most == kAnyNumber; }
  // "--beam-size" of "-b,--beam-size", or "BUNDLE".
  std::string name() const;
  bool answers_to(std::string_view name) const;
};

// An option of a command: a handle, cheap to copy. Given several times, the last one counts; of a
// list of any length, the values are put together.
class Option {
 public:
  explicit Option(OptionSpec& spec) : spec_(&spec) {}

  // What help shows for the value: "N", "text|json". Words of lower case are choices.
  Option& shows(const std::string& value);
  // Choices that `value` does not list: completion offers them beside files, if it names a FILE.
  Option& offers(std::vector<std::string> choices);
  // Another name, "-o,--out", that is read and not shown: what other commands and tools call it.
  Option& also(const std::string& names);
  // What help shows as the default, where the variable's value does not tell it; "" for none.
  Option& default_is(const std::string& text);
  // The heading in the help that it stands under.
  Option& group(const std::string& heading);
  // Not shown anywhere: another command of ours gives it.
  Option& hide();
  Option& required();
  // Shown as required; the command checks it, because there is another way to give it.
  Option& required_in_the_end();
  Option& needs(const Option& other);
  Option& excludes(const Option& other);
  // The number of values; without this, one, or of a list one or more.
  Option& takes(int least, int most);
  Option& takes(int values) { return takes(values, values); }
  // Values of a list may also be joined by this character.
  Option& split_at(char separator);
  // What the command does with the files or folders that the values name. Every option that names
  // one says so: before the command runs, outputs are compared with all inputs.
  Option& reads() { return has_role(FileRole::read); }
  Option& writes(OutputKind kind = kTextOutput) {
    spec_->output_kind = kind;
    return has_role(FileRole::written);
  }
  Option& fills() { return has_role(FileRole::filled); }
  Option& trains() { return has_role(FileRole::trained); }
  Option& replaces() { return has_role(FileRole::replaced); }

  bool given() const { return spec_->given; }
  std::string name() const { return spec_->name(); }
  const std::string& heading() const { return spec_->heading; }

 private:
  Option& has_role(FileRole role) {
    spec_->file_role = role;
    return *this;
  }

  OptionSpec* spec_;
};

// A command, or a program, which is the outermost command. Lives as long as the program; so must
// every variable that an option is bound to.
class Command {
 public:
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  // A command of this one. The help ends with `example`; more than one are lines that start with
  // two spaces.
  Command& add_command(const std::string& name, const std::string& description,
                       const std::string& example);
  // Stands in the help before the example; an empty line separates paragraphs.
  void add_note(const std::string& note) { notes_.push_back(note); }
  // What the command does once its options are read and their files compared.
  void on_run(std::function<void()> run) { run_ = std::move(run); }
  // What is said of an option, or a command of this one, that people type by habit and that does
  // not exist: "unknown option --resume; a run continues with …".
  void add_hint(const std::string& name, const std::string& sentence) {
    hints_.emplace_back(name, sentence);
  }
  // The options that files without an option are meant for, in their order; "" continues the one
  // before: {"--sets", ""} makes of `align BUNDLE a b` the hint "did you mean --sets a b?".
  void extra_arguments_mean(std::vector<std::string> options) {
    extra_arguments_ = std::move(options);
  }
  // The option that a model folder without an option is meant for: "--compare".
  void extra_model_means(std::string option) { extra_model_ = std::move(option); }
  // Not shown in help: for other programs.
  void hide() { hidden_ = true; }

  // `names` are "-o,--output", or "BUNDLE" for a value without a name.
  Option add_flag(const std::string& names, bool& value, const std::string& help);
  Option add_flag(const std::string& names, std::function<void(bool)> set, const std::string& help);

  // A value that `set` reads; it throws a UsageError if the text is wrong.
  Option add_setting(const std::string& names, std::function<void(const std::string&)> set,
                     const std::string& help);

  // A text, a path, a number, or an optional one. `range` is of numbers. What `value` holds now is
  // the default.
  template <typename Value>
  Option add_option(const std::string& names, Value& value, const std::string& help,
                    Range range = {}) {
    return add(names, help,
               [&value, range](const std::string& option, const std::vector<std::string>& texts) {
                 read(option, texts.back(), range, value);
               })
        .default_is(print(value));
  }

  // A list of them.
  template <typename Value>
  Option add_option(const std::string& names, std::vector<Value>& values, const std::string& help,
                    Range range = {}) {
    std::string shown;
    for (const Value& value : values) (shown += shown.empty() ? "" : " ") += print(value);
    return add(names, help,
               [&values, range](const std::string& option, const std::vector<std::string>& texts) {
                 values.clear();
                 for (const std::string& text : texts) {
                   Value value{};
                   read(option, text, range, value);
                   values.push_back(std::move(value));
                 }
               })
        .takes(1, kAnyNumber)
        .default_is(shown);
  }

  // One of several names, each with the value that it stands for.
  template <typename Value>
  Option add_choice(
      const std::string& names, Value& value,
      std::initializer_list<std::pair<std::string_view, std::type_identity_t<Value>>> choices,
      const std::string& help) {
    std::vector<std::string_view> words;
    std::vector<Value> values;
    std::string shown, default_word;
    for (const auto& [word, meaning] : choices) {
      words.push_back(word);
      values.push_back(meaning);
      (shown += shown.empty() ? "" : "|") += word;
      if (meaning == value) default_word = word;
    }
    return add(names, help,
               [&value, words, values](const std::string& option,
                                       const std::vector<std::string>& texts) {
                 value = values[read_choice(option, texts.back(), words)];
               })
        .shows(shown)
        .default_is(default_word);
  }

  // An option of a table. `short_name` is "-b,".
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
    return add_setting(names, set, field.help)
        .offers(field.choices)
        .shows(field.value)
        .default_is(field.get(options))
        .group(field.group);
  }

  // --cpu-threads, for the whole process.
  void add_threads_option();

  // What follows a lone "--" is for another program, and goes into `words`; help shows `usage`.
  void take_words(std::vector<std::string>& words, const std::string& usage);

  // Once options are read: whether this one was given, and all that were.
  bool given(const std::string& option) const;
  std::vector<Option> given_options() const;

  // For the parser and for help.
  const std::string& name() const { return name_; }
  std::string path() const;  // "eatt corpus prepare"
  const Command& program() const { return parent_ == nullptr ? *this : parent_->program(); }
  const std::string& description() const { return description_; }
  const std::string& example() const { return example_; }
  const std::vector<std::string>& notes() const { return notes_; }
  const std::string& words_usage() const { return words_usage_; }
  std::vector<std::string>* words() const { return words_; }
  bool hidden() const { return hidden_; }
  const std::vector<std::unique_ptr<OptionSpec>>& options() const { return options_; }
  const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }
  // Null if there is no command, or no option, of that name.
  Command* find_command(std::string_view name) const;
  OptionSpec* find_option(std::string_view name) const;
  // Empty if there is none.
  std::string hint_on(std::string_view name) const;
  const std::vector<std::string>& extra_arguments() const { return extra_arguments_; }
  const std::string& extra_model() const { return extra_model_; }
  void run() const;

 protected:
  Command(std::string name, std::string description, std::string example, const Command* parent);

 private:
  Option add(const std::string& names, const std::string& help, OptionSpec::Read read);

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

  static std::string print(const std::filesystem::path& value) { return print(value.string()); }
  static std::string print(const std::string& value) {
    return value == "-" ? "standard input" : value;
  }
  template <typename Value>
  static std::string print(const std::optional<Value>& value) {
    return value ? print(*value) : "";
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  static std::string print(Number value) { return print_number(value); }

  std::string name_;
  std::string description_;
  std::string example_;
  const Command* parent_ = nullptr;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, std::string>> hints_;
  std::vector<std::string> extra_arguments_;
  std::string extra_model_;
  std::vector<std::unique_ptr<OptionSpec>> options_;
  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<std::string>* words_ = nullptr;
  std::string words_usage_;
  std::function<void()> run_;
  bool hidden_ = false;
};

}  // namespace eatt::cli
