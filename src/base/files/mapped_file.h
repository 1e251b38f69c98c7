#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/files/file_descriptor.h"

namespace eatt {

// A file's bytes, read-only, paged in by the kernel on first touch. Files written by AtomicFile are
// replaced, never changed in place, so a mapping stays valid while it is held.
class MappedFile {
 public:
  MappedFile() = default;  // Empty.
  // Throws an Error naming the file if it is missing, unreadable or not a regular file.
  explicit MappedFile(const std::filesystem::path& path);
  // The file `name` of an open folder: if the folder is replaced meanwhile, this still
  // reads from the one that was opened. `shown` is the file's name in messages.
  MappedFile(const FileDescriptor& folder, const std::string& name,
             const std::filesystem::path& shown);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Tells the kernel that these pages will not be needed soon: bounds resident memory of a long
  // scan.
  void drop(size_t offset, size_t size) const;

 private:
  void map(int folder, const char* name, const std::filesystem::path& shown);

  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace eatt
