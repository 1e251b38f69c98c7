#include "base/files/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/error.h"

namespace eatt {
namespace {

constexpr size_t kBufferBytes = 1 << 18;

}  // namespace

PartFile::PartFile(std::filesystem::path path, uint64_t keep)
    : path_(std::move(path)),
      file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)),
      size_(keep) {
  if (!file_.is_open()) fail("cannot be written", errno);
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) fail("cannot be written", errno);
  const auto found = static_cast<uint64_t>(info.st_size);
  if (found < keep) {
    throw Error(fmt::format(
        "{}: has {} bytes, but {} were written by the run that is to be continued; start anew",
        path_.string(), found, keep));
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(keep)) != 0) fail("cannot be cut off", errno);
  buffer_.reserve(kBufferBytes);
}

void PartFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    const int error = write_all_at(file_.get(), bytes, static_cast<off_t>(size_));
    if (error != 0) fail("cannot be written", error);
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
  size_ += bytes.size();
}

void PartFile::flush() {
  const uint64_t start = size_ - buffer_.size();
  const int error =
      write_all_at(file_.get(), {buffer_.data(), buffer_.size()}, static_cast<off_t>(start));
  if (error != 0) fail("cannot be written", error);
  buffer_.clear();
}

void PartFile::overwrite(uint64_t offset, std::string_view bytes) {
  expects(offset + bytes.size() <= size_, "overwrite stays inside what was written");
  flush();
  const int error = write_all_at(file_.get(), bytes, static_cast<off_t>(offset));
  if (error != 0) fail("cannot be written", error);
}

void PartFile::sync() {
  flush();
  if (::fdatasync(file_.get()) != 0) fail("cannot be synced", errno);
}

void PartFile::fail(const char* action, int error_number) const {
  throw Error(fmt::format("{}: {}: {}", path_.string(), action, system_message(error_number)));
}

}  // namespace eatt
