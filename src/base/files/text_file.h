#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/files/atomic_file.h"

namespace eatt {

// A file to read, and its name in messages.
struct TextFile {
  TextFile() = default;
  // "-" is standard input.
  TextFile(std::string file_path);
  TextFile(const char* file_path) : TextFile(std::string(file_path)) {}

  std::string path;
  std::string name;
};

// The bytes of a file or of standard input, one after another. Gzip is recognised by its content,
// not by the file's name, and decompressed; several members in one file follow each other,
// as with `cat a.gz b.gz`. Other compressed files are refused with the command that unpacks them.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills the front of `room` and returns how much; 0 only at the end. Throws an Error if the file
  // cannot be read or the gzip data is damaged or ends early.
  virtual size_t read(std::span<char> room) = 0;
  // Bytes read from the file itself so far: compressed ones, for gzip.
  virtual uint64_t taken() const = 0;
};

std::unique_ptr<ByteSource> open_bytes(const TextFile& file);

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
