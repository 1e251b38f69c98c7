#pragma once

#include <cstddef>
#include <functional>

namespace eatt {

// How many threads the whole process may compute with. One policy for every part of it:
//   --cpu-threads, else EATT_NUM_THREADS, else OMP_NUM_THREADS,
//   else the CPUs this process may run on (affinity mask and cgroup quota).
int default_thread_count();

// Sets the number for the process; 0 goes back to the default. Call it before the first
// parallel_for. Throws a UsageError if negative.
void set_thread_count(int threads);
int thread_count();

// Runs body(i) for i in [0, count) on up to thread_count() threads and waits. Each index runs
// exactly once; the first exception is rethrown here after all have stopped. Called from inside
// another parallel_for it runs inline, so nesting never starts more threads than the policy allows.
void parallel_for(size_t count, const std::function<void(size_t)>& body);
// The same on up to `threads` threads, for a caller that was told a number of its own.
void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body);

}  // namespace eatt
