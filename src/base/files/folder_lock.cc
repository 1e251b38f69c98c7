#include "base/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

namespace eatt {

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && std::filesystem::is_directory(folder, error)) return;
  throw Error(fmt::format("{}: cannot be created: {}", folder.string(),
                          error ? error.message() : "a file has this name"));
}

MissingFolders::MissingFolders(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (auto path = std::filesystem::absolute(folder, ignored).lexically_normal();
       path.has_relative_path() && !std::filesystem::exists(path, ignored);
       path = path.parent_path()) {
    paths_.push_back(path);
  }
}

void MissingFolders::remove_empty() const {
  std::error_code not_empty;
  for (const auto& path : paths_) std::filesystem::remove(path, not_empty);
}

FolderLock::FolderLock(const std::filesystem::path& folder, const LockPurpose& purpose) {
  make_folder(folder);
  folder_ = FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.is_open()) {
    throw Error(fmt::format("{}: cannot be opened: {}", folder.string(), system_message(errno)));
  }
  // Some network file systems cannot lock a folder (EBADF, ENOLCK): continue without a lock.
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw Error(fmt::format("{}: another process is {} there; wait for it, or choose another {}",
                            folder.string(), purpose.work, purpose.option));
  }
}

}  // namespace eatt
