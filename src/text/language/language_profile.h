#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace eatt {

// How a language looks: its most frequent sequences of one to three letters, and what each letter
// costs, in bits, behind the letters before it. Words are in lower case, with a space on either
// side; everything but letters counts as space. Chinese and Japanese have no spaces at all.
struct LanguageProfile {
  std::string language;     // A code such as "en".
  double typical_bits = 0;  // Of a letter, in text of the kind that it was learned from.
  double single_bits = 0;   // Of a letter without those before it, on average: by the costs.
  // Sixteenths of bits of the last letter of each sequence: −16 · log2(count / count of the letters
  // before it), at most 255.
  std::unordered_map<std::string, uint8_t> costs;

  bool operator==(const LanguageProfile&) const = default;
};

// The letters of a text as profiles see them, one after another, a space for what separates words.
// No space at the ends. Reads at most `most_letters` of them.
std::vector<std::string> profile_letters(std::string_view text, size_t most_letters);

// Bits of a letter of this text, on average; the text has a letter. Sequences that the profile does
// not have cost more than any that it has.
double bits_per_letter(const LanguageProfile& profile, const std::vector<std::string>& letters);

// Learns a profile from lines of text; every tenth line is kept aside to see what is typical.
class ProfileLearner {
 public:
  void add(std::string_view line);
  // Nothing (no costs) if there was hardly any text: fewer than 1,000 letters.
  LanguageProfile finish(const std::string& language) const;

 private:
  std::unordered_map<std::string, uint64_t> counts_;
  std::vector<std::vector<std::string>> kept_aside_;
  uint64_t lines_ = 0, letters_ = 0, spaces_ = 0;
};

// languages.json of a bundle; docs/formats.md describes it.
std::string print_profiles(const std::vector<LanguageProfile>& profiles);
// Throws an Error that begins with `file_name` if the text is no such file.
std::vector<LanguageProfile> parse_profiles(std::string_view json, const std::string& file_name);

}  // namespace eatt
