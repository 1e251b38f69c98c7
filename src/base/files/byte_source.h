#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

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
// as with `cat a.gz b.gz`.
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

}  // namespace eatt
