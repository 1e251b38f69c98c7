
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"

namespace eatt {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMade = ".tmp-";
constexpr std::string_view kAside = ".old-";

[[noreturn]] void fail(const fs::path& target, std::string_view action, int error_number) {
  throw Error(fmt::format("{}: {}: {}; nothing was changed there", target.string(), action,
                          system_message(error_number)));
}

fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path beside(const fs::path& target, std::string_view mark) {
  return fmt::format("{}{}{}", target.string(), mark, ::getpid());
}

// The real folder: without a trailing slash or symbolic links.
fs::path resolve(const fs::path& given) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(given, error))) {
    const fs::path real = fs::canonical(given, error);
    if (error) fail(given, "cannot follow the symbolic link", error.value());
    return real;
  }
  fs::path target = fs::absolute(given, error).lexically_normal();
  if (error) fail(given, "cannot be named", error.value());
  return target.has_filename() ? target : target.parent_path();
}

// Removes what killed processes left beside the target. A folder that had been renamed is restored
// if its replacement never arrived.
void clear_leftovers(const fs::path& target) {
  std::error_code ignored;
  std::vector<fs::path> aside = find_leftovers(target, kAside);
  if (!aside.empty() && !fs::exists(fs::symlink_status(target, ignored))) {
    fs::rename(aside.back(), target, ignored);
    if (!ignored) aside.pop_back();
  }
  for (const fs::path& folder : find_leftovers(target, kMade)) fs::remove_all(folder, ignored);
  for (const fs::path& folder : aside) fs::remove_all(folder, ignored);
}

// Renaming would replace these whatever their modes are.
void expect_nothing_write_protected(const fs::path& target) {
  expect_not_write_protected(target);
  std::error_code ignored;
  for (fs::directory_iterator entry(target, ignored), end; entry != end; entry.increment(ignored)) {
    if (entry->is_regular_file(ignored)) expect_not_write_protected(entry->path());
  }
}

// Moves `target` aside and `made` into its place; undone if the second step fails.
void replace_in_two_steps(const fs::path& made, const fs::path& target) {
  const fs::path aside = beside(target, kAside);
  if (::rename(target.c_str(), aside.c_str()) != 0) fail(target, "cannot be moved aside", errno);
  if (::rename(made.c_str(), target.c_str()) != 0) {
    const int error_number = errno;
    std::rename(aside.c_str(), target.c_str());
    fail(target, "cannot be replaced", error_number);
  }
  sync_folder(parent_of(target));
  std::error_code ignored;
  fs::remove_all(aside, ignored);  // What stays is cleared by the next writer.
}

}  // namespace

AtomicFolder::AtomicFolder(const fs::path& target)
    : target_(resolve(target)), temporary_(beside(target_, kMade)) {
  expect_nothing_write_protected(target_);
  make_folder(parent_of(target_));
  clear_leftovers(target_);
  if (::mkdir(temporary_.c_str(), 0777) != 0) fail(target_, "cannot create", errno);
  discarded_ = DiscardedFile(temporary_);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  expects(!committed_, "a folder is committed once");
  sync_folder(temporary_);
  replace_folder(temporary_, target_);
  discarded_.keep();
  committed_ = true;
}

void replace_folder(const fs::path& made, const fs::path& target, Exchange exchange) {
  // Succeeds if the target does not exist or is an empty folder.
  if (::rename(made.c_str(), target.c_str()) == 0) return sync_folder(parent_of(target));
  if (errno != ENOTEMPTY && errno != EEXIST) fail(target, "cannot rename into place", errno);

  if (exchange == Exchange::if_possible) {
    if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
      sync_folder(parent_of(target));
      std::error_code ignored;
      fs::remove_all(made, ignored);  // The old folder, under the new one's temporary name.
      return;
    }
    if (errno != EINVAL && errno != ENOSYS) fail(target, "cannot be replaced", errno);
  }
  replace_in_two_steps(made, target);
}

}  // namespace eatt
