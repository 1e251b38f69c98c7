#include "base/files/file_descriptor.h"

#include <cerrno>

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

}  // namespace eatt
