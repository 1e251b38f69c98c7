#include "kernels/cpu_limits.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu_limits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/attention/l1_gradient-inl.h"
#include "kernels/dispatch.h"
#include "kernels/products/int8_dot-inl.h"
#include "kernels/simd/integer_pairs-inl.h"
#include "kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace eatt::kernels::HWY_NAMESPACE {

using bench::Limit;
using WordTag = hn::ScalableTag<int16_t>;
using WordVec = hn::Vec<WordTag>;

// The compiler must take any value for x from here on, and must have computed it.
template <class Vec>
HWY_INLINE void hide(Vec& x) {
#if HWY_TARGET == HWY_AVX3
  asm volatile("" : "+v"(x.raw));
#elif HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  asm volatile("" : "+x"(x.raw));
#elif HWY_TARGET == HWY_NEON
  asm volatile("" : "+w"(x.raw));
#else
  asm volatile("" : "+m"(x.raw));
#endif
}

// Steps: sum += something of x and y, `kElements` elements.
struct MultiplyAdd {
  using Vec = FloatVec;
  static constexpr double kElements = kLanes;
  static HWY_INLINE void add(Vec& sum, Vec x, Vec y) { sum = hn::MulAdd(x, y, sum); }
};
struct Maximum {
  using Vec = FloatVec;
  static constexpr double kElements = kLanes;
  static HWY_INLINE void add(Vec& sum, Vec x, Vec y) { sum = hn::Add(sum, hn::Max(x, y)); }
};
struct Difference {
  using Vec = FloatVec;
  static constexpr double kElements = kLanes;
  static HWY_INLINE void add(Vec& sum, Vec x, Vec y) { sum = hn::Add(sum, hn::Abs(hn::Sub(x, y))); }
};
struct Sign {
  using Vec = FloatVec;
  static constexpr double kElements = kLanes / 2.0;  // For each of its two sums.
  static HWY_INLINE void add(Vec& sum, Vec& other, Vec x, Vec y) {
    add_signed_share(hn::Sub(x, y), y, sum, other);
  }
};
template <bool vnni>
struct MaximumInt16 {
  using Vec = IntVec;
  static constexpr double kElements = kLanes * 2;
  static HWY_INLINE void add(Vec& sum, Vec x, Vec y) { add_pairs<vnni, 2>(sum, max_of(x, y)); }
};
template <bool vnni>
struct DotInt8 {
  using Vec = IntVec;
  static constexpr double kElements = kLanes * 4;
  static HWY_INLINE void add(Vec& sum, Vec x, Vec y) {
    if constexpr (vnni) {
      FourInputs<vnni> inputs(0);
      std::memcpy(&inputs.x, &x.raw, sizeof(inputs.x));
      add_products(sum, inputs, y);
    } else {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
      Vec pairs = multiply_bytes(x, y);
      hide(pairs);  // Or it would be seen that all are equal.
      sum = hn::Add(sum, add_pairs(pairs, y));
#else
      FourInputs<false> inputs(hn::GetLane(x));
      add_products(sum, inputs, y);
#endif
    }
  }
#if HWY_TARGET == HWY_AVX3
  static HWY_INLINE Vec multiply_bytes(Vec x, Vec y) {
    return Vec{_mm512_maddubs_epi16(x.raw, y.raw)};
  }
  static HWY_INLINE Vec add_pairs(Vec pairs, Vec signs) {
    return Vec{_mm512_madd_epi16(pairs.raw, signs.raw)};
  }
#elif HWY_TARGET == HWY_AVX2
  static HWY_INLINE Vec multiply_bytes(Vec x, Vec y) {
    return Vec{_mm256_maddubs_epi16(x.raw, y.raw)};
  }
  static HWY_INLINE Vec add_pairs(Vec pairs, Vec signs) {
    return Vec{_mm256_madd_epi16(pairs.raw, signs.raw)};
  }
#endif
};
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
struct DifferencesU8 {
  using Vec = IntVec;
  static constexpr double kElements = kLanes * 4;
  static HWY_INLINE void add(Vec& sum, Vec x, Vec y) {
#if HWY_TARGET == HWY_AVX3
    sum.raw = _mm512_add_epi64(sum.raw, _mm512_sad_epu8(x.raw, y.raw));
#else
    sum.raw = _mm256_add_epi64(sum.raw, _mm256_sad_epu8(x.raw, y.raw));
#endif
  }
};
#endif

// Independent sums, enough to hide the latency of an addition, few enough for registers.
template <class Step, size_t sums_count = (kTileRows > 4 ? 16 : 10)>
HWY_NOINLINE double in_registers(size_t times) {
  using Vec = typename Step::Vec;
  using Tag = hn::DFromV<Vec>;
  Vec sums[sums_count], x = hn::Zero(Tag()), y = x;
#pragma GCC unroll 16
  for (size_t i = 0; i < sums_count; ++i) hide(sums[i] = hn::Zero(Tag()));
  hide(y);
  for (size_t time = 0; time < times; ++time) {
    if constexpr (std::is_same_v<Step, Sign>) {
#pragma GCC unroll 16
      for (size_t i = 0; i < sums_count; i += 2) {
        hide(x);
        Step::add(sums[i], sums[i + 1], x, y);
      }
    } else {
#pragma GCC unroll 16
      for (size_t i = 0; i < sums_count; ++i) {
        hide(x);
        Step::add(sums[i], x, y);
      }
    }
  }
#pragma GCC unroll 16
  for (size_t i = 0; i < sums_count; ++i) hide(sums[i]);
  return static_cast<double>(times * sums_count) * Step::kElements;
}

