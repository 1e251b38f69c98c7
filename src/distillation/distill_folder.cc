#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "distillation/distill.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Stage = DistillState::Stage;

constexpr uint64_t kMaxStateBytes = 16 << 20;

constexpr std::array<std::string_view, 3> kStageNames = {"translations", "originals", "written"};

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

DistillState from_json(const JsonNode& node) {
  const auto count = [&](std::string_view key) { return node[key].integer(0, UINT64_MAX); };
  return {.stage = static_cast<Stage>(node["stage"].choice(kStageNames)),
          .pairs_read = count("pairs_read"),
          .translations = count("translations"),
          .originals = count("originals"),
          .cut = count("cut"),
          .unusable = count("unusable"),
          .target_pieces = count("target_pieces"),
          .seconds = node["seconds"].number(),
          .left_out = problems_from_json(node["left_out"])};
}

fs::path part_of(const fs::path& file) { return file.string() + ".part"; }

}  // namespace

DistillFolder::DistillFolder(const fs::path& path, const SideNames& names)
    : path_(path),
      source_(path / names.source),
      target_(path / names.target),
      state_file_(path / "distill.json"),
      lock_(path, {.work = "distilling", .option = "--output"}) {
  if (fs::exists(state_file_)) return;
  for (const fs::path& file : {source_, target_}) {
    if (!fs::exists(file)) continue;
    throw Error(fmt::format(
        "{}: exists already and was not made by a distillation; choose another --output",
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
  const JsonOrigin origin{state_file_.string(), "use --overwrite to start over"};
  const JsonLimits limits{.max_bytes = kMaxStateBytes};
  try {
    const std::string text = read_file(state_file_, kMaxStateBytes);
    const nlohmann::json json = parse_json(text, origin, limits);
    const JsonNode root(json, origin);
    DistillState state = from_json(root["state"]);
    // A first attempt that wrote nothing does not restrict the options of the next.
    if (state.stage == Stage::translations && state.translations == 0) return std::nullopt;
    root["plan"].members();  // Throws if it is missing or not an object.
    const Json ordered = parse_ordered_json(text, origin, limits);
    expect_same_plan(plan_from_json(ordered["plan"].dump(), origin.file), plan, path_.string());
    source_bytes_ = root["source_bytes"].integer(0, UINT64_MAX);
    target_bytes_ = root["target_bytes"].integer(0, UINT64_MAX);
    return state;
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

void DistillFolder::discard() {
  source_part_.reset();
  target_part_.reset();
  for (const fs::path& file : {part_of(source_), part_of(target_), state_file_}) fs::remove(file);
}

void DistillFolder::publish(const fs::path& file, uint64_t bytes) const {
  if (fs::exists(part_of(file))) fs::rename(part_of(file), file);
  std::error_code missing;
  const uint64_t found = fs::file_size(file, missing);
  if (!missing && found == bytes) return;
  throw Error(fmt::format(
      "{}: {}, but {} bytes were written, so it has changed since; remove the folder to start over",
      file.string(), missing ? "is missing" : fmt::format("has {} bytes", found), bytes));
}

}  // namespace eatt
