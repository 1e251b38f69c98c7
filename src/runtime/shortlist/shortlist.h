#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/files/mapped_file.h"
#include "runtime/shortlist/shortlist_format.h"

namespace eatt {

// Which target pieces a sentence's translation may use: some always, others because a piece of the
// source makes them likely. Mapped from a file of `eatt shortlist`. Const functions may be called
// from many threads at once.
class Shortlist {
 public:
  // Throws an Error with one sentence if the file is damaged or no shortlist.
  static Shortlist open(const std::filesystem::path& path);

  // Throws an Error unless these are the vocabularies that it was made for, by their digests
  // (Pieces::sha256()). `bundle` is what the message calls their owner.
  void check_vocabulary(const std::string& source_sha256, const std::string& target_sha256,
                        const std::string& bundle) const;

  // Replaces `target_pieces` by what a translation of these pieces may use: ascending, each once,
  // the end marker first, never <pad>, <unk> or <s>. It depends on the set of source pieces alone.
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

}  // namespace eatt
