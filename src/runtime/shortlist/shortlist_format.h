#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// The file of a shortlist; docs/formats.md describes it for other readers.
inline constexpr uint32_t kShortlistVersion = 1;

// In front of the file. Three arrays of int32 follow at once:
//   always [always]              target pieces that every sentence may use, ascending
//   starts [source_vocab + 1]    where the list of each source piece begins in `likely`
//   likely [likely]              target pieces of each source piece, ascending within it
struct ShortlistHeader {
  std::array<char, 8> magic = {'e', 'a', 't', 't', 'l', 'i', 's', 't'};
  uint32_t version = kShortlistVersion;
  uint32_t source_vocab = 0;
  uint32_t target_vocab = 0;
  uint32_t always = 0;
  uint32_t likely = 0;
  uint32_t reserved = 0;
  std::array<char, 64> source_sha256 = {};  // Of the piece models, in hexadecimal digits.
  std::array<char, 64> target_sha256 = {};
};
static_assert(sizeof(ShortlistHeader) == 160);

// The parts of a file in memory.
struct ShortlistView {
  ShortlistHeader header;
  std::span<const int32_t> always;
  std::span<const int32_t> starts;
  std::span<const int32_t> likely;
};

// Checks everything but the digests. The bytes begin at a multiple of 4 and outlive the result.
// Throws an Error that begins with `name`.
ShortlistView parse_shortlist(std::span<const std::byte> bytes, const std::string& name);

// A shortlist to write.
struct ShortlistContents {
  int target_vocab = 0;
  std::string source_sha256;  // Pieces::sha256()
  std::string target_sha256;
  std::vector<int32_t> always;               // Ascending, the end marker first.
  std::vector<std::vector<int32_t>> likely;  // Of each source piece; each ascending, no markers.
};

// The file appears whole or not at all. Throws an Error if it cannot be written.
void write_shortlist(const std::filesystem::path& path, const ShortlistContents& contents);

}  // namespace eatt
