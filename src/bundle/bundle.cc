#include "bundle/bundle.h"

#include <map>
#include <string>
#include <utility>

#include "base/error.h"
#include "bundle/bundle_checks.h"
#include "bundle/expected_tensors.h"

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
                        name == kResultsFile;
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
  const Architecture& a = manifest_.architecture;
  check_tensors(folder.shown(kWeightsFile), weights_, expected_tensors(a, manifest_.precision));
  check_vocabulary(folder, manifest_.source_pieces, source_pieces_, a.source_vocab,
                   source_embedding(a));
  check_vocabulary(folder, manifest_.target_pieces,
                   target_pieces_ ? *target_pieces_ : source_pieces_, a.target_vocab,
                   target_embedding(a));
}

}  // namespace eatt
