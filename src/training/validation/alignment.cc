#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "base/progress.h"
#include "model/computing.h"
#include "text/corpus/languages.h"
#include "training/run/bundles.h"
#include "training/validation/validation.h"
#include "training/validation/validation_set.h"

namespace eatt {
namespace {

// For each piece, the index of the white-space word it belongs to.
std::vector<int64_t> words_of(const std::vector<int32_t>& ids, const Pieces& pieces) {
  std::vector<int64_t> words;
  int64_t word = -1;
  for (const int32_t id : ids) {
    if (pieces.piece(id).starts_with(kSpaceMark) || word < 0) ++word;
    words.push_back(word);
  }
  return words;
}

// [words, pieces] with ones where a piece belongs to a word; the rest of `columns` is padding.
torch::Tensor membership(const std::vector<int64_t>& words, int64_t columns) {
  const int64_t count = words.empty() ? 0 : words.back() + 1;
  auto matrix = torch::zeros({count, columns});
  for (size_t i = 0; i < words.size(); ++i) matrix[words[i]][static_cast<int64_t>(i)] = 1;
  return matrix;
}

// attention [target_len, source_len] of one sentence, rows already shifted.
std::vector<evaluation::AlignmentLink> links_of(const torch::Tensor& attention,
                                                const torch::Tensor& target_words,
                                                const torch::Tensor& source_words,
                                                int64_t end_marker) {
  std::vector<evaluation::AlignmentLink> links;
  if (target_words.size(0) == 0 || source_words.size(0) == 0) return links;
  const auto rows = torch::matmul(target_words, attention);                 // [words, source_len]
  const auto to_words = torch::matmul(rows, source_words.transpose(0, 1));  // [words, words]
  const auto to_end = rows.select(1, end_marker);
  const auto [most, best] = to_words.max(1);
  for (int64_t word = 0; word < rows.size(0); ++word) {
    if (to_end[word].item<float>() > most[word].item<float>()) continue;
    links.push_back(
        {static_cast<uint32_t>(best[word].item<int64_t>()), static_cast<uint32_t>(word), true});
  }
  // Target words came in order, and stay so where the source word is the same.
  std::ranges::stable_sort(links, {}, &evaluation::AlignmentLink::source);
  return links;
}

torch::Tensor attention_of(const ModelTrace& trace, const AlignmentSource& source) {
  const auto weights = trace.cross.at(source.layer - 1).weights[0];  // [heads, target, source]
  return source.head == 0 ? weights.mean(0) : weights[static_cast<int64_t>(source.head) - 1];
}

// One result per source, all by forced decoding of the text.
std::vector<evaluation::Alignments> align_by_attention(BundleModel& model,
                                                       const ValidationSet& text,
                                                       std::span<const AlignmentSource> sources) {
  const torch::NoGradGuard no_grad;
  Transformer& transformer = model.transformer;
  std::vector<evaluation::Alignments> result(sources.size());
  for (const PiecePair& pair : text.pairs()) {
    const TrainingBatch batch = make_batch(std::span(&pair, 1));
    ModelTrace trace;
    transformer->decode(transformer->encode(batch.source, &trace), batch.target, &trace);
    const int64_t rows = batch.target.tokens.size(1);  // One more than pieces.
    const auto target_words = membership(words_of(pair.target, model.target_pieces), rows - 1);
    const auto end = static_cast<int64_t>(pair.source.size());
    const auto source_words = membership(words_of(pair.source, model.source_pieces), end + 1);
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto shift = static_cast<int64_t>(sources[i].shift);
      const auto attention = attention_of(trace, sources[i]).slice(0, shift, rows - 1 + shift);
      result[i].sentences.push_back(links_of(attention, target_words, source_words, end));
    }
  }
  for (size_t i = 0; i < sources.size(); ++i) result[i].name = print_alignment_source(sources[i]);
  return result;
}

// How many words a line has, as links count them: by its spaces, or by its pieces if they have
// more.
size_t count_words(const std::string& line, const std::vector<int32_t>& ids, const Pieces& pieces) {
  std::istringstream words(line);
  const auto by_spaces = static_cast<size_t>(std::distance(
      std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()));
  const auto by_pieces = words_of(ids, pieces);
  return std::max(by_spaces, by_pieces.empty() ? 0 : static_cast<size_t>(by_pieces.back()) + 1);
}

// Throws an Error if a link is to a word that its sentence does not have.
void check_links(const BundleModel& model, const GoldText& gold, const ValidationSet& text,
                 const evaluation::Alignments& links) {
  for (size_t i = 0; i < text.size(); ++i) {
    const PiecePair& pair = text.pairs()[i];
    const size_t source = count_words(text.sources()[i], pair.source, model.source_pieces);
    const size_t target = count_words(text.targets()[i], pair.target, model.target_pieces);
    for (const evaluation::AlignmentLink& link : links.sentences[i]) {
      if (link.source < source && link.target < target) continue;
      throw Error(fmt::format(
          "--choose-on: {}, line {}: the link {} is outside of the sentences, which have {} and "
          "{}; words are counted from 0",
          gold.links.string(), i + 1, evaluation::format_alignment_line({link}),
          format_count(source, "word"), format_count(target, "word")));
    }
  }
}

// The source with the lowest error on text with gold links.
AlignmentSource choose_source(BundleModel& model, const GoldText& gold, WordAlignment& result) {
  const ValidationSet text(gold.text, model.source_pieces, model.target_pieces);
  const auto links = evaluation::read_alignments(gold.links, 0);
  if (links.sentences.size() != text.size()) {
    throw Error(
        fmt::format("--choose-on: {} has links for {}, but {} has {}; expected a line of "
                    "links for each sentence",
                    gold.links.string(), format_count(links.sentences.size(), "sentence"),
                    gold.text.source.string(), format_count(text.size(), "sentence")));
  }
  check_links(model, gold, text, links);
  const auto sources = alignment_sources(model.bundle.architecture());
  const auto found = align_by_attention(model, text, sources);
  AlignmentSource best;
  for (size_t i = 0; i < sources.size(); ++i) {
    const double error = evaluation::score_alignments(found[i], links).error_rate();
    if (result.error_rate && error >= *result.error_rate) continue;
    best = sources[i];
    result.error_rate = error;
  }
  return best;
}

void check_direction(const AlignmentRequest& request, const Manifest& manifest) {
  const Direction direction = {manifest.source_language, manifest.target_language};
  const auto check = [&](std::string_view option, const TextPair& text) {
    check_languages(direction, "the model", {option, text.source.string(), text.target.string()});
  };
  check("--sets", request.text);
  if (request.choose_on) check("--choose-on", request.choose_on->text);
}

}  // namespace

WordAlignment align_words(const AlignmentRequest& request) {
  return with_plain_errors([&] {
    set_up_computing();
    BundleModel model(request.bundle);
    check_direction(request, model.bundle.manifest());
    const AlignmentSource given = checked_source(request.source, model.bundle.architecture());
    const ValidationSet text(request.text, model.source_pieces, model.target_pieces);
    WordAlignment result = {.source = given, .error_rate = {}, .links = {}};
    if (request.choose_on) result.source = choose_source(model, *request.choose_on, result);
    result.links = align_by_attention(model, text, std::span(&result.source, 1)).front();
    return result;
  });
}

}  // namespace eatt
