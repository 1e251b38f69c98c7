#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/open_file.h"
#include "base/stop_signal.h"

namespace eatt {

// What a writer may do to a file that it finds at its path.
enum class Existing {
  replaced,
  kept,  // The bytes written must equal its own: an Error as soon as they differ.
};

// A file that appears complete or not at all. Bytes go to a temporary file beside `path`,
// PATH.tmp-PID; commit() syncs it, renames it to `path` and syncs the folder. Without commit() (an
// exception, a full disk) the temporary file is removed and whatever was at `path` stays. The
// constructor makes the folders that are missing, and removes temporary files that killed processes
// left beside the same `path`.
//
// The new file has the mode and the owner of the old one. A symbolic link stays: what it points to
// is replaced, or made.
//
// A pipe or a device (see is_written_through()) is never replaced: each write() reaches it at once.
class AtomicFile {
 public:
  // Throws an Error if the folder cannot be written to, or if `path` is a folder, a disk or a file
  // that is write-protected.
  explicit AtomicFile(std::filesystem::path path, Existing existing = Existing::replaced);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // Appends. Small writes to a file are buffered, so a call per token is fine.
  void write(std::string_view bytes);
  template <typename T>
  void write_values(std::span<const T> values) {
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  // Bytes given to write() so far.
  uint64_t size() const { return size_; }

  // Overwrites bytes written before, e.g. a header whose counts are known only at the end. Not for
  // what is written through.
  void overwrite(uint64_t offset, std::string_view bytes);

  // After the last write(): throws an Error if a file that is to be kept has more bytes than were
  // written. commit() checks this too; to commit several files, call this for all of them first.
  void expect_same_size() const;
  void commit();

 private:
  void compare(std::string_view bytes) const;
  [[noreturn]] void refuse_to_replace() const;
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // Empty for what is written through.
  DiscardedFile discarded_;          // The temporary file.
  std::optional<MappedFile> kept_;   // The existing file, if it must not be replaced.
  FileWriter file_;
  uint64_t size_ = 0;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Throws an Error if a file or folder may not be written by its owner or by us. The owner's mode
// bit counts for root too: whoever cleared it does not want the file replaced.
void expect_not_write_protected(const std::filesystem::path& path);

// Whether a path stands for an open file: /dev/stdout, /dev/fd/3, or "-", standard output.
bool leads_to_open_file(const std::filesystem::path& path);
bool is_standard_output(const std::filesystem::path& path);
// An open file, or a pipe, a terminal or another device (/dev/null).
bool is_written_through(const std::filesystem::path& path);

// What killed processes left beside `target`: files and folders called TARGET, `mark` (".tmp-") and
// the number of a process that no longer runs, or of this one.
std::vector<std::filesystem::path> find_leftovers(const std::filesystem::path& target,
                                                  std::string_view mark);

// Makes a rename inside `folder` survive a power cut.
void sync_folder(const std::filesystem::path& folder);

// The bytes of a file. Throws an Error if it cannot be read or is larger than `max_bytes`.
std::string read_file(const std::filesystem::path& path, uint64_t max_bytes = uint64_t{1} << 30);

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
  // folders; throws an Error if they or the temporary folder cannot be created, or if the target or
  // a file in it is write-protected.
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
  DiscardedFile discarded_;  // The temporary folder.
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
