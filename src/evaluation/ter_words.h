#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eatt::evaluation {

struct TerOptions {
  bool normalized = false;      // Split off punctuation, as tercom -N.
  bool no_punctuation = false;  // Remove punctuation, as tercom -P.
  bool asian_support = false;   // The same for Asian punctuation; normalized: every Chinese
                                // character alone.
  bool case_sensitive = false;
};

// Appends the words of `line` as tercom would see them. They point into `line` or into `scratch`,
// which is overwritten.
void split_for_ter(const TerOptions& options, std::string_view line, std::string& scratch,
                   std::vector<std::string_view>& words);

}  // namespace eatt::evaluation
