#include "base/files/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.h"

namespace eatt {

MappedFile::MappedFile(const std::filesystem::path& path) { map(AT_FDCWD, path.c_str(), path); }

MappedFile::MappedFile(const FileDescriptor& folder, const std::string& name,
                       const std::filesystem::path& shown) {
  map(folder.get(), name.c_str(), shown);
}

void MappedFile::map(int folder, const char* name, const std::filesystem::path& shown) {
  const auto fail = [&](std::string_view what) -> void {
    throw Error(fmt::format("{}: cannot be opened: {}", shown.string(), what));
  };
  // Without O_NONBLOCK a named pipe in place of the file would hang us here.
  const FileDescriptor fd(::openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd.is_open()) fail(system_message(errno));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) fail(system_message(errno));
  if (S_ISDIR(info.st_mode)) fail("it is a folder, expected a file");
  if (!S_ISREG(info.st_mode)) fail("it is not a regular file");
  size_ = static_cast<size_t>(info.st_size);
  if (size_ == 0) return;  // mmap refuses length 0; an empty view is what the caller wants.
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (mapped == MAP_FAILED) fail(system_message(errno));
  data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::drop(size_t offset, size_t size) const {
  static const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t begin = (offset + page - 1) / page * page;
  const size_t end = std::min(size_, offset + size) / page * page;
  if (begin >= end) return;
  // Advice only: failure leaves everything correct.
  ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace eatt
