#include "text/data/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/sha256.h"
#include "base/threads.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
// A scan of all lengths releases the pages it has read: they should not count as memory in use.
constexpr size_t kScanStep = 1 << 18;
constexpr char kMakeAgain[] = "make the data set again with `eatt corpus prepare --overwrite`";

DataSetInfo read_info(const fs::path& folder) {
  const fs::path file = folder / kDataSetFile;
  if (!fs::exists(file)) {
    if (fs::exists(folder / kUnfinishedFolder)) {
      throw Error(fmt::format(
          "{}: the data set is not finished; run the same `eatt corpus prepare` command again, it "
          "continues where it stopped",
          folder.string()));
    }
    if (fs::is_regular_file(folder)) {
      throw Error(fmt::format(
          "{}: is a file, expected the folder of a data set; make one with `eatt corpus prepare`",
          folder.string()));
    }
    throw Error(
        fmt::format("{}: holds no data set ({} is missing); make one with `eatt corpus prepare`",
                    folder.string(), kDataSetFile));
  }
  return parse_data_set_info(read_file(file, 16 << 20), file.string());
}

template <typename T>
std::span<const T> items_of(const MappedFile& file) {
  const auto items = file.bytes().subspan(sizeof(DataHeader));
  return {reinterpret_cast<const T*>(items.data()), items.size() / sizeof(T)};
}

}  // namespace

DataSet::DataSet(const fs::path& folder) : folder_(folder), info_(read_info(folder)) {
  source_ = open_ids(DataKind::source, info_.source_pieces, info_.source.size);
  target_ = open_ids(DataKind::target, info_.target_pieces, info_.target.size);
  lengths_file_ = open_part(DataKind::lengths, sizeof(PairLength), info_.pairs);
  offsets_file_ = open_part(DataKind::offsets, sizeof(PairOffset),
                            (info_.pairs + kPairsPerOffset - 1) / kPairsPerOffset);
  lengths_ = items_of<PairLength>(lengths_file_);
  offsets_ = items_of<PairOffset>(offsets_file_);
  check_lengths();
  if (info_.links) open_links();
  check_vocabulary(info_.source);
  if (!info_.is_joint()) check_vocabulary(info_.target);
}

MappedFile DataSet::open_part(DataKind kind, uint32_t item_bytes, uint64_t items) const {
  const std::string name(file_name(kind));
  const std::string path = (folder_ / name).string();
  const auto described = info_.files.find(name);
  if (described == info_.files.end()) {
    throw Error(fmt::format("{}: does not list {}; {}", (folder_ / kDataSetFile).string(), name,
                            kMakeAgain));
  }
  MappedFile file(folder_ / name);
  const uint64_t expected = sizeof(DataHeader) + items * item_bytes;
  const uint64_t found = file.bytes().size();
  if (found != expected || described->second.bytes != expected) {
    throw Error(fmt::format("{}: has {} bytes, expected {} for {} items of {} bytes{}; {}", path,
                            found, expected, items, item_bytes,
                            found < expected ? " (it was cut off)" : "", kMakeAgain));
  }
  DataHeader header;
  std::memcpy(&header, file.bytes().data(), sizeof header);
  if (header.magic != DataHeader().magic) {
    throw Error(fmt::format("{}: is not a file of a data set; {}", path, kMakeAgain));
  }
  if (header.version != kDataSetVersion) {
    throw Error(fmt::format("{}: has version {}, this program reads version {}; {}", path,
                            header.version, kDataSetVersion, kMakeAgain));
  }
  if (header.kind != kind || header.item_bytes != item_bytes || header.items != items) {
    const bool known = header.kind >= DataKind::source && header.kind <= DataKind::link_ends;
    throw Error(fmt::format(
        "{}: its header is that of {} with {} items of {} bytes, expected {} with {} of {}; {}",
        path, known ? file_name(header.kind) : "an unknown file", header.items, header.item_bytes,
        name, items, item_bytes, kMakeAgain));
  }
  return file;
}

DataSet::Ids DataSet::open_ids(DataKind kind, uint64_t pieces, int vocab_size) const {
  Ids ids;
  ids.width = piece_bytes(vocab_size);
  ids.vocab_size = vocab_size;
  ids.file = open_part(kind, ids.width, pieces);
  ids.items = ids.file.bytes().subspan(sizeof(DataHeader));
  return ids;
}

void DataSet::each_length(const std::function<void(size_t, PairLength)>& body) const {
  for (size_t begin = 0; begin < lengths_.size(); begin += kScanStep) {
    const size_t end = std::min(begin + kScanStep, lengths_.size());
    for (size_t i = begin; i < end; ++i) body(i, lengths_[i]);
    lengths_file_.drop(begin * sizeof(PairLength), (end - begin) * sizeof(PairLength));
  }
}

void DataSet::check_lengths() const {
  PairOffset sum;
  each_length([&](size_t i, PairLength length) {
    if (i % kPairsPerOffset == 0) {
      const PairOffset& offset = offsets_[i / kPairsPerOffset];
      if (offset.source != sum.source || offset.target != sum.target) {
        throw Error(fmt::format(
            "{}: pair {} starts at pieces {} and {}, but {} adds up to {} and "
            "{}; {}",
            (folder_ / file_name(DataKind::offsets)).string(), i, offset.source, offset.target,
            file_name(DataKind::lengths), sum.source, sum.target, kMakeAgain));
      }
    }
    sum.source += length.source;
    sum.target += length.target;
  });
  if (sum.source != info_.source_pieces || sum.target != info_.target_pieces) {
    throw Error(fmt::format("{}: adds up to {} and {} pieces, expected {} and {}; {}",
                            (folder_ / file_name(DataKind::lengths)).string(), sum.source,
                            sum.target, info_.source_pieces, info_.target_pieces, kMakeAgain));
  }
}

