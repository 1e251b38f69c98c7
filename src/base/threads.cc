#include "base/threads.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace eatt {
namespace {

std::atomic<int> chosen_count = 0;
thread_local bool inside_parallel_for = false;

// A positive number from the environment; anything else counts as not set.
std::optional<int> threads_from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (end == text || value < 1 || value > 4096) return std::nullopt;
  return static_cast<int>(value);
}

int cpus_in_affinity_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Containers limit time, not CPUs: "200000 100000" in cpu.max means two CPUs' worth.
std::optional<int> cpus_in_cgroup_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  const double cpus = std::strtod(quota.c_str(), nullptr) / period;
  return std::max(1, static_cast<int>(std::ceil(cpus)));
}

// Starts up to `count` threads; if the system refuses one, continues with those that are running.
void start_helpers(size_t count, const std::function<void()>& work, ThreadGroup& helpers) {
  static std::atomic<bool> warned = false;
  for (size_t started = 0; started < count; ++started) {
    try {
      helpers.start(work);
    } catch (const Error& error) {
      if (!warned.exchange(true)) {
        spdlog::warn("{}; continuing with {} of {} threads", error.what(), started + 1, count + 1);
      }
      return;
    }
  }
}

}  // namespace

int default_thread_count() {
  if (const auto own = threads_from_environment("EATT_NUM_THREADS")) return *own;
  if (const auto openmp = threads_from_environment("OMP_NUM_THREADS")) return *openmp;
  return std::min(cpus_in_affinity_mask(), cpus_in_cgroup_quota().value_or(1 << 20));
}

void set_thread_count(int threads) {
  if (threads < 0) {
    throw UsageError(fmt::format("--cpu-threads is {}; expected 1 or more, or 0 for all", threads));
  }
  chosen_count = threads;
}

int thread_count() {
  const int chosen = chosen_count;
  return chosen > 0 ? chosen : default_thread_count();
}

void parallel_for(size_t count, const std::function<void(size_t)>& body) {
  parallel_for(count, thread_count(), body);
}

void parallel_for(size_t count, int threads, const std::function<void(size_t)>& body) {
  const size_t workers = std::min<size_t>(count, static_cast<size_t>(std::max(threads, 1)));
  if (workers <= 1 || inside_parallel_for) {
    for (size_t i = 0; i < count; ++i) body(i);
    return;
  }
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    inside_parallel_for = true;
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;  // The others stop after their current item.
      inside_parallel_for = false;
      throw;
    }
    inside_parallel_for = false;
  };
  ThreadGroup helpers;
  try {
    start_helpers(workers - 1, work, helpers);
    work();  // The calling thread is one of the workers.
  } catch (...) {
    next = count;
    throw;  // The helpers are joined on the way out.
  }
  helpers.join();
}

void interrupt_no_other_thread() {
  const sched_param priority{};  // 0, the only one of this policy.
  ::sched_setscheduler(0, SCHED_BATCH, &priority);
}

std::thread start_thread(std::function<void()> body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw Error(
        fmt::format("cannot start a thread: {}; use fewer threads (--cpu-threads) or allow more "
                    "memory and processes (ulimit -v, ulimit -u)",
                    system_message(error.code().value())));
  }
}

ThreadGroup::~ThreadGroup() { join_all(); }

void ThreadGroup::start(std::function<void()> body) {
  threads_.emplace_back();  // Makes room first: once it runs, nothing may fail before it is kept.
  try {
    threads_.back() = start_thread([this, body = std::move(body)] {
      try {
        body();
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
    });
  } catch (...) {
    threads_.pop_back();
    throw;
  }
}

void ThreadGroup::join() {
  join_all();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadGroup::join_all() noexcept {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace eatt
