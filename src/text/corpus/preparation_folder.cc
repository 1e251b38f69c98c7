#include "text/corpus/preparation_folder.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "text/data/data_set_format.h"

namespace eatt {
bool is_read_once(const TextFile& file) {
  if (file.path == "-") return true;
  struct stat info {};
  // What is missing is reported when it is opened.
  return ::stat(file.path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool has_file_read_once(const PairInput& input) {
  return is_read_once(input.source) || is_read_once(input.target) || is_read_once(input.links);
}

Spool::Spool(const TextFile& file, const std::filesystem::path& folder)
    : file_(open_unnamed_file(folder)) {
  const auto fail = [&](int error_number) {
    throw Error(fmt::format("{}: cannot keep a copy of {} there: {}", folder.string(), file.name,
                            system_message(error_number)));
  };
  const auto source = open_bytes(file);
  std::vector<char> block(1 << 20);
  while (const size_t got = source->read(block)) {
    if (const int error = file_.write({block.data(), got})) fail(error);
  }
  if (const int error = file_.flush()) fail(error);
  copy_.path = fmt::format("/proc/self/fd/{}", file_.descriptor());
  copy_.name = file.name;
}

namespace {

// Size and modification time stand for the content: reading 10 GB only to see that nothing changed
// would take too long.
std::string describe_file(const TextFile& file) {
  if (is_read_once(file)) return file.name + ", read once";
  struct stat info {};
  if (::stat(file.path.c_str(), &info) != 0) {
    throw Error(fmt::format("{}: cannot be read: {}", file.name, system_message(errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    throw Error(fmt::format("{}: is a folder, expected a text file", file.name));
  }
  return fmt::format("{}, {} bytes, modified {:%Y-%m-%d %H:%M:%S}.{:09} UTC", file.name,
                     info.st_size, fmt::gmtime(info.st_mtim.tv_sec), info.st_mtim.tv_nsec);
}

void add_inputs(const PrepareOptions& options, PreparationPlan& plan) {
  for (size_t i = 0; i < options.inputs.size(); ++i) {
    const PairInput& input = options.inputs[i];
    const std::string key = fmt::format("input {}", i + 1);
    if (input.is_tsv()) {
      plan.emplace_back(fmt::format("{} ({})", key, input.tsv_description()),
                        describe_file(input.source));
    } else {
      plan.emplace_back(key + " source", describe_file(input.source));
      plan.emplace_back(key + " target", describe_file(input.target));
    }
    if (input.has_links()) plan.emplace_back(key + " links", describe_file(input.links));
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

namespace {

// Only those that are asked for, so that a data set of an earlier version counts as made by the
// same command.
void add_filters(const PairFilters& filters, PreparationPlan& plan) {
  if (filters.min_length > 1) {
    plan.emplace_back("--min-length", fmt::format("{}", filters.min_length));
  }
  if (filters.max_ratio) plan.emplace_back("--max-ratio", fmt::format("{}", *filters.max_ratio));
  if (filters.drop_identical) plan.emplace_back("--drop-identical", "yes");
  if (filters.drop_duplicates) plan.emplace_back("--drop-duplicates", "yes");
  if (!filters.source_script && !filters.target_script) return;
  const auto name = [](const std::optional<Script>& script) {
    return script ? name_of_script(*script) : std::string("any");
  };
  plan.emplace_back("--require-script",
                    fmt::format("{} {}", name(filters.source_script), name(filters.target_script)));
  plan.emplace_back("--min-script-share", fmt::format("{}", filters.min_script_share));
}

}  // namespace

PreparationPlan make_plan(const PrepareOptions& options) {
  PreparationPlan plan;
  add_inputs(options, plan);
  add_pieces(options, plan);
  plan.emplace_back("--max-line-bytes", fmt::format("{}", options.max_line_bytes));
  plan.emplace_back("--max-length", fmt::format("{}", options.max_length));
  plan.emplace_back("--bad-lines", options.bad_lines == BadLines::drop ? "drop" : "refuse");
  add_filters(options.filters, plan);
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
                    "or --overwrite to start over",
                    folder, key, old_value, new_value));
  }
}

std::string plan_to_json(const PreparationPlan& plan) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : plan) json[key] = value;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

PreparationPlan plan_from_json(std::string_view text, const std::string& name) {
  const JsonOrigin origin{name, "use --overwrite to start over"};
  PreparationPlan plan;
  const auto json =
      parse_ordered_json(text, origin, {.max_bytes = 16 << 20, .max_values = 100'000});
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) throw Error(name + ": is damaged; use --overwrite to start over");
    plan.emplace_back(key, value.get<std::string>());
  }
  return plan;
}

namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPlanFile = "plan.json";
constexpr uint64_t kMaxJsonBytes = 16 << 20;

}  // namespace

PreparationFolder::PreparationFolder(const fs::path& path)
    : path_(path),
      made_(path),
      lock_(path, {.work = "preparing a data set", .option = "--output"}) {}

fs::path PreparationFolder::unfinished(std::string_view name) const {
  return path_ / kUnfinishedFolder / name;
}

bool PreparationFolder::is_complete() const { return fs::exists(path_ / kDataSetFile); }

std::optional<PreparationPlan> PreparationFolder::interrupted_plan() const {
  const fs::path file = unfinished(kPlanFile);
  if (!fs::exists(file)) return std::nullopt;
  // Killed after the last file was moved up, before the rest was removed: nothing is left to do.
  const bool is_moved_away = fs::exists(unfinished(kEncodingFile)) &&
                             !fs::exists(unfinished(file_name(DataKind::source))) &&
                             !fs::exists(unfinished(kDataSetFile));
  if (is_moved_away) return std::nullopt;
  return plan_from_json(read_file(file, kMaxJsonBytes), file.string());
}

bool PreparationFolder::has_work_done() const {
  for (const auto& entry : fs::directory_iterator(path_ / kUnfinishedFolder)) {
    const auto kind = entry.path().extension();
    if (kind == ".spm" || kind == ".bin") return true;
  }
  return false;
}

void PreparationFolder::begin(const PreparationPlan& plan) const {
  remove_unfinished();
  fs::create_directories(path_ / kUnfinishedFolder);
  write_file_atomically(unfinished(kPlanFile), plan_to_json(plan));
}

void PreparationFolder::publish(const std::vector<std::string>& files,
                                const std::function<void(std::string_view)>& after_each) const {
  // First removes the description of an older data set: a mixture must not pass for one.
  const fs::path description = path_ / kDataSetFile;
  if (fs::exists(unfinished(kDataSetFile))) {
    fs::remove(description);
    sync_folder(path_);
  }
  const auto move_up = [&](std::string_view file) {
    if (!fs::exists(unfinished(file))) return;  // Moved by a run that was killed right after.
    fs::rename(unfinished(file), path_ / file);
    sync_folder(path_);
    if (after_each) after_each(file);
  };
  for (const std::string& file : files) move_up(file);
  move_up(kDataSetFile);
}

void PreparationFolder::remove_unfinished() const { fs::remove_all(path_ / kUnfinishedFolder); }

void PreparationFolder::remove_failed_start() const {
  if (fs::exists(path_ / kUnfinishedFolder)) {
    if (has_work_done()) return;
    remove_unfinished();
  }
  made_.remove_empty();
}

}  // namespace eatt
