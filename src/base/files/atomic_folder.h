#pragma once

#include <filesystem>

namespace eatt {

// A folder that appears complete or not at all: the AtomicFile of folders. Files are written into
// path(), a temporary folder beside the target (each synced by its own writer, as AtomicFile does);
// commit() puts the folder in the target's place. Without commit() the temporary folder is removed
// and whatever was at the target stays.
//
// Temporaries that a killed process left beside the same target are removed by the constructor.
// A target has one writer at a time.
class AtomicFolder {
 public:
  // If the target is a symbolic link, the folder it points to is meant. Creates missing parent
  // folders; throws an Error if they or the temporary folder cannot be created.
  explicit AtomicFolder(const std::filesystem::path& target);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();

  const std::filesystem::path& path() const { return temporary_; }

  // A reader of the target sees the old folder or the new one, never a mix and never a gap, where
  // the file system can exchange two names (ext4, xfs, btrfs, tmpfs, overlayfs). Elsewhere there is
  // a short gap: see replace_folder.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

enum class Exchange {
  if_possible,
  never,  // As on a file system that cannot.
};

// Puts the folder `made` in the place of `target`, which may be a folder or nothing, and removes
// the old one. Without an exchange the old folder is first renamed to `target`.old-PID: a process
// killed in that gap leaves it there, and the next AtomicFolder for the target brings it back.
void replace_folder(const std::filesystem::path& made, const std::filesystem::path& target,
                    Exchange exchange = Exchange::if_possible);

}  // namespace eatt
