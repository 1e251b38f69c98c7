#include "cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/threads.h"

namespace eatt::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// Of "hard|soft|0.x" hard and soft: what could be typed as it stands.
std::vector<std::string> choices_in(std::string value) {
  std::erase_if(value, [](char c) { return c == '[' || c == ']'; });
  std::vector<std::string> words = split(value, '|');
  if (words.size() < 2) return {};
  std::erase_if(words, [](const std::string& word) {
    return word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos;
  });
  return words;
}

}  // namespace

std::string OptionSpec::name() const {
  if (is_argument()) return value.empty() ? names.front() : value;
  for (const std::string& one : names) {
    if (one.starts_with("--")) return one;
  }
  return names.front();
}

bool OptionSpec::answers_to(std::string_view name) const {
  return std::ranges::find(names, name) != names.end() ||
         std::ranges::find(other_spellings, name) != other_spellings.end();
}

Option& Option::shows(const std::string& value) {
  spec_->value = value;
  if (auto choices = choices_in(value); !choices.empty()) spec_->choices = std::move(choices);
  return *this;
}

Option& Option::offers(std::vector<std::string> choices) {
  spec_->choices = std::move(choices);
  return *this;
}

Option& Option::also(const std::string& names) {
  spec_->other_spellings = split(names, ',');
  return *this;
}

Option& Option::default_is(const std::string& text) {
  spec_->default_value = text;
  return *this;
}

Option& Option::group(const std::string& heading) {
  spec_->heading = heading;
  return *this;
}

Option& Option::hide() {
  spec_->hidden = true;
  return *this;
}

Option& Option::required() {
  spec_->required = true;
  return *this;
}

Option& Option::required_in_the_end() {
  spec_->checked_later = true;
  return *this;
}

Option& Option::needs(const Option& other) {
  spec_->needs.push_back(other.spec_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  spec_->excludes.push_back(other.spec_);
  return *this;
}

Option& Option::takes(int least, int most) {
  spec_->least = least;
  spec_->most = most;
  return *this;
}

Option& Option::split_at(char separator) {
  spec_->separator = separator;
  std::ranges::replace(spec_->default_value, ' ', separator);
  return *this;
}

Command::Command(std::string name, std::string description, std::string example,
                 const Command* parent)
    : name_(std::move(name)),
      description_(std::move(description)),
      example_(std::move(example)),
      parent_(parent) {}

Command& Command::add_command(const std::string& name, const std::string& description,
                              const std::string& example) {
  commands_.emplace_back(new Command(name, description, example, this));
  return *commands_.back();
}

Option Command::add(const std::string& names, const std::string& help, OptionSpec::Read read) {
  options_.push_back(std::make_unique<OptionSpec>());
  OptionSpec& spec = *options_.back();
  spec.names = split(names, ',');
  // Whatever a command reads or writes first has the same short name everywhere.
  if (names == "--input" || names == "--output")
    spec.names.insert(spec.names.begin(), names.substr(1, 2));
  for (const std::string& name : spec.names) {
    expects(find_option(name) == &spec, "an option's name is used once");
  }
  spec.help = help;
  spec.read = std::move(read);
  return Option(spec);
}

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return add_flag(
      names, [&value](bool on) { value = on; }, help);
}

Option Command::add_flag(const std::string& names, std::function<void(bool)> set,
                         const std::string& help) {
  return add(names, help,
             [set = std::move(set)](const std::string&, const std::vector<std::string>&) {
               set(true);
             })
      .takes(0);
}

Option Command::add_setting(const std::string& names, std::function<void(const std::string&)> set,
                            const std::string& help) {
  return add(names, help,
             [set = std::move(set)](const std::string&, const std::vector<std::string>& texts) {
               set(texts.back());
             });
}

void Command::add_threads_option() {
  add("--cpu-threads", "Number of threads; 0: one per CPU",
      [](const std::string& option, const std::vector<std::string>& texts) {
        int threads = 0;
        read_number(option, texts.back(), {0}, threads);
        set_thread_count(threads);
      })
      .shows("N")
      .also("--threads")
      .default_is("0");
}

void Command::take_words(std::vector<std::string>& words, const std::string& usage) {
  words_ = &words;
  words_usage_ = usage;
}

bool Command::given(const std::string& option) const {
  const OptionSpec* spec = find_option(option);
  expects(spec != nullptr, "the command has the option");
  return spec->given;
}

std::vector<Option> Command::given_options() const {
  std::vector<Option> given;
  for (const auto& option : options_) {
    if (option->given) given.emplace_back(*option);
  }
  return given;
}

std::string Command::path() const {
  return parent_ == nullptr ? name_ : parent_->path() + " " + name_;
}

Command* Command::find_command(std::string_view name) const {
  for (const auto& command : commands_) {
    if (command->name_ == name) return command.get();
  }
  return nullptr;
}

OptionSpec* Command::find_option(std::string_view name) const {
  for (const auto& option : options_) {
    if (option->answers_to(name)) return option.get();
  }
  return nullptr;
}

std::string Command::hint_on(std::string_view name) const {
  for (const auto& [known, sentence] : hints_) {
    if (known == name) return sentence;
  }
  return {};
}

void Command::run() const {
  std::vector<NamedFile> files;
  for (const auto& option : options_) {
    if (!option->given || !option->file_role) continue;
    for (const std::string& path : option->texts) {
      if (path.empty()) {
        throw UsageError(fmt::format(
            "{} is empty; expected a file or folder (is a variable of the shell unset?)",
            option->name()));
      }
      files.push_back({*option->file_role, option->name(), path, option->output_kind});
    }
  }
  expect_separate_files(files);
  expect_nothing_of_ours(files);
  expect_same_kinds(files);
  run_with_outputs(files, run_);
}

}  // namespace eatt::cli
