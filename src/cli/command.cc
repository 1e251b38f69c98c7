#include "cli/command.h"

#include <CLI/CLI.hpp>

#include "base/threads.h"

namespace eatt::cli {
namespace {

// Help whose line of usage shows what follows "--", too: CLI11 never sees that.
class UsageWithWords : public CLI::Formatter {
 public:
  UsageWithWords(size_t columns, std::string words) : words_(std::move(words)) {
    column_width(columns);
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = Formatter::make_usage(app, std::move(name));
    return usage.insert(usage.find_last_not_of('\n') + 1, " " + words_);
  }

 private:
  std::string words_;
};

}  // namespace

Option& Option::shows(const std::string& value) {
  option_->option_text(value);
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::needs(const Option& other) {
  option_->needs(other.option_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::takes(int least, int most) {
  option_->expected(least, most);
  if (least == 0) option_->default_str("true");
  return *this;
}

Option& Option::split_at(char separator) {
  option_->delimiter(separator);
  return *this;
}

Option& Option::last_counts() {
  option_->take_last();
  return *this;
}

bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }
std::string Option::heading() const { return option_->get_group(); }

Command::~Command() = default;

Command& Command::add_command(const std::string& name, const std::string& description,
                              const std::string& example) {
  CLI::App* app = app_->add_subcommand(name, description);
  app->footer("\nExample:\n  " + example);
  app_->require_subcommand(1);
  commands_.emplace_back(new Command(std::shared_ptr<CLI::App>(app_, app)));
  return *commands_.back();
}

void Command::add_note(const std::string& note) {
  const std::string example = app_->get_footer();
  app_->footer(example.empty() ? note : note + "\n" + example);
}

void Command::on_run(std::function<void()> run) { app_->callback(std::move(run)); }

Option Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(*app_->add_flag(names, value, help));
}

Option Command::add_flag(const std::string& names, std::function<void(bool)> set,
                         const std::string& help) {
  return Option(*app_->add_flag_function(
      names, [set = std::move(set)](int64_t on) { set(on > 0); }, help));
}

Option Command::add_setting(const std::string& names, std::function<void(const std::string&)> set,
                            const std::string& help) {
  return Option(*app_->add_option_function<std::string>(names, std::move(set), help));
}

Option Command::add_value(const std::string& names, ReadValue read, const std::string& help) {
  const auto name = std::make_shared<std::string>();
  CLI::Option* option = app_->add_option_function<std::string>(
      names, [read = std::move(read), name](const std::string& text) { read(*name, text); }, help);
  *name = option->get_name();
  return Option(*option);
}

Option Command::add_list(const std::string& names, ReadList read, const std::string& help) {
  const auto name = std::make_shared<std::string>();
  CLI::Option* option = app_->add_option_function<std::vector<std::string>>(
      names,
      [read = std::move(read), name](const std::vector<std::string>& texts) { read(*name, texts); },
      help);
  *name = option->get_name();
  return Option(*option);
}

void Command::add_threads_option() {
  add_value(
      "--cpu-threads",
      [](const std::string& option, const std::string& text) {
        int threads = 0;
        read_number(option, text, {0}, threads);
        set_thread_count(threads);
      },
      "Threads to compute with; 0 for all CPUs")
      .shows("N");
}

void Command::take_words(std::vector<std::string>& words, const std::string& usage) {
  words_ = &words;
  words_usage_ = usage;
  app_->formatter(
      std::make_shared<UsageWithWords>(app_->get_formatter()->get_column_width(), usage));
}

bool Command::given(const std::string& option) const { return app_->count(option) > 0; }

std::vector<Option> Command::given_options() const {
  std::vector<Option> options;
  for (CLI::Option* option : app_->get_options()) {
    if (option->count() > 0) options.emplace_back(*option);
  }
  return options;
}

Command* Command::find(std::string_view name) const {
  for (const auto& command : commands_) {
    if (command->app_->get_name() == name) return command.get();
  }
  return nullptr;
}

}  // namespace eatt::cli
