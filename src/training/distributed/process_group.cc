#include "training/distributed/process_group.h"

#include <c10/util/Logging.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <vector>

#include "base/error.h"
#include "base/files/open_file.h"
#include "base/progress.h"
#include "base/threads.h"

namespace eatt {
namespace {

using namespace std::chrono_literals;

constexpr char kGoOn[] = "run the same command to continue from the last checkpoint";

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::chrono::seconds in_seconds(std::chrono::milliseconds time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time);
}

// The address by which this machine reaches the one where the workers meet. Names of hosts, which
// Gloo would use, often lead to the loopback interface. Nothing is sent: UDP connects on paper.
std::string own_address(const WorkerPlace& place) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(place.port);
  const int problem = ::getaddrinfo(place.address.c_str(), port.c_str(), &wanted, &found);
  if (problem != 0) {
    throw Error(fmt::format("MASTER_ADDR is '{}', which cannot be resolved: {}", place.address,
                            ::gai_strerror(problem)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, ::freeaddrinfo);
  for (const addrinfo* to = found; to != nullptr; to = to->ai_next) {
    const FileDescriptor udp(::socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    std::array<char, NI_MAXHOST> text{};
    if (::connect(udp.get(), to->ai_addr, to->ai_addrlen) == 0 &&
        ::getsockname(udp.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0) {
      return text.data();
    }
  }
  throw Error(fmt::format("MASTER_ADDR is {}, to which this machine has no route", place.address));
}

// Where libtorch logs by glog, c10d tells of each of its attempts on stderr; Errors say it once.
void silence_c10d() {
#ifdef C10_USE_GLOG
  FLAGS_minloglevel = google::GLOG_FATAL;
#endif
}

ProcessGroup::Store connect(const WorkerPlace& place, std::chrono::milliseconds timeout) {
  silence_c10d();
  own_address(place);  // Throws if there is no such host, which c10d would ask for again and again.
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = place.rank == 0 && !place.launcher_has_store;
  options.waitWorkers = false;
  options.timeout = timeout;
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    return c10::make_intrusive<c10d::PrefixStore>(place.key_prefix(), store);
  } catch (const std::exception&) {
    throw Error(
        options.isServer
            ? fmt::format("worker 0 cannot listen on port {}; set MASTER_PORT to a free one",
                          place.port)
            : fmt::format("worker {} cannot reach {}:{} (MASTER_ADDR, MASTER_PORT), where "
                          "the workers meet, within {}",
                          place.rank, place.address, place.port,
                          format_duration(static_cast<double>(in_seconds(timeout).count()))));
  }
}

c10::intrusive_ptr<c10d::ProcessGroupGloo::Options> gloo_options(
    const WorkerPlace& place, std::chrono::milliseconds timeout) {
  using Gloo = c10d::ProcessGroupGloo;
  auto options = Gloo::Options::create(timeout);
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");  // As with PyTorch.
  options->devices.push_back(interface != nullptr
                                 ? Gloo::createDeviceForInterface(interface)
                                 : Gloo::createDeviceForHostname(own_address(place)));
  options->threads = 1;  // Sums come one after the other; a second would take time from training.
  return options;
}

// Calls `beat` every second until it goes away.
class Busy {
 public:
  explicit Busy(std::function<void()> beat) {
    threads_.start([this, beat = std::move(beat)] {
      std::unique_lock lock(mutex_);
      while (!ending_.wait_for(lock, 1s, [this] { return ended_; })) beat();
    });
  }
  // Throws what a beat threw.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    ending_.notify_all();
    threads_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ending_;
  bool ended_ = false;
  ThreadGroup threads_;
};

}  // namespace

ProcessGroup::ProcessGroup(const WorkerPlace& place, std::chrono::milliseconds timeout)
    : ProcessGroup(connect(place, timeout), place, timeout) {}

ProcessGroup::ProcessGroup(Store store, const WorkerPlace& place, std::chrono::milliseconds timeout)
    : place_(place), timeout_(timeout), store_(std::move(store)) {
  join();
  heartbeat_ = std::make_unique<Heartbeat>(store_, place_);
  try {
    gloo_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store_, place_.rank, place_.size,
                                                        gloo_options(place_, timeout));
  } catch (const Error&) {
    throw;
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
}

// After a failure its threads may still wait for somebody, and so would the destructor.
ProcessGroup::~ProcessGroup() {
  if (failed_) (void)gloo_.release();
}

void ProcessGroup::join() {
  const std::string own = fmt::format("host {}, process {}", host_name(), ::getpid());
  std::vector<std::string> keys;
  for (int rank = 0; rank < place_.size; ++rank) keys.push_back(arrival_key(rank));
  try {
    store_->set(arrival_key(place_.rank), {own.begin(), own.end()});
    store_->wait(keys, timeout_);
    return;
  } catch (const std::exception&) {
  }
  std::vector<int> missing;
  for (int rank = 0; rank < place_.size; ++rank) {
    try {
      if (!store_->check({arrival_key(rank)})) missing.push_back(rank);
    } catch (const std::exception&) {
      throw Error(fmt::format("worker {} has lost {}:{}, where the workers meet", place_.rank,
                              place_.address, place_.port));
    }
  }
  throw Error(
      fmt::format("{} of {} workers have not come within {} seconds: {} {}; check that all "
                  "were started with the same MASTER_ADDR, MASTER_PORT and WORLD_SIZE",
                  missing.size(), place_.size, in_seconds(timeout_).count(),
                  missing.size() == 1 ? "worker" : "workers", fmt::join(missing, ", ")));
}

void ProcessGroup::fail(const std::string& what) {
  failed_ = true;
  const bool timed_out =
      what.find("imed out") != std::string::npos || what.find("imeout") != std::string::npos;
  const auto silence = timed_out ? std::optional(in_seconds(timeout_)) : std::nullopt;
  throw Error(fmt::format("{}, so the training ends; {}", heartbeat_->find_lost(silence), kGoOn));
}

void ProcessGroup::wait(c10d::Work& work) {
  try {
    work.wait();
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
}

ProcessGroup::Sum ProcessGroup::start_sum(const torch::Tensor& values) {
  std::vector<torch::Tensor> tensors = {values};
  Sum sum;
  sum.group_ = this;
  try {
    sum.work_ = gloo_->allreduce(tensors);
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
  return sum;
}

bool ProcessGroup::any(bool mine) {
  const auto flags = torch::full({1}, mine ? 1 : 0, torch::kLong);
  sum(flags);
  return flags.item<int64_t>() > 0;
}

void ProcessGroup::broadcast(const torch::Tensor& values) {
  std::vector<torch::Tensor> tensors = {values};
  c10::intrusive_ptr<c10d::Work> work;
  try {
    work = gloo_->broadcast(tensors);
  } catch (const std::exception& problem) {
    fail(problem.what());
  }
  wait(*work);
}

std::string ProcessGroup::broadcast(std::string text) {
  const auto size = torch::full({1}, static_cast<int64_t>(text.size()), torch::kLong);
  broadcast(size);
  text.resize(static_cast<size_t>(size.item<int64_t>()));
  if (text.empty()) return text;
  broadcast(torch::from_blob(text.data(), {size.item<int64_t>()}, torch::kByte));
  return text;
}

// The first worker's word; the others add nothing to it.
ProcessGroup::Word ProcessGroup::exchange(Word mine) {
  const auto word = torch::full({1}, static_cast<int64_t>(mine), torch::kLong);
  sum(word);
  return static_cast<Word>(word.item<int64_t>());
}

void ProcessGroup::while_first_works(const std::function<void()>& body) {
  if (!is_first()) {
    Word word = Word::busy;
    while (word == Word::busy) word = exchange(Word::busy);
    if (word == Word::done) return;
    throw Error("worker 0 has ended the training; its message says why");
  }
  std::exception_ptr failure;
  Busy busy([this] { exchange(Word::busy); });
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    busy.end();
    exchange(failure ? Word::failed : Word::done);
  } catch (...) {
    if (!failure) throw;
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace eatt
