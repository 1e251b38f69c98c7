#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/utf8.h"
#include "bundle/architecture.h"
#include "bundle/bundle.h"

namespace eatt {
namespace {

using nlohmann::ordered_json;

constexpr char kAdvice[] = "correct the file, copy the bundle again or export it again";

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A plain file name that cannot point outside the bundle's folder.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && is_letter_or_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

void check_format(const JsonNode& root, const std::string& file) {
  if (const auto format = root.find("format"); !format || format->text() != kFormatName) {
    throw Error(fmt::format(
        "{}: has {} \"format\", expected \"{}\"; this is not the config.json of an eatt bundle",
        file, format ? "another" : "no", kFormatName));
  }
  const uint64_t version = root["format_version"].integer(1, UINT64_MAX);
  if (version > kFormatVersion) {
    throw Error(fmt::format(
        "{}: format_version: found {}, this eatt reads up to {}; use a newer eatt, or export the "
        "model again with this one",
        file, version, kFormatVersion));
  }
}

std::string read_language(const JsonNode& node) {
  const std::string code = node.text();
  const bool plain = !code.empty() && code.size() <= 35 && std::ranges::all_of(code, [](char c) {
    return is_letter_or_digit(c) || c == '-';
  });
  if (!plain) node.fail("a language code such as \"en\" or \"zh-Hant\"");
  return code;
}

std::map<std::string, FileRecord> read_files(const JsonNode& node) {
  std::map<std::string, FileRecord> files;
  for (const auto& [name, entry] : node.members()) {
    if (!is_plain_name(name) || name == kManifestFile) {
      entry.fail("files named by letters, digits, '.', '_' and '-' only, and not config.json");
    }
    FileRecord record;
    record.bytes = entry["bytes"].integer(0, INT64_MAX);
    record.sha256 = entry["sha256"].text();
    const bool digest = record.sha256.size() == 64 &&
                        record.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!digest) entry["sha256"].fail("64 lower-case hexadecimal digits");
    files[name] = record;
  }
  return files;
}

std::string read_piece_file(const JsonNode& node, const Manifest& manifest) {
  const std::string name = node.text();
  if (!name.ends_with(".spm") || !manifest.files.contains(name)) {
    node.fail("a name ending in .spm that is listed under files");
  }
  return name;
}

std::optional<GoldenPair> read_golden(const JsonNode& root) {
  const auto node = root.find("golden");
  if (!node) return std::nullopt;
  GoldenPair golden;
  golden.source = (*node)["source"].text();
  golden.target = (*node)["target"].text();
  golden.score = (*node)["score"].number();
  golden.tolerance = (*node)["tolerance"].number();
  if (golden.tolerance < 0) (*node)["tolerance"].fail("a number of at least 0");
  return golden;
}

// The scores of an int8 model are used as they are, so their scale must be folded.
void check_folded(const Manifest& manifest, const JsonNode& root) {
  if (manifest.precision != Precision::int8) return;
  const auto check = [](const Attention& attention, const JsonNode& node) {
    if (attention.scale.kind == ScaleKind::folded) return;
    node["score_scale"]["kind"].fail("\"folded\", since the precision is int8");
  };
  const Architecture& a = manifest.architecture;
  check(a.encoder_self, root["architecture"]["encoder"]["self_attention"]);
  check(a.decoder_self, root["architecture"]["decoder"]["self_attention"]);
  check(a.cross, root["architecture"]["decoder"]["cross_attention"]);
}

// Consistency of the parts.
void check_whole(const Manifest& manifest, const JsonNode& root, const std::string& file) {
  if (!manifest.files.contains(kWeightsFile)) {
    throw Error(fmt::format("{}: files: lists no {}; {}", file, kWeightsFile, kAdvice));
  }
  if (manifest.architecture.embeddings == EmbeddingSharing::all && !manifest.joint_pieces()) {
    root["vocabulary"]["target"].fail(
        fmt::format("{}, the source's, since all embeddings are one matrix",
                    in_quotes(manifest.source_pieces)));
  }
  check_folded(manifest, root);
}

}  // namespace

Manifest parse_manifest(std::string_view text, const std::string& file_name) {
  const JsonOrigin origin{file_name, kAdvice};
  const nlohmann::json parsed = parse_json(text, origin, {.max_bytes = kMaxManifestBytes});
  const JsonNode root(parsed, origin);
  check_format(root, file_name);

  Manifest manifest;
  manifest.architecture = read_architecture(root["architecture"], origin);
  manifest.precision = static_cast<Precision>(root["precision"].choice(kPrecisionNames));
  manifest.source_language = read_language(root["languages"]["source"]);
  manifest.target_language = read_language(root["languages"]["target"]);
  manifest.files = read_files(root["files"]);
  manifest.source_pieces = read_piece_file(root["vocabulary"]["source"], manifest);
  manifest.target_pieces = read_piece_file(root["vocabulary"]["target"], manifest);
  manifest.golden = read_golden(root);
  if (const auto made = root.find("made")) {
    for (const auto& [key, value] : made->members()) manifest.made[key] = value.text();
  }
  check_whole(manifest, root, file_name);
  check_json_checksum(parsed, origin);
  return manifest;
}

std::string print_manifest(const Manifest& manifest) {
  ordered_json root = {{"format", kFormatName}, {"format_version", kFormatVersion}};
  root["architecture"] = print_architecture(manifest.architecture);
  root["precision"] = precision_name(manifest.precision);
  root["languages"] = {{"source", manifest.source_language}, {"target", manifest.target_language}};
  root["vocabulary"] = {{"source", manifest.source_pieces}, {"target", manifest.target_pieces}};
  root["files"] = ordered_json::object();
  for (const auto& [name, record] : manifest.files) {
    root["files"][name] = {{"bytes", record.bytes}, {"sha256", record.sha256}};
  }
  if (const auto& golden = manifest.golden) {
    root["golden"] = {{"source", golden->source},
                      {"target", golden->target},
                      {"score", golden->score},
                      {"tolerance", golden->tolerance}};
  }
  if (!manifest.made.empty()) root["made"] = manifest.made;
  return print_checked_json(std::move(root));
}

}  // namespace eatt
