#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/files/open_file.h"
#include "text/data/data_set_format.h"

namespace eatt {

// A prepared corpus: sentence pairs as piece ids, mapped from files and paged in when touched. Any
// pair can be read at any time, from any number of threads.
class DataSet {
 public:
  // Checks all of the folder's files against dataset.json and each other: presence, kind, version,
  // sizes, digests of the vocabularies, and that lengths and offsets agree. Throws an Error naming
  // the file, what was found and what was expected. Does not read all of the ids: see DataSetCheck.
  explicit DataSet(const std::filesystem::path& folder);

  size_t size() const { return lengths_.size(); }
  std::span<const PairLength> lengths() const { return lengths_; }
  // Calls `body` with the number and the length of each pair, in their order. The pages that it has
  // read are released on the way: the lengths of 20 million pairs take 160 MB.
  void each_length(const std::function<void(size_t, PairLength)>& body) const;

  // Replaces both vectors by the ids of pair `i`, without markers. Throws an Error if an id is not
  // in the vocabulary.
  void read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const;

  // Whether the pairs have word links, spread over their pieces.
  bool has_links() const { return info_.links.has_value(); }
  // Replaces the vector by the links of pair `i`, by target piece, then by source piece. Throws an
  // Error if a link leads out of the pair.
  void read_links(size_t i, std::vector<PieceLink>& links) const;

  const std::filesystem::path& folder() const { return folder_; }
  const DataSetInfo& info() const { return info_; }
  std::filesystem::path source_pieces_file() const { return folder_ / info_.source.file; }
  std::filesystem::path target_pieces_file() const { return folder_ / info_.target.file; }

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
  void open_links();
  void copy_ids(const Ids& from, DataKind kind, size_t pair, uint64_t offset, uint32_t count,
                std::vector<int32_t>& ids) const;

  std::filesystem::path folder_;
  DataSetInfo info_;
  Ids source_;
  Ids target_;
  MappedFile lengths_file_;
  MappedFile offsets_file_;
  MappedFile links_file_;
  MappedFile link_ends_file_;
  std::span<const PairLength> lengths_;
  std::span<const PairOffset> offsets_;
  std::span<const PieceLink> links_;
  std::span<const uint64_t> link_ends_;  // Of each pair, in `links_`.
};

// Compares every byte of the .bin files with the SHA-256 digests in dataset.json: one flipped bit
// would silently train another model. Hashing a large set takes minutes, so it runs in a thread of
// its own:
//   DataSetCheck check(data);
//   check.wait_at_most(std::chrono::seconds(1));  // A small set is checked before training begins.
//   …
//   check.rethrow_if_failed();  // From time to time, and wait() before the result is used.
class DataSetCheck {
 public:
  // Starts. The data set need not outlive the check.
  explicit DataSetCheck(const DataSet& data);
  DataSetCheck(const DataSetCheck&) = delete;
  DataSetCheck& operator=(const DataSetCheck&) = delete;
  ~DataSetCheck();  // Stops early if necessary.

  // Waits for the end of the check, but no longer than this; true if it has ended. Throws as
  // rethrow_if_failed() does.
  bool wait_at_most(std::chrono::milliseconds time);
  void wait();
  // Throws an Error naming the file that differs, its digest and the expected one, if one was
  // found.
  void rethrow_if_failed();

 private:
  struct File {
    std::filesystem::path path;
    std::string sha256;
  };

  void run(const std::vector<File>& files);
  void check_file(const File& file) const;

  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;  // Guards the next three.
  std::condition_variable ended_now_;
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace eatt
