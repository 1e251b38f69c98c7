#include "cli/translate/translate_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/error.h"
#include "cli/file_roles.h"

namespace eatt::cli {
namespace fs = std::filesystem;

namespace {

bool means_folder(const std::string& output) {
  std::error_code none;
  return output.ends_with('/') || fs::is_directory(output, none);
}

// Whether the name is that of a compressed file.
bool has_packed_ending(const std::string& output) {
  constexpr std::array<std::string_view, 7> kEndings = {".gz",  ".xz",  ".bz2", ".zst",
                                                        ".lz4", ".zip", ".7z"};
  return std::ranges::find(kEndings, fs::path(output).extension().string()) != kEndings.end();
}

// Only gzip is written; a file with another ending would be plain text under a wrong name.
void check_ending(const std::string& output) {
  const fs::path path(output);
  if (!has_packed_ending(output) || path.extension() == ".gz") return;
  throw UsageError(fmt::format("-o {}: only .gz is compressed; choose {} or {}", output,
                               fs::path(path).replace_extension(".gz").string(),
                               fs::path(path).replace_extension().string()));
}

void check_folder(const std::string& output, size_t inputs) {
  if (output.empty() || output == "-") {
    throw UsageError(fmt::format(
        "there are {} inputs; give a folder for their translations with -o DIR", inputs));
  }
  std::error_code none;
  if (fs::exists(output, none) && !fs::is_directory(output, none)) {
    throw UsageError(fmt::format("-o {} is a file; {} inputs need a folder for their translations",
                                 output, inputs));
  }
  if (!means_folder(output) && has_packed_ending(output)) {
    throw UsageError(
        fmt::format("-o {} names a file; {} inputs need a folder for their "
                    "translations",
                    output, inputs));
  }
}

// The name that the translation of `input` gets in a folder.
std::string name_in_folder(const std::string& input, const std::string& folder) {
  const std::string name = fs::path(input).filename().string();
  if (input == "-" || name.empty() || name == "." || name == "..") {
    throw UsageError(fmt::format(
        "the translation of {} cannot be written into {}: it has no name of its own; use -o FILE",
        input == "-" ? "standard input" : input, folder));
  }
  return name;
}

void expect_readable(const std::string& input) {
  std::error_code none;
  if (fs::is_directory(input, none)) throw Error(input + ": is a folder, expected a text file");
  if (::access(input.c_str(), R_OK) != 0) {
    throw Error(fmt::format("{}: cannot be read: {}", input, system_message(errno)));
  }
}

}  // namespace

TranslationPlan plan_translation(const std::vector<std::string>& inputs, const std::string& output,
                                 bool overwrite) {
  if (inputs.size() == 1 && !means_folder(output)) {
    check_ending(output);
    return {{{inputs.front(), output}}, ""};
  }
  if (inputs.size() > 1) check_folder(output, inputs.size());
  TranslationPlan plan{{}, output};
  std::vector<NamedFile> files = {{FileRole::filled, "-o", output}};
  std::map<std::string, std::string> inputs_by_name;
  for (const std::string& input : inputs) {
    const std::string name = name_in_folder(input, output);
    const std::string path = (fs::path(output) / name).string();
    const auto [other, is_new] = inputs_by_name.emplace(name, input);
    if (!is_new) {
      throw UsageError(fmt::format(
          "{} and {} would both be translated into {}; translate them into different folders",
          other->second, input, path));
    }
    std::error_code none;
    if (fs::equivalent(input, path, none)) {
      throw UsageError(
          fmt::format("the translation of {} would replace it; choose another folder "
                      "than {}",
                      input, output));
    }
    plan.files.push_back({input, path});
    files.push_back({FileRole::read, "-i", input});
    files.push_back({FileRole::written, "-o", path});
  }
  expect_separate_files(files);
  expect_nothing_of_ours(files);
  for (const std::string& input : inputs) expect_readable(input);
  for (const TranslationFile& file : plan.files) {
    if (overwrite || !fs::exists(file.output)) continue;
    throw Error(fmt::format(
        "{}: exists and is not replaced; choose another folder, or add --overwrite", file.output));
  }
  return plan;
}

void create_output_folder(const TranslationPlan& plan) {
  if (plan.folder.empty()) return;
  std::error_code error;
  fs::create_directories(plan.folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create this folder: {}", plan.folder,
                            system_message(error.value())));
  }
}

}  // namespace eatt::cli
