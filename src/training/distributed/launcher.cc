#include "training/distributed/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "base/error.h"
#include "base/stop_signal.h"

namespace eatt {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr char kAddress[] = "127.0.0.1";
constexpr int kNotStarted = 127;
constexpr auto kPoll = 20ms;
constexpr auto kGrace = 10s;  // Between asking a worker to end and killing it.

struct Worker {
  int rank = 0;
  pid_t pid = -1;
  bool runs = true;
  int status = 0;  // As waitpid() gives it.
  bool failed() const { return !runs && status != 0; }
  bool was_killed() const { return !runs && WIFSIGNALED(status); }
};

// The environment of a worker, as torchrun makes it.
std::vector<std::string> environment_of(int rank, uint16_t port, const LocalWorkers& workers) {
  const std::vector<std::pair<std::string, std::string>> own = {
      {"RANK", std::to_string(rank)},
      {"LOCAL_RANK", std::to_string(rank)},
      {"WORLD_SIZE", std::to_string(workers.count)},
      {"MASTER_ADDR", kAddress},
      {"MASTER_PORT", std::to_string(port)},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
      {"TORCHELASTIC_RESTART_COUNT", "0"},
      {"EATT_NUM_THREADS", std::to_string(workers.threads)}};
  std::vector<std::string> result;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool replaced = std::ranges::any_of(
        own, [&](const auto& one) { return text.starts_with(one.first + "="); });
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [name, value] : own) result.push_back(name + "=" + value);
  return result;
}

// The command line of this process.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(std::move(word));
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

pid_t start(int rank, uint16_t port, const LocalWorkers& workers) {
  auto words = own_words();
  auto variables = environment_of(rank, port, workers);
  const auto argv = pointers(words), envp = pointers(variables);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) {
    throw Error(fmt::format("worker {} cannot be started: {}", rank, system_message(errno)));
  }
  if (pid > 0) return pid;
  // Nobody would look after a worker whose launcher was killed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);
  // A group of its own: Ctrl-C at the terminal reaches the launcher, which tells the workers once.
  ::setpgid(0, 0);
  if (rank > 0) {
    const int empty = ::open("/dev/null", O_RDONLY);
    ::dup2(empty, STDIN_FILENO);
  }
  ::execve("/proc/self/exe", argv.data(), envp.data());
  ::_exit(kNotStarted);
}

void tell(const std::vector<Worker>& workers, int signal) {
  for (const Worker& worker : workers) {
    if (worker.runs) ::kill(worker.pid, signal);
  }
}

// Takes note of workers that have ended.
void look_after(std::vector<Worker>& workers) {
  for (Worker& worker : workers) {
    if (worker.runs && ::waitpid(worker.pid, &worker.status, WNOHANG) == worker.pid) {
      worker.runs = false;
    }
  }
}

// Until all have ended; returns the one that failed first, or null. One that was killed comes
// before those that have ended because of it.
const Worker* wait_for_all(std::vector<Worker>& workers) {
  const Worker* failed = nullptr;
  std::optional<Clock::time_point> told;
  bool stopping = false;
  const StopSignal stop;
  while (std::ranges::any_of(workers, &Worker::runs)) {
    std::this_thread::sleep_for(kPoll);
    look_after(workers);
    if (!stopping && stop.received() != nullptr) {
      stopping = true;  // Saving takes what it takes; a second signal ends this process, and all.
      tell(workers, StopSignal::number());
    }
    if (failed == nullptr) {
      auto found = std::ranges::find_if(workers, &Worker::was_killed);
      if (found == workers.end()) found = std::ranges::find_if(workers, &Worker::failed);
      if (found == workers.end()) continue;
      failed = &*found;
      told = Clock::now();
      if (!stopping) tell(workers, SIGTERM);
    }
    if (told && Clock::now() - *told > kGrace) tell(workers, SIGKILL);
  }
  return failed;
}

}  // namespace

int run_local_workers(const LocalWorkers& workers) {
  c10d::TCPStoreOptions options;
  options.port = 0;  // Any that is free.
  options.isServer = true;
  options.waitWorkers = false;
  const c10d::TCPStore store(kAddress, options);
  std::vector<Worker> started;
  for (int rank = 0; rank < workers.count; ++rank) {
    started.push_back({.rank = rank, .pid = start(rank, store.getPort(), workers)});
  }
  const Worker* failed = wait_for_all(started);
  if (failed == nullptr) return 0;
  if (StopSignal::number() != 0) return 128 + StopSignal::number();  // As shells say it.
  if (!failed->was_killed()) return WEXITSTATUS(failed->status);
  const int signal = WTERMSIG(failed->status);
  throw Error(fmt::format(
      "worker {} (process {}) was ended by signal {} ({}{}), so the others were stopped; run the "
      "same command to continue from the last checkpoint",
      failed->rank, failed->pid, signal, ::strsignal(signal),
      signal == SIGKILL ? "; was memory short?" : ""));
}

}  // namespace eatt
