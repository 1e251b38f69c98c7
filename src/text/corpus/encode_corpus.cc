#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/text/json.h"
#include "base/threads.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/preparation_folder.h"
#include "text/data/data_set_format.h"
#include "text/pieces/piece_encoder.h"

namespace eatt {
namespace {

// How far encoding has come, as a later run finds it.
struct EncodingState {
  uint64_t pairs_read = 0;  // All of them are in `position` or among the dropped.
  DataSetPosition position;
  uint64_t source_unknown = 0;
  uint64_t target_unknown = 0;
  ProblemCounts dropped;
};

std::string state_to_json(const EncodingState& state) {
  const nlohmann::ordered_json json = {{"pairs_read", state.pairs_read},
                                       {"pairs", state.position.pairs},
                                       {"source_pieces", state.position.source_pieces},
                                       {"target_pieces", state.position.target_pieces},
                                       {"source_unknown", state.source_unknown},
                                       {"target_unknown", state.target_unknown},
                                       {"dropped", problems_to_json(state.dropped)}};
  return json.dump(2) + "\n";
}

EncodingState load_state(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return {};
  const JsonOrigin origin{file.string(), "use --overwrite to start over"};
  const nlohmann::json json = parse_json(read_file(file), origin);
  const JsonNode root(json, origin);
  EncodingState state;
  state.pairs_read = root["pairs_read"].integer(0, UINT64_MAX);
  state.position = {.pairs = root["pairs"].integer(0, UINT64_MAX),
                    .source_pieces = root["source_pieces"].integer(0, UINT64_MAX),
                    .target_pieces = root["target_pieces"].integer(0, UINT64_MAX)};
  state.source_unknown = root["source_unknown"].integer(0, UINT64_MAX);
  state.target_unknown = root["target_unknown"].integer(0, UINT64_MAX);
  state.dropped = problems_from_json(root["dropped"]);
  return state;
}

// A chunk of text and its encoding.
struct EncodedChunk : PairChunk {
  PackedPairs packed;
  uint64_t source_unknown = 0;
  uint64_t target_unknown = 0;
};

uint64_t count_unknown(const std::vector<int32_t>& ids) {
  return static_cast<uint64_t>(std::ranges::count(ids, kUnknownPiece));
}

void encode_chunk(EncodedChunk& chunk, const Vocabularies& vocabularies, uint32_t max_length,
                  PairEncoder& encoder) {
  const uint32_t source_bytes = piece_bytes(vocabularies.source->size());
  const uint32_t target_bytes = piece_bytes(vocabularies.target->size());
  const auto& source_ids = encoder.source_ids;
  const auto& target_ids = encoder.target_ids;
  chunk.packed.clear();
  chunk.source_unknown = chunk.target_unknown = 0;
  chunk.for_each_usable(
      [&](PairChunk::Entry& entry, std::string_view source, std::string_view target) {
        encoder.encode(source, target);
        if (!entry.has_usable_lengths(source_ids.size(), target_ids.size(), max_length)) return;
        chunk.packed.add(source_ids, source_bytes, target_ids, target_bytes);
        chunk.source_unknown += count_unknown(source_ids);
        chunk.target_unknown += count_unknown(target_ids);
      });
}

DataSetInfo describe(const EncodingState& state, DataSetWriter& writer) {
  DataSetInfo info;
  info.pairs = state.position.pairs;
  info.source_pieces = state.position.source_pieces;
  info.target_pieces = state.position.target_pieces;
  info.pairs_read = state.pairs_read;
  info.source_unknown = state.source_unknown;
  info.target_unknown = state.target_unknown;
  info.dropped = state.dropped;
  info.files = writer.finish();
  return info;
}

}  // namespace

DataSetInfo encode_corpus(const Preparation& preparation, const CheckedCorpus& checked,
                          const Vocabularies& vocabularies) {
  const PrepareOptions& options = preparation.options;
  const auto state_file = preparation.folder.unfinished(kEncodingFile);
  EncodingState state = load_state(state_file);
  DataSetWriter writer(state_file.parent_path(), piece_bytes(vocabularies.source->size()),
                       piece_bytes(vocabularies.target->size()), state.position);
  PairChunkReader reader(preparation.inputs, options.max_line_bytes);
  if (state.pairs_read > 0) {
    spdlog::info("continuing after {} of {} pairs", format_count(state.pairs_read),
                 format_count(checked.pairs_read));
    reader.skip(state.pairs_read);
  }
  Pool<PairEncoder> encoders(
      [&] { return std::make_unique<PairEncoder>(*vocabularies.source, *vocabularies.target); });
  uint64_t pairs_safe = state.pairs_read;
  const auto commit = [&] {
    state.position = writer.commit();
    write_file_atomically(state_file, state_to_json(state));
    pairs_safe = state.pairs_read;
    preparation.committed("encoding");
  };
  Progress progress("encoding", checked.pairs_read, "pairs", state.pairs_read);
  ordered_pipeline<EncodedChunk>(
      [&](EncodedChunk& chunk) { return reader.read(chunk); },
      [&](EncodedChunk& chunk) {
        encode_chunk(chunk, vocabularies, options.max_length, *Pool<PairEncoder>::Lease(encoders));
      },
      [&](EncodedChunk& chunk) {
        writer.append(chunk.packed);
        state.pairs_read += chunk.entries.size();
        state.source_unknown += chunk.source_unknown;
        state.target_unknown += chunk.target_unknown;
        count_problems(chunk, preparation.inputs, state.dropped);
        progress.update(state.pairs_read);
        const bool stopped = preparation.stop.received() != nullptr;
        if (stopped || state.pairs_read - pairs_safe >= options.pairs_per_commit) {
          commit();
        }
        if (stopped) preparation.leave_if_stopped();
      });
  progress.finish();
  if (state.pairs_read != checked.pairs_read) {
    throw Error(
        fmt::format("the input had {} pairs when it was checked and {} when it was encoded; "
                    "do not change it while this runs; use --overwrite to start over",
                    format_count(checked.pairs_read), format_count(state.pairs_read)));
  }
  if (writer.position().pairs == 0) {
    const bool all_long = state.dropped[PairProblem::many_pieces].count == state.pairs_read;
    throw Error(all_long ? fmt::format("all {} are longer than {}; raise --max-length",
                                       format_count(state.pairs_read, "pair"),
                                       format_count(preparation.options.max_length, "piece"))
                         : fmt::format("none of the {} pairs can be used: {}",
                                       format_count(state.pairs_read), state.dropped.text()));
  }
  if (state.pairs_read > pairs_safe) commit();
  return describe(state, writer);
}

}  // namespace eatt
