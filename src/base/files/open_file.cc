#include "base/files/open_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace eatt {
namespace {

constexpr size_t kBufferBytes = 1 << 20;

// pwrite that continues after a signal or a short write. Returns 0 or errno.
int write_all_at(int fd, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return 0;
}

}  // namespace

FileWriter::FileWriter(FileDescriptor file, uint64_t size) : file_(std::move(file)), size_(size) {}

int FileWriter::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    if (const int error = flush()) return error;
  }
  if (bytes.size() >= kBufferBytes) {
    if (const int error = write_all_at(file_.get(), bytes, size_)) return error;
  } else {
    buffer_.reserve(kBufferBytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  size_ += bytes.size();
  return 0;
}

int FileWriter::overwrite(uint64_t offset, std::string_view bytes) {
  expects(offset + bytes.size() <= size_, "overwrite stays inside what was written");
  if (const int error = flush()) return error;
  return write_all_at(file_.get(), bytes, offset);
}

int FileWriter::flush() {
  const std::string_view bytes(buffer_.data(), buffer_.size());
  if (const int error = write_all_at(file_.get(), bytes, size_ - bytes.size())) return error;
  buffer_.clear();
  return 0;
}

void FileWriter::close() {
  file_ = FileDescriptor();
  buffer_ = {};
}

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
  if (::ftruncate(file.get(), static_cast<off_t>(keep)) != 0) fail("cannot be truncated", errno);
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
