#include "trace/tracer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "energy/ledger.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "trace/recorder.h"

namespace eatt::trace {
namespace {

std::vector<std::string> texts_of(std::span<const int32_t> ids, const Pieces& pieces) {
  std::vector<std::string> texts;
  for (const int32_t id : ids) texts.push_back(pieces.piece(id));
  return texts;
}

std::vector<int32_t> with_end(std::vector<int32_t> pieces) {
  pieces.push_back(kEndPiece);
  return pieces;
}

}  // namespace

Tracer::Tracer(Bundle bundle)
    : source_pieces_(bundle.source_piece_model(), bundle.manifest().source_pieces),
      target_pieces_(bundle.target_piece_model(), bundle.manifest().target_pieces),
      model_(load_model(std::move(bundle), Precision::int8)),
      plain_(model_) {}

std::vector<int32_t> Tracer::encode(const std::string& source, size_t most) const {
  std::vector<int32_t> pieces = source_pieces_.encode(source);
  if (pieces.empty()) throw Error("has no text, so there is nothing to trace; remove the line");
  if (pieces.size() > most) {
    throw Error(fmt::format("has {} pieces, but a sentence to be traced may have {}; shorten it",
                            pieces.size(), most));
  }
  return pieces;
}

SentenceTrace Tracer::trace(const std::string& source) const {
  Recorder recorder;
  ActivityRecorder activity;
  ObserverChain observers({&recorder, &activity});
  TransformerSteps steps(model_, {.observer = &observers});
  // The source has an end marker too.
  const size_t most = std::min(TranslatorOptions().max_input_pieces, steps.max_target_pieces() - 1);
  const SearchTask task{.source = encode(source, most)};
  const SearchHypothesis best = search(steps, std::span(&task, 1), {}).front().front();
  // A translation that was cut off has one step more than chosen pieces.
  const std::vector<int32_t> read = with_end(task.source);
  const std::vector<int32_t> chosen = best.finished ? with_end(best.pieces) : best.pieces;
  std::vector<int32_t> fed{kStartPiece};
  fed.insert(fed.end(), best.pieces.begin(), best.pieces.end());

  SentenceTrace trace{.source = source,
                      .translation = target_pieces_.decode(best.pieces),
                      .source_pieces = texts_of(read, source_pieces_),
                      .target_pieces = texts_of(chosen, target_pieces_),
                      .finished = best.finished,
                      .operations = energy::count_operations(model_.architecture, Precision::int8,
                                                             activity.activity()),
                      .tensors = sentence_tensors(plain_, recorder.take())};
  trace.tensors.add("source_pieces", {read.size()}, read);
  trace.tensors.add("fed_pieces", {fed.size()}, fed);
  trace.tensors.add("chosen_pieces", {chosen.size()}, chosen);
  return trace;
}

}  // namespace eatt::trace
