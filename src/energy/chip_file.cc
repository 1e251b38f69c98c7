#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/utf8.h"
#include "energy/chip.h"

namespace eatt::energy {
namespace {

// One joule: far more than any operation takes, and small enough for sums of prices.
constexpr double kHighestPrice = 1e12;

// What a key of "left_out" or "notes" refers to.
struct Subject {
  std::optional<Operation> operation;  // Without one: memory.
  std::optional<Number> number;        // Without one: all kinds.

  bool covers(Operation one, Number kind) const {
    return operation == one && number.value_or(kind) == kind;
  }
};

template <typename Kind, size_t size>
std::optional<Kind> kind_named(std::string_view name, const std::array<Kind, size>& kinds) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](Kind kind) { return name_of(kind) == name; });
  if (found == kinds.end()) return std::nullopt;
  return *found;
}

std::optional<Subject> parse_subject(std::string_view key) {
  if (key == "memory") return Subject{};
  const size_t slash = key.find('/');
  const auto operation = kind_named(key.substr(0, slash), kOperations);
  if (!operation) return std::nullopt;
  if (slash == std::string_view::npos) return Subject{operation, std::nullopt};
  const auto number = kind_named(key.substr(slash + 1), kNumbers);
  if (!number) return std::nullopt;
  return Subject{operation, number};
}

class ChipReader {
 public:
  ChipReader(std::string_view json, const std::string& file)
      : origin_{file,
                "\"Chips\" in docs/energy.md has the format, and `eatt energy chips --json cmos45` "
                "prints a file to start from"},
        json_(parse_json(json, origin_, {.max_bytes = kLargestChipFile})) {
    chip_.json = json;
  }

  Chip read() {
    const JsonNode root(json_, origin_);
    root.allow_only(
        {"format_version", "name", "title", "source", "operations", "left_out", "memory", "notes"});
    if (const JsonNode version = root["format_version"]; version.number() != 1) {
      version.fail("1, the only version so far");
    }
    chip_.name = name(root["name"]);
    chip_.title = line(root["title"]);
    chip_.source = line(root["source"]);
    read_operations(root["operations"]);
    if (const auto memory = root.find("memory")) read_memories(*memory);
    if (const auto left_out = root.find("left_out")) read_left_out(*left_out);
    if (const auto notes = root.find("notes")) read_notes(*notes);
    return std::move(chip_);
  }

 private:
  [[noreturn]] void fail_at(const JsonNode& node, std::string_view what) const {
    throw Error(fmt::format("{}: {}: {}; {}", origin_.file, node.path(), what, origin_.advice));
  }

  // A name that is easy to type and cannot be taken for a path.
  static std::string name(const JsonNode& node) {
    const std::string name = node.text();
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_' || c == '.';
    });
    if (name.empty() || name.size() > 40 || !plain || name.ends_with(".json")) {
      node.fail("1 to 40 letters, digits, dots, hyphens and underscores, without .json at the end");
    }
    return name;
  }

  // A line for people to read, so it must not be blank.
  static std::string line(const JsonNode& node) {
    const std::string text = node.text(2000);
    if (is_blank(text) || has_control_characters(text)) {
      node.fail(
          "a text that is not empty and has neither line breaks nor control, directional or "
          "zero-width characters");
    }
    return text;
  }

  static double price(const JsonNode& node) {
    const double price = node.number();
    if (!(price >= 0 && price <= kHighestPrice)) {
      node.fail(fmt::format("picojoules from 0 to {:g}", kHighestPrice));
    }
    return std::abs(price);  // Of -0.
  }

  void read_operations(const JsonNode& node) {
    node.allow_only(kOperationNames);
    for (const auto& [operation, prices] : node.members()) {
      prices.allow_only(kNumberNames);
      for (const auto& [number, value] : prices.members()) {
        chip_.price(*kind_named(operation, kOperations), *kind_named(number, kNumbers)) =
            price(value);
      }
    }
  }

  void read_memories(const JsonNode& node) {
    const std::vector<JsonNode> memories = node.items();
    if (memories.empty()) node.fail("at least one memory, or a reason under left_out");
    for (const JsonNode& memory : memories) {
      memory.allow_only({"name", "bytes", "picojoules_per_byte"});
      Memory read{.name = line(memory["name"]),
                  .bytes = std::nullopt,
                  .picojoules_per_byte = price(memory["picojoules_per_byte"])};
      if (const auto bytes = memory.find("bytes")) read.bytes = bytes->integer(1, UINT64_MAX);
      check_next_memory(memory, read, /*is_last=*/chip_.memories.size() + 1 == memories.size());
      chip_.memories.push_back(std::move(read));
    }
  }

  void check_next_memory(const JsonNode& node, const Memory& memory, bool is_last) const {
    if (is_last && memory.bytes) {
      node["bytes"].fail("no bytes: the last memory holds whatever the others do not");
    }
    if (!is_last && !memory.bytes) {
      fail_at(node, "has no bytes, expected its size: only the last memory is without bounds");
    }
    for (const Memory& before : chip_.memories) {
      if (before.name == memory.name) node["name"].fail("a name that no other memory has");
      if (!is_last && memory.bytes <= before.bytes) {
        node["bytes"].fail("a memory larger than those before it");
      }
    }
  }

  Subject subject(const std::string& key, const JsonNode& node) const {
    if (const auto subject = parse_subject(key)) return *subject;
    fail_at(node, fmt::format("speaks of something unknown, expected memory, an operation ({}), or "
                              "an operation and a kind of number ({}), as in add/int8",
                              fmt::join(kOperationNames, ", "), fmt::join(kNumberNames, ", ")));
  }

  bool prices_any_of(const Subject& subject) const {
    if (!subject.operation) return !chip_.memories.empty();
    return std::any_of(kNumbers.begin(), kNumbers.end(), [&](Number number) {
      return subject.covers(*subject.operation, number) && chip_.price(*subject.operation, number);
    });
  }

  void read_left_out(const JsonNode& node) {
    for (const auto& [key, reason] : node.members()) {
      const Subject left_out = subject(key, reason);
      if (prices_any_of(left_out)) {
        fail_at(reason, "is left out but has a price too, expected one of the two");
      }
      if (left_out.number && chip_.left_out.contains(std::string(name_of(*left_out.operation)))) {
        fail_at(reason, fmt::format("is left out twice, by {} too, expected once",
                                    name_of(*left_out.operation)));
      }
      chip_.left_out.emplace(key, line(reason));
    }
  }

  void read_notes(const JsonNode& node) {
    for (const auto& [key, note] : node.members()) {
      if (!prices_any_of(subject(key, note))) {
        fail_at(note, "is a note on something without a price, expected a price too");
      }
      chip_.notes.emplace(key, line(note));
    }
  }

  JsonOrigin origin_;
  nlohmann::json json_;
  Chip chip_;
};

}  // namespace

Chip parse_chip(std::string_view json, const std::string& file) {
  return ChipReader(json, file).read();
}

}  // namespace eatt::energy
