#include "text/language/language_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text/json.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "text/sentences/punctuation.h"

namespace eatt {
namespace {

constexpr char kFormat[] = "eatt-languages";
constexpr uint64_t kVersion = 1;

constexpr size_t kLongest = 3;       // Letters of a sequence.
constexpr size_t kMostCosts = 5000;  // Sequences of a profile.
constexpr uint64_t kLeastCount = 2;  // Of a sequence, to be in it.
constexpr uint64_t kLeastLetters = 1000;
constexpr size_t kKeptLetters = 2000;  // Of a line.

constexpr double kUnits = 16;          // Of a cost, in a bit.
constexpr double kShorter = 1.3;       // Bits for each letter less before the one that costs.
constexpr double kUnknownLetter = 18;  // Bits of a letter that the profile does not have at all.

// The last letters before the end of `letters[..end)`, as one text; a space stands before the
// first.
std::string sequence_before(const std::vector<std::string>& letters, size_t end, size_t length) {
  std::string sequence;
  for (size_t i = 0; i < length; ++i) {
    const size_t back = length - i;
    sequence += back > end ? " " : letters[end - back];
  }
  return sequence;
}

double cost_of(const LanguageProfile& profile, const std::vector<std::string>& letters, size_t i) {
  for (size_t length = kLongest; length > 0; --length) {
    const auto found = profile.costs.find(sequence_before(letters, i + 1, length));
    if (found == profile.costs.end()) continue;
    return found->second / kUnits + kShorter * static_cast<double>(kLongest - length);
  }
  return kUnknownLetter;
}

// The entropy of single letters: about 4 for alphabets, 7 to 10 for Chinese.
double single_bits_of(const LanguageProfile& profile) {
  std::array<size_t, 256> letters{};  // By cost, so that the order of the map does not matter.
  for (const auto& [sequence, cost] : profile.costs) {
    if (decode_utf8(sequence, 0).size == sequence.size()) ++letters[cost];
  }
  double bits = 0, share = 0;
  for (size_t cost = 0; cost < letters.size(); ++cost) {
    const double own = static_cast<double>(cost) / kUnits;
    const double probability = static_cast<double>(letters[cost]) * std::exp2(-own);
    bits += probability * own;
    share += probability;
  }
  return share > 0 ? bits / share : 0;
}

bool is_profile_letter(char32_t code) {
  return is_letter(code) || script_of(code) == Script::any;  // With the marks of Hindi and others.
}

}  // namespace

std::vector<std::string> profile_letters(std::string_view text, size_t most_letters) {
  std::vector<std::string> letters;
  bool has_space = false, after_east_asian = false;
  for (size_t at = 0; at < text.size() && letters.size() < most_letters;) {
    const Utf8Character character = decode_utf8(text, at);
    const std::string_view bytes = text.substr(at, character.size);
    at += character.size;
    if (!is_profile_letter(character.code)) {
      has_space = true;
      continue;
    }
    const bool joins = after_east_asian && is_east_asian(character.code);
    if (has_space && !letters.empty() && !joins) letters.emplace_back(" ");
    letters.push_back(lower_case(bytes));
    has_space = false;
    after_east_asian = is_east_asian(character.code);
  }
  return letters;
}

double bits_per_letter(const LanguageProfile& profile, const std::vector<std::string>& letters) {
  expects(!letters.empty(), "text whose language is looked for has letters");
  double bits = 0;
  for (size_t i = 0; i < letters.size(); ++i) bits += cost_of(profile, letters, i);
  return bits / static_cast<double>(letters.size());
}

void ProfileLearner::add(std::string_view line) {
  std::vector<std::string> letters = profile_letters(line, kKeptLetters);
  if (letters.empty()) return;
  letters.emplace_back(" ");
  if (lines_++ % 10 == 9) {
    kept_aside_.push_back(std::move(letters));
    return;
  }
  ++spaces_;  // The one before the line.
  letters_ += letters.size();
  for (size_t i = 0; i < letters.size(); ++i) {
    for (size_t length = 1; length <= std::min(kLongest, i + 2); ++length) {
      ++counts_[sequence_before(letters, i + 1, length)];
    }
  }
}

LanguageProfile ProfileLearner::finish(const std::string& language) const {
  LanguageProfile profile{.language = language, .costs = {}};
  if (letters_ < kLeastLetters) return profile;
  std::vector<std::pair<std::string, uint64_t>> frequent;
  for (const auto& entry : counts_) {
    if (entry.second >= kLeastCount) frequent.emplace_back(entry);
  }
  // By count; of equals the shorter one, so that a sequence never comes without its beginning.
  const auto comes_first = [](const auto& a, const auto& b) {
    return std::tuple(b.second, a.first.size(), a.first) <
           std::tuple(a.second, b.first.size(), b.first);
  };
  std::ranges::sort(frequent, comes_first);
  frequent.resize(std::min(frequent.size(), kMostCosts));
  for (const auto& [sequence, count] : frequent) {
    const std::string before =
        sequence.substr(0, sequence.size() - decode_utf8_before(sequence, sequence.size()).size);
    uint64_t all = before.empty() ? letters_ : 0;
    if (const auto found = counts_.find(before); found != counts_.end()) all = found->second;
    if (before == " ") all += spaces_;
    const double bits =
        std::log2(static_cast<double>(std::max(all, count)) / static_cast<double>(count));
    profile.costs[sequence] = static_cast<uint8_t>(std::min(255.0, std::round(bits * kUnits)));
  }
  profile.single_bits = single_bits_of(profile);
  double bits = 0, letters = 0;
  for (const auto& line : kept_aside_) {
    const auto size = static_cast<double>(line.size());
    bits += bits_per_letter(profile, line) * size;
    letters += size;
  }
  profile.typical_bits = letters > 0 ? bits / letters : 0;
  return profile;
}

std::string print_profiles(const std::vector<LanguageProfile>& profiles) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LanguageProfile& profile : profiles) {
    std::vector<std::pair<std::string, int>> costs(profile.costs.begin(), profile.costs.end());
    std::ranges::sort(costs);
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [sequence, cost] : costs) object[sequence] = cost;
    list.push_back({{"language", profile.language},
                    {"typical_bits", profile.typical_bits},
                    {"costs", std::move(object)}});
  }
  const nlohmann::ordered_json root = {
      {"format", kFormat}, {"format_version", kVersion}, {"profiles", std::move(list)}};
  return root.dump() + "\n";
}

