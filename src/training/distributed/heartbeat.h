#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "training/distributed/rendezvous.h"

namespace eatt {

// Shows through the store that this worker lives, twice a second, and finds out who does not. Gloo
// knows that something has not arrived, but not who is to blame: in a ring everybody waits.
class Heartbeat {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;

  Heartbeat(Store store, const WorkerPlace& place);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  // Does not wait for a store that cannot be reached.
  ~Heartbeat();

  // A sentence on why the workers have lost each other, on which all of them agree if they can:
  // "no answer from worker 1 (host b, process 17) for 30 seconds", or, if nobody was silent but a
  // connection broke, "lost the connection to worker 1 (host b, process 17)". Takes a few seconds.
  std::string find_lost(std::optional<std::chrono::seconds> silence) const;

 private:
  struct Beats;
  std::shared_ptr<Beats> beats_;
};

// The key under which a worker says "host b, process 17" as soon as it has come.
std::string arrival_key(int rank);

}  // namespace eatt
