
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/progress.h"
#include "base/text/json.h"
#include "bundle/bundle_checks.h"
#include "text/language/language_profile.h"

namespace eatt {
namespace {

class BundleCheck {
 public:
  BundleCheck(const std::filesystem::path& path, CheckOptions options)
      : path_(path), options_(options) {}

  std::vector<CheckResult> run() {
    check(kManifestFile, [&] { return manifest_check(); });
    if (!manifest_) {
      skip("files, tensors, vocabularies", kManifestFile);
      return std::move(results_);
    }
    for (const auto& file : manifest_->files) {
      check(file.first, [&] { return file_check(file.first); });
    }
    check("header", [&] { return header_check(); });
    if (weights_) {
      check("tensors", [&] { return tensor_check(); });
      check("values", [&] { return value_check(); });
    } else {
      skip("tensors, values", kWeightsFile);
    }
    const Architecture& a = manifest_->architecture;
    check("source vocabulary", [&] {
      return pieces_check(manifest_->source_pieces, a.source_vocab, source_embedding(a));
    });
    check("target vocabulary", [&] {
      return pieces_check(manifest_->target_pieces, a.target_vocab, target_embedding(a));
    });
    if (manifest_->files.contains(kResultsFile)) check("results", [&] { return results_check(); });
    if (manifest_->files.contains(kLanguagesFile)) {
      check("languages", [&] { return languages_check(); });
    }
    return std::move(results_);
  }

 private:
  void check(const std::string& name, const std::function<std::string()>& body) {
    try {
      results_.push_back({name, CheckState::ok, body()});
    } catch (const Error& error) {
      results_.push_back({name, CheckState::failed, error.what()});
    }
  }

  void skip(const std::string& name, std::string_view needed) {
    results_.push_back({name, CheckState::skipped, fmt::format("needs a valid {}", needed)});
  }

  std::string manifest_check() {
    folder_.emplace(path_);
    manifest_ = read_manifest(*folder_);
    const Architecture& a = manifest_->architecture;
    return fmt::format(
        "format {}, {} to {}, {}+{} layers of width {}, self-attention {} and {}, "
        "cross-attention {}, {}",
        kFormatVersion, manifest_->source_language, manifest_->target_language, a.encoder_layers(),
        a.decoder_layers(), a.model_dim, print_mechanisms(a.encoder_self.layers),
        print_mechanisms(a.decoder_self.layers), print_mechanisms(a.cross.layers),
        precision_name(manifest_->precision));
  }

  std::string file_check(const std::string& name) {
    check_size(*folder_, *manifest_, name);
    const std::string bytes = format_count(manifest_->files.at(name).bytes) + " bytes";
    if (!options_.hashes) return bytes + ", as config.json says";
    check_hash(*folder_, *manifest_, name, folder_->map(name));
    return bytes + ", size and SHA-256 as config.json says";
  }

  std::string header_check() {
    weights_.emplace(folder_->map(kWeightsFile), folder_->shown(kWeightsFile));
    return fmt::format("{} describes {} tensors, without gaps or overlaps", kWeightsFile,
                       format_count(weights_->tensors().size()));
  }

  std::string tensor_check() {
    check_tensors(folder_->shown(kWeightsFile), *weights_,
                  expected_tensors(manifest_->architecture, manifest_->precision));
    return "names, types, shapes and alignment as the architecture needs them";
  }

  std::string value_check() {
    check_values(folder_->shown(kWeightsFile), *weights_);
    if (manifest_->precision != Precision::int8) return "all finite";
    check_int8_values(folder_->shown(kWeightsFile), *weights_, manifest_->architecture);
    return "all finite, sums and scales fit the weights";
  }

  std::string pieces_check(const std::string& name, size_t rows, const std::string& embedding) {
    const MappedFile file = folder_->map(name);
    check_vocabulary(*folder_, name, file, rows, embedding);
    return fmt::format("{} has {} pieces, as many as {} has rows", name, format_count(rows),
                       embedding);
  }

  std::string results_check() {
    const MappedFile file = folder_->map(kResultsFile);
    const JsonOrigin origin{folder_->shown(kResultsFile), "copy the bundle again"};
    parse_json(file.text(), origin);
    return fmt::format("{} is JSON", kResultsFile);
  }

  std::string languages_check() {
    const MappedFile file = folder_->map(kLanguagesFile);
    std::string found;
    for (const LanguageProfile& profile :
         parse_profiles(file.text(), folder_->shown(kLanguagesFile))) {
      found += fmt::format("{}{} ({} sequences)", found.empty() ? "" : ", ", profile.language,
                           format_count(profile.costs.size()));
    }
    return fmt::format("{} has profiles of {}", kLanguagesFile, found.empty() ? "none" : found);
  }

  std::filesystem::path path_;
  CheckOptions options_;
  std::vector<CheckResult> results_;
  std::optional<BundleFolder> folder_;
  std::optional<Manifest> manifest_;
  std::optional<Safetensors> weights_;
};

}  // namespace

std::vector<CheckResult> check_bundle(const std::filesystem::path& path, CheckOptions options) {
  return BundleCheck(path, options).run();
}

}  // namespace eatt
