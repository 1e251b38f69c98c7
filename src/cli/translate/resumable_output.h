#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files/open_file.h"
#include "cli/translate/line_input.h"
#include "cli/translate/translate_options.h"
#include "cli/translate/translate_output.h"

namespace eatt::cli {

// Everything that a translation depends on, as far as it can be told quickly, in words: {"--shard",
// "2/8"}, {"model 1", "SHA-256 …"}, {"beam-size", "4"}, … Paths are not in it, so that files may be
// moved, nor is what changes only the speed.
using TranslationIdentity = std::vector<std::pair<std::string, std::string>>;
TranslationIdentity identity_of(const TranslateOptions& options, const TextFile& input);

// An output that survives its process. Lines are added to FILE.part, which becomes FILE in the end;
// FILE.part.json has the identity of the translation. A killed run leaves both, and the next one
// continues after the last whole line; of n-best lists, with the last list, which may be
// incomplete. FILE.part is plain text also if FILE is to be compressed: that is done in the end.
class ResumableOutput : public LineOutput {
 public:
  // Whether FILE is there: then there is nothing left to do. Removes what a run killed in the very
  // end left. Throws an Error if FILE has not one line for each of `lines`, where that can be told.
  static bool is_complete(const std::string& path, OutputFormat format, const LineRange& lines);

  // Throws an Error if another process writes FILE.part, or if it is not of this translation.
  ResumableOutput(const std::string& path, OutputFormat format, const TranslationIdentity& identity,
                  const LineRange& lines);

  uint64_t lines_done() const override { return lines_done_; }
  void write(std::string_view lines) override;
  void finish() override;

 private:
  void open();
  void continue_after_last_line(OutputFormat format, const LineRange& lines);
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_, part_, record_;
  FileWriter file_;
  uint64_t lines_done_ = 0;
};

}  // namespace eatt::cli
