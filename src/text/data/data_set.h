#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/files/mapped_file.h"
#include "text/corpus/pair_length.h"
#include "text/data/data_set_format.h"

namespace eatt {

// A prepared corpus: sentence pairs as piece ids, mapped from files and paged in when touched. Any
// pair can be read at any time, from any number of threads.
class DataSet {
 public:
  // Checks all of the folder's files against dataset.json and each other: presence, kind, version,
  // sizes, digests of the vocabularies, and that lengths and offsets agree. Throws an Error naming
  // the file, what was found and what was expected.
  explicit DataSet(const std::filesystem::path& folder);

  size_t size() const { return lengths_.size(); }
  std::span<const PairLength> lengths() const { return lengths_; }

  // Replaces both vectors by the ids of pair `i`, without markers. Throws an Error if an id is not
  // in the vocabulary.
  void read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const;

  const DataSetInfo& info() const { return info_; }
  std::filesystem::path source_pieces_file() const { return folder_ / info_.source.file; }
  std::filesystem::path target_pieces_file() const { return folder_ / info_.target.file; }

  // Compares every byte of the .bin files with the digests in dataset.json: minutes for a large
  // set, so not part of opening it. Throws an Error naming the file that differs.
  void verify() const;

  // Tells the kernel that no page is needed soon: what was read no longer counts as memory in use.
  void release_pages() const;

 private:
  struct Ids {
    MappedFile file;
    std::span<const std::byte> items;
    uint32_t width = 0;
    int vocab_size = 0;
  };

  MappedFile open_part(DataKind kind, uint32_t item_bytes, uint64_t items) const;
  Ids open_ids(DataKind kind, uint64_t pieces, int vocab_size) const;
  void check_vocabulary(const DataSetInfo::Vocabulary& vocabulary) const;
  void check_lengths() const;
  void copy_ids(const Ids& from, DataKind kind, size_t pair, uint64_t offset, uint32_t count,
                std::vector<int32_t>& ids) const;

  std::filesystem::path folder_;
  DataSetInfo info_;
  Ids source_;
  Ids target_;
  MappedFile lengths_file_;
  MappedFile offsets_file_;
  std::span<const PairLength> lengths_;
  std::span<const PairOffset> offsets_;
};

}  // namespace eatt
