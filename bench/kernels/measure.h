#pragma once

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <string>
#include <vector>

// What the benchmarks of kernels share. Times are ratios measured so that other programs on the
// machine disturb them little: by the CPU clock of the thread, sides in turn, median of the rounds.
namespace eatt::bench {

inline double thread_cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// CPU seconds of one call, over `calls` calls in a row.
template <class Work>
double seconds_per_call(const Work& work, size_t calls) {
  const double start = thread_cpu_seconds();
  for (size_t i = 0; i < calls; ++i) work();
  return (thread_cpu_seconds() - start) / static_cast<double>(calls);
}

// How many calls in a row last long enough for the clock, and for each side to get its data back
// into the cache after the other side's turn.
template <class Work>
size_t calls_per_round(const Work& work) {
  constexpr double kEnoughSeconds = 400e-6;
  size_t calls = 1;
  while (seconds_per_call(work, calls) * static_cast<double>(calls) < kEnoughSeconds) calls *= 2;
  return calls;
}

// Time of one call of `ours` over that of `theirs`.
template <class Ours, class Theirs>
double median_ratio(const Ours& ours, const Theirs& theirs, size_t rounds) {
  const size_t our_calls = calls_per_round(ours);
  const size_t their_calls = calls_per_round(theirs);
  std::vector<double> ratios;
  for (size_t round = 0; round < rounds; ++round) {
    const double our_seconds = seconds_per_call(ours, our_calls);
    ratios.push_back(our_seconds / seconds_per_call(theirs, their_calls));
  }
  return median(ratios);
}

// Time of one call of `ours` over that of the fastest of `others`, of which there is at least one.
template <class Ours>
double median_ratio_to_best(const Ours& ours, const std::vector<std::function<void()>>& others,
                            size_t rounds) {
  double ratio = 0;
  for (const auto& other : others) ratio = std::max(ratio, median_ratio(ours, other, rounds));
  return ratio;
}

// The output of scripts/bench.sh, a line per figure: name, value, goal, and whether it is reached.
inline void print_at_most(const std::string& name, double value, double goal) {
  fmt::print("{}\t{:.3f}\t<={}\t{}\n", name, value, goal, value <= goal ? "holds" : "short");
}

inline void print_at_least(const std::string& name, double value, double goal) {
  fmt::print("{}\t{:.3f}\t>={}\t{}\n", name, value, goal, value >= goal ? "holds" : "short");
}

// A figure without a goal.
inline void print_information(const std::string& name, double value) {
  fmt::print("{}\t{:.3f}\t-\tinformation\n", name, value);
}

// `goal` as printed: "<=0.45".
inline void print_skipped(const std::string& name, const std::string& goal,
                          const std::string& why) {
  fmt::print("{}\tskipped\t{}\t{}\n", name, goal, why);
}

// Memory that starts at a cache line, as libtorch's tensors do.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* memory, size_t) { ::operator delete(memory, kAlignment); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace eatt::bench
