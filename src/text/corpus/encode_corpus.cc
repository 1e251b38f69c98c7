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
#include "text/pieces/words.h"

namespace eatt {
namespace {

// Whether the data set gets links; an input without any then has pairs without links.
bool has_links(const std::vector<PairInput>& inputs) {
  return std::ranges::any_of(inputs, &PairInput::has_links);
}

// How far encoding has come, as a later run finds it.
struct EncodingState {
  // Of each input. All pairs read are in `position` or among the dropped.
  std::vector<DataSetInfo::Corpus> corpora;
  DataSetPosition position;
  uint64_t source_unknown = 0;
  uint64_t target_unknown = 0;

  uint64_t pairs_read() const {
    uint64_t sum = 0;
    for (const auto& corpus : corpora) sum += corpus.pairs_read;
    return sum;
  }
  ProblemCounts dropped() const {
    ProblemCounts all;
    for (const auto& corpus : corpora) all.add(corpus.dropped);
    return all;
  }
};

std::string state_to_json(const EncodingState& state) {
  const nlohmann::ordered_json json = {{"pairs", state.position.pairs},
                                       {"source_pieces", state.position.source_pieces},
                                       {"target_pieces", state.position.target_pieces},
                                       {"links", state.position.links},
                                       {"source_unknown", state.source_unknown},
                                       {"target_unknown", state.target_unknown},
                                       {"corpora", corpora_to_json(state.corpora)}};
  // The names of files need not be UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

EncodingState start_state(const std::vector<PairInput>& inputs) {
  EncodingState state;
  for (const PairInput& input : inputs) {
    state.corpora.push_back({.source = input.source.name, .target = input.target.name});
  }
  return state;
}

EncodingState load_state(const std::filesystem::path& file, const std::vector<PairInput>& inputs) {
  EncodingState state = start_state(inputs);
  if (!std::filesystem::exists(file)) return state;
  const JsonOrigin origin{file.string(), "use --overwrite to start over"};
  const nlohmann::json json = parse_json(read_file(file), origin);
  const JsonNode root(json, origin);
  const auto corpora = root.find("corpora");
  if (!corpora) return state;  // Begun by an earlier version, which did not count them: once more.
  state.corpora = corpora_from_json(*corpora);
  const auto links = root.find("links");  // Earlier versions had none.
  state.position = {.pairs = root["pairs"].integer(0, UINT64_MAX),
                    .source_pieces = root["source_pieces"].integer(0, UINT64_MAX),
                    .target_pieces = root["target_pieces"].integer(0, UINT64_MAX),
                    .links = links ? links->integer(0, UINT64_MAX) : 0};
  state.source_unknown = root["source_unknown"].integer(0, UINT64_MAX);
  state.target_unknown = root["target_unknown"].integer(0, UINT64_MAX);
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

// Links between words as links between all of their pieces, by target, then by source.
std::vector<PieceLink> spread_over_pieces(std::span<const AlignmentLink> links,
                                          std::span<const int32_t> source_words,
                                          std::span<const int32_t> target_words) {
  std::vector<PieceLink> spread;
  for (const AlignmentLink& link : links) {
    for (uint32_t target = 0; target < target_words.size(); ++target) {
      if (target_words[target] != static_cast<int32_t>(link.target)) continue;
      for (uint32_t source = 0; source < source_words.size(); ++source) {
        if (source_words[source] == static_cast<int32_t>(link.source)) {
          spread.push_back({source, target});
        }
      }
    }
  }
  std::ranges::sort(spread, {}, [](PieceLink link) { return std::pair(link.target, link.source); });
  spread.erase(std::unique(spread.begin(), spread.end()), spread.end());
  return spread;
}

// The links of a pair that the encoder has just encoded.
std::vector<PieceLink> piece_links(const std::vector<AlignmentLink>& links, std::string_view source,
                                   std::string_view target, const PairEncoder& encoder,
                                   const Vocabularies& vocabularies) {
  if (links.empty()) return {};
  return spread_over_pieces(links, words_of_text(source, encoder.source_ids, *vocabularies.source),
                            words_of_text(target, encoder.target_ids, *vocabularies.target));
}

void encode_chunk(EncodedChunk& chunk, const Vocabularies& vocabularies,
                  const Preparation& preparation, const PairMarks& duplicates,
                  PairEncoder& encoder) {
  const uint32_t source_bytes = piece_bytes(vocabularies.source->size());
  const uint32_t target_bytes = piece_bytes(vocabularies.target->size());
  const auto& source_ids = encoder.source_ids;
  const auto& target_ids = encoder.target_ids;
  const PairInput& from = preparation.inputs[chunk.input];
  const bool with_links = has_links(preparation.inputs);
  chunk.packed.clear();
  chunk.source_unknown = chunk.target_unknown = 0;
  const PairFilters& filters = preparation.options.filters;
  const LengthLimits limits{.most = preparation.options.max_length,
                            .least = filters.min_length,
                            .max_ratio = filters.max_ratio};
  chunk.look_for_problems(filters, duplicates);
  chunk.for_each_usable(
      [&](PairChunk::Entry& entry, std::string_view source, std::string_view target) {
        encoder.encode(source, target);
        if (!entry.has_usable_lengths(source_ids.size(), target_ids.size(), limits)) return;
        chunk.packed.add(source_ids, source_bytes, target_ids, target_bytes);
        if (with_links) {
          chunk.packed.add_links(piece_links(chunk.links_of(entry, source, target, from), source,
                                             target, encoder, vocabularies));
        }
        chunk.source_unknown += count_unknown(source_ids);
        chunk.target_unknown += count_unknown(target_ids);
      });
}

void count_pairs(const EncodedChunk& chunk, const std::vector<PairInput>& inputs,
                 DataSetInfo::Corpus& corpus) {
  corpus.pairs_read += chunk.entries.size();
  corpus.pairs += chunk.packed.lengths.size();
  count_problems(chunk, inputs, corpus.dropped);
}

DataSetInfo describe(const EncodingState& state, bool with_links, DataSetWriter& writer) {
  DataSetInfo info;
  info.pairs = state.position.pairs;
  info.source_pieces = state.position.source_pieces;
  info.target_pieces = state.position.target_pieces;
  info.pairs_read = state.pairs_read();
  info.source_unknown = state.source_unknown;
  info.target_unknown = state.target_unknown;
  info.dropped = state.dropped();
  info.corpora = state.corpora;
  if (with_links) info.links = state.position.links;
  info.files = writer.finish();
  return info;
}

[[noreturn]] void fail_without_pairs(const EncodingState& state, const PrepareOptions& options) {
  const uint64_t pairs_read = state.pairs_read();
  const ProblemCounts dropped = state.dropped();
  const bool all_long = dropped[PairProblem::many_pieces].count == pairs_read;
  throw Error(all_long ? fmt::format("all {} are longer than {}; raise --max-length",
                                     format_count(pairs_read, "pair"),
                                     format_count(options.max_length, "piece"))
                       : fmt::format("none of the {} pairs can be used: {}",
                                     format_count(pairs_read), dropped.text()));
}

}  // namespace

DataSetInfo encode_corpus(const Preparation& preparation, const CheckedCorpus& checked,
                          const Vocabularies& vocabularies) {
  const PrepareOptions& options = preparation.options;
  const auto state_file = preparation.folder.unfinished(kEncodingFile);
  EncodingState state = load_state(state_file, preparation.inputs);
  DataSetWriter writer(state_file.parent_path(), piece_bytes(vocabularies.source->size()),
                       piece_bytes(vocabularies.target->size()), state.position,
                       has_links(preparation.inputs));
  PairChunkReader reader(preparation.inputs, options.max_line_bytes);
  uint64_t pairs_read = state.pairs_read();
  if (pairs_read > 0) {
    spdlog::info("continuing after {} of {} pairs", format_count(pairs_read),
                 format_count(checked.pairs_read));
    reader.skip(pairs_read);
  }
  Pool<PairEncoder> encoders(
      [&] { return std::make_unique<PairEncoder>(*vocabularies.source, *vocabularies.target); });
  uint64_t pairs_safe = pairs_read;
  const auto commit = [&] {
    state.position = writer.commit();
    write_file_atomically(state_file, state_to_json(state));
    pairs_safe = pairs_read;
    preparation.committed("encoding");
  };
  Progress progress("encoding", checked.pairs_read, "pairs", pairs_read);
  ordered_pipeline<EncodedChunk>(
      [&](EncodedChunk& chunk) { return reader.read(chunk); },
      [&](EncodedChunk& chunk) {
        encode_chunk(chunk, vocabularies, preparation, checked.duplicates,
                     *Pool<PairEncoder>::Lease(encoders));
      },
      [&](EncodedChunk& chunk) {
        writer.append(chunk.packed);
        pairs_read += chunk.entries.size();
        count_pairs(chunk, preparation.inputs, state.corpora[chunk.input]);
        state.source_unknown += chunk.source_unknown;
        state.target_unknown += chunk.target_unknown;
        progress.update(pairs_read);
        const bool stopped = preparation.stop.received() != nullptr;
        if (stopped || pairs_read - pairs_safe >= options.pairs_per_commit) commit();
        if (stopped) preparation.leave_if_stopped();
      });
  progress.finish();
  if (pairs_read != checked.pairs_read) {
    throw Error(
        fmt::format("the input had {} pairs when it was checked and {} when it was encoded; "
                    "do not change it while this runs; use --overwrite to start over",
                    format_count(checked.pairs_read), format_count(pairs_read)));
  }
  if (writer.position().pairs == 0) fail_without_pairs(state, options);
  if (pairs_read > pairs_safe) commit();
  return describe(state, has_links(preparation.inputs), writer);
}

}  // namespace eatt
