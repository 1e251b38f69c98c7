#include "text/corpus/preparation_folder.h"

#include "base/files/atomic_file.h"
#include "text/data/data_set_format.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPlanFile = "plan.json";
constexpr uint64_t kMaxJsonBytes = 16 << 20;

}  // namespace

PreparationFolder::PreparationFolder(const fs::path& path)
    : path_(path), lock_(path, {.work = "preparing a data set", .option = "--output"}) {}

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
  // First an older data set loses its description: a mixture must not be taken for one.
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

}  // namespace eatt
