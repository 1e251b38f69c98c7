#include "text/preparation_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "base/atomic_file.h"
#include "base/error.h"
#include "text/data_set_format.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kPlanFile = "plan.json";
constexpr uint64_t kMaxJsonBytes = 16 << 20;

}  // namespace

PreparationFolder::PreparationFolder(const fs::path& path) : path_(path) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_)) {
    throw Error(fmt::format("{}: cannot be made: {}", path_.string(),
                            error ? error.message() : "a file has this name"));
  }
  lock_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock_.is_open()) {
    throw Error(fmt::format("{}: cannot be opened: {}", path_.string(), system_message(errno)));
  }
  // The kernel gives the lock back when the process ends, however it ends.
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(
        fmt::format("{}: another process is preparing a data set there; wait for it, or "
                    "choose another --output",
                    path_.string()));
  }
}

fs::path PreparationFolder::unfinished(std::string_view name) const {
  return path_ / kUnfinishedFolder / name;
}

bool PreparationFolder::is_complete() const { return fs::exists(path_ / kDataSetFile); }

std::optional<PreparationPlan> PreparationFolder::interrupted_plan() const {
  const fs::path file = unfinished(kPlanFile);
  if (!fs::exists(file)) return std::nullopt;
  return plan_from_json(read_file(file, kMaxJsonBytes), file.string());
}

void PreparationFolder::begin(const PreparationPlan& plan) {
  fs::create_directories(path_ / kUnfinishedFolder);
  write_file_atomically(unfinished(kPlanFile), plan_to_json(plan));
}

void PreparationFolder::clear() {
  // Without its description nobody takes the rest for a data set; the new one's files replace it.
  // They stay until then, as one of them may be a vocabulary that is to be used again.
  fs::remove(path_ / kDataSetFile);
  sync_folder(path_);
  fs::remove_all(path_ / kUnfinishedFolder);
}

void PreparationFolder::publish(std::string_view file) const {
  const fs::path from = unfinished(file);
  if (!fs::exists(from)) return;  // Moved by a run that was interrupted right after.
  fs::rename(from, path_ / file);
  sync_folder(path_);
}

void PreparationFolder::remove_unfinished() const { fs::remove_all(path_ / kUnfinishedFolder); }

}  // namespace eatt
