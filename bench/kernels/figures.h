#pragma once

#include <fmt/format.h>

#include <string>

// The lines of scripts/bench.sh: name, value, goal, and whether the goal is reached.
namespace eatt::bench {

inline void print_at_most(const std::string& name, double value, double goal) {
  fmt::print("{}\t{:.3f}\t<={}\t{}\n", name, value, goal, value <= goal ? "holds" : "short");
}

inline void print_at_least(const std::string& name, double value, double goal) {
  fmt::print("{}\t{:.3f}\t>={}\t{}\n", name, value, goal, value >= goal ? "holds" : "short");
}

// `goal` as it would be printed: "<=0.45".
inline void print_skipped(const std::string& name, const std::string& goal,
                          const std::string& why) {
  fmt::print("{}\tskipped\t{}\t{}\n", name, goal, why);
}

}  // namespace eatt::bench
