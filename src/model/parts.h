#pragma once

#include <algorithm>
#include <cstdint>

namespace eatt {

inline constexpr int64_t kPartElements = 1 << 15;  // Worth a thread of their own.

// Rows of a part, by the shape alone: sums over parts do not depend on the number of threads.
inline int64_t rows_of_part(int64_t width) { return std::max<int64_t>(1, kPartElements / width); }

}  // namespace eatt
