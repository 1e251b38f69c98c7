#include "training/distributed/heartbeat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <vector>

#include "base/threads.h"

namespace eatt {
namespace {

using namespace std::chrono_literals;

constexpr auto kBeat = 500ms;
constexpr int kListening = 5;  // Beats. A busy machine may be late with one or two.
// For which the worker that keeps the store stays when it knows the verdict, so that the others,
// who ask at every beat, can read it.
constexpr auto kFarewell = 2 * kBeat;
// More than listening and the farewell take. A store behind a cut cable does not answer at all.
constexpr auto kPatience = 6s;
constexpr char kVerdict[] = "verdict";

std::string alive_key(int rank) { return fmt::format("alive/{}", rank); }

std::string read(c10d::Store& store, const std::string& key) {
  if (!store.check({key})) return {};
  const auto bytes = store.get(key);
  return {bytes.begin(), bytes.end()};
}

void write(c10d::Store& store, const std::string& key, const std::string& text) {
  store.set(key, {text.begin(), text.end()});
}

std::vector<std::string> beats_of_all(c10d::Store& store, int size) {
  std::vector<std::string> beats;
  for (int rank = 0; rank < size; ++rank) beats.push_back(read(store, alive_key(rank)));
  return beats;
}

std::string sentence(const std::string& who, std::optional<std::chrono::seconds> silence) {
  return silence ? fmt::format("no answer from {} for {} seconds", who, silence->count())
                 : fmt::format("lost the connection to {}", who);
}

// Listens for a while. The first worker to find somebody lost says so to the others, who would
// otherwise miss those that have left because of it.
std::string listen(c10d::Store& store, const WorkerPlace& place,
                   std::optional<std::chrono::seconds> silence) {
  if (std::string verdict = read(store, kVerdict); !verdict.empty()) return verdict;
  const auto before = beats_of_all(store, place.size);
  for (int beat = 0; beat < kListening; ++beat) {
    std::this_thread::sleep_for(kBeat);
    if (std::string verdict = read(store, kVerdict); !verdict.empty()) return verdict;
  }
  const auto after = beats_of_all(store, place.size);
  std::vector<std::string> lost;
  for (int rank = 0; rank < place.size; ++rank) {
    const auto i = static_cast<size_t>(rank);
    if (rank == place.rank || before[i] != after[i]) continue;
    lost.push_back(fmt::format("worker {} ({})", rank, read(store, arrival_key(rank))));
  }
  if (lost.empty())
    return sentence("another worker, though all of them are still running", silence);
  const std::string verdict = sentence(fmt::format("{}", fmt::join(lost, " and ")), silence);
  write(store, kVerdict, verdict);
  return verdict;
}

}  // namespace

std::string arrival_key(int rank) { return fmt::format("arrived/{}", rank); }

// Shared with threads that nobody waits for: a store that cannot be reached may hold one forever.
struct Heartbeat::Beats {
  Store store;
  WorkerPlace place;
  std::mutex mutex;
  std::condition_variable stopping;
  bool stopped = false;

  void run() {
    std::unique_lock lock(mutex);
    for (uint64_t beat = 0; !stopped; ++beat) {
      lock.unlock();
      try {
        write(*store, alive_key(place.rank), std::to_string(beat));
      } catch (const std::exception&) {
        return;  // The store is gone: whoever misses this worker finds out why.
      }
      lock.lock();
      stopping.wait_for(lock, kBeat, [this] { return stopped; });
    }
  }
};

Heartbeat::Heartbeat(Store store, const WorkerPlace& place) : beats_(std::make_shared<Beats>()) {
  beats_->store = std::move(store);
  beats_->place = place;
  start_thread([beats = beats_] { beats->run(); }).detach();
}

Heartbeat::~Heartbeat() {
  const std::lock_guard lock(beats_->mutex);
  beats_->stopped = true;
  beats_->stopping.notify_all();
}

std::string Heartbeat::find_lost(std::optional<std::chrono::seconds> silence) const {
  const auto answer = std::make_shared<std::promise<std::string>>();
  auto found = answer->get_future();
  start_thread([beats = beats_, answer, silence] {
    try {
      const std::string verdict = listen(*beats->store, beats->place, silence);
      const bool keeps_store = beats->place.rank == 0 && !beats->place.launcher_has_store;
      if (keeps_store) std::this_thread::sleep_for(kFarewell);
      answer->set_value(verdict);
    } catch (const std::exception&) {
      answer->set_value("");
    }
  }).detach();
  const std::string who = found.wait_for(kPatience) == std::future_status::ready ? found.get() : "";
  if (!who.empty()) return who;
  const WorkerPlace& place = beats_->place;
  return sentence(
      fmt::format("{} at {}:{}",
                  place.launcher_has_store ? "the program that started the workers" : "worker 0",
                  place.address, place.port),
      silence);
}

}  // namespace eatt
