#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/files/file_descriptor.h"

namespace eatt {

// What a folder is locked for, for the message to the second process: "preparing a data set",
// "--output".
struct LockPurpose {
  std::string_view work;
  std::string_view option;  // Chooses another folder.
};

// Holds a folder for one process at a time. The kernel releases the lock when the process ends,
// however it ends; nothing is written into the folder.
class FolderLock {
 public:
  FolderLock() = default;  // Holds nothing.
  // Makes the folder if missing. Throws an Error if that fails or if another process holds it:
  //   "out: another process is preparing a data set there; wait for it, or choose another --output"
  FolderLock(const std::filesystem::path& folder, const LockPurpose& purpose);

 private:
  FileDescriptor folder_;
};

// Creates a folder and its missing parents. Throws an Error if that fails.
void make_folder(const std::filesystem::path& folder);

// The folders of a path that are missing now, so that a start that fails can take back those that
// it made.
class MissingFolders {
 public:
  explicit MissingFolders(const std::filesystem::path& folder);
  // Removes those that exist by now and are empty.
  void remove_empty() const;

 private:
  std::vector<std::filesystem::path> paths_;  // Innermost first.
};

}  // namespace eatt
