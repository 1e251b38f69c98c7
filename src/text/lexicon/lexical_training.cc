#include <algorithm>
#include <atomic>
#include <bit>
#include <span>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "text/lexicon/lexical_model.h"

namespace eatt {
namespace {

using Cooccurrences = std::vector<CooccurrenceRow::Count>;

constexpr float kLeastProbability = 1e-7f;

// p(target | source) and its expected counts: an open-addressing table for each source piece, all
// in one array. The last row is that of the NULL word.
class Table {
 public:
  struct Cell {
    int32_t target = -1;  // Negative: a free slot.
    float probability = 0;
    // Fixed-point, so that threads may add in any order.
    uint64_t count = 0;
  };
  static constexpr double kOne = 4294967296.0;  // 2^32; sums have room for 2^31 pieces.

  explicit Table(std::vector<Cooccurrences> rows) {
    for (const Cooccurrences& row : rows) {
      // At least a quarter of the slots stays free, and at least one: it ends a search that fails.
      const size_t least = std::max({row.size() + row.size() / 3, row.size() + 1, size_t{2}});
      rows_.push_back({cells_size_, std::countr_zero(std::bit_ceil(least))});
      cells_size_ += size_t{1} << rows_.back().bits;
    }
    cells_.resize(cells_size_);
    for (size_t source = 0; source < rows.size(); ++source) {
      for (const auto& entry : rows[source]) insert(rows_[source], entry.target);
      Cooccurrences().swap(rows[source]);
    }
  }

  // Null if the two never occur together, or too seldom to be kept.
  Cell* find(size_t source, int32_t target) {
    const Row& row = rows_[source];
    const size_t mask = (size_t{1} << row.bits) - 1;
    Cell* cells = cells_.data() + row.begin;
    size_t at = first_slot(target, row.bits);
    while (cells[at].target != target) {
      if (cells[at].target < 0) return nullptr;
      at = (at + 1) & mask;
    }
    return cells + at;
  }

  // Turns counts into probabilities and resets them.
  void maximize() {
    parallel_for(rows_.size(), [&](size_t source) {
      const auto cells = row(source);
      uint64_t total = 0;
      for (const Cell& cell : cells) total += cell.count;
      for (Cell& cell : cells) {
        cell.probability =
            total == 0
                ? 0
                : static_cast<float>(static_cast<double>(cell.count) / static_cast<double>(total));
        cell.count = 0;
      }
    });
  }

  std::span<Cell> row(size_t source) {
    return std::span(cells_).subspan(rows_[source].begin, size_t{1} << rows_[source].bits);
  }

 private:
  struct Row {
    size_t begin;
    int bits;
  };

  void insert(const Row& row, int32_t target) {
    const auto cells = std::span(cells_).subspan(row.begin, size_t{1} << row.bits);
    size_t at = first_slot(target, row.bits);
    while (cells[at].target >= 0) at = (at + 1) & (cells.size() - 1);
    cells[at] = {target, 1, 0};  // All equal: the first iteration shares evenly.
  }

  std::vector<Row> rows_;
  std::vector<Cell> cells_;
  size_t cells_size_ = 0;
};

// Adds the expected counts of pairs [first, end) to the table.
class Expectation {
 public:
  Expectation(const PiecePairs& pairs, Table& table, size_t null_row)
      : pairs_(pairs), table_(table), null_row_(null_row) {}

  void add(size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) {
      pairs_.read(i, source_, target_);
      find_cells();
      share_counts();
    }
  }

 private:
  // Cells [source and NULL, target], and the sum over the sources of each target.
  void find_cells() {
    cells_.clear();
    sums_.assign(target_.size(), 0.0);
    for (size_t s = 0; s <= source_.size(); ++s) {
      const size_t row = s < source_.size() ? static_cast<size_t>(source_[s]) : null_row_;
      for (size_t t = 0; t < target_.size(); ++t) {
        Table::Cell* cell = table_.find(row, target_[t]);
        if (cell != nullptr) sums_[t] += cell->probability;
        cells_.push_back(cell);
      }
    }
  }

  void share_counts() {
    for (size_t k = 0; k < cells_.size(); ++k) {
      Table::Cell* cell = cells_[k];
      const double sum = sums_[k % target_.size()];
      if (cell == nullptr || sum <= 0) continue;
      const auto share = static_cast<int64_t>(cell->probability / sum * Table::kOne + 0.5);
      std::atomic_ref(cell->count)
          .fetch_add(static_cast<uint64_t>(share), std::memory_order_relaxed);
    }
  }

  const PiecePairs& pairs_;
  Table& table_;
  size_t null_row_;
  std::vector<int32_t> source_, target_;
  std::vector<Table::Cell*> cells_;
  std::vector<double> sums_;
};

// NULL is part of every source sentence, so it occurs with every target piece: the most frequent.
Cooccurrences null_cooccurrences(std::span<const uint64_t> target_counts, size_t limit) {
  Cooccurrences counts;
  for (size_t target = 0; target < target_counts.size(); ++target) {
    if (target_counts[target] > 0 && target != kUnknownPiece) {
      counts.push_back({static_cast<int32_t>(target), 0});
    }
  }
  std::ranges::stable_sort(counts, std::greater(), [&](const CooccurrenceRow::Count& entry) {
    return target_counts[static_cast<size_t>(entry.target)];
  });
  counts.resize(std::min(counts.size(), limit));
  return counts;
}

LexicalModel model_of(Table& table, size_t source_vocab) {
  std::vector<std::vector<LexicalModel::Entry>> rows(source_vocab);
  for (size_t source = 0; source < source_vocab; ++source) {
    for (const Table::Cell& cell : table.row(source)) {
      if (cell.target >= 0 && cell.probability >= kLeastProbability) {
        rows[source].push_back({cell.target, cell.probability});
      }
    }
  }
  return LexicalModel(std::move(rows));
}

}  // namespace

LexicalModel train_lexical_model(const PiecePairs& pairs, const LexicalTrainingOptions& options) {
  expects(options.iterations > 0, "at least one iteration");
  const auto source_vocab = static_cast<size_t>(options.source_vocab);
  const auto target_counts = count_target_pieces(pairs, options.target_vocab);
  auto rows = count_cooccurrences(pairs, options.source_vocab, options.max_row, target_counts);
  rows.push_back(null_cooccurrences(target_counts, options.max_row));
  Table table(std::move(rows));

  const auto iterations = static_cast<size_t>(options.iterations);
  Progress progress("Model 1", iterations * pairs.size(), "pairs");
  for (size_t iteration = 0; iteration < iterations; ++iteration) {
    for_each_part(
        pairs.size(),
        [&](size_t first, size_t end) { Expectation(pairs, table, source_vocab).add(first, end); },
        [&](size_t end) { progress.update(iteration * pairs.size() + end); });
    table.maximize();
  }
  progress.finish();
  return model_of(table, source_vocab);
}

}  // namespace eatt
