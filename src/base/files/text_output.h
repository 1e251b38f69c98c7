#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "base/files/atomic_file.h"

namespace eatt {

// A file for lines of text that appears complete or not at all, as an AtomicFile does. If its name
// ends in ".gz", the text is compressed in gzip's format on the way.
class TextOutput {
 public:
  // Throws an Error where an AtomicFile would.
  explicit TextOutput(const std::filesystem::path& path, Existing existing = Existing::replaced);
  ~TextOutput();

  void write(std::string_view text);
  // After the last line, if several files are committed: throws an Error where commit() would
  // because a file that is to be kept differs. commit() does it too.
  void end_text();
  // After the last line. Without it, `path` stays as it was.
  void commit();

 private:
  class File;
  class GzipFile;
  std::unique_ptr<File> file_;
};

}  // namespace eatt
