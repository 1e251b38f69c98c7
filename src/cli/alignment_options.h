#pragma once

#include <array>

#include "cli/command.h"
#include "runtime/api/word_alignment.h"

namespace eatt::cli {

// --layer, --head and --shift: the attention that a command reads alignments from.
inline std::array<Option, 3> add_alignment_source(Command& command, AlignmentSource& source) {
  return {command
              .add_option("--layer", source.layer,
                          "Decoder layer whose attention is read, from 1; 0: the last")
              .shows("N"),
          command
              .add_option("--head", source.head,
                          "Attention head in that layer, from 1; 0: the mean of all")
              .shows("N"),
          command
              .add_option("--shift", source.shift,
                          "Decoder step to read it from: 0, which predicts the word, or 1, which "
                          "reads it",
                          Range{0, 1})
              .shows("N")};
}

}  // namespace eatt::cli
