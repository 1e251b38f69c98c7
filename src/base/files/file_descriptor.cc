#include "base/files/file_descriptor.h"

#include <cerrno>

namespace eatt {

int write_all_at(int fd, std::string_view bytes, off_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), offset);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += written;
  }
  return 0;
}

}  // namespace eatt
