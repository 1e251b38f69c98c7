#include "base/files/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace eatt {

PartFile::PartFile(std::filesystem::path path, uint64_t keep) : path_(std::move(path)) {
  FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  struct stat info {};
  if (!file.is_open() || ::fstat(file.get(), &info) != 0) fail("cannot be written", errno);
  const auto found = static_cast<uint64_t>(info.st_size);
  if (found < keep) {
    throw Error(
        fmt::format("{}: has {} bytes, but {} were written by the run to be continued; start over",
                    path_.string(), found, keep));
  }
  if (::ftruncate(file.get(), static_cast<off_t>(keep)) != 0) fail("cannot be cut off", errno);
  file_ = FileWriter(std::move(file), keep);
}

void PartFile::write(std::string_view bytes) {
  if (const int error = file_.write(bytes)) fail("cannot be written", error);
}

void PartFile::overwrite(uint64_t offset, std::string_view bytes) {
  if (const int error = file_.overwrite(offset, bytes)) fail("cannot be written", error);
}

void PartFile::sync() {
  if (const int error = file_.flush()) fail("cannot be written", error);
  if (::fdatasync(file_.descriptor()) != 0) fail("cannot be synced", errno);
}

void PartFile::fail(const char* action, int error_number) const {
  throw Error(fmt::format("{}: {}: {}", path_.string(), action, system_message(error_number)));
}

}  // namespace eatt
