#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eatt {

// Owns an open file descriptor and closes it when destroyed.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Writes to a file through a buffer, so that a call per token is fine. Functions that write return
// 0 or errno: their callers know what to tell the user.
class FileWriter {
 public:
  FileWriter() = default;
  // Continues after the first `size` bytes of the file.
  explicit FileWriter(FileDescriptor file, uint64_t size = 0);

  bool is_open() const { return file_.is_open(); }
  int descriptor() const { return file_.get(); }
  uint64_t size() const { return size_; }  // With what is still in the buffer.

  int write(std::string_view bytes);  // Appends.
  // Replaces bytes written before, which must be there already.
  int overwrite(uint64_t offset, std::string_view bytes);
  int flush();
  void close();  // Without flushing; size() stays.

 private:
  FileDescriptor file_;
  std::vector<char> buffer_;
  uint64_t size_ = 0;
};

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
