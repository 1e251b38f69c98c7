#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/files/part_file.h"
#include "text/data/data_set_format.h"

namespace eatt {

// Pairs as the files hold them. Made by many threads, written by one.
struct PackedPairs {
  std::vector<PairLength> lengths;
  std::string source;  // Ids of piece_bytes() bytes each.
  std::string target;

  void clear();
  void add(std::span<const int32_t> source_ids, uint32_t source_bytes,
           std::span<const int32_t> target_ids, uint32_t target_bytes);
};

// How much the .bin files hold.
struct DataSetPosition {
  uint64_t pairs = 0;
  uint64_t source_pieces = 0;
  uint64_t target_pieces = 0;
};

// Writes the .bin files of a data set into a folder, in bounded memory, over several runs if
// necessary: a later run continues from the last commit().
class DataSetWriter {
 public:
  // `done` is the position of the commit() to continue from; zeros for a new data set.
  DataSetWriter(const std::filesystem::path& folder, uint32_t source_bytes, uint32_t target_bytes,
                const DataSetPosition& done = {});

  void append(const PackedPairs& pairs);
  // Makes everything appended so far survive a crash.
  DataSetPosition commit();
  const DataSetPosition& position() const { return position_; }

  // Completes the headers, writes offsets.bin and returns the sizes and digests of all four files.
  // May be repeated after a run that was killed in it.
  std::map<std::string, DataSetInfo::File> finish();

 private:
  struct Widths {
    uint32_t source;
    uint32_t target;
  };

  void write_offsets() const;

  std::filesystem::path folder_;
  Widths widths_;
  DataSetPosition position_;
  PartFile source_;
  PartFile target_;
  PartFile lengths_;
};

}  // namespace eatt
