#include "bundle/bundle.h"

#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/text/utf8.h"
#include "bundle/bundle_checks.h"
#include "bundle/expected_tensors.h"
#include "text/language/language_profile.h"

namespace eatt {
namespace {

// A writer that replaces the bundle removes the old folder, perhaps while we read it. Each attempt
// maps all files at once, so it is likely to succeed even if a writer replaces it all the time.
constexpr int kAttempts = 20;

}  // namespace

// The manifest and the files that are needed. All are mapped before any is read.
struct Bundle::Files {
  Files(const BundleFolder& folder, OpenOptions options) : manifest(read_manifest(folder)) {
    for (const auto& entry : manifest.files) {
      const std::string& name = entry.first;
      check_size(folder, manifest, name);
      const bool used = name == kWeightsFile || name == manifest.source_pieces ||
                        name == manifest.target_pieces || name == kTrainingFile ||
                        name == kResultsFile || name == kLanguagesFile;
      if (used || options.verify_hashes) mapped.emplace(name, folder.map(name));
    }
    if (!options.verify_hashes) return;
    for (const auto& [name, file] : mapped) check_hash(folder, manifest, name, file);
  }

  Manifest manifest;
  std::map<std::string, MappedFile> mapped;
};

Bundle Bundle::open(const std::filesystem::path& path, OpenOptions options) {
  for (int attempt = 1;; ++attempt) {
    const BundleFolder folder(path);
    try {
      return Bundle(folder, Files(folder, options));
    } catch (const Error&) {
      if (attempt == kAttempts || !folder.was_replaced()) throw;
    }
  }
}

Bundle::Bundle(const BundleFolder& folder, Files files)
    : path_(folder.path()),
      manifest_(std::move(files.manifest)),
      weights_(std::move(files.mapped.at(kWeightsFile)), folder.shown(kWeightsFile)),
      source_pieces_(std::move(files.mapped.at(manifest_.source_pieces))) {
  if (!manifest_.joint_pieces()) {
    target_pieces_ = std::move(files.mapped.at(manifest_.target_pieces));
  }
  const auto take = [&](const char* name, MappedFile& file) {
    if (const auto found = files.mapped.find(name); found != files.mapped.end()) {
      file = std::move(found->second);
    }
  };
  take(kTrainingFile, training_);
  take(kResultsFile, results_);
  take(kLanguagesFile, languages_);
  const Architecture& a = manifest_.architecture;
  check_tensors(folder.shown(kWeightsFile), weights_, expected_tensors(a, manifest_.precision));
  check_vocabulary(folder, manifest_.source_pieces, source_pieces_, a.source_vocab,
                   source_embedding(a));
  check_vocabulary(folder, manifest_.target_pieces,
                   target_pieces_ ? *target_pieces_ : source_pieces_, a.target_vocab,
                   target_embedding(a));
}

std::string bundle_name(const std::filesystem::path& path) {
  std::filesystem::path folder = path.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  const std::string name = folder.filename().string();
  const bool is_of_a_run = name == "best" || name == "last";
  const std::string text = is_of_a_run && folder.has_parent_path()
                               ? (folder.parent_path().filename() / name).string()
                               : name;
  return replace_invalid_utf8(text);
}

std::vector<LanguageProfile> Bundle::language_profiles() const {
  if (languages_json().empty()) return {};
  return parse_profiles(languages_json(), (path_ / kLanguagesFile).string());
}

}  // namespace eatt
