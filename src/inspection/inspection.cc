#include "inspection/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "inspection/sentence_observer.h"
#include "runtime/layers/model.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "text/pieces/words.h"

namespace eatt::inspection {
namespace {

constexpr char kEndWord[] = "</s>";
constexpr char kStartWord[] = "<s>";

// What is found in one sentence.
struct SentenceResult {
  AlignedSentence alignment;
  std::vector<std::vector<WordLink>> links;  // Of each source that gold links are compared with.
  EntropyPlaces entropies;
  size_t source_positions = 0, target_positions = 0;
};

// What all threads share.
struct Shared {
  const Model& model;
  const Pieces& source_pieces;
  const Pieces& target_pieces;
  const InspectionOptions& options;
  std::vector<AlignmentSource> sources;  // To compare with gold links.
};

std::vector<std::string> texts_of(std::span<const int32_t> ids, const Pieces& pieces) {
  std::vector<std::string> texts;
  for (const int32_t id : ids) texts.push_back(pieces.piece(id));
  return texts;
}

// The word of each piece.
std::vector<std::string> labels_of(const std::vector<std::string>& units,
                                   const std::vector<int32_t>& numbers) {
  std::vector<std::string> labels;
  for (const int32_t number : numbers) {
    const bool exists = number >= 0 && static_cast<size_t>(number) < units.size();
    labels.push_back(exists ? units[static_cast<size_t>(number)] : "");
  }
  return labels;
}

std::vector<std::string> copied(const std::vector<std::string_view>& words) {
  return {words.begin(), words.end()};
}

// Decodes sentence after sentence on one thread.
class Inspector {
 public:
  explicit Inspector(const Shared& shared)
      : shared_(shared),
        steps_(shared.model, {.observer = &observer_}),
        unobserved_(shared.model) {}

  SentenceResult inspect(const SentencePair& pair) {
    const ScoreTask task = task_of(pair);
    const std::string target =
        pair.target ? *pair.target : shared_.target_pieces.decode(task.target);
    SentenceResult result;
    describe(pair.source, target, task, result);
    const auto scored = score_targets(steps_, std::span(&task, 1));
    result.entropies = observer_.entropies();
    result.source_positions = task.source.size() + 1;
    result.target_positions = task.target.size() + 1;
    take_weights(result.alignment);
    for (const AlignmentSource& source : shared_.sources) {
      attend(source);
      result.links.push_back(
          hard_alignment(translation_, translation_.hypotheses[0], AlignmentUnits::word));
    }
    return result;
  }

  const CodePlaces& codes() const { return observer_.all_codes(); }

 private:
  ScoreTask task_of(const SentencePair& pair) {
    ScoreTask task;
    task.source = shared_.source_pieces.encode(pair.source);
    if (pair.target) {
      task.target = shared_.target_pieces.encode(*pair.target);
    } else if (!task.source.empty()) {
      const SearchTask wanted{.source = task.source};
      task.target = search(unobserved_, std::span(&wanted, 1), {}).front().front().pieces;
    }
    return task;
  }

  // Sets up the observer and the translation whose attention will be read.
  void describe(const std::string& source, const std::string& target, const ScoreTask& task,
                SentenceResult& result) {
    const bool pieces = shared_.options.units == AlignmentUnits::piece;
    const auto source_texts = texts_of(task.source, shared_.source_pieces);
    const auto target_texts = texts_of(task.target, shared_.target_pieces);
    translation_ = {};
    translation_.source_words = words_of_text(source, task.source, shared_.source_pieces);
    Hypothesis& hypothesis = translation_.hypotheses.emplace_back();
    hypothesis.pieces = target_texts;
    hypothesis.words = words_of_text(target, task.target, shared_.target_pieces);
    AlignedSentence& aligned = result.alignment;
    aligned.source = pieces ? source_texts : copied(split_words(source));
    aligned.target = pieces ? target_texts : copied(split_words(target));
    auto source_labels =
        pieces ? source_texts : labels_of(aligned.source, translation_.source_words);
    source_labels.push_back(kEndWord);
    auto target_labels = pieces ? target_texts : labels_of(aligned.target, hypothesis.words);
    target_labels.insert(target_labels.begin(), kStartWord);
    observer_.begin(std::move(source_labels), std::move(target_labels));
  }

  // Puts the attention of a source into the translation.
  void attend(const AlignmentSource& source) {
    auto rows = observer_.cross_attention(source.layer, source.head);
    if (source.shift == 1 && rows.size() > 1) rows.erase(rows.begin());
    translation_.hypotheses[0].attention = std::move(rows);
  }