// Steps of a vector from memory.
struct AddFloats {
  static constexpr size_t kBytes = kLanes * sizeof(float);
  static constexpr double kElements = kLanes;
  FloatVec sum;
  HWY_INLINE void start() { sum = hn::Zero(FloatTag()); }
  HWY_INLINE void add(const uint8_t* from) {
    sum = hn::Add(sum, hn::LoadU(FloatTag(), reinterpret_cast<const float*>(from)));
  }
  HWY_INLINE void finish() { hide(sum); }
};
struct AddInt8 {
  static constexpr size_t kBytes = HWY_LANES(uint8_t);
  static constexpr double kElements = kBytes;
  WordVec words, uppers;
  HWY_INLINE void start() { words = uppers = hn::Zero(WordTag()); }
  HWY_INLINE void add(const uint8_t* from) {
    WordVec word = hn::LoadU(WordTag(), reinterpret_cast<const int16_t*>(from));
    hide(word);
    words = hn::Add(words, word);
    uppers = hn::Add(uppers, hn::ShiftRight<8>(word));
  }
  HWY_INLINE void finish() {
    hide(words);
    hide(uppers);
  }
};
struct AddInt7 : AddInt8 {
  static constexpr size_t kBytes = 2 * AddInt8::kBytes;
  static constexpr double kElements = kBytes;
  HWY_INLINE void add(const uint8_t* from) {
    const auto* numbers = reinterpret_cast<const int16_t*>(from);
    WordVec both =
        hn::Add(hn::LoadU(WordTag(), numbers), hn::LoadU(WordTag(), numbers + HWY_LANES(int16_t)));
    hide(both);
    words = hn::Add(words, both);
    uppers = hn::Add(uppers, hn::ShiftRight<8>(both));
  }
};
struct Load {
  static constexpr size_t kBytes = HWY_LANES(uint8_t);
  static constexpr double kElements = kBytes;
  HWY_INLINE void add(const uint8_t* from) {
    auto bytes = hn::LoadU(hn::ScalableTag<uint8_t>(), from);
    hide(bytes);
  }
  HWY_INLINE void start() {}
  HWY_INLINE void finish() {}
};

template <class Step, bool ahead = false>
HWY_NOINLINE double from_memory(size_t times, std::span<const uint8_t> memory) {
  constexpr size_t kSteps = 4;
  constexpr size_t kAhead = 4096;
  Step steps[kSteps];
  for (Step& step : steps) step.start();
  for (size_t time = 0; time < times; ++time) {
    for (size_t at = 0; at + kSteps * Step::kBytes <= memory.size(); at += kSteps * Step::kBytes) {
#pragma GCC unroll 4
      for (size_t i = 0; i < kSteps; ++i) {
        const uint8_t* from = memory.data() + at + i * Step::kBytes;
        if (ahead && i * Step::kBytes % 64 == 0) __builtin_prefetch(from + kAhead);
        steps[i].add(from);
      }
    }
  }
  for (Step& step : steps) step.finish();
  return static_cast<double>(times * (memory.size() / Step::kBytes)) * Step::kElements;
}

HWY_INLINE double dot_int8(size_t times) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_NEON
  if (vnni_enabled()) return in_registers<DotInt8<true>>(times);
#endif
  return in_registers<DotInt8<false>>(times);
}

double run_limit(Limit limit, size_t times, std::span<const uint8_t> memory) {
  double elements = 0;
  switch (limit) {
    case Limit::multiply_add:
      return in_registers<MultiplyAdd>(times);
    case Limit::maximum:
      return in_registers<Maximum>(times);
    case Limit::difference:
      return in_registers<Difference>(times);
    case Limit::sign:
      return in_registers<Sign>(times);
    case Limit::maximum_int16:
      with_vnni([&](auto vnni) HWY_ATTR {
        elements = in_registers<MaximumInt16<decltype(vnni)::value>>(times);
      });
      return elements;
    case Limit::differences_u8:
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
      return in_registers<DifferencesU8>(times);
#else
      return 0;
#endif
    case Limit::dot_int8:
      return dot_int8(times);
    case Limit::add_floats:
      return from_memory<AddFloats>(times, memory);
    case Limit::add_int8:
      return from_memory<AddInt8>(times, memory);
    case Limit::add_int7:
      return from_memory<AddInt7>(times, memory);
    case Limit::load:
      return from_memory<Load>(times, memory);
    case Limit::load_ahead:
      return from_memory<Load, true>(times, memory);
  }
  return 0;
}

}  // namespace eatt::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace eatt::kernels {
HWY_EXPORT(run_limit);
}  // namespace eatt::kernels

namespace eatt::bench {

double run_limit(Limit limit, size_t times, std::span<const uint8_t> memory) noexcept {
  using namespace eatt::kernels;
  return EATT_DISPATCH(run_limit)(limit, times, memory);
}

}  // namespace eatt::bench
#endif
