// Scores of one query against keys that lie anywhere in memory, in floats and in integers.
#include <hwy/highway.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/attention/attention.h"
#include "kernels/simd/halves-inl.h"
#include "kernels/simd/integer_pairs-inl.h"
#include "kernels/simd/vectors-inl.h"

#if defined(EATT_KERNELS_ROW_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef EATT_KERNELS_ROW_SCORES_INL_H_
#undef EATT_KERNELS_ROW_SCORES_INL_H_
#else
#define EATT_KERNELS_ROW_SCORES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

// Calls body(std::integral_constant<size_t, vectors>) if a head of `dim` features is one, two, four
// or eight vectors of `lanes`, which then stay in registers; otherwise with 0. Heads of less than
// 16 features are not worth compiling for.
template <size_t lanes, size_t vectors = 1, class Body>
HWY_INLINE void with_vectors(size_t dim, const Body& body) {
  if constexpr (vectors > 8) {
    body(std::integral_constant<size_t, 0>());
  } else {
    if constexpr (lanes * vectors >= 16) {
      if (dim == lanes * vectors) return body(std::integral_constant<size_t, vectors>());
    }
    with_vectors<lanes, 2 * vectors>(dim, body);
  }
}

template <ScoreKind kind>
HWY_INLINE FloatVec add_closeness(FloatVec query, FloatVec key, FloatVec sum) {
  if constexpr (kind == ScoreKind::dot) return hn::MulAdd(query, key, sum);
  return hn::Add(sum, hn::Abs(hn::Sub(query, key)));
}

// The query of one head, kVectors wide and held in registers. query(key) returns partial sums of
// the score in its lanes.
template <ScoreKind kind, size_t kVectors>
class FloatQuery {
 public:
  HWY_INLINE FloatQuery(const float* query, size_t) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) query_[v] = hn::LoadU(FloatTag(), query + v * kLanes);
  }
  template <class T>
  HWY_INLINE FloatVec operator()(const T* key) const {
    const FloatTag d;
    FloatVec sum = hn::Zero(d);
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      sum = add_closeness<kind>(query_[v], load_some(d, key + v * kLanes, kLanes), sum);
    }
    return sum;
  }

 private:
  FloatVec query_[kVectors];
};

// The same for any width, read from memory.
template <ScoreKind kind>
class FloatQuery<kind, 0> {
 public:
  HWY_INLINE FloatQuery(const float* query, size_t dim) : query_(query), dim_(dim) {}
  template <class T>
  HWY_INLINE FloatVec operator()(const T* key) const {
    const FloatTag d;
    FloatVec sum = hn::Zero(d);
    for_each_vector(dim_, [&](size_t i, size_t count) HWY_ATTR {
      sum = add_closeness<kind>(load_some(d, query_ + i, count), load_some(d, key + i, count), sum);
    });
    return sum;
  }

 private:
  const float* query_;
  size_t dim_;
};

// Fetches part of a row that will be read soon: the caches of a batch are larger than the
// second-level cache, and the hardware cannot guess where the next row lies.
template <class T>
HWY_INLINE void prefetch_row(const T* from, size_t size) {
  constexpr size_t kLine = 64 / sizeof(T);
  for (size_t i = 0; i < size; i += kLine) __builtin_prefetch(from + i);
}

// The same head of the next block of keys.
template <class T>
HWY_INLINE void prefetch_next_block(const RowScores& shape, const T* const* keys, size_t column,
                                    size_t first) {
  const size_t end = HWY_MIN(first + 2 * kLanes, shape.count);
  for (size_t i = first + kLanes; i < end; ++i) prefetch_row(keys[i] + column, shape.head_dim);
}

// Calls body(head, first key, count ≤ kLanes) for all heads of a block of keys before the next
// block, so that rows of keys are read in order.
template <class Body>
HWY_INLINE void for_each_key_block(const RowScores& shape, const Body& body) {
  for (size_t first = 0; first < shape.count; first += kLanes) {
    for (size_t h = 0; h < shape.heads; ++h) {
      body(h, first, HWY_MIN(kLanes, shape.count - first));
    }
  }
}

template <ScoreKind kind, size_t kVectors, class T>
HWY_NOINLINE void score_heads(const RowScores& shape, float factor, const float* query,
                              const T* const* keys, float* scores) {
  const FloatTag d;
  const FloatVec factors = hn::Set(d, kind == ScoreKind::dot ? factor : -factor);
  for_each_key_block(shape, [&](size_t h, size_t first, size_t count) HWY_ATTR {
    const size_t column = h * shape.head_dim;
    prefetch_next_block(shape, keys, column, first);
    const FloatQuery<kind, kVectors> head(query + column, shape.head_dim);
    const FloatVec sums = sums_of_vectors(
        d, count, [&](size_t i) HWY_ATTR { return head(keys[first + i] + column); });
    store_some(hn::Mul(sums, factors), d, scores + h * shape.count + first, count);
  });
}

