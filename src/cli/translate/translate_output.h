#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/api/translator.h"
#include "runtime/api/word_alignment.h"
#include "text/detokenize/detokenizer.h"

namespace eatt::cli {

enum class OutputFormat {
  text,   // The translation; with alignment and word scores behind " ||| " where asked for.
  json,   // An object per line.
  nbest,  // Moses: number ||| translation ||| … ||| F0= log-probability ||| score
};

enum class AlignmentKind { none, hard, soft, threshold };
struct AlignmentChoice {
  AlignmentKind kind = AlignmentKind::none;
  float least = 0;  // Of `threshold`.
};
// "hard", "soft", "0.3"; nothing if it is none of these.
std::optional<AlignmentChoice> parse_alignment(std::string_view text);

struct OutputOptions {
  OutputFormat format = OutputFormat::text;
  AlignmentChoice alignment;
  AlignmentUnits units = AlignmentUnits::word;
  bool word_scores = false;
  bool pieces = false;                                    // In JSON.
  bool lists = false;                                     // Of hypotheses, in JSON.
  std::optional<Detokenizer> detokenizer = std::nullopt;  // Of translations.
};

// What is written for input line `number`, counted from 0: whole lines with their ends. Line breaks
// that a model generates become spaces. Throws an Error if a soft alignment would be too large.
std::string print_translation(uint64_t number, std::string_view source,
                              const Translation& translation, const OutputOptions& options);

// The same for a translation that was given: text is its log-probability, with alignment and word
// scores behind it where asked for.
std::string print_score(uint64_t number, std::string_view source, const Translation& scored,
                        const OutputOptions& options);

// Where result lines go: standard output, at once, or a file that appears when all is done.
class LineOutput {
 public:
  virtual ~LineOutput() = default;
  // Whole lines. When it throws, the output still ends with a whole line: what a full disk took of
  // the next one is taken back, if the output is a file.
  virtual void write(std::string_view lines) = 0;
  // After the last line.
  virtual void finish() = 0;
  // Lines of the input whose translations an earlier process has written.
  virtual uint64_t lines_done() const { return 0; }
};

// An empty path is standard output. A pipe that nobody reads any more ends the program quietly,
// with kClosedPipe.
std::unique_ptr<LineOutput> open_line_output(const std::string& path);

}  // namespace eatt::cli
