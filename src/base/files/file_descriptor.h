#pragma once

#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace eatt {

// Owns an open file descriptor and closes it when destroyed.
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

 private:
  int fd_ = -1;
};

// Writes to a file through a buffer, so that a call per token is fine. Functions that write return
// 0 or errno: their callers know what to tell the user.
class FileWriter {
 public:
  FileWriter() = default;
  // Continues after the first `size` bytes of the file.
  explicit FileWriter(FileDescriptor file, uint64_t size = 0);

  bool is_open() const { return file_.is_open(); }
  int descriptor() const { return file_.get(); }
  uint64_t size() const { return size_; }  // With what is still in the buffer.

  int write(std::string_view bytes);  // Appends.
  // Replaces bytes written before, which must be there already.
  int overwrite(uint64_t offset, std::string_view bytes);
  int flush();
  void close();  // Without flushing; size() stays.

 private:
  FileDescriptor file_;
  std::vector<char> buffer_;
  uint64_t size_ = 0;
};

}  // namespace eatt
