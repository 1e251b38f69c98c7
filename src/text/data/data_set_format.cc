#include "text/data/data_set_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/sha256.h"
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
  if (const auto links = root.find("links")) info.links = links->integer(0, UINT64_MAX);
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
  if (const auto corpora = root.find("corpora")) info.corpora = corpora_from_json(*corpora);
  uint64_t pairs = 0;
  for (const auto& corpus : info.corpora) pairs += corpus.pairs;
  if (!info.corpora.empty() && pairs != info.pairs) {
    root["corpora"].fail(fmt::format("corpora of {} pairs together", info.pairs));
  }
  return info;
}

}  // namespace

Json corpora_to_json(const std::vector<DataSetInfo::Corpus>& corpora) {
  Json list = Json::array();
  for (const auto& corpus : corpora) {
    list.push_back({{"source", corpus.source},
                    {"target", corpus.target},
                    {"pairs_read", corpus.pairs_read},
                    {"pairs", corpus.pairs},
                    {"dropped", problems_to_json(corpus.dropped)}});
  }
  return list;
}

std::vector<DataSetInfo::Corpus> corpora_from_json(const JsonNode& node) {
  std::vector<DataSetInfo::Corpus> corpora;
  for (const JsonNode& item : node.items()) {
    corpora.push_back({.source = item["source"].text(),
                       .target = item["target"].text(),
                       .pairs_read = item["pairs_read"].integer(0, UINT64_MAX),
                       .pairs = item["pairs"].integer(0, UINT64_MAX),
                       .dropped = problems_from_json(item["dropped"])});
  }
  return corpora;
}

