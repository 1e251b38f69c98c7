#pragma once

#include <functional>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "base/threads.h"
#include "training/distributed/process_group.h"

namespace eatt::testing {

// Runs `body` as each of `size` workers, which are threads of this process connected over loopback.
// Throws the first exception of one.
inline void as_workers(int size, const std::function<void(ProcessGroup&)>& body,
                       std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
  const auto store = c10::make_intrusive<c10d::HashStore>();
  ThreadGroup threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.start([&, rank] {
      ProcessGroup group(store, {.rank = rank, .size = size}, timeout);
      body(group);
    });
  }
  threads.join();
}

}  // namespace eatt::testing
