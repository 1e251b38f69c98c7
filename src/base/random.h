#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace eatt {

// Random numbers that are the same on every machine and compiler (the standard library's
// distributions are not). xoshiro256**, seeded through SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) word = split_mix(seed);
  }
  // A separate stream for part `index` of a job with one seed: results then do not depend on the
  // order in which threads take the parts.
  static Random stream(uint64_t seed, uint64_t index) {
    uint64_t mixed = index;
    return Random(seed ^ split_mix(mixed));
  }

  uint64_t next() {
    const uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound), without bias (Lemire's rejection). bound > 0.
  uint64_t below(uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * bound;
    const uint64_t threshold = -bound % bound;
    while (static_cast<uint64_t>(product) < threshold) product = static_cast<Wide>(next()) * bound;
    return static_cast<uint64_t>(product >> 64);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  bool chance(double probability) { return uniform() < probability; }

  template <typename T>
  void shuffle(std::span<T> items) {
    for (size_t left = items.size(); left > 1; --left)
      std::swap(items[left - 1], items[below(left)]);
  }

 private:
  static uint64_t split_mix(uint64_t& state) {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  static uint64_t rotate_left(uint64_t x, int bits) { return (x << bits) | (x >> (64 - bits)); }

  uint64_t state_[4];
};

}  // namespace eatt
