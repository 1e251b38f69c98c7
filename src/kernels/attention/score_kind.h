#pragma once

namespace eatt::kernels {

// How near a query is to a key.
enum class ScoreKind {
  dot,  // Σ q·k
  l1,   // −Σ |q − k|, computed as Σq + Σk − 2·Σmax(q, k): two operations per element
};

}  // namespace eatt::kernels
