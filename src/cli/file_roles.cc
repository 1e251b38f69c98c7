#include "cli/file_roles.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/files/atomic_file.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

// Of a bundle, a data set, a trace: names every other file that belongs to it.
constexpr std::array kDescriptions = {"config.json", "dataset.json", "trace.json"};
constexpr uint64_t kMostDescriptionBytes = 16 << 20;

// What is compared: a file or a folder that exists, or the place of one that does not yet.
struct Place {
  FileRole role = FileRole::read;
  std::string name;  // In messages: "--output out.txt", "standard input".
  fs::path path;     // Resolved; empty for standard input, output and error.
  bool is_stream = false;
  std::optional<struct stat> status;

  bool is_written() const { return role != FileRole::read; }
};

bool is_compared(const struct stat& status) {
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);
}

// Without links, dots and a slash at the end, as far as the path exists.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path result = fs::weakly_canonical(path, error);
  if (error) result = fs::absolute(path, error).lexically_normal();
  return result.has_filename() ? result : result.parent_path();
}

// Devices and pipes are never the same file in the sense meant here.
void add_stream(int descriptor, FileRole role, const char* name, std::vector<Place>& places) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  places.push_back({role, name, {}, true, status});
}

std::vector<Place> find_places(const std::vector<NamedFile>& files) {
  std::vector<Place> places;
  add_stream(STDIN_FILENO, FileRole::read, "standard input", places);
  add_stream(STDOUT_FILENO, FileRole::written, "standard output", places);
  add_stream(STDERR_FILENO, FileRole::written, "standard error", places);
  for (const NamedFile& file : files) {
    if (file.path.empty() || file.path == "-") continue;
    Place place{file.role, fmt::format("{} {}", file.option, file.path.string()), {}, false, {}};
    place.path = resolved(file.path);
    struct stat status {};
    if (::stat(file.path.c_str(), &status) == 0) {
      if (!is_compared(status)) continue;
      place.status = status;
      // /dev/stdout is standard output by another name, which may well be a file.
      place.is_stream = place.is_written() && leads_to_open_file(file.path);
    }
    places.push_back(std::move(place));
  }
  return places;
}

bool is_same(const Place& a, const Place& b) {
  if (a.status && b.status) {
    return a.status->st_dev == b.status->st_dev && a.status->st_ino == b.status->st_ino;
  }
  return !a.status && !b.status && a.path == b.path;
}

// Whether `file` is one of those that make up the bundle or data set `folder`.
bool belongs_to(const Place& file, const Place& folder) {
  if (!file.status || file.path.empty() || file.path.parent_path() != folder.path) return false;
  const std::string name = file.path.filename().string();
  return std::ranges::any_of(kDescriptions, [&](const char* description) {
    if (!fs::is_regular_file(folder.path / description)) return false;
    if (name == description) return true;
    const std::string text = read_file(folder.path / description, kMostDescriptionBytes);
    return text.find('"' + name + '"') != std::string::npos;
  });
}

// Whether `place` is `folder` or lies in it.
bool lies_in(const Place& place, const Place& folder) {
  const auto& [outer, inner] = std::pair(folder.path, place.path);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

[[noreturn]] void refuse_output(const Place& output, const Place& input) {
  if (output.is_stream && output.path.empty()) {
    throw UsageError(fmt::format(
        "{} and {} are the same file{}; redirect to another file, and rename that afterwards",
        output.name, input.name,
        output.status->st_size == 0 ? ", which the shell has already emptied" : ""));
  }
  throw UsageError(
      fmt::format("{} and {} are the same {}, which would be overwritten; choose another name for "
                  "the output",
                  output.name, input.name, S_ISDIR(output.status->st_mode) ? "folder" : "file"));
}

void compare_with_input(const Place& output, const Place& input) {
  if (is_same(output, input) && output.status) refuse_output(output, input);
  if (output.role == FileRole::written && belongs_to(output, input)) {
    throw UsageError(fmt::format(
        "{} is a file of {}, which would be overwritten; choose another name for the output",
        output.name, input.name));
  }
  if (output.role == FileRole::replaced && input.status && lies_in(input, output)) {
    throw UsageError(fmt::format(
        "{} is a folder that holds {}, which would be removed with it; choose another name for "
        "the output",
        output.name, input.name));
  }
}

void compare_outputs(const Place& a, const Place& b) {
  // `2>&1`, and --output /dev/stdout, are meant.
  if ((a.is_stream && b.is_stream) || !is_same(a, b)) return;
  throw UsageError(fmt::format(
      "{} and {} are the same file, and one would overwrite the other; give each its own", a.name,
      b.name));
}

}  // namespace

void expect_separate_files(const std::vector<NamedFile>& files) {
  const std::vector<Place> places = find_places(files);
  for (auto a = places.begin(); a != places.end(); ++a) {
    if (!a->is_written()) continue;
    for (const Place& b : places) {
      if (!b.is_written()) compare_with_input(*a, b);
    }
    for (auto b = a + 1; b != places.end(); ++b) {
      if (b->is_written()) compare_outputs(*a, *b);
    }
  }
}

void expect_svg(const std::string& option, const fs::path& file) {
  if (file.extension() == ".svg" || is_written_through(file)) return;
  const std::string svg = fs::path(file).replace_extension(".svg").string();
  throw UsageError(fmt::format(
      "{} {} would not be what its name says: charts are SVG; use {} {}, and convert "
      "that with `rsvg-convert -o {} {}` or Inkscape if need be",
      option, file.string(), option, svg, fs::path(file).replace_extension(".png").string(), svg));
}

}  // namespace eatt::cli
