#pragma once

#include <torch/torch.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "training/distributed/heartbeat.h"
#include "training/distributed/rendezvous.h"

namespace eatt {

// The workers of one training, connected by libtorch's c10d over Gloo. Every function that talks to
// the others must be called by all workers, in the same order, and throws an Error if a worker is
// lost: at once if its connection breaks, after the time-out if it is silent. The Error names it.
class ProcessGroup {
 public:
  using Store = c10::intrusive_ptr<c10d::Store>;

  // Waits for all workers; names those that have not come when the time is up.
  ProcessGroup(const WorkerPlace& place, std::chrono::milliseconds timeout);
  // With a store that the workers share already.
  ProcessGroup(Store store, const WorkerPlace& place, std::chrono::milliseconds timeout);
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup();

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  bool is_first() const { return place_.rank == 0; }

  // A sum that is on its way. The tensor holds it after wait().
  class Sum {
   public:
    void wait() const { group_->wait(*work_); }
    bool has_arrived() const { return work_->isCompleted(); }

   private:
    friend class ProcessGroup;
    ProcessGroup* group_ = nullptr;
    c10::intrusive_ptr<c10d::Work> work_;
  };
  // The sum over all workers, of a contiguous tensor on the CPU; computed in the background. The
  // same bits for all workers, and in every run with as many of them.
  Sum start_sum(const torch::Tensor& values);
  void sum(const torch::Tensor& values) { start_sum(values).wait(); }
  // Whether any worker says so.
  bool any(bool mine);

  // All workers get what the first has; a text may have another length in each.
  void broadcast(const torch::Tensor& values);
  std::string broadcast(std::string text);

  // Runs `body` in the first worker alone, however long it takes; the others wait and throw an
  // Error if it throws, or is lost. For whatever reads or writes files.
  void while_first_works(const std::function<void()>& body);

 private:
  void join();
  void wait(c10d::Work& work);
  // What the first worker tells those who wait for it.
  enum class Word : int64_t { busy, done, failed };
  Word exchange(Word mine);
  [[noreturn]] void fail(const std::string& what);

  WorkerPlace place_;
  std::chrono::milliseconds timeout_;
  Store store_;
  std::unique_ptr<Heartbeat> heartbeat_;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
  bool failed_ = false;
};

}  // namespace eatt
