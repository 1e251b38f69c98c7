#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "convert/segment.h"

namespace eatt::convert {

// Why a unit of a file gives no pair.
enum class Skipped : uint8_t {
  no_source,     // No text in the source language.
  no_target,     // None in the target language.
  untranslated,  // The file marks it as not translated yet.
  empty,         // A side with nothing but white space.
  too_long,      // More than kMaxSegmentBytes.
  columns,       // A TSV line with other columns than expected.
  bad_text,      // In TSV: invalid UTF-8, or a NUL byte.
};
inline constexpr size_t kSkippedReasons = 7;

// What was found in all files.
struct ConvertCounts {
  uint64_t pairs = 0;
  std::array<uint64_t, kSkippedReasons> skipped{};  // By reason.
  std::set<std::string> languages;                  // The first few, for messages.

  uint64_t& operator[](Skipped reason) { return skipped[static_cast<size_t>(reason)]; }
  uint64_t operator[](Skipped reason) const { return skipped[static_cast<size_t>(reason)]; }
};

// Takes the units of all files and passes on those that are pairs of the requested languages.
class PairCollector {
 public:
  using Write = std::function<void(std::string_view source, std::string_view target)>;

  PairCollector(std::string source_language, std::string target_language, Write write)
      : source_language_(std::move(source_language)),
        target_language_(std::move(target_language)),
        write_(std::move(write)) {}

  const std::string& source_language() const { return source_language_; }
  const std::string& target_language() const { return target_language_; }

  // A unit with its text in both languages, where it has it.
  void add(const Segment& source, const Segment& target);
  void skip(Skipped reason) { ++counts_[reason]; }
  void note_language(std::string_view language);

  const ConvertCounts& counts() const { return counts_; }

 private:
  std::string source_language_, target_language_;
  Write write_;
  ConvertCounts counts_;
};

}  // namespace eatt::convert
