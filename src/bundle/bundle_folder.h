#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/files/file_descriptor.h"
#include "base/files/mapped_file.h"

namespace eatt {

// A bundle's folder, held open: files come from this very folder even if another bundle takes its
// place meanwhile, so a reader never gets the files of two bundles.
class BundleFolder {
 public:
  // Throws an Error if `path` is no folder that can be opened.
  explicit BundleFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::string shown(const std::string& name) const { return (path_ / name).string(); }

  // The size of a file of the bundle; an Error if it is missing, a folder, a symlink loop, ….
  uint64_t file_bytes(const std::string& name) const;
  MappedFile map(const std::string& name) const;

  // True if the path has come to mean another folder since this one was opened.
  bool was_replaced() const;

 private:
  std::filesystem::path path_;
  FileDescriptor folder_;
};

}  // namespace eatt
