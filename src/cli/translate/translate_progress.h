#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cli/translate/line_input.h"

namespace eatt::cli {

// The bar of `eatt translate`: lines out of those in all inputs, where these can be counted first.
// There is none where it would disturb: no terminal, or one that shows the translations themselves.
class TranslateProgress {
 public:
  TranslateProgress(const std::vector<std::string>& inputs, const Shard& shard,
                    bool prints_to_stdout);

  // The time starts now, unless it has started for an earlier input, of which `lines_done` need not
  // be translated again.
  void start(uint64_t lines_done);
  void begin_window(size_t lines);
  // `done` of `all` pieces of the window are translated. Safe to call from any thread.
  void within_window(size_t done, size_t all);
  void end_window();
  void finish();

 private:
  bool wanted_;
  uint64_t total_ = 0;  // Lines; 0: not known.
  uint64_t lines_ = 0;  // Of earlier windows.
  size_t window_ = 0;   // Lines of this one.
  std::optional<Progress> bar_;
};

}  // namespace eatt::cli
