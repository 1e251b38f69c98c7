#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace eatt {

// The place of this process among those that train one model together. Workers are processes,
// perhaps on several machines; each has the whole model and computes a part of every update.
struct WorkerPlace {
  int rank = 0;        // From 0. The first worker alone reads and writes the run folder.
  int size = 1;        // Number of workers.
  int local_rank = 0;  // Among the workers of this machine.
  // Where the workers meet: a small store of keys and values, kept by the first worker.
  std::string address = "127.0.0.1";
  uint16_t port = 29500;
  // The program that started the workers keeps the store instead.
  bool launcher_has_store = false;
  std::string attempt = "0";  // Of the launcher to start the workers: "1" after a restart.

  bool alone() const { return size == 1; }
  // What the workers' keys in the store begin with. Another attempt, or one with another number of
  // workers, does not see them: the store of a launcher outlives its workers.
  std::string key_prefix() const;
};

// Reads a variable; null if it is not set. std::getenv, except in tests.
using Environment = std::function<const char*(const char*)>;

// The place that a launcher has put into the environment: RANK, WORLD_SIZE, LOCAL_RANK,
// MASTER_ADDR and MASTER_PORT as torchrun sets them; rank and size may have SLURM's or Open MPI's
// names instead. Without MASTER_ADDR, a worker alone: SLURM sets its variables for every job.
// Throws a UsageError that names a variable with an impossible value.
WorkerPlace find_place(const Environment& environment);
WorkerPlace find_place();

}  // namespace eatt