  void take_weights(AlignedSentence& aligned) {
    attend(shared_.options.source);
    const Hypothesis& hypothesis = translation_.hypotheses[0];
    const AlignmentUnits units = shared_.options.units;
    aligned.weights.assign(aligned.target.size(), std::vector<float>(aligned.source.size()));
    aligned.end_marker.assign(aligned.target.size(), 0);
    for_each_alignment_row(translation_, hypothesis, units, [&](const AlignmentRow& row) {
      if (row.target >= aligned.target.size()) return;
      for (size_t i = 0; i < row.probabilities.size(); ++i) {
        if (row.first_source + i >= aligned.source.size()) break;
        aligned.weights[row.target][row.first_source + i] = row.probabilities[i];
      }
      aligned.end_marker[row.target] = row.end_marker;
    });
    aligned.links = hard_alignment(translation_, hypothesis, units);
  }

  const Shared& shared_;
  SentenceObserver observer_;
  TransformerSteps steps_;
  TransformerSteps unobserved_;
  Translation translation_;
};

// Every sentence by some thread; codes of all of them are added up.
std::vector<SentenceResult> inspect_all(const Shared& shared, const std::vector<SentencePair>& text,
                                        CodePlaces& codes) {
  std::vector<SentenceResult> results(text.size());
  const size_t workers = std::min(static_cast<size_t>(thread_count()), text.size());
  std::vector<std::unique_ptr<Inspector>> inspectors(workers);
  parallel_for(workers, [&](size_t worker) {
    inspectors[worker] = std::make_unique<Inspector>(shared);
    for (size_t i = worker; i < text.size(); i += workers) {
      try {
        results[i] = inspectors[worker]->inspect(text[i]);
      } catch (const Error& error) {
        throw Error(fmt::format("line {}: {}", i + 1, error.what()));
      }
    }
  });
  for (const auto& inspector : inspectors) {
    for (const auto& [place, counts] : inspector->codes()) codes[place].add(counts);
  }
  return results;
}

std::vector<FeatureWord> words_of_feature(const CodeCounts& counts, size_t feature, double share,
                                          size_t most) {
  std::vector<std::pair<double, FeatureWord>> found;
  for (const auto& [text, word] : counts.words) {
    const auto fires = static_cast<double>(word.fires[feature]);
    const double excess = fires - share * static_cast<double>(word.positions);
    if (excess > 0) found.push_back({excess, {text, word.fires[feature], word.positions}});
  }
  std::ranges::sort(found, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.word < b.second.word;
  });
  if (found.size() > most) found.resize(most);
  std::vector<FeatureWord> words;
  for (auto& [excess, word] : found) words.push_back(std::move(word));
  return words;
}

CodeReport code_report(const Place& place, const CodeCounts& counts,
                       const InspectionOptions& options) {
  const auto positions = static_cast<double>(std::max<uint64_t>(counts.positions, 1));
  CodeReport report = {.place = place, .density = 0, .features = {}};
  if (counts.fires.empty()) return report;
  report.density =
      static_cast<double>(counts.ones) / (positions * static_cast<double>(counts.fires.size()));
  std::vector<size_t> order(counts.fires.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order,
                           [&](size_t a, size_t b) { return counts.fires[a] > counts.fires[b]; });
  order.resize(std::min(order.size(), options.features));
  for (const size_t number : order) {
    const double share = static_cast<double>(counts.fires[number]) / positions;
    report.features.push_back(
        {number, share, words_of_feature(counts, number, share, options.feature_words)});
  }
  return report;
}

std::vector<AttentionReport> attention_reports(const Architecture& architecture,
                                               const EntropyPlaces& entropies) {
  std::vector<AttentionReport> reports;
  for (const auto& [place, counts] : entropies) {
    const auto& layers = architecture.attention(role_of(place)).layers;
    const auto mean = [](double sum, uint64_t count) {
      return count == 0 ? 0 : sum / static_cast<double>(count);
    };
    reports.push_back({.place = place,
                       .mechanism = std::string(mechanism_name(layers[place.layer - 1])),
                       .entropy = mean(counts.nats, counts.rows),
                       .entropy_share = mean(counts.shares, counts.shared_rows)});
  }
  return reports;
}

void check_gold(const evaluation::Alignments& gold, const std::vector<SentenceResult>& results) {
  if (gold.sentences.size() != results.size()) {
    throw Error(fmt::format(
        "{} has links for {}, but the text has {}; expected a line of links for "
        "each sentence",
        gold.name, format_count(gold.sentences.size(), "sentence"), format_count(results.size())));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const AlignedSentence& sentence = results[i].alignment;
    for (const AlignmentLink& link : gold.sentences[i]) {
      if (link.source < sentence.source.size() && link.target < sentence.target.size()) continue;
      throw Error(fmt::format(
          "{}, line {}: the link {} is outside of the sentences, which have {} and {}; here words "
          "are counted from 0",
          gold.name, i + 1, format_alignment_line({link}),
          format_count(sentence.source.size(), "word"),
          format_count(sentence.target.size(), "word")));
    }
  }
}

// The score of one source: its links in all sentences against the gold links.
evaluation::AlignmentScore score_of(const std::vector<SentenceResult>& results, size_t source,
                                    const evaluation::Alignments& gold) {
  evaluation::Alignments found = {.name = "attention", .sentences = {}};
  for (const SentenceResult& result : results) {
    auto& sentence = found.sentences.emplace_back();
    for (const WordLink& link : result.links[source]) {
      sentence.push_back({link.source, link.target, true});
    }
  }
  return evaluation::score_alignments(found, gold);
}

std::vector<LayerError> layer_errors(const std::vector<AlignmentSource>& sources,
                                     const std::vector<SentenceResult>& results,
                                     const evaluation::Alignments& gold) {
  std::vector<LayerError> errors;
  for (size_t i = 0; i < sources.size(); ++i) {
    const AlignmentSource& source = sources[i];
    if (errors.empty() || errors.back().layer != source.layer) errors.push_back({source.layer});
    LayerError& error = errors.back();
    const auto score = score_of(results, i, gold);
    if (source.head == 0) {
      (source.shift == 0 ? error.predicting : error.reading) = score;
    } else if (error.best.layer == 0 || score.error_rate() < error.best_score.error_rate()) {
      error.best = source;
      error.best_score = score;
    }
  }
  return errors;
}

// Of a layer of cross-attention, from 1; 0 is the last.
std::string attention_of(const Architecture& architecture, size_t layer) {
  const auto& layers = architecture.cross.layers;
  const Mechanism mechanism = layers[(layer == 0 ? layers.size() : layer) - 1];
  const bool adds_only = binarises(mechanism) && scores_by_distance(mechanism);
  if (!adds_only) return std::string(mechanism_name(mechanism));
  return architecture.code_levels == 0 ? "E-ATT, binary codes" : "E-ATT, signed codes";
}

}  // namespace

