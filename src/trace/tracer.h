#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "energy/ledger.h"
#include "runtime/layers/model.h"
#include "text/pieces/pieces.h"
#include "trace/tensors.h"

namespace eatt::trace {

// A sentence, its translation by greedy search, and all intermediate numbers.
struct SentenceTrace {
  std::string source;
  std::string translation;
  std::vector<std::string> source_pieces;  // The end marker included.
  std::vector<std::string>
      target_pieces;     // As chosen step by step, including the end marker if any.
  bool finished = true;  // False if the length limit cut it off.
  energy::Ledger operations;
  TensorList tensors;
};

// Translates sentences one by one, in int8, and records them.
class Tracer {
 public:
  // A float32 bundle is quantized. Errors are those of PlainModel.
  explicit Tracer(Bundle bundle);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  const PlainModel& model() const { return plain_; }

  // Throws an Error if the text has no pieces, or more than the model can read or than `eatt
  // translate` would translate without splitting.
  SentenceTrace trace(const std::string& source) const;

 private:
  std::vector<int32_t> encode(const std::string& source, size_t most) const;

  Pieces source_pieces_, target_pieces_;
  Model model_;
  PlainModel plain_;
};

}  // namespace eatt::trace
