#include "bundle/bundle_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace eatt {

BundleFolder::BundleFolder(std::filesystem::path path)
    : path_(std::move(path)), folder_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.is_open()) return;
  if (errno == ENOTDIR) {
    throw Error(fmt::format(
        "{}: is a file, expected a bundle: the folder that holds config.json and the weights",
        path_.string()));
  }
  throw Error(fmt::format("{}: cannot be opened: {}; expected a bundle, a folder with config.json",
                          path_.string(), system_message(errno)));
}

uint64_t BundleFolder::file_bytes(const std::string& name) const {
  struct stat info {};
  if (::fstatat(folder_.get(), name.c_str(), &info, 0) != 0) {
    const char* advice = errno == ENOENT  ? "copy the bundle again, with all its files"
                         : errno == ELOOP ? "replace the link by the file"
                                          : "check the permissions";
    throw Error(fmt::format("{}: {}: {}; {}", shown(name),
                            errno == ENOENT ? "is missing" : "cannot be opened",
                            system_message(errno), advice));
  }
  if (S_ISDIR(info.st_mode)) {
    throw Error(
        fmt::format("{}: is a folder, expected a file; copy the bundle again", shown(name)));
  }
  if (!S_ISREG(info.st_mode)) {
    throw Error(fmt::format("{}: is a device or a pipe, expected a file; copy the bundle again",
                            shown(name)));
  }
  return static_cast<uint64_t>(info.st_size);
}

MappedFile BundleFolder::map(const std::string& name) const {
  return MappedFile(folder_, name, shown(name));
}

bool BundleFolder::was_replaced() const {
  struct stat held {};
  struct stat named {};
  return ::fstat(folder_.get(), &held) == 0 && ::stat(path_.c_str(), &named) == 0 &&
         (held.st_dev != named.st_dev || held.st_ino != named.st_ino);
}

}  // namespace eatt
