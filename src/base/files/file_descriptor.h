#pragma once

#include <unistd.h>

#include <string_view>
#include <utility>

namespace eatt {

// Owns an open file descriptor; closes it at the end of its life.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // For callers who must see close() fail: gives the descriptor away.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// pwrite that goes on after a signal or a short write. Returns 0 or errno.
int write_all_at(int fd, std::string_view bytes, off_t offset);

}  // namespace eatt