template <class T>
HWY_INLINE void score_rows(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                           const T* const* keys, float* scores) {
  with_vectors<kLanes>(shape.head_dim, [&](auto vectors) HWY_ATTR {
    if (kind == ScoreKind::dot) {
      score_heads<ScoreKind::dot, vectors>(shape, factor, query, keys, scores);
    } else {
      score_heads<ScoreKind::l1, vectors>(shape, factor, query, keys, scores);
    }
  });
}

void row_scores_float(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                      const float* const* keys, float* scores) {
  score_rows(shape, kind, factor, query, keys, scores);
}

void row_scores_half(const RowScores& shape, ScoreKind kind, float factor, const float* query,
                     const Half* const* keys, float* scores) {
  score_rows(shape, kind, factor, query, keys, scores);
}

// int16 elements in pairs, one pair per 32-bit lane.
inline constexpr size_t kWords = 2 * kLanes;

// The first `count` ≤ kWords elements at `from`, zeros after them; never reads beyond them.
HWY_INLINE IntVec load_words(const int16_t* from, size_t count) {
#if HWY_TARGET != HWY_SCALAR
  const hn::Repartition<int16_t, IntTag> words;
  if (count == kWords) return hn::BitCast(IntTag(), hn::LoadU(words, from));
#if HWY_TARGET == HWY_AVX3
  return hn::BitCast(IntTag(), hn::MaskedLoad(hn::FirstN(words, count), words, from));
#endif
#endif
  HWY_ALIGN int32_t padded[kLanes] = {};
  std::memcpy(padded, from, count * sizeof(int16_t));
  return hn::Load(IntTag(), padded);
}

// Σ|q − k| = 2·Σmax(q, k) − Σq − Σk, modulo 2^32; exact because the result fits. Each sum
// starts at −Σq.
template <bool vnni, size_t kVectors>
class IntQuery {
 public:
  HWY_INLINE IntQuery(const int16_t* query, size_t) : start_(hn::Zero(IntTag())) {
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      query_[v] = load_words(query + v * kWords, kWords);
      add_pairs<vnni, -1>(start_, query_[v]);
    }
  }
  HWY_INLINE IntVec operator()(const int16_t* key) const {
    IntVec sum = start_;
#pragma GCC unroll 8
    for (size_t v = 0; v < kVectors; ++v) {
      const IntVec part = load_words(key + v * kWords, kWords);
      add_pairs<vnni, 2>(sum, max_of(query_[v], part));
      add_pairs<vnni, -1>(sum, part);
    }
    return sum;
  }

 private:
  IntVec query_[kVectors], start_;
};

// The same for any width, read from memory.
template <bool vnni>
class IntQuery<vnni, 0> {
 public:
  HWY_INLINE IntQuery(const int16_t* query, size_t dim) : query_(query), dim_(dim) {}
  HWY_INLINE IntVec operator()(const int16_t* key) const {
    IntVec sum = hn::Zero(IntTag());
    for (size_t i = 0; i < dim_; i += kWords) {
      const size_t count = HWY_MIN(kWords, dim_ - i);
      const IntVec ours = load_words(query_ + i, count), part = load_words(key + i, count);
      add_pairs<vnni, 2>(sum, max_of(ours, part));
      add_pairs<vnni, -1>(sum, ours);
      add_pairs<vnni, -1>(sum, part);
    }
    return sum;
  }

 private:
  const int16_t* query_;
  size_t dim_;
};

template <bool vnni, size_t kVectors>
HWY_NOINLINE void distance_heads(const RowScores& shape, const float* head_factors,
                                 const int16_t* query, const int16_t* const* keys, float* scores) {
  const FloatTag d;
  for_each_key_block(shape, [&](size_t h, size_t first, size_t count) HWY_ATTR {
    const size_t column = h * shape.head_dim;
    prefetch_next_block(shape, keys, column, first);
    const IntQuery<vnni, kVectors> head(query + column, shape.head_dim);
    const IntVec sums = sums_of_vectors(
        IntTag(), count, [&](size_t i) HWY_ATTR { return head(keys[first + i] + column); });
    store_some(hn::Mul(hn::ConvertTo(d, sums), hn::Set(d, -head_factors[h])), d,
               scores + h * shape.count + first, count);
  });
}

void row_l1_scores(const RowScores& shape, const float* head_factors, const int16_t* query,
                   const int16_t* const* keys, float* scores) {
  with_vnni([&](auto vnni) HWY_ATTR {
    with_vectors<kWords>(shape.head_dim, [&](auto vectors) HWY_ATTR {
      distance_heads<decltype(vnni)::value, decltype(vectors)::value>(shape, head_factors, query,
                                                                      keys, scores);
    });
  });
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // the guard
