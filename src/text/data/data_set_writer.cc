#include "text/data/data_set_writer.h"

#include <cstring>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/mapped_file.h"
#include "base/sha256.h"

namespace eatt {
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
}

void PackedPairs::add(std::span<const int32_t> source_ids, uint32_t source_bytes,
                      std::span<const int32_t> target_ids, uint32_t target_bytes) {
  lengths.push_back(
      {static_cast<uint32_t>(source_ids.size()), static_cast<uint32_t>(target_ids.size())});
  append_ids(source_ids, source_bytes, source);
  append_ids(target_ids, target_bytes, target);
}

DataSetWriter::DataSetWriter(const fs::path& folder, uint32_t source_bytes, uint32_t target_bytes,
                             const DataSetPosition& done)
    : folder_(folder),
      widths_{source_bytes, target_bytes},
      position_(done),
      source_(open_part(folder, DataKind::source, done.source_pieces, source_bytes)),
      target_(open_part(folder, DataKind::target, done.target_pieces, target_bytes)),
      lengths_(open_part(folder, DataKind::lengths, done.pairs, sizeof(PairLength))) {}

void DataSetWriter::append(const PackedPairs& pairs) {
  source_.write(pairs.source);
  target_.write(pairs.target);
  lengths_.write({reinterpret_cast<const char*>(pairs.lengths.data()),
                  pairs.lengths.size() * sizeof(PairLength)});
  position_.pairs += pairs.lengths.size();
  position_.source_pieces += pairs.source.size() / widths_.source;
  position_.target_pieces += pairs.target.size() / widths_.target;
}

DataSetPosition DataSetWriter::commit() {
  source_.sync();
  target_.sync();
  lengths_.sync();
  return position_;
}

std::map<std::string, DataSetInfo::File> DataSetWriter::finish() {
  source_.overwrite(0,
                    bytes_of(header_of(DataKind::source, widths_.source, position_.source_pieces)));
  target_.overwrite(0,
                    bytes_of(header_of(DataKind::target, widths_.target, position_.target_pieces)));
  lengths_.overwrite(0,
                     bytes_of(header_of(DataKind::lengths, sizeof(PairLength), position_.pairs)));
  commit();
  write_offsets();
  std::map<std::string, DataSetInfo::File> files;
  for (const DataKind kind : kDataKinds) {
    const fs::path file = folder_ / file_name(kind);
    files[std::string(file_name(kind))] = {fs::file_size(file), sha256_of_file(file)};
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
