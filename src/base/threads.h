#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
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

// From now on the calling thread interrupts no other when there is something for it to do, but
// waits for a free CPU or the scheduler's next tick (Linux's SCHED_BATCH): fewer switches between
// threads on a busy machine, for a few milliseconds of delay. Threads that it starts inherit this.
// Where the system refuses it, nothing changes.
void interrupt_no_other_thread();

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

// A stream worked on by many threads whose result does not depend on their number:
//   bool read(Chunk&)   fills the next chunk; false at the end of the stream
//   void work(Chunk&)   runs on many threads at once, each on its own chunk
//   void write(Chunk&)  sees the chunks in the order in which they were read
// read and write each run on one thread at a time, alongside the workers, within the number of
// threads that parallel_for allows. Chunks are reused, so their buffers grow once; read() clears
// what it fills. Memory: 6 chunks per thread and a few more.
template <typename Chunk, typename Read, typename Work, typename Write>
void ordered_pipeline(Read&& read, Work&& work, Write&& write) {
  struct Round {
    std::vector<Chunk> chunks;
    size_t used = 0;
  };
  // More chunks than threads: a slow one then holds up the others only briefly.
  const size_t width = 2 * static_cast<size_t>(thread_count()) + 2;
  Round reading{std::vector<Chunk>(width)}, working{std::vector<Chunk>(width)},
      writing{std::vector<Chunk>(width)};

  const auto read_round = [&](Round& round) {
    round.used = 0;
    while (round.used < width && read(round.chunks[round.used])) ++round.used;
  };
  bool more = true;
  do {
    parallel_for(working.used + 2, [&](size_t i) {
      if (i == 0) {
        if (more) read_round(reading);
      } else if (i == 1) {
        for (size_t k = 0; k < writing.used; ++k) write(writing.chunks[k]);
      } else {
        work(working.chunks[i - 2]);
      }
    });
    more = reading.used == width;
    writing.used = 0;
    std::swap(working, writing);  // What was worked on is written next,
    std::swap(reading, working);  // and what was read is worked on.
    reading.used = 0;
  } while (more || working.used > 0 || writing.used > 0);
}

// Objects that are costly to create, for threads that each need one for a while. An object is made
// when none is free, and kept for the next user: there are as many as are ever in use at a time.
template <class T>
class Pool {
 public:
  using Make = std::function<std::unique_ptr<T>()>;
  explicit Pool(Make make) : make_(std::move(make)) {}

  // Holds an object of the pool while it lives.
  class Lease {
   public:
    explicit Lease(Pool& pool) : pool_(pool), object_(pool.take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(object_)); }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    Pool& pool_;
    std::unique_ptr<T> object_;
  };

 private:
  std::unique_ptr<T> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        auto object = std::move(free_.back());
        free_.pop_back();
        return object;
      }
    }
    return make_();
  }

  // Called by a destructor, so without an exception: if there is no memory left to keep the object,
  // it is dropped.
  void give_back(std::unique_ptr<T> object) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      free_.push_back(std::move(object));
    } catch (const std::bad_alloc&) {
    }
  }

  Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace eatt
