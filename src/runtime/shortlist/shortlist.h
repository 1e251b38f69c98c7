#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/open_file.h"
#include "runtime/attention/rows.h"
#include "runtime/layers/linear.h"
#include "runtime/search/step_model.h"

namespace eatt {

// The file of a shortlist; docs/formats.md describes it for other readers.
inline constexpr uint32_t kShortlistVersion = 1;

// The start of the file. Three arrays of int32 follow directly:
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

// The file appears complete or not at all. Throws an Error if it cannot be written.
void write_shortlist(const std::filesystem::path& path, const ShortlistContents& contents);

// Which target pieces a sentence's translation may use: some always, others because a piece of the
// source makes them likely. Mapped from a file of `eatt shortlist`. Const functions may be called
// from many threads at once.
class Shortlist {
 public:
  // Throws an Error if the file is damaged or not a shortlist.
  static Shortlist open(const std::filesystem::path& path);

  // Throws an Error unless these are the vocabularies that it was made for, by their digests
  // (Pieces::sha256()). `bundle` is what the message calls their owner.
  void check_vocabulary(const std::string& source_sha256, const std::string& target_sha256,
                        const std::string& bundle) const;

  // Replaces `target_pieces` by the pieces that a translation of these may use: ascending, without
  // duplicates, the end marker first, never <pad>, <unk> or <s>. Depends on the set of source
  // pieces alone.
  void pieces_for(std::span<const int32_t> source_pieces,
                  std::vector<int32_t>& target_pieces) const;

  size_t source_vocab() const { return view_.header.source_vocab; }
  size_t target_vocab() const { return view_.header.target_vocab; }
  // What every sentence may use.
  std::span<const int32_t> always() const { return view_.always; }
  // What a source piece adds.
  std::span<const int32_t> likely(int32_t source_piece) const;

 private:
  explicit Shortlist(const std::filesystem::path& path);

  std::string name_;
  MappedFile file_;
  ShortlistView view_;
  std::vector<uint64_t> always_bits_;  // A bit for each target piece.
};

// The columns of the output layer that the sentences of a batch may use: computed for all their
// lists together, then given to each row by the list of its sentence.
class OutputColumns {
 public:
  OutputColumns(const Shortlist& shortlist, const Linear& output);

  // Sentences join and leave, as in a StepModel.
  void add(std::span<const NewSentence> sentences);
  void remove(int32_t sentence);
  void clear();

  // Before a step: makes matrix() that of the sentences in the batch. Columns of sentences that
  // have left stay in it until others join.
  void gather();
  const Linear& matrix() const { return matrix_; }
  // From the matrix's results [rows, columns] those of each row's sentence; valid until the next
  // call.
  std::span<const RowLogits> own_rows(const float* logits, std::span<const int32_t> sentences);

 private:
  void unite_lists();
  void gather_from(const kernels::FloatMatrix& from);
  void gather_from(const kernels::Int8Matrix& from);

  const Shortlist& shortlist_;
  const Linear& output_;
  bool joined_ = false;                        // Some have since the last gather().
  std::vector<int32_t> pieces_;                // Of each column, ascending.
  std::vector<int32_t> column_of_;             // [target vocab], of the pieces that have one
  std::vector<uint64_t> bits_;                 // A bit for each target piece.
  std::vector<std::vector<int32_t>> lists_;    // Pieces, by sentence; empty: there is none.
  std::vector<std::vector<int32_t>> columns_;  // Where they are; empty: the list is all columns.
  std::vector<float> own_logits_;
  std::vector<RowLogits> own_rows_;
  Linear matrix_;
  Buffer<float> float_panels_, scales_;
  Buffer<int8_t> int8_panels_;
  Buffer<int32_t> sums_;
};

}  // namespace eatt
