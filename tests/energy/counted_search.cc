#include "energy/counted_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "energy/knockout.h"
#include "text/pieces/pieces.h"

namespace eatt::energy::testing {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool is_marker(int32_t piece) {
  return piece == kPadPiece || piece == kUnknownPiece || piece == kStartPiece || piece == kEndPiece;
}

struct Column {
  size_t column = 0;
  Score logit = {};
  bool operator==(const Column& other) const { return column == other.column; }
};

// A match is one comparison, of equal ones the lower column wins.
bool better_column(const Column& a, const Column& b) {
  return above(a.logit, b.logit) || (a.logit.value == b.logit.value && a.column < b.column);
}

struct Ranked {
  size_t number = 0;
  bool finished = false;
  Score score = {};
  bool operator==(const Ranked& other) const { return number == other.number; }
};

// Who was cut stands behind all that ended; of equal ones, the first.
bool better_result(const Ranked& a, const Ranked& b) {
  const bool higher = above(a.score, b.score);
  if (a.finished != b.finished) return a.finished;
  return higher || (a.score.value == b.score.value && a.number < b.number);
}

double length_divisor(const SearchOptions& options, size_t pieces) {
  const double n = std::max(1.0, static_cast<double>(pieces));
  return options.normalize != 0 ? std::pow(n, options.normalize)
                                : std::pow((5 + n) / 6, options.length_penalty);
}

size_t length_limit(const RecordedRun& run, const SearchTask& task) {
  const SearchOptions& options = run.options;
  double limit = options.max_length_factor * static_cast<double>(task.source.size()) +
                 static_cast<double>(options.max_length_extra);
  if (options.max_length > 0) limit = std::min(limit, static_cast<double>(options.max_length));
  limit = std::max(
      {limit, static_cast<double>(task.prefix.size()), static_cast<double>(options.min_length)});
  return static_cast<size_t>(std::min(limit, static_cast<double>(run.most_pieces - 1)));
}

}  // namespace

CountedSentence::Row CountedSentence::read_row(const std::vector<int32_t>& pieces,
                                               const std::vector<float>& logits) {
  Tensor<Score> memory(Data::activations, 1, logits.size());
  for (size_t i = 0; i < logits.size(); ++i) memory.put(0, i, {static_cast<double>(logits[i])});
  Row row{.pieces = pieces, .logits = {}, .log_sum = {}};
  {
    Step step;
    for (size_t i = 0; i < logits.size(); ++i) row.logits.push_back(memory.read(0, i));
  }
  Score most{kNever}, sum;
  for (const Score logit : row.logits) most = larger(most, logit);
  for (const Score logit : row.logits) sum = sum + exponential(logit - most);
  row.log_sum = most + logarithm(sum);
  return row;
}

void CountedSentence::advance(const RecordedStep& step, size_t first_row) {
  std::vector<Row> rows;
  for (size_t i = 0; i < live_.size(); ++i) {
    live_[i].row = static_cast<int32_t>(first_row + i);
    rows.push_back(read_row(step.pieces[first_row + i], step.logits[first_row + i]));
  }
  if (length() < task_.prefix.size()) {
    force(rows[0]);
    return;
  }
  std::vector<Growth> growths;
  for (size_t i = 0; i < rows.size(); ++i) append_growths(i, rows[i], growths);
  const auto better = [](const Growth& a, const Growth& b) {
    if (above(a.path, b.path)) return true;
    if (a.path.value != b.path.value) return false;
    return a.parent != b.parent ? a.parent < b.parent : a.piece < b.piece;
  };
  const Growth nobody{.parent = live_.size(), .piece = kEndPiece, .path = {kNever}};
  take(Knockout(growths, nobody, better).best(2 * beam_size()));
}

void CountedSentence::force(const Row& row) {
  const auto column = std::ranges::find(row.pieces, task_.prefix[length()]) - row.pieces.begin();
  live_ = {grown(growth(0, row, static_cast<size_t>(column)))};
}

// The best ordinary pieces of a row, and the markers that may come.
void CountedSentence::append_growths(size_t parent, const Row& row,
                                     std::vector<Growth>& growths) const {
  std::vector<Column> ordinary;
  for (size_t i = 0; i < row.pieces.size(); ++i) {
    if (!is_marker(row.pieces[i])) ordinary.push_back({i, row.logits[i]});
  }
  const Column nobody{.column = row.pieces.size(), .logit = {kNever}};
  for (const Column& best : Knockout(ordinary, nobody, better_column).best(beam_size()))
    growths.push_back(growth(parent, row, best.column));
  for (size_t i = 0; i < row.pieces.size(); ++i) {
    const bool unknown = row.pieces[i] == kUnknownPiece && options_.allow_unknown;
    const bool end =
        row.pieces[i] == kEndPiece && length() >= static_cast<size_t>(options_.min_length);
    if (unknown || end) growths.push_back(growth(parent, row, i));
  }
}

