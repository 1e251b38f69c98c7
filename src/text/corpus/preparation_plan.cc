#include "text/corpus/preparation_plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "text/corpus/spool.h"

namespace eatt {
namespace {

// Size and time of change stand for the content: to read 10 GB only to see that nothing changed
// would be unkind.
std::string describe_file(const TextFile& file) {
  if (is_read_once(file)) return file.name + ", read once";
  struct stat info {};
  if (::stat(file.path.c_str(), &info) != 0) {
    throw Error(fmt::format("{}: cannot be read: {}", file.name, system_message(errno)));
  }
  return fmt::format("{}, {} bytes, modified {:%Y-%m-%d %H:%M:%S}.{:09} UTC", file.name,
                     info.st_size, fmt::gmtime(info.st_mtim.tv_sec), info.st_mtim.tv_nsec);
}

void add_inputs(const PrepareOptions& options, PreparationPlan& plan) {
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const PairInput& input = options.inputs[i];
    const std::string key = fmt::format("input {}", i + 1);
    if (input.is_tsv()) {
      plan.emplace_back(key + " (TSV)", describe_file(input.source));
    } else {
      plan.emplace_back(key + " source", describe_file(input.source));
      plan.emplace_back(key + " target", describe_file(input.target));
    }
  }
}

void add_pieces(const PrepareOptions& options, PreparationPlan& plan) {
  if (!options.piece_models.empty()) {
    for (const auto& model : options.piece_models) {
      plan.emplace_back(fmt::format("--pieces {}", model.string()),
                        "SHA-256 " + sha256_of_file(model));
    }
    return;
  }
  const PieceTrainingOptions& pieces = options.pieces;
  plan.emplace_back("vocabulary", options.joint_vocabulary ? "joint" : "separate");
  plan.emplace_back("--vocab-size",
                    options.joint_vocabulary || options.target_vocab_size == 0
                        ? fmt::format("{}", pieces.vocab_size)
                        : fmt::format("{} {}", pieces.vocab_size, options.target_vocab_size));
  plan.emplace_back("--character-coverage", pieces.character_coverage == 0
                                                ? "automatic"
                                                : fmt::format("{}", pieces.character_coverage));
  plan.emplace_back("--byte-fallback", pieces.byte_fallback ? "yes" : "no");
  plan.emplace_back("--sample-size", fmt::format("{}", options.sample_size));
  plan.emplace_back("--sample-characters", fmt::format("{}", pieces.max_characters));
  plan.emplace_back("--seed", fmt::format("{}", options.seed));
}

}  // namespace

PreparationPlan make_plan(const PrepareOptions& options) {
  PreparationPlan plan;
  add_inputs(options, plan);
  add_pieces(options, plan);
  plan.emplace_back("--max-line-bytes", fmt::format("{}", options.max_line_bytes));
  plan.emplace_back("--max-length", fmt::format("{}", options.max_length));
  plan.emplace_back("--bad-lines", options.bad_lines == BadLines::drop ? "drop" : "refuse");
  // As it will be read back: a file name need not be UTF-8, JSON must.
  return plan_from_json(plan_to_json(plan), "plan");
}

void expect_same_plan(const PreparationPlan& before, const PreparationPlan& now,
                      std::string_view folder) {
  const auto find = [](const PreparationPlan& plan, const std::string& key) {
    const auto entry = std::ranges::find(plan, key, [](const auto& item) { return item.first; });
    return entry == plan.end() ? std::string("not given") : entry->second;
  };
  std::vector<std::string> keys;
  for (const auto& plan : {before, now}) {
    for (const auto& [key, value] : plan) keys.push_back(key);
  }
  for (const std::string& key : keys) {
    const std::string old_value = find(before, key), new_value = find(now, key);
    if (old_value == new_value) continue;
    throw Error(
        fmt::format("{}: was made with {} '{}', but this command has '{}'; give the same again, "
                    "another --output, "
                    "or --overwrite to start anew",
                    folder, key, old_value, new_value));
  }
}

std::string plan_to_json(const PreparationPlan& plan) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : plan) json[key] = value;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

PreparationPlan plan_from_json(std::string_view text, const std::string& name) {
  const JsonOrigin origin{name, "use --overwrite to start anew"};
  PreparationPlan plan;
  const auto json =
      parse_ordered_json(text, origin, {.max_bytes = 16 << 20, .max_values = 100'000});
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) throw Error(name + ": is damaged; use --overwrite to start anew");
    plan.emplace_back(key, value.get<std::string>());
  }
  return plan;
}

}  // namespace eatt
