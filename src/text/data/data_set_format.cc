#include "text/data/data_set_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json.h"
#include "text/corpus/pair_problem.h"

namespace eatt {
namespace {

static_assert(std::endian::native == std::endian::little, "data sets are stored little-endian");

using Json = nlohmann::ordered_json;
constexpr std::string_view kFormatName = "eatt-data-set";
constexpr uint64_t kMarkers = 4;  // <pad>, <unk>, <s> and </s>: every vocabulary has them.
constexpr JsonLimits kJsonLimits{.max_bytes = 16 << 20};

Json vocabulary_json(const DataSetInfo::Vocabulary& vocabulary) {
  return {{"file", vocabulary.file}, {"size", vocabulary.size}, {"sha256", vocabulary.sha256}};
}

DataSetInfo::Vocabulary parse_vocabulary(const JsonNode& node) {
  DataSetInfo::Vocabulary vocabulary;
  vocabulary.file = node["file"].text();
  // A name, not a path: a description from elsewhere must not make us open other files.
  if (vocabulary.file.empty() || vocabulary.file.find('/') != std::string::npos) {
    node["file"].fail("the name of a file beside it");
  }
  vocabulary.size = static_cast<int>(node["size"].integer(kMarkers, INT32_MAX));
  vocabulary.sha256 = node["sha256"].text();
  return vocabulary;
}

DataSetInfo parse_info(const JsonNode& root) {
  DataSetInfo info;
  info.pairs = root["pairs"].integer(0, UINT64_MAX);
  info.source_pieces = root["source_pieces"].integer(0, UINT64_MAX);
  info.target_pieces = root["target_pieces"].integer(0, UINT64_MAX);
  const JsonNode vocabularies = root["vocabularies"];
  if (const auto joint = vocabularies.find("joint")) {
    info.source = info.target = parse_vocabulary(*joint);
  } else {
    info.source = parse_vocabulary(vocabularies["source"]);
    info.target = parse_vocabulary(vocabularies["target"]);
  }
  for (const auto& [name, file] : root["files"].members()) {
    info.files[name] = {file["bytes"].integer(0, UINT64_MAX), file["sha256"].text()};
  }
  const JsonNode summary = root["summary"];
  info.pairs_read = summary["pairs_read"].integer(0, UINT64_MAX);
  info.source_unknown = summary["source_unknown"].integer(0, UINT64_MAX);
  info.target_unknown = summary["target_unknown"].integer(0, UINT64_MAX);
  info.dropped = problems_from_json(summary["dropped"]);
  return info;
}

}  // namespace

std::string_view file_name(DataKind kind) {
  switch (kind) {
    case DataKind::source:
      return "source.bin";
    case DataKind::target:
      return "target.bin";
    case DataKind::lengths:
      return "lengths.bin";
    default:
      return "offsets.bin";
  }
}

std::string to_json(const DataSetInfo& info) {
  Json json;
  json["format"] = kFormatName;
  json["version"] = kDataSetVersion;
  json["pairs"] = info.pairs;
  json["source_pieces"] = info.source_pieces;
  json["target_pieces"] = info.target_pieces;
  Json& vocabularies = json["vocabularies"];
  if (info.is_joint()) {
    vocabularies["joint"] = vocabulary_json(info.source);
  } else {
    vocabularies["source"] = vocabulary_json(info.source);
    vocabularies["target"] = vocabulary_json(info.target);
  }
  json["files"] = Json::object();
  for (const auto& [name, file] : info.files) {
    json["files"][name] = {{"bytes", file.bytes}, {"sha256", file.sha256}};
  }
  json["summary"] = {{"pairs_read", info.pairs_read},
                     {"source_unknown", info.source_unknown},
                     {"target_unknown", info.target_unknown},
                     {"dropped", problems_to_json(info.dropped)}};
  json["made_with"] = Json::object();
  for (const auto& [key, value] : info.made_with) json["made_with"][key] = value;
  // File names and options are the user's bytes: what is not UTF-8 is replaced, not refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

DataSetInfo parse_data_set_info(std::string_view text, const std::string& name) {
  const JsonOrigin origin{name, "make the data set again with `eatt corpus prepare --overwrite`"};
  const nlohmann::json json = parse_json(text, origin, kJsonLimits);
  const JsonNode root(json, origin);
  root["format"].choice(std::array{kFormatName});
  if (const auto version = root["version"].integer(1, UINT32_MAX); version != kDataSetVersion) {
    throw Error(fmt::format("{}: has version {}, this program reads version {}; {}", name, version,
                            kDataSetVersion, origin.advice));
  }
  DataSetInfo info = parse_info(root);
  // Again, for the order of the keys.
  const auto made_with = root["made_with"].members();
  const Json ordered = parse_ordered_json(text, origin, kJsonLimits);
  for (const auto& item : ordered["made_with"].items()) {
    const auto same_key = [&](const auto& member) { return member.first == item.key(); };
    const auto member = std::ranges::find_if(made_with, same_key);
    info.made_with.emplace_back(item.key(), member->second.text());
  }
  return info;
}

}  // namespace eatt