std::string_view file_name(DataKind kind) {
  switch (kind) {
    case DataKind::source:
      return "source.bin";
    case DataKind::target:
      return "target.bin";
    case DataKind::lengths:
      return "lengths.bin";
    case DataKind::links:
      return "links.bin";
    case DataKind::link_ends:
      return "link_ends.bin";
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
  if (info.links) json["links"] = *info.links;
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
  if (!info.corpora.empty()) json["corpora"] = corpora_to_json(info.corpora);
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

namespace {

namespace fs = std::filesystem;
constexpr uint64_t kDropStep = 1 << 18;  // Pairs whose lengths stay in memory during a scan.

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void append_ids(std::span<const int32_t> ids, uint32_t width, std::string& bytes) {
  if (width == 4) {
    bytes.append(reinterpret_cast<const char*>(ids.data()), ids.size_bytes());
    return;
  }
  const size_t before = bytes.size();
  bytes.resize(before + ids.size() * sizeof(uint16_t));
  char* at = bytes.data() + before;
  for (const int32_t id : ids) {
    const auto narrow = static_cast<uint16_t>(id);
    std::memcpy(at, &narrow, sizeof narrow);
    at += sizeof narrow;
  }
}

DataHeader header_of(DataKind kind, uint32_t item_bytes, uint64_t items) {
  DataHeader header;
  header.kind = kind;
  header.item_bytes = item_bytes;
  header.items = items;
  return header;
}

// A new file gets room for its header, which finish() fills in.
PartFile open_part(const fs::path& folder, DataKind kind, uint64_t items, uint32_t item_bytes) {
  const uint64_t keep = items == 0 ? 0 : sizeof(DataHeader) + items * item_bytes;
  PartFile file(folder / file_name(kind), keep);
  if (keep == 0) file.write(bytes_of(header_of(kind, item_bytes, 0)));
  return file;
}

}  // namespace

void PackedPairs::clear() {
  lengths.clear();
  source.clear();
  target.clear();
  links.clear();
  link_counts.clear();
}

void PackedPairs::add(std::span<const int32_t> source_ids, uint32_t source_bytes,
                      std::span<const int32_t> target_ids, uint32_t target_bytes) {
  lengths.push_back(
      {static_cast<uint32_t>(source_ids.size()), static_cast<uint32_t>(target_ids.size())});
  append_ids(source_ids, source_bytes, source);
  append_ids(target_ids, target_bytes, target);
}

void PackedPairs::add_links(std::span<const PieceLink> pair_links) {
  links.insert(links.end(), pair_links.begin(), pair_links.end());
  link_counts.push_back(static_cast<uint32_t>(pair_links.size()));
}

DataSetWriter::DataSetWriter(const fs::path& folder, uint32_t source_bytes, uint32_t target_bytes,
                             const DataSetPosition& done, bool with_links)
    : folder_(folder),
      widths_{source_bytes, target_bytes},
      position_(done),
      source_(open_part(folder, DataKind::source, done.source_pieces, source_bytes)),
      target_(open_part(folder, DataKind::target, done.target_pieces, target_bytes)),
      lengths_(open_part(folder, DataKind::lengths, done.pairs, sizeof(PairLength))) {
  if (!with_links) return;
  links_.emplace(open_part(folder, DataKind::links, done.links, sizeof(PieceLink)));
  link_ends_.emplace(open_part(folder, DataKind::link_ends, done.pairs, sizeof(uint64_t)));
}

void DataSetWriter::append(const PackedPairs& pairs) {
  source_.write(pairs.source);
  target_.write(pairs.target);
  lengths_.write({reinterpret_cast<const char*>(pairs.lengths.data()),
                  pairs.lengths.size() * sizeof(PairLength)});
  position_.pairs += pairs.lengths.size();
  position_.source_pieces += pairs.source.size() / widths_.source;
  position_.target_pieces += pairs.target.size() / widths_.target;
  if (!links_) return;
  expects(pairs.link_counts.size() == pairs.lengths.size(), "every pair brings its links");
  links_->write(
      {reinterpret_cast<const char*>(pairs.links.data()), pairs.links.size() * sizeof(PieceLink)});
  for (const uint64_t count : pairs.link_counts) {
    position_.links += count;
    link_ends_->write(bytes_of(position_.links));
  }
}

DataSetPosition DataSetWriter::commit() {
  source_.sync();
  target_.sync();
  lengths_.sync();
  if (links_) {
    links_->sync();
    link_ends_->sync();
  }
  return position_;
}

std::map<std::string, DataSetInfo::File> DataSetWriter::finish() {
  source_.overwrite(0,
                    bytes_of(header_of(DataKind::source, widths_.source, position_.source_pieces)));
  target_.overwrite(0,
                    bytes_of(header_of(DataKind::target, widths_.target, position_.target_pieces)));
  lengths_.overwrite(0,
                     bytes_of(header_of(DataKind::lengths, sizeof(PairLength), position_.pairs)));
  if (links_) {
    links_->overwrite(0, bytes_of(header_of(DataKind::links, sizeof(PieceLink), position_.links)));
    link_ends_->overwrite(
        0, bytes_of(header_of(DataKind::link_ends, sizeof(uint64_t), position_.pairs)));
  }
  commit();
  write_offsets();
  std::map<std::string, DataSetInfo::File> files;
  const auto add = [&](DataKind kind) {
    const fs::path file = folder_ / file_name(kind);
    files[std::string(file_name(kind))] = {fs::file_size(file), sha256_of_file(file)};
  };
  for (const DataKind kind : kDataKinds) add(kind);
  if (links_) {
    for (const DataKind kind : kLinkKinds) add(kind);
  }
  return files;
}

void DataSetWriter::write_offsets() const {
  const MappedFile file(lengths_.path());
  const auto lengths =
      std::span(reinterpret_cast<const PairLength*>(file.bytes().data() + sizeof(DataHeader)),
                position_.pairs);
  AtomicFile offsets(folder_ / file_name(DataKind::offsets));
  const uint64_t count = (position_.pairs + kPairsPerOffset - 1) / kPairsPerOffset;
  offsets.write(bytes_of(header_of(DataKind::offsets, sizeof(PairOffset), count)));
  PairOffset offset;
  for (uint64_t pair = 0; pair < position_.pairs; ++pair) {
    if (pair % kPairsPerOffset == 0) offsets.write(bytes_of(offset));
    if (pair % kDropStep == 0 && pair > 0) {
      file.drop((pair - kDropStep) * sizeof(PairLength), kDropStep * sizeof(PairLength));
    }
    offset.source += lengths[pair].source;
    offset.target += lengths[pair].target;
  }
  expects(offset.source == position_.source_pieces && offset.target == position_.target_pieces,
          "the lengths add up to the pieces written");
  offsets.commit();
}

}  // namespace eatt
