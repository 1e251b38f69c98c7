// Which options name files that a command reads or writes: declared beside the option, as in
//   command.add_option("-o,--output", …).shows("FILE").writes();
// and checked before the command runs, so that no command replaces what it is about to read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace eatt::cli {

enum class FileRole {
  read,      // A file or folder; "-" is standard input.
  written,   // A file; "-" is standard output.
  filled,    // A folder that gets files.
  trained,   // A folder that a training fills, and goes on with if it was interrupted.
  replaced,  // A folder that is replaced as a whole.
};

// What an output is. A file that exists already is replaced only by one of the same kind: another
// one was not made by the command, and its name was given by mistake.
struct OutputKind {
  const char* name;  // "a shortlist"; in the message "… exists and is not a shortlist".
  // Whether an existing file, which is not empty, is one; an Error means no.
  bool (*recognizes)(const std::filesystem::path& file);
};

bool is_text(const std::filesystem::path& file);
inline constexpr OutputKind kTextOutput = {"text", is_text};
bool is_svg(const std::filesystem::path& file);
inline constexpr OutputKind kSvgOutput = {"an SVG chart", is_svg};
// Of commands that compare what exists with what they write, and have --overwrite.
inline constexpr OutputKind kComparedOutput = {"", nullptr};

// A file that an option names.
struct NamedFile {
  FileRole role = FileRole::read;
  std::string option;  // "--output"
  std::filesystem::path path;
  OutputKind kind = kComparedOutput;  // Of a file that is written.
};

// Throws a UsageError if a file that is written is also read, or is written twice: by the same
// path or another spelling of it, a symbolic link or a hard link. A file that a bundle or a data
// set consists of counts as read with its folder; so does whatever lies in a folder that is
// replaced. Standard input, output and error are compared like the files, where they are files.
void expect_separate_files(const std::vector<NamedFile>& files);

// Throws a UsageError if an output would damage what one of our commands has made, whether or not
// this one reads it: a file of a model, a data set, a trace, a checkpoint or a training run, or a
// folder to be filled that is one of these (but for a data set, which is made by filling), or any
// folder inside a model, a trace or a checkpoint.
void expect_nothing_of_ours(const std::vector<NamedFile>& files);

// Throws a UsageError if a file would be replaced that is not of the kind that is written.
void expect_same_kinds(const std::vector<NamedFile>& files);

// Runs a command that writes these files. Before it does, every output is tried, so that a folder
// that cannot be written to shows before hours of work and not after: throws an Error. If the
// command fails, folders that it made and left empty are removed.
void run_with_outputs(const std::vector<NamedFile>& files, const std::function<void()>& run);

// Charts are SVG: throws a UsageError if `file` has the name of something else.
void expect_svg(const std::string& option, const std::filesystem::path& file);

}  // namespace eatt::cli