void DataSet::open_links() {
  links_file_ = open_part(DataKind::links, sizeof(PieceLink), *info_.links);
  link_ends_file_ = open_part(DataKind::link_ends, sizeof(uint64_t), info_.pairs);
  links_ = items_of<PieceLink>(links_file_);
  link_ends_ = items_of<uint64_t>(link_ends_file_);
}

void DataSet::read_links(size_t i, std::vector<PieceLink>& links) const {
  expects(i < size() && has_links(), "the pair is in the data set and has links");
  const uint64_t begin = i == 0 ? 0 : link_ends_[i - 1], end = link_ends_[i];
  const auto fits = [&](const PieceLink& link) {
    return link.source < lengths_[i].source && link.target < lengths_[i].target;
  };
  const bool ordered = begin <= end && end <= links_.size();
  if (ordered)
    links.assign(links_.begin() + static_cast<ptrdiff_t>(begin),
                 links_.begin() + static_cast<ptrdiff_t>(end));
  if (ordered && std::ranges::all_of(links, fits)) return;
  throw Error(fmt::format("{}: the links of pair {} do not fit the pair; {}",
                          (folder_ / file_name(DataKind::links)).string(), i, kMakeAgain));
}

void DataSet::check_vocabulary(const DataSetInfo::Vocabulary& vocabulary) const {
  const fs::path file = folder_ / vocabulary.file;
  const std::string found = sha256_of_file(file);
  if (found != vocabulary.sha256) {
    throw Error(fmt::format(
        "{}: is not the vocabulary this data set was made with (SHA-256 {}…, "
        "expected {}…); put the right file there or {}",
        file.string(), found.substr(0, 12), vocabulary.sha256.substr(0, 12), kMakeAgain));
  }
}

void DataSet::read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const {
  expects(i < size(), "the pair is in the data set");
  const size_t block = i / kPairsPerOffset;
  PairOffset offset = offsets_[block];
  for (size_t k = block * kPairsPerOffset; k < i; ++k) {
    offset.source += lengths_[k].source;
    offset.target += lengths_[k].target;
  }
  copy_ids(source_, DataKind::source, i, offset.source, lengths_[i].source, source);
  copy_ids(target_, DataKind::target, i, offset.target, lengths_[i].target, target);
}

void DataSet::copy_ids(const Ids& from, DataKind kind, size_t pair, uint64_t offset, uint32_t count,
                       std::vector<int32_t>& ids) const {
  const std::byte* at = from.items.data() + offset * from.width;
  ids.resize(count);
  uint32_t largest = 0;
  if (from.width == 2) {
    const auto* narrow = reinterpret_cast<const uint16_t*>(at);
    for (uint32_t i = 0; i < count; ++i) {
      ids[i] = narrow[i];
      largest = std::max<uint32_t>(largest, narrow[i]);
    }
  } else {
    const auto* wide = reinterpret_cast<const uint32_t*>(at);
    for (uint32_t i = 0; i < count; ++i) {
      ids[i] = static_cast<int32_t>(wide[i]);
      largest = std::max(largest, wide[i]);
    }
  }
  if (largest >= static_cast<uint32_t>(from.vocab_size)) {
    throw Error(fmt::format("{}: pair {} has piece {}, but the vocabulary has {}; {}",
                            (folder_ / file_name(kind)).string(), pair, largest, from.vocab_size,
                            kMakeAgain));
  }
}

void DataSet::release_pages() const {
  for (const MappedFile* file : {&source_.file, &target_.file, &lengths_file_, &offsets_file_,
                                 &links_file_, &link_ends_file_}) {
    file->drop(0, file->bytes().size());
  }
}

DataSetCheck::DataSetCheck(const DataSet& data) {
  std::vector<File> files;
  for (const auto& [name, file] : data.info().files) {
    files.push_back({data.folder() / name, file.sha256});
  }
  thread_ = start_thread([this, files = std::move(files)] { run(files); });
}

DataSetCheck::~DataSetCheck() {
  stopped_ = true;
  thread_.join();
}

void DataSetCheck::run(const std::vector<File>& files) {
  std::exception_ptr failure;
  try {
    for (const File& file : files) check_file(file);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  ended_ = true;
  ended_now_.notify_all();
}

void DataSetCheck::check_file(const File& file) const {
  // In steps, dropping what was read, so that it does not count as memory used.
  constexpr size_t kStep = size_t{4} << 20;
  const MappedFile bytes(file.path);
  Sha256 hash;
  for (size_t offset = 0; offset < bytes.text().size(); offset += kStep) {
    if (stopped_) return;
    hash.update(bytes.text().substr(offset, kStep));
    bytes.drop(offset, kStep);
  }
  const std::string found = hash.hex_digest();
  if (found == file.sha256) return;
  throw Error(
      fmt::format("{}: has changed since the data set was made (SHA-256 {}, expected {}); {}",
                  file.path.string(), found, file.sha256, kMakeAgain));
}

bool DataSetCheck::wait_at_most(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  const bool ended = ended_now_.wait_for(lock, time, [this] { return ended_; });
  if (failure_) std::rethrow_exception(failure_);
  return ended;
}

void DataSetCheck::wait() {
  std::unique_lock lock(mutex_);
  ended_now_.wait(lock, [this] { return ended_; });
  if (failure_) std::rethrow_exception(failure_);
}

void DataSetCheck::rethrow_if_failed() { wait_at_most(std::chrono::milliseconds(0)); }

}  // namespace eatt
