#include "training/run/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>

#include "base/error.h"
#include "base/files/atomic_file.h"

namespace eatt {

RunFolder::RunFolder(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code problem;
  std::filesystem::create_directories(checkpoints(), problem);
  if (problem) {
    throw Error(fmt::format("{}: cannot be created: {}", path_.string(), problem.message()));
  }
  const auto file = path_ / "lock";
  lock_ = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!lock_.is_open()) {
    throw Error(fmt::format("{}: cannot be opened: {}", file.string(), system_message(errno)));
  }
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    std::string holder = "another process";
    if (const std::string id = read_file(file, 100); !id.empty()) holder = "process " + id;
    throw Error(fmt::format(
        "{}: {} is training in this folder; wait for it, stop it, or choose another --model",
        path_.string(), holder));
  }
  // What a killed process was writing or removing.
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("removed-") || name.find(".tmp-") != name.npos) {
      std::filesystem::remove_all(entry.path());
    }
  }
  const std::string id = std::to_string(::getpid());
  if (::ftruncate(lock_.get(), 0) != 0 || write_all_at(lock_.get(), id, 0) != 0) {
    throw Error(fmt::format("{}: cannot be written: {}", file.string(), system_message(errno)));
  }
}

}  // namespace eatt
