#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace eatt::builtin {

// The texts that have come before, as 64-bit hashes (FNV-1a, the same on every machine): 16 to 32
// bytes each, whatever their length. Should two texts ever share a hash, the second counts as seen.
class SeenTexts {
 public:
  bool contains(std::string_view text) const;
  void insert(std::string_view text);
  uint64_t size() const { return size_; }

 private:
  static constexpr uint64_t kEmpty = 0;
  static uint64_t hash_of(std::string_view text);

  // The slot that holds the hash, or the empty one where it belongs.
  size_t slot_of(uint64_t hash) const;
  void grow();

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024, kEmpty);  // A power of two of them.
  uint64_t size_ = 0;
};

}  // namespace eatt::builtin
