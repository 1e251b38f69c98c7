#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/open_file.h"
#include "text/corpus/pair_problem.h"

namespace eatt {

// How long the two sides of a sentence pair are, in pieces, end markers not counted.
struct PairLength {
  uint32_t source = 0;
  uint32_t target = 0;
};

// The files of a data set folder; docs/corpora.md describes them for other readers.
inline constexpr uint32_t kDataSetVersion = 1;
inline constexpr uint64_t kPairsPerOffset = 1024;
inline constexpr std::string_view kDataSetFile = "dataset.json";
// In the same folder while it is being made; removed at the end.
inline constexpr std::string_view kUnfinishedFolder = "unfinished";
inline constexpr std::string_view kEncodingFile =
    "encoding.json";  // In it: how far encoding has got.

enum class DataKind : uint32_t {
  source = 1,
  target = 2,
  lengths = 3,
  offsets = 4,
  links = 5,
  link_ends = 6
};
// What every data set has, and what only those have that were made with word links.
inline constexpr std::array<DataKind, 4> kDataKinds = {DataKind::source, DataKind::target,
                                                       DataKind::lengths, DataKind::offsets};
inline constexpr std::array<DataKind, 2> kLinkKinds = {DataKind::links, DataKind::link_ends};
std::string_view file_name(DataKind kind);  // "source.bin", …

// At the start of each .bin file; the items follow directly. Little-endian, like the items.
struct DataHeader {
  std::array<char, 8> magic = {'e', 'a', 't', 't', 'd', 'a', 't', 'a'};
  uint32_t version = kDataSetVersion;
  DataKind kind = DataKind::source;
  uint32_t item_bytes = 0;
  uint32_t reserved = 0;
  uint64_t items = 0;
};
static_assert(sizeof(DataHeader) == 32);

// Where pair 1024·i starts, in pieces from the first item of source.bin and target.bin.
struct PairOffset {
  uint64_t source = 0;
  uint64_t target = 0;
};

// A link between a source piece and a target piece of a pair, counted from 0.
struct PieceLink {
  uint32_t source = 0;
  uint32_t target = 0;
  auto operator<=>(const PieceLink&) const = default;
};

// Bytes of a piece id: 2 if the vocabulary is small enough.
constexpr uint32_t piece_bytes(int vocab_size) { return vocab_size <= 65'536 ? 2 : 4; }

// The content of dataset.json.
struct DataSetInfo {
  struct Vocabulary {
    std::string file;  // Beside dataset.json: joint.spm, or source.spm and target.spm.
    int size = 0;
    std::string sha256;
  };
  struct File {
    uint64_t bytes = 0;
    std::string sha256;
  };
  // Text that was read and what of it was kept, in the order of the pairs.
  struct Corpus {
    std::string source;  // The names of its files.
    std::string target;  // Empty for TSV.
    uint64_t pairs_read = 0;
    uint64_t pairs = 0;
    ProblemCounts dropped = {};
  };

  uint64_t pairs = 0;
  uint64_t source_pieces = 0;
  uint64_t target_pieces = 0;
  std::optional<uint64_t> links;  // Between pieces, of all pairs; nothing if it was made without.
  Vocabulary source;
  Vocabulary target;                  // The same as `source` when joint.
  std::map<std::string, File> files;  // The .bin files, by name.

  // How it was made. Nothing here is needed to read the data.
  uint64_t pairs_read = 0;
  uint64_t source_unknown = 0;  // Pieces that are <unk>.
  uint64_t target_unknown = 0;
  ProblemCounts dropped;
  std::vector<Corpus> corpora;  // Empty if an earlier version made it, which did not note them.
  std::vector<std::pair<std::string, std::string>> made_with;  // Options and inputs.

  bool is_joint() const { return source.file == target.file; }
};

std::string to_json(const DataSetInfo& info);
// Throws an Error that begins with `name` if the text is not a data set's description, or one of
// another version.
DataSetInfo parse_data_set_info(std::string_view json, const std::string& name);

nlohmann::ordered_json corpora_to_json(const std::vector<DataSetInfo::Corpus>& corpora);
std::vector<DataSetInfo::Corpus> corpora_from_json(const JsonNode& node);

// Pairs as the files hold them. Made by many threads, written by one.
struct PackedPairs {
  std::vector<PairLength> lengths;
  std::string source;  // Ids of piece_bytes() bytes each.
  std::string target;
  std::vector<PieceLink> links;  // With a number of links for each pair, or none of either.
  std::vector<uint32_t> link_counts;

  void clear();
  void add(std::span<const int32_t> source_ids, uint32_t source_bytes,
           std::span<const int32_t> target_ids, uint32_t target_bytes);
  // Of the pair added last.
  void add_links(std::span<const PieceLink> pair_links);
};

// How much the .bin files hold.
struct DataSetPosition {
  uint64_t pairs = 0;
  uint64_t source_pieces = 0;
  uint64_t target_pieces = 0;
  uint64_t links = 0;
};

// Writes the .bin files of a data set into a folder, in bounded memory, over several runs if
// necessary: a later run continues from the last commit().
class DataSetWriter {
 public:
  // `done` is the position of the commit() to continue from; zeros for a new data set. With links,
  // every pair that is appended brings its own, if only none.
  DataSetWriter(const std::filesystem::path& folder, uint32_t source_bytes, uint32_t target_bytes,
                const DataSetPosition& done = {}, bool with_links = false);

  void append(const PackedPairs& pairs);
  // Makes everything appended so far survive a crash.
  DataSetPosition commit();
  const DataSetPosition& position() const { return position_; }

  // Completes the headers, writes offsets.bin and returns the sizes and digests of all files.
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
  std::optional<PartFile> links_, link_ends_;
};

}  // namespace eatt
