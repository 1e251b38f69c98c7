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

// A file that names every other file of the folder that it describes.
struct Description {
  const char* file;
  const char* of;
};
constexpr std::array kDescriptions = {
    Description{"config.json", "a model"}, Description{"dataset.json", "a data set"},
    Description{"trace.json", "a trace"}, Description{"state.json", "a checkpoint"}};
constexpr uint64_t kMostDescriptionBytes = 16 << 20;
// Every description has one, but for the state of a checkpoint, whose folder tells what it is.
constexpr char kOurFormats[] = "\"eatt-";

constexpr std::array kRunFiles = {"training.toml", "run.json", "log.jsonl", "train.log"};

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

// The text of a description that a command of ours has written; nothing if there is none.
std::optional<std::string> read_description(const fs::path& folder,
                                            const Description& description) {
  std::error_code none;
  const fs::path file = folder / description.file;
  if (!fs::is_regular_file(file, none)) return std::nullopt;
  if (fs::file_size(file, none) > kMostDescriptionBytes) return std::nullopt;
  std::string text = read_file(file, kMostDescriptionBytes);
  const bool is_checkpoint = folder.filename().string().starts_with("step-");
  if (!is_checkpoint && text.find(kOurFormats) == text.npos) return std::nullopt;
  return text;
}

// Whether `file` is one of those that make up the bundle or data set `folder`.
bool belongs_to(const Place& file, const Place& folder) {
  if (!file.status || file.path.empty() || file.path.parent_path() != folder.path) return false;
  const std::string name = file.path.filename().string();
  return std::ranges::any_of(kDescriptions, [&](const Description& description) {
    const auto text = read_description(folder.path, description);
    return text && (name == description.file || text->find('"' + name + '"') != text->npos);
  });
}

bool is_run(const fs::path& folder) {
  std::error_code none;
  return fs::is_directory(folder / "checkpoints", none) &&
         fs::is_regular_file(folder / kRunFiles.front(), none);
}

// What the folder is, if it is complete and not to be added to: a model, but not a data set, which
// is made by filling; null otherwise.
const char* kind_of_complete_folder(const fs::path& folder) {
  for (const Description& description : kDescriptions) {
    if (std::string_view(description.file) == "dataset.json") continue;
    if (read_description(folder, description)) return description.of;
  }
  return nullptr;
}

// What the folder is, if other commands must not write into it; null if they may.
const char* kind_of_closed_folder(const fs::path& folder) {
  return is_run(folder) ? "a training run" : kind_of_complete_folder(folder);
}

// A training run may get more models, and a model nothing: it would be lost with the model when
// that is replaced.
void expect_outside_of_models(const Place& output) {
  for (fs::path folder = output.path.parent_path(); folder != folder.parent_path();
       folder = folder.parent_path()) {
    const char* const kind = kind_of_complete_folder(folder);
    if (kind == nullptr) continue;
    throw UsageError(
        fmt::format("{} lies in {}, {}; other files do not belong in it; choose another folder",
                    output.name, folder.string(), kind));
  }
}

void expect_open_folder(const Place& output) {
  const char* const kind = kind_of_closed_folder(output.path);
  if (kind == nullptr) return;
  throw UsageError(fmt::format("{} is {}; other files do not belong in it; choose another folder",
                               output.name, kind));
}

void expect_file_of_nothing(const Place& output) {
  Place folder;
  folder.path = output.path.parent_path();
  const char* kind = nullptr;
  if (is_run(folder.path) &&
      std::ranges::find(kRunFiles, output.path.filename().string()) != kRunFiles.end()) {
    kind = "a training run";
  } else if (belongs_to(output, folder)) {
    kind = kind_of_closed_folder(folder.path);
    if (kind == nullptr) kind = "a data set";
  }
  if (kind == nullptr) return;
  throw UsageError(
      fmt::format("{} is a file of {}, {}, which would be damaged; choose another name for the "
                  "output",
                  output.name, kind, folder.path.string()));
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
      "{} and {} are the same file, and one would overwrite the other; give each its own file",
      a.name, b.name));
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

void expect_nothing_of_ours(const std::vector<NamedFile>& files) {
  for (const Place& place : find_places(files)) {
    if (place.path.empty() || place.is_stream || !place.is_written()) continue;
    if (place.role != FileRole::written) expect_outside_of_models(place);
    if (!place.status) continue;
    if (place.role == FileRole::filled) expect_open_folder(place);
    if (place.role == FileRole::written) expect_file_of_nothing(place);
  }
}

void expect_svg(const std::string& option, const fs::path& file) {
  if (file.extension() == ".svg" || is_written_through(file)) return;
  const std::string svg = fs::path(file).replace_extension(".svg").string();
  throw UsageError(fmt::format(
      "{} {} does not have the name of a chart: charts are SVG; use {} {}, and convert "
      "that with `rsvg-convert -o {} {}` or Inkscape if you need another format",
      option, file.string(), option, svg, fs::path(file).replace_extension(".png").string(), svg));
}

}  // namespace eatt::cli