Inspection inspect(const std::string& bundle_path, const std::vector<SentencePair>& text,
                   const InspectionOptions& given, const evaluation::Alignments* gold) {
  Bundle bundle = Bundle::open(bundle_path);
  const Pieces source_pieces(bundle.source_piece_model(), bundle.manifest().source_pieces);
  const Pieces target_pieces(bundle.target_piece_model(), bundle.manifest().target_pieces);
  const Model model = load_model(std::move(bundle), given.precision);
  InspectionOptions options = given;
  options.source = checked_source(given.source, model.architecture);
  const Shared shared = {
      .model = model,
      .source_pieces = source_pieces,
      .target_pieces = target_pieces,
      .options = options,
      .sources = gold ? alignment_sources(model.architecture) : std::vector<AlignmentSource>()};
  CodePlaces codes;
  std::vector<SentenceResult> results = inspect_all(shared, text, codes);
  Inspection found = {.model = bundle_path,
                      .precision = std::string(precision_name(model.precision)),
                      .mechanism = attention_of(model.architecture, options.source.layer),
                      .sentences = text.size(),
                      .source = options.source};
  EntropyPlaces entropies;
  for (const SentenceResult& result : results) {
    found.source_positions += result.source_positions;
    found.target_positions += result.target_positions;
    for (const auto& [place, counts] : result.entropies) entropies[place].add(counts);
  }
  found.attention = attention_reports(model.architecture, entropies);
  for (const auto& [place, counts] : codes) {
    found.codes.push_back(code_report(place.first, counts, options));
  }
  if (gold != nullptr) {
    check_gold(*gold, results);
    found.errors = layer_errors(shared.sources, results, *gold);
  }
  for (SentenceResult& result : results) found.alignments.push_back(std::move(result.alignment));
  return found;
}

}  // namespace eatt::inspection
