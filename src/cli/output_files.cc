// The outputs of a command: what they may replace, and whether they can be written at all.
#include <fmt/format.h>

#include <string_view>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "cli/file_roles.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBytesLookedAt = 1 << 16;
constexpr std::string_view kGzip = "\x1f\x8b";

bool is_folder(const fs::path& path) {
  std::error_code none;
  return !path.has_filename() || fs::is_directory(path, none);
}

bool is_of_kind(const fs::path& file, const OutputKind& kind) {
  std::error_code none;
  if (fs::file_size(file, none) == 0) return true;
  try {
    return kind.recognizes(file);
  } catch (const Error&) {
    return false;
  }
}

// Where a command makes folders for this output: in the folder itself, or in that of a file.
fs::path folder_for(const NamedFile& file) {
  if (file.role != FileRole::written) return file.path;
  return file.path.has_parent_path() ? file.path.parent_path() : fs::path(".");
}

bool is_made(const NamedFile& file) {
  return file.role != FileRole::read && !is_written_through(file.path);
}

// Begins to write, and leaves everything as it was. What else a folder needs is known to commands
// that fill it over time, and they look first.
void try_output(const NamedFile& file) {
  if (file.role == FileRole::written && !is_folder(file.path)) {
    const AtomicFile tried(file.path);
  } else if (file.role == FileRole::replaced) {
    const AtomicFolder tried(file.path);
  }
}

}  // namespace

bool is_text(const fs::path& file) {
  const MappedFile mapped(file);
  const std::string_view begin = mapped.text().substr(0, kBytesLookedAt);
  if (file.extension() == ".gz" && begin.starts_with(kGzip)) return true;
  return begin.find('\0') == begin.npos;
}

bool is_svg(const fs::path& file) {
  return MappedFile(file).text().substr(0, 1000).find("<svg") != std::string_view::npos;
}

void expect_same_kinds(const std::vector<NamedFile>& files) {
  for (const NamedFile& file : files) {
    std::error_code none;
    if (file.role != FileRole::written || file.kind.recognizes == nullptr) continue;
    if (is_written_through(file.path) || !fs::is_regular_file(file.path, none)) continue;
    expect_not_write_protected(file.path);
    if (is_of_kind(file.path, file.kind)) continue;
    throw UsageError(fmt::format(
        "{} {} exists and is not {}, so it is not replaced; choose another name, or remove it",
        file.option, file.path.string(), file.kind.name));
  }
}

void run_with_outputs(const std::vector<NamedFile>& files, const std::function<void()>& run) {
  std::vector<MissingFolders> missing;
  for (const NamedFile& file : files) {
    if (is_made(file)) missing.emplace_back(folder_for(file));
  }
  const auto remove_empty = [&] {
    for (const MissingFolders& folders : missing) folders.remove_empty();
  };
  try {
    for (const NamedFile& file : files) {
      if (is_made(file)) try_output(file);
    }
    remove_empty();
    run();
  } catch (...) {
    remove_empty();
    throw;
  }
}

}  // namespace eatt::cli