CountedSentence::Growth CountedSentence::growth(size_t parent, const Row& row,
                                                size_t column) const {
  const Score log_probability = row.logits[column] - row.log_sum;
  return {parent, row.pieces[column], live_[parent].path + log_probability};
}

CountedHypothesis CountedSentence::grown(const Growth& growth) const {
  CountedHypothesis hypothesis = live_[growth.parent];
  hypothesis.pieces.push_back(growth.piece);
  hypothesis.path = growth.path;
  return hypothesis;
}

// `growths` are the 2·beam_size best in order. End markers among the beam_size best end their
// hypotheses; the beam_size best others live on, unless they are at the limit.
void CountedSentence::take(const std::vector<Growth>& growths) {
  const bool at_limit = length() == limit_;
  std::vector<CountedHypothesis> next;
  std::vector<bool> has_ended(live_.size());
  for (size_t rank = 0; rank < growths.size() && next.size() < beam_size(); ++rank) {
    if (growths[rank].piece != kEndPiece) {
      next.push_back(grown(growths[rank]));
    } else if (rank < beam_size()) {
      end(grown(growths[rank]), /*finished=*/true);
      has_ended[growths[rank].parent] = true;
    }
  }
  for (size_t i = 0; at_limit && i < live_.size(); ++i) {
    if (!has_ended[i]) end(live_[i], /*finished=*/false);
  }
  live_ = std::move(next);
  const auto finished = std::ranges::count_if(ended_, &CountedHypothesis::finished);
  if (at_limit || finished >= options_.beam_size) live_.clear();
}

void CountedSentence::end(CountedHypothesis hypothesis, bool finished) {
  const size_t pieces = hypothesis.pieces.size();
  hypothesis.finished = finished;
  if (options_.word_penalty != 0) {
    const Score words{static_cast<double>(pieces)};
    hypothesis.path = hypothesis.path - Score{options_.word_penalty} * words;
  }
  if (options_.length_penalty != 0 || options_.normalize != 0)
    hypothesis.path = hypothesis.path / Score{length_divisor(options_, pieces)};
  ended_.push_back(std::move(hypothesis));
}

std::vector<CountedHypothesis> CountedSentence::results() const {
  std::vector<Ranked> ranked;
  for (size_t i = 0; i < ended_.size(); ++i)
    ranked.push_back({i, ended_[i].finished, ended_[i].path});
  const Ranked nobody{.number = ended_.size(), .finished = false, .score = {kNever}};
  std::vector<CountedHypothesis> best;
  for (const Ranked& one :
       Knockout(ranked, nobody, better_result).best(static_cast<size_t>(options_.n_best)))
    best.push_back(ended_[one.number]);
  return best;
}

CountedSearch::CountedSearch(const RecordedRun& run) : results_(run.tasks.size()) {
  for (const SearchTask& task : run.tasks)
    sentences_.emplace_back(task, run.options, length_limit(run, task));
}

bool CountedSearch::done() const { return std::ranges::all_of(sentences_, &CountedSentence::done); }

std::vector<StepRow> CountedSearch::rows() const {
  std::vector<StepRow> rows;
  for (size_t i = 0; i < sentences_.size(); ++i) {
    for (const CountedHypothesis& live : sentences_[i].live()) {
      rows.push_back({.sentence = static_cast<int32_t>(i),
                      .parent = live.row,
                      .piece = live.pieces.empty() ? kStartPiece : live.pieces.back()});
    }
  }
  return rows;
}

void CountedSearch::advance(const RecordedStep& step) {
  const Charge charge({Stack::decoder, 0, SubLayer::none}, Duty::search);
  size_t first_row = 0;
  for (size_t i = 0; i < sentences_.size(); ++i) {
    if (sentences_[i].done()) continue;
    const size_t next_row = first_row + sentences_[i].live().size();
    sentences_[i].advance(step, first_row);
    first_row = next_row;
    if (sentences_[i].done()) results_[i] = sentences_[i].results();
  }
}

}  // namespace eatt::energy::testing
