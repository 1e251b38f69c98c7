#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/files/file_descriptor.h"

namespace eatt {

// A file that is written over several runs of a program: it grows at its end, and a run that was
// killed is continued from the last sync(). The user of this class stores size() elsewhere after
// each sync() and passes it to the constructor to continue.
class PartFile {
 public:
  // Opens or creates `path` and cuts it off after `keep` bytes. Throws an Error if it cannot be
  // written or is shorter than that.
  PartFile(std::filesystem::path path, uint64_t keep);
  PartFile(PartFile&&) = default;

  void write(std::string_view bytes);  // Appends; small writes are buffered.
  void sync();                         // What was written so far survives a power cut.
  // Replaces bytes written before, e.g. a header whose counts are known only at the end.
  void overwrite(uint64_t offset, std::string_view bytes);

  uint64_t size() const { return file_.size(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_;
  FileWriter file_;
};

}  // namespace eatt
