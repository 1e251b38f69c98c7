#include "text/pieces/words.h"

#include <algorithm>
#include <string>

namespace eatt {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Counts words over pieces as decoding shows them.
class WordCounter {
 public:
  // The word of the next piece; one that only holds space is in the word to come.
  int32_t pass(int32_t id, const Pieces& pieces) {
    if (id == kUnknownPiece) {  // Decoded with a space on either side.
      in_word_ = false;
      pass_letter();
      in_word_ = false;
      return word_;
    }
    const std::string& piece = pieces.piece(id);
    if (const auto byte = byte_of_piece(piece); byte && !pieces.is_normal(id)) {
      return pass_bytes({&*byte, 1});
    }
    return pass_bytes(piece);
  }

  int32_t words() const { return word_ + 1; }

 private:
  int32_t pass_bytes(std::string_view bytes) {
    int32_t first = -1;
    for (size_t at = 0; at < bytes.size(); ++at) {
      if (bytes.substr(at).starts_with(kSpaceMark)) {
        in_word_ = false;
        at += kSpaceMark.size() - 1;
      } else if (is_space(bytes[at])) {
        in_word_ = false;
      } else {
        pass_letter();
        if (first < 0) first = word_;
      }
    }
    return first < 0 ? word_ + 1 : first;
  }

  void pass_letter() {
    if (!in_word_) ++word_;
    in_word_ = true;
  }

  int32_t word_ = -1;
  bool in_word_ = false;
};

// Calls use(word) for each word.
template <typename Use>
void for_each_word(std::string_view text, Use&& use) {
  for (size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && !is_space(text[end])) ++end;
    use(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace

size_t count_words(std::string_view text) {
  size_t words = 0;
  for_each_word(text, [&](std::string_view) { ++words; });
  return words;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> words;
  for_each_word(text, [&](std::string_view word) { words.push_back(word); });
  return words;
}

std::vector<int32_t> words_of_pieces(std::span<const int32_t> ids, const Pieces& pieces) {
  WordCounter counter;
  std::vector<int32_t> words;
  words.reserve(ids.size());
  for (const int32_t id : ids) words.push_back(counter.pass(id, pieces));
  for (int32_t& word : words) word = std::min(word, counter.words() - 1);
  return words;
}

std::vector<int32_t> words_of_text(std::string_view text, std::span<const int32_t> ids,
                                   const Pieces& pieces) {
  if (!pieces.encodes_word_by_word()) return words_of_pieces(ids, pieces);
  std::vector<int32_t> words;
  std::vector<int32_t> again;
  for_each_word(text, [&, number = 0](std::string_view word) mutable {
    pieces.append_encoded(word, again);
    words.resize(again.size(), number++);
  });
  // Anything else that joins words, such as a zero-width joiner between them, is found here.
  if (!std::ranges::equal(again, ids)) return words_of_pieces(ids, pieces);
  return words;
}

}  // namespace eatt
