#include "base/files/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files/open_file.h"

namespace eatt {
namespace fs = std::filesystem;

namespace {

constexpr int kMostLinks = 40;  // As in Linux.

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A link in /proc, such as /proc/self/fd/1, stands for an open file.
bool is_open_file(const fs::path& link) {
  struct statfs system {};
  return ::statfs(folder_of(link).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// The link in /proc that the links of `path` lead through: /dev/stdout, /dev/fd/3. Empty if none.
fs::path find_open_file(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links) {
    if (is_open_file(path)) return path;
    path = folder_of(path) / fs::read_symlink(path, error);
  }
  return {};
}

// The number of an open file of this process, given the link in /proc.
std::optional<int> own_descriptor(const fs::path& link) {
  std::error_code error;
  const std::string number = link.filename().string();
  const fs::path folder = fs::canonical(folder_of(link), error);
  if (error || folder != fmt::format("/proc/{}/fd", ::getpid())) return std::nullopt;
  int descriptor = -1;
  std::from_chars(number.data(), number.data() + number.size(), descriptor);
  return descriptor;
}

// Shares the position of a file that is open already, so that what others write there stays.
FileDescriptor open_through(const fs::path& path) {
  if (path == "-") return FileDescriptor(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  if (const auto own = own_descriptor(find_open_file(path))) {
    return FileDescriptor(::fcntl(*own, F_DUPFD_CLOEXEC, 0));
  }
  return FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
}

// Returns 0 or errno.
int write_through(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {  // Whoever opened it made it non-blocking.
      pollfd output{descriptor, POLLOUT, 0};
      ::poll(&output, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Where the file goes: a link stays and what it points to is replaced, or made.
fs::path destination(const fs::path& path) {
  std::error_code none;
  fs::path real = path;
  for (int links = 0; fs::is_symlink(real, none); ++links) {
    if (links == kMostLinks) {
      throw Error(fmt::format("{}: is a symbolic link that leads back to itself", path.string()));
    }
    real = folder_of(real) / fs::read_symlink(real, none);
  }
  const fs::file_status status = fs::status(real, none);
  if (fs::is_directory(status)) {
    throw Error(fmt::format("{}: is a folder; expected the name of a file", path.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(
        fmt::format("{}: is not a regular file and cannot be replaced; expected the name of a file",
                    path.string()));
  }
  return real;
}

// Of the file that is replaced, so that the new one gets its mode and owner.
std::optional<struct stat> status_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

// A private file stays private, and root does not take over the files of others. Where the system
// does not allow one of the two, the file is written all the same.
void take_mode_and_owner(int descriptor, const struct stat& old) {
  const bool is_given_back = ::fchown(descriptor, old.st_uid, old.st_gid) == 0;
  const mode_t group = is_given_back ? S_IRWXG : 0;  // Another group than it was meant for.
  ::fchmod(descriptor, old.st_mode & (S_IRWXU | S_IRWXO | group));
}

// True if the rest of a name is the number of a process that no longer runs, or of this one.
bool is_dead_process(std::string_view digits) {
  pid_t process = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, process);
  if (error != std::errc() || rest != end || process <= 0) return false;
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

// Every writer locks its temporary file. The lock tells a killed writer from one that is running in
// another container, where process ids are different.
void remove_if_unlocked(const fs::path& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) std::remove(file.c_str());
}

}  // namespace

bool leads_to_open_file(const fs::path& path) {
  return path == "-" || !find_open_file(path).empty();
}

bool is_standard_output(const fs::path& path) {
  return path == "-" || own_descriptor(find_open_file(path)) == STDOUT_FILENO;
}

bool is_written_through(const fs::path& path) {
  if (leads_to_open_file(path)) return true;
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::is_character_file(status) || fs::is_fifo(status);
}

std::vector<fs::path> find_leftovers(const fs::path& target, std::string_view mark) {
  std::vector<fs::path> found;
  const std::string begin = target.filename().string() + std::string(mark);
  std::error_code ignored;
  for (fs::directory_iterator entry(folder_of(target), ignored), end; entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(begin)) continue;
    if (is_dead_process(std::string_view(name).substr(begin.size()))) {
      found.push_back(entry->path());
    }
  }
  return found;
}

void expect_not_write_protected(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return;
  const bool is_writable =
      (info.st_mode & S_IWUSR) != 0 &&
      (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0 || errno != EACCES);
  if (is_writable) return;
  throw Error(
      fmt::format("{}: is write-protected, so it is not replaced; choose another name, or "
                  "allow writing with `chmod u+w`",
                  path.string()));
}

AtomicFile::AtomicFile(fs::path path, Existing existing) {
  if (is_written_through(path)) {
    path_ = std::move(path);
    file_ = FileWriter(open_through(path_));
    if (!file_.is_open()) fail("cannot be opened", errno);
    return;
  }
  path_ = destination(path);
  expect_not_write_protected(path_);
  const auto old = status_of(path_);
  make_folder(folder_of(path_));
  if (existing == Existing::kept && fs::exists(path_)) kept_.emplace(path_);
  constexpr std::string_view kMark = ".tmp-";
  for (const fs::path& file : find_leftovers(path_, kMark)) remove_if_unlocked(file);
  // The process id keeps two writers of one path apart; O_EXCL catches everything else.
  temporary_ = path_;
  temporary_ += fmt::format("{}{}", kMark, ::getpid());
  const mode_t mode = old ? S_IRUSR | S_IWUSR : 0644;
  FileDescriptor file(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.is_open()) fail("cannot create", errno);
  discarded_ = DiscardedFile(temporary_);
  if (old) take_mode_and_owner(file.get(), *old);
  ::flock(file.get(), LOCK_EX | LOCK_NB);  // For remove_if_unlocked() of other processes.
  file_ = FileWriter(std::move(file));
}

AtomicFile::~AtomicFile() {
  if (file_.is_open() && !temporary_.empty()) std::remove(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (kept_) compare(bytes);
  const int error =
      temporary_.empty() ? write_through(file_.descriptor(), bytes) : file_.write(bytes);
  if (error != 0) fail("cannot write", error);
  size_ += bytes.size();
}

void AtomicFile::overwrite(uint64_t offset, std::string_view bytes) {
  expects(!temporary_.empty(), "only a file is overwritten");
  if (const int error = file_.overwrite(offset, bytes)) fail("cannot write", error);
}

void AtomicFile::compare(std::string_view bytes) const {
  const std::string_view text = kept_->text();
  if (text.size() < size_ || text.substr(size_, bytes.size()) != bytes) refuse_to_replace();
}

void AtomicFile::expect_same_size() const {
  if (kept_ && kept_->bytes().size() != size_) refuse_to_replace();
}

void AtomicFile::refuse_to_replace() const {
  throw Error(fmt::format(
      "{}: exists and has other content, so it is not replaced; choose another name, or add "
      "--overwrite",
      path_.string()));
}

void AtomicFile::commit() {
  expects(file_.is_open(), "a file is committed once");
  expect_same_size();
  if (temporary_.empty()) return file_.close();
  if (kept_) {  // It has these very bytes, and keeps its time.
    std::remove(temporary_.c_str());
    discarded_.keep();
    return file_.close();
  }
  if (const int error = file_.flush()) fail("cannot write", error);
  if (::fsync(file_.descriptor()) != 0) fail("cannot sync", errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename into place", errno);
  discarded_.keep();
  file_.close();
  sync_folder(folder_of(path_));
}

void AtomicFile::fail(const char* action, int error_number) const {
  throw Error(fmt::format("{}: {}: {}{}", path_.string(), action, system_message(error_number),
                          temporary_.empty() ? "" : "; nothing was changed there"));
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void sync_folder(const fs::path& folder) {
  const FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems refuse to sync a folder (EINVAL); the rename has happened anyway.
  if (!fd.is_open() || (::fsync(fd.get()) != 0 && errno != EINVAL)) {
    throw Error(
        fmt::format("{}: cannot sync the folder: {}", folder.string(), system_message(errno)));
  }
}

std::string read_file(const fs::path& path, uint64_t max_bytes) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) {
    throw Error(fmt::format("{}: cannot be read: {}", path.string(), system_message(errno)));
  }
  if (S_ISDIR(info.st_mode)) throw Error(path.string() + ": is a folder, expected a file");
  std::string bytes;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t got = ::read(fd.get(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      throw Error(fmt::format("{}: cannot be read: {}", path.string(), system_message(errno)));
    }
    if (got == 0) return bytes;
    bytes.append(chunk, static_cast<size_t>(got));
    if (bytes.size() > max_bytes) {
      throw Error(fmt::format("{}: is larger than {} bytes, the most this kind of file may have",
                              path.string(), max_bytes));
    }
  }
}

}  // namespace eatt
