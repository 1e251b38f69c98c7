// Options by name. One table describes a struct of options; the command line, recipes, the C
// interface and range checks all read that table.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eatt {

// The numbers that an option accepts. Infinity and NaN are never among them.
struct Range {
  double least = std::numeric_limits<double>::lowest();
  double most = std::numeric_limits<double>::max();
  bool above_least = false;  // `least` itself is too small.
};

// Throws the UsageError "--beam-size is 'x'; expected an integer from 1 to 10000".
[[noreturn]] void refuse_value(std::string_view option, std::string_view found,
                               std::string_view expected);

// "13a, intl or none", for the end of such a message.
std::string one_of(std::span<const std::string_view> names);

// Reads the text of an option into `value`, or throws a UsageError and leaves `value` alone.
// `option` is what the message calls it. For all integer types, float and double.
template <typename Number>
void read_number(std::string_view option, std::string_view text, Range range, Number& value);
void read_switch(std::string_view option, std::string_view text, bool& value);
// The index of `text` among `names`, in any letter case.
size_t read_choice(std::string_view option, std::string_view text,
                   std::span<const std::string_view> names);

// Throws the same UsageError if the value is out of range.
template <typename Number>
void check_number(std::string_view option, Range range, Number value);
// The shortest text that read_number() reads as the same value.
template <typename Number>
std::string print_number(Number value);

// One option of a struct.
template <typename Struct>
struct OptionField {
  std::string name;      // Without hyphens in front: "beam-size".
  std::string value;     // What help shows for its value: "N", "pre|post"; empty for a switch.
  std::string help;      // A line.
  std::string group;     // Its heading in the help.
  bool is_text = false;  // Recipes put its value in quotes.
  std::vector<std::string> choices{};  // Of a text: words to offer, of which `value` shows none.

  // Throws a UsageError that names the option, what was found and what was expected.
  std::function<void(Struct&, std::string_view)> set;
  std::function<std::string(const Struct&)> get;
  // Throws the same UsageError for a value that set() would refuse.
  std::function<void(const Struct&)> check;
};

// The options of a struct, in the order in which help and recipes show them.
template <typename Struct>
class OptionTable {
 public:
  using Field = OptionField<Struct>;

  // Options that are added from now on appear under this heading.
  OptionTable& group(std::string name) {
    group_ = std::move(name);
    return *this;
  }

  template <typename Number>
  OptionTable& number(std::string name, std::string value, Number Struct::*field, Range range,
                      std::string help) {
    const std::string flag = "--" + name;
    Field made = described(std::move(name), std::move(value), std::move(help));
    made.set = [=](Struct& options, std::string_view text) {
      read_number(flag, text, range, options.*field);
    };
    made.get = [=](const Struct& options) { return print_number(options.*field); };
    made.check = [=](const Struct& options) { check_number(flag, range, options.*field); };
    return add(std::move(made));
  }

  OptionTable& toggle(std::string name, bool Struct::*field, std::string help) {
    const std::string flag = "--" + name;
    Field made = described(std::move(name), "", std::move(help));
    made.set = [=](Struct& options, std::string_view text) {
      read_switch(flag, text, options.*field);
    };
    made.get = [=](const Struct& options) { return options.*field ? "true" : "false"; };
    return add(std::move(made));
  }

  // A switch that turns the field off: "no-hash".
  OptionTable& toggle_off(std::string name, bool Struct::*field, std::string help) {
    const std::string flag = "--" + name;
    Field made = described(std::move(name), "", std::move(help));
    made.set = [=](Struct& options, std::string_view text) {
      bool off = false;
      read_switch(flag, text, off);
      options.*field = !off;
    };
    made.get = [=](const Struct& options) { return options.*field ? "false" : "true"; };
    return add(std::move(made));
  }

  OptionTable& text(std::string name, std::string value, std::string Struct::*field,
                    std::string help, std::span<const std::string_view> choices = {}) {
    Field made = described(std::move(name), std::move(value), std::move(help));
    made.is_text = true;
    made.choices.assign(choices.begin(), choices.end());
    made.set = [=](Struct& options, std::string_view given) { options.*field = given; };
    made.get = [=](const Struct& options) { return options.*field; };
    return add(std::move(made));
  }

  // `names` are those of an enum's values, in their order; they must outlive the table.
  template <typename Enum, size_t N>
  OptionTable& choice(std::string name, Enum Struct::*field,
                      const std::array<std::string_view, N>& names, std::string help) {
    const std::string flag = "--" + name;
    std::string shown;
    for (const std::string_view one : names) (shown += shown.empty() ? "" : "|") += one;
    Field made = described(std::move(name), std::move(shown), std::move(help));
    made.is_text = true;
    made.set = [=, &names](Struct& options, std::string_view text) {
      options.*field = static_cast<Enum>(read_choice(flag, text, names));
    };
    made.get = [=, &names](const Struct& options) {
      return std::string(names[static_cast<size_t>(options.*field)]);
    };
    return add(std::move(made));
  }

  // An option of any other kind.
  OptionTable& add(Field field) {
    field.group = group_;
    fields_.push_back(std::move(field));
    return *this;
  }

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

  // Null if there is none of that name.
  const Field* find(std::string_view name) const {
    for (const Field& field : fields_) {
      if (field.name == name) return &field;
    }
    return nullptr;
  }

  // Throws a UsageError about the first value that is out of range.
  void check(const Struct& options) const {
    for (const Field& field : fields_) {
      if (field.check) field.check(options);
    }
  }

 private:
  static Field described(std::string name, std::string value, std::string help) {
    Field field;
    field.name = std::move(name);
    field.value = std::move(value);
    field.help = std::move(help);
    return field;
  }

  std::string group_;
  std::vector<Field> fields_;
};

}  // namespace eatt
