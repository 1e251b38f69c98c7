#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/open_file.h"

namespace eatt {

// A file without a name in `folder`, for reading and writing: the kernel frees it when it is
// closed, however the program ends. Throws an Error if it cannot be made.
FileDescriptor open_unnamed_file(const std::filesystem::path& folder);

// A set of pair numbers: a bit for each pair of a text.
class PairMarks {
 public:
  void add(uint64_t number);
  bool contains(uint64_t number) const {
    return number / 8 < bits_.size() && (bits_[number / 8] >> number % 8 & 1) != 0;
  }
  uint64_t size() const { return size_; }

  void save(const std::filesystem::path& file) const;
  static PairMarks load(const std::filesystem::path& file);

 private:
  std::string bits_;  // Grows with the largest number.
  uint64_t size_ = 0;
};

// A hash of both sides without the white space around them. Two different pairs of 20 million have
// the same one with a probability of 1 in 90,000; of a billion, 1 in 37.
uint64_t hash_of_pair(std::string_view source, std::string_view target);

// Finds pairs that repeat an earlier one by their hashes. Hashes are dealt into 256 parts by their
// first bits; what does not fit into 16 MiB goes to a file without a name, 16 bytes for a pair. At
// the end a part at a time is sorted: with a billion pairs, 62 MB of memory and 16 GB of disk.
class DuplicateFinder {
 public:
  // `folder` is where the file would be made.
  explicit DuplicateFinder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(uint64_t number, uint64_t hash);
  // After the last: every pair but the one with the smallest number of those with the same hash.
  PairMarks find();

 private:
  struct Item {
    uint64_t hash;
    uint64_t number;
    auto operator<=>(const Item&) const = default;
  };
  struct Part {
    std::vector<Item> waiting;     // Not in the file yet.
    std::vector<uint64_t> blocks;  // Where in the file others are, kBlockItems at each place.
  };
  static constexpr size_t kBlockItems = 4096;

  void write_block(Part& part);

  std::filesystem::path folder_;
  FileWriter file_;
  std::array<Part, 256> parts_;
};

}  // namespace eatt
