// The one header an embedding program needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace eatt {

namespace energy {
struct Activity;  // energy/activity.h
}
class StepModel;  // runtime/search/step_model.h
class TextParts;  // runtime/api/text_parts.h

// How the words of a translation are found. The defaults are greedy search as in the paper's
// golden pairs: every field explains its special value.
struct SearchOptions {
  int beam_size = 1;  // 1 is greedy search.
  int n_best = 1;     // Hypotheses to return; at most beam_size, except for alternatives.
  // With n the pieces of a hypothesis, its end marker and the prefix counted, its score is
  //   (Σ log p − word_penalty · n) / d + coverage; docs/search.md has examples.
  double length_penalty = 0;      // α: d = ((5 + n) / 6)^α; 0 switches it off.
  double normalize = 0;           // α: d = n^α; excludes length_penalty.
  double word_penalty = 0;        // Below 0 it rewards length.
  double coverage_penalty = 0;    // β: coverage = β · Σ_source log(min(Σ attention, 1)).
  double repetition_penalty = 1;  // Multiplies log p of pieces already used.
  int min_length = 0;             // Pieces before the end marker may come.
  int max_length = 0;             // Most pieces of a translation; 0: only the factor counts.
  double max_length_factor = 2;   // Most pieces = factor · source pieces + max_length_extra.
  int max_length_extra = 10;
  // Ends a sentence's search as soon as no unfinished hypothesis can beat the n_best finished ones:
  // the result is the same. Otherwise search ends when beam_size hypotheses are finished.
  bool early_stopping = false;
  bool allow_unknown = false;  // Whether <unk> may be generated.

  // Sampling instead of search: each of the beam_size hypotheses is drawn on its own, and the
  // n_best of them are returned.
  bool sampling = false;
  double temperature = 1;
  int top_k = 0;      // Draw among the k best; 0: all.
  double top_p = 1;   // Draw among the fewest of these whose probabilities reach p of their sum.
  uint64_t seed = 1;  // With a sentence's number it decides what is drawn.

  // n_best different pieces after the prefix (or at the start), each continued greedily.
  bool alternatives = false;

  bool operator==(const SearchOptions&) const = default;
};

struct TranslatorOptions {
  std::string precision = {};  // "float32" or "int8"; empty: as the bundle is stored.
  int threads = 0;             // Sentences in flight; 0: as many as CPUs.
  bool verify_hashes = true;
  std::string shortlist = {};  // A file of `eatt shortlist`; empty: the whole vocabulary.
  // Whose cross-attention alignments come from, counted from 1; layer 0: the last, head 0: the mean
  // of all. Shift 0 takes the step that predicts a piece, 1 the step that reads it.
  int alignment_layer = 0;
  int alignment_head = 0;
  int alignment_shift = 0;
  bool wants_attention = false;  // Needed for attention, alignments and the coverage penalty.
  // Whether hypotheses carry scores; greedy search is faster without.
  bool wants_scores = true;
  size_t batch_words = 1024;    // Source pieces computed together by a thread.
  size_t batch_sentences = 32;  // And the most sentences of them.
  // Translates the sentences of a text one by one, found by the rules of the source language, and
  // joins the translations. A task with a prefix stays whole.
  bool split_sentences = false;
  // Longer texts are split at sentence ends and the translations joined, or refused if they are not
  // to be split: nothing is ever cut off. A model that reads less lowers it by itself.
  size_t max_input_pieces = 512;
  bool split_long_input = true;
  // Records what the model does, to count its operations; not for ensembles. Then only
  // beams without early stopping, coverage and repetition penalties can be searched.
  bool records_activity = false;
  // Called after each step in which a sentence ends, by any thread, with how much of the current
  // call is done: pieces so far, and pieces in all.
  std::function<void(size_t done, size_t all)> on_batch = {};
  // Called often, by any thread: before each step of the search, and while long text is split. What
  // it throws ends the call, so that a program can stop in the middle of a sentence.
  std::function<void()> before_step = {};
};

struct Hypothesis {
  std::string text;
  std::vector<std::string> pieces;  // Without markers.
  std::vector<int32_t> words;       // Of each piece, the white-space word of the text it is in.
  double score = 0;                 // What the search compared: with all penalties.
  double log_probability = 0;       // Natural logarithm, end marker included.
  // Log-probability of each piece, the end marker's last; of a split text, the last part's marker.
  std::vector<double> piece_scores;
  // Attention of each piece (and of the end marker) over the source pieces and the end marker:
  // [pieces + 1][source pieces + 1]; empty unless wants_attention.
  std::vector<std::vector<float>> attention;
  // Where a text was split, a row of attention covers the source pieces of its part, from this one
  // on, and the part's end marker. Empty: all rows cover all.
  std::vector<size_t> attention_begin;
  bool finished = true;  // False if the length limit cut it.
};

struct Translation {
  std::vector<Hypothesis> hypotheses;      // The best first; one at least.
  std::vector<std::string> source_pieces;  // Without markers.
  std::vector<int32_t> source_words;       // Of each piece, its white-space word in the source.
};

// What to translate, with what the translation has to begin with.
struct TranslationTask {
  std::string source;
  std::string prefix = {};  // Text that the translation begins with.
  // Its place among all that is translated, from 0: for messages and for sampling. −1: its place in
  // this call.
  int64_t number = -1;
  bool stays_whole = false;  // Is not split into sentences, as if it had a prefix.
};

// A model, or several of equal vocabularies, ready to translate. Const functions may be called from
// many threads; each uses its own memory. Errors are eatt::Error, a std::runtime_error whose text
// is one sentence.
class Translator {
 public:
  explicit Translator(const std::string& bundle, const TranslatorOptions& options = {});
  // An ensemble: probabilities are averaged, with these weights (empty: equal).
  Translator(std::span<const std::string> bundles, std::span<const double> weights,
             const TranslatorOptions& options = {});
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;
  ~Translator();

  // In the order of the tasks. Empty sources have an empty translation.
  std::vector<Translation> translate(std::span<const TranslationTask> tasks,
                                     const SearchOptions& search = {}) const;
  std::string translate(const std::string& source, const SearchOptions& search = {}) const;

  // Log-probabilities (and attention) of given translations: one hypothesis each, the given text.
  // Pairs are never split. `first_number` is that of the first pair, for messages.
  std::vector<Translation> score(std::span<const std::pair<std::string, std::string>> pairs,
                                 uint64_t first_number = 0) const;

  // Everything that was translated so far; nothing unless records_activity. Do not call it while
  // others translate.
  energy::Activity activity() const;

  // Pieces of a text, as the model counts them.
  size_t source_pieces(const std::string& text) const;
  // The longest source that the model can read, in pieces; empty: no limit.
  std::optional<size_t> max_source_pieces() const;
  // The languages as the (first) bundle names them, such as "en"; "und" if they are not known.
  const std::string& source_language() const;
  const std::string& target_language() const;

  // For a program that searches by itself, as the server does: a model for one thread
  // (runtime/search/running_search.h), and what is around the search. Neither may outlive this.
  std::unique_ptr<StepModel> make_step_model() const;
  const TextParts& texts() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace eatt