std::vector<LanguageProfile> parse_profiles(std::string_view json, const std::string& file_name) {
  const JsonOrigin origin{file_name, "copy the bundle again"};
  const nlohmann::json parsed = parse_json(json, origin);
  const JsonNode root(parsed, origin);
  if (root["format"].text() != kFormat) root["format"].fail("\"eatt-languages\"");
  root["format_version"].integer(kVersion, kVersion);
  std::vector<LanguageProfile> profiles;
  for (const JsonNode& node : root["profiles"].items()) {
    LanguageProfile profile;
    profile.language = node["language"].text();
    if (profile.language.empty() || profile.language.size() > 35) {
      node["language"].fail("a language code such as \"en\"");
    }
    profile.typical_bits = node["typical_bits"].number();
    if (!(profile.typical_bits >= 0 && profile.typical_bits <= kUnknownLetter)) {
      node["typical_bits"].fail("a number from 0 to 18");
    }
    for (const auto& [sequence, cost] : node["costs"].members()) {
      if (sequence.empty() || sequence.size() > 4 * kLongest + 4)
        cost.fail("sequences of 1 to 3 letters");
      profile.costs[sequence] = static_cast<uint8_t>(cost.integer(0, 255));
    }
    if (profile.costs.empty()) node["costs"].fail("at least one sequence");
    profile.single_bits = single_bits_of(profile);
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

}  // namespace eatt
