#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/files/file_descriptor.h"

namespace eatt {

// A file that is written over several runs of a program: it grows at its end, and a run that was
// killed is continued from the last sync(). Whoever uses it notes size() in a file of its own after
// each sync() and passes that number on to go on.
class PartFile {
 public:
  // Opens or creates `path` and cuts it off after `keep` bytes. Throws an Error if it cannot be
  // written or is shorter than that.
  PartFile(std::filesystem::path path, uint64_t keep);
  PartFile(PartFile&&) = default;

  void write(std::string_view bytes);  // Appends; small writes are gathered.
  void sync();                         // What was written so far survives a power cut.
  // Replaces bytes written before, e.g. a header whose counts are known only at the end.
  void overwrite(uint64_t offset, std::string_view bytes);

  uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  void flush();
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_;
  FileDescriptor file_;
  std::vector<char> buffer_;
  uint64_t size_ = 0;
};

}  // namespace eatt
