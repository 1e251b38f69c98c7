#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

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
// exactly once; the first exception is rethrown here after all have stopped. If a thread cannot be
// started, continues with those that are running and warns once per process. Called from inside
// another parallel_for it runs inline, so nesting never starts more threads than the policy allows.
void parallel_for(size_t count, const std::function<void(size_t)>& body);
// The same on up to `threads` threads, for a caller that has its own limit.
void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body);

// Starts a thread. Never use std::thread's constructor itself: it throws std::system_error
// ("Resource temporarily unavailable") when memory or processes run out. This throws an Error that
// says what happened and what to do. `body` must not throw.
std::thread start_thread(std::function<void()> body);

// Threads that are always joined, even if a later one cannot be started: a std::thread
// that is destroyed while it is joinable would end the program.
class ThreadGroup {
 public:
  ThreadGroup() = default;
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup();  // Joins. Exceptions of bodies are dropped: call join() to see them.

  // Throws an Error, as start_thread(), if the thread cannot be started; the others go on.
  void start(std::function<void()> body);
  // Waits for all threads, then rethrows the first exception that a body threw.
  void join();

 private:
  void join_all() noexcept;

  std::vector<std::thread> threads_;
  std::mutex mutex_;  // Guards failure_.
  std::exception_ptr failure_;
};

}  // namespace eatt
