#include "text/corpus/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/error.h"

namespace eatt {
namespace {

int open_unnamed(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
  // A file system without unnamed files: one with a name that is taken away at once.
  std::string path = (folder / "spool-XXXXXX").string();
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

bool is_read_once(const TextFile& file) {
  if (file.path == "-") return true;
  struct stat info {};
  // What is missing is reported when it is opened.
  return ::stat(file.path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

Spool::Spool(const TextFile& file, const std::filesystem::path& folder)
    : file_(open_unnamed(folder)) {
  const auto fail = [&](int error_number) {
    throw Error(fmt::format("{}: no copy of {} can be kept there: {}", folder.string(), file.name,
                            system_message(error_number)));
  };
  if (!file_.is_open()) fail(errno);
  const auto source = open_bytes(file);
  std::vector<char> block(1 << 20);
  off_t size = 0;
  while (const size_t got = source->read(block)) {
    if (const int error = write_all_at(file_.get(), {block.data(), got}, size)) fail(error);
    size += static_cast<off_t>(got);
  }
  copy_.path = fmt::format("/proc/self/fd/{}", file_.get());
  copy_.name = file.name;
}

}  // namespace eatt
