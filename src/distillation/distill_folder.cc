#include "distillation/distill_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "text/corpus/problem_json.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Stage = DistillState::Stage;

constexpr uint64_t kMaxStateBytes = 16 << 20;

constexpr std::array<std::string_view, 3> kStageNames = {"translations", "originals", "written"};

Stage stage_from_name(const std::string& name, const std::string& file) {
  const auto found = std::ranges::find(kStageNames, name);
  if (found != kStageNames.end()) return static_cast<Stage>(found - kStageNames.begin());
  throw Error(fmt::format("{}: stage is '{}'; use --overwrite to start anew", file, name));
}

Json to_json(const DistillState& state) {
  return {{"stage", kStageNames[static_cast<size_t>(state.stage)]},
          {"pairs_read", state.pairs_read},
          {"translations", state.translations},
          {"originals", state.originals},
          {"cut", state.cut},
          {"unusable", state.unusable},
          {"target_pieces", state.target_pieces},
          {"seconds", state.seconds},
          {"left_out", problems_to_json(state.left_out)}};
}

DistillState from_json(const Json& json, const std::string& file) {
  return {.stage = stage_from_name(json.at("stage"), file),
          .pairs_read = json.at("pairs_read"),
          .translations = json.at("translations"),
          .originals = json.at("originals"),
          .cut = json.at("cut"),
          .unusable = json.at("unusable"),
          .target_pieces = json.at("target_pieces"),
          .seconds = json.at("seconds"),
          .left_out = problems_from_json(json.at("left_out"))};
}

fs::path part_of(const fs::path& file) { return file.string() + ".part"; }

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path)) return;
  throw Error(fmt::format("{}: cannot be made: {}", path.string(),
                          error ? error.message() : "a file has this name"));
}

FileDescriptor lock_folder(const fs::path& path) {
  FileDescriptor lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open()) {
    throw Error(fmt::format("{}: cannot be opened: {}", path.string(), system_message(errno)));
  }
  // The kernel gives the lock back when the process ends, however it ends.
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(fmt::format(
        "{}: another process is distilling there; wait for it, or choose another --output",
        path.string()));
  }
  return lock;
}

}  // namespace

DistillFolder::DistillFolder(const fs::path& path, const SideNames& names)
    : path_(path),
      source_(path / names.source),
      target_(path / names.target),
      state_file_(path / "distill.json") {
  make_folder(path_);
  lock_ = lock_folder(path_);
  if (fs::exists(state_file_)) return;
  for (const fs::path& file : {source_, target_}) {
    if (!fs::exists(file)) continue;
    throw Error(
        fmt::format("{}: is there already and no distillation made it; choose another --output",
                    file.string()));
  }
}

DistillState DistillFolder::open(const PreparationPlan& plan, bool overwrite) {
  plan_ = plan;
  const std::optional<DistillState> before = read_state(plan, overwrite);
  if (before && before->stage == Stage::written) return *before;
  if (!before) {
    fs::remove(source_);
    fs::remove(target_);
  }
  source_part_.emplace(part_of(source_), source_bytes_);
  target_part_.emplace(part_of(target_), target_bytes_);
  if (!before) save({});
  return before.value_or(DistillState{});
}

std::optional<DistillState> DistillFolder::read_state(const PreparationPlan& plan, bool overwrite) {
  if (!fs::exists(state_file_)) return std::nullopt;
  const std::string name = state_file_.string();
  try {
    const Json json = Json::parse(read_file(state_file_, kMaxStateBytes));
    DistillState state = from_json(json.at("state"), name);
    // A first attempt that came to nothing, perhaps for its options, binds nobody.
    if (state.stage == Stage::translations && state.translations == 0) return std::nullopt;
    expect_same_plan(plan_from_json(json.at("plan").dump(), name), plan, path_.string());
    source_bytes_ = json.at("source_bytes");
    target_bytes_ = json.at("target_bytes");
    return state;
  } catch (const nlohmann::json::exception&) {
    if (!overwrite) throw Error(name + ": is damaged; use --overwrite to start anew");
  } catch (const Error&) {
    if (!overwrite) throw;
  }
  return std::nullopt;
}

void DistillFolder::append(std::string_view source, std::string_view target) {
  source_part_->write(source);
  target_part_->write(target);
}

void DistillFolder::save(const DistillState& state) {
  source_part_->sync();
  target_part_->sync();
  source_bytes_ = source_part_->size();
  target_bytes_ = target_part_->size();
  const Json json = {{"plan", Json::parse(plan_to_json(plan_))},
                     {"source_bytes", source_bytes_},
                     {"target_bytes", target_bytes_},
                     {"state", to_json(state)}};
  write_file_atomically(state_file_,
                        json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

void DistillFolder::publish() {
  source_part_.reset();
  target_part_.reset();
  publish(source_, source_bytes_);
  publish(target_, target_bytes_);
  sync_folder(path_);
}

void DistillFolder::publish(const fs::path& file, uint64_t bytes) const {
  if (fs::exists(part_of(file))) fs::rename(part_of(file), file);
  std::error_code missing;
  const uint64_t found = fs::file_size(file, missing);
  if (!missing && found == bytes) return;
  throw Error(fmt::format(
      "{}: {}, but {} bytes were written; it was changed since: remove the folder to start anew",
      file.string(), missing ? "is missing" : fmt::format("has {} bytes", found), bytes));
}

}  // namespace eatt
