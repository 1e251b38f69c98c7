#include "base/threads.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"

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
  std::mutex failure_mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    inside_parallel_for = true;
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;  // The others stop after the item they are at.
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
    inside_parallel_for = false;
  };
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < workers; ++i) helpers.emplace_back(work);
    work();  // The calling thread is one of the workers.
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace eatt
