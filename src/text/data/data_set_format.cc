#include "text/data/data_set_format.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/corpus/problem_json.h"

namespace eatt {
namespace {

static_assert(std::endian::native == std::endian::little, "data sets are stored little-endian");

using Json = nlohmann::ordered_json;
constexpr std::string_view kFormatName = "eatt-data-set";

Json vocabulary_json(const DataSetInfo::Vocabulary& vocabulary) {
  return {{"file", vocabulary.file}, {"size", vocabulary.size}, {"sha256", vocabulary.sha256}};
}

DataSetInfo::Vocabulary parse_vocabulary(const Json& json) {
  DataSetInfo::Vocabulary vocabulary;
  json.at("file").get_to(vocabulary.file);
  json.at("size").get_to(vocabulary.size);
  json.at("sha256").get_to(vocabulary.sha256);
  // A name, not a path: a description from elsewhere must not make us open other files.
  if (vocabulary.file.empty() || vocabulary.file.find('/') != std::string::npos) {
    throw Error("a vocabulary's file is not the name of a file beside it");
  }
  if (vocabulary.size < 4) throw Error("a vocabulary has fewer pieces than the markers");
  return vocabulary;
}

DataSetInfo parse_info(const Json& json) {
  DataSetInfo info;
  json.at("pairs").get_to(info.pairs);
  json.at("source_pieces").get_to(info.source_pieces);
  json.at("target_pieces").get_to(info.target_pieces);
  const Json& vocabularies = json.at("vocabularies");
  if (vocabularies.contains("joint")) {
    info.source = info.target = parse_vocabulary(vocabularies.at("joint"));
  } else {
    info.source = parse_vocabulary(vocabularies.at("source"));
    info.target = parse_vocabulary(vocabularies.at("target"));
  }
  for (const auto& [name, file] : json.at("files").items()) {
    info.files[name] = {file.at("bytes").get<uint64_t>(), file.at("sha256").get<std::string>()};
  }
  const Json& summary = json.at("summary");
  summary.at("pairs_read").get_to(info.pairs_read);
  summary.at("source_unknown").get_to(info.source_unknown);
  summary.at("target_unknown").get_to(info.target_unknown);
  info.dropped = problems_from_json(summary.at("dropped"));
  for (const auto& [key, value] : json.at("made_with").items()) {
    info.made_with.emplace_back(key, value.get<std::string>());
  }
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
  try {
    const Json json = Json::parse(text);
    if (!json.is_object() || json.value("format", "") != kFormatName) {
      throw Error("\"format\" is not \"eatt-data-set\"");
    }
    const auto version = json.at("version").get<uint32_t>();
    if (version != kDataSetVersion) {
      throw Error(fmt::format("it has version {}, this program reads version {}", version,
                              kDataSetVersion));
    }
    return parse_info(json);
  } catch (const std::exception& error) {
    throw Error(
        fmt::format("{}: does not describe a data set ({}); make it again by `eatt corpus prepare`",
                    name, error.what()));
  }
}

}  // namespace eatt
