#include "training/distributed/rendezvous.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/options.h"

namespace eatt {
namespace {

constexpr int kMostWorkers = 1 << 16;

// The names of one number: torchrun's, SLURM's, Open MPI's.
using Names = std::array<const char*, 3>;
constexpr Names kRank = {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"};
constexpr Names kSize = {"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE"};
constexpr Names kLocalRank = {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK"};

struct Found {
  const char* name = "";
  int value = 0;
};

std::optional<Found> find(const Environment& environment, std::span<const char* const> names,
                          Range range) {
  for (const char* name : names) {
    const char* text = environment(name);
    if (text == nullptr) continue;
    Found found = {.name = name};
    read_number(name, text, range, found.value);
    return found;
  }
  return {};
}

}  // namespace

std::string WorkerPlace::key_prefix() const {
  return fmt::format("eatt/{}_workers/attempt_{}", size, attempt);
}

WorkerPlace find_place(const Environment& environment) {
  WorkerPlace place;
  const char* address = environment("MASTER_ADDR");
  if (address == nullptr || *address == '\0') return place;
  const auto rank = find(environment, kRank, {0, kMostWorkers - 1});
  const auto size = find(environment, kSize, {1, kMostWorkers});
  if (!rank || !size) return place;
  if (rank->value >= size->value) {
    throw UsageError(fmt::format("{} is {}, but {} is {}; expected a number from 0 to {}",
                                 rank->name, rank->value, size->name, size->value,
                                 size->value - 1));
  }
  place.rank = rank->value;
  place.size = size->value;
  place.address = address;
  if (const auto local = find(environment, kLocalRank, {0, kMostWorkers - 1})) {
    place.local_rank = local->value;
  }
  constexpr std::array kPort = {"MASTER_PORT"};
  if (const auto port = find(environment, kPort, {1, 65'535})) {
    place.port = static_cast<uint16_t>(port->value);
  }
  const char* agent = environment("TORCHELASTIC_USE_AGENT_STORE");
  place.launcher_has_store = agent != nullptr && std::string_view(agent) == "True";
  if (const char* restarts = environment("TORCHELASTIC_RESTART_COUNT")) place.attempt = restarts;
  return place;
}

WorkerPlace find_place() {
  return find_place([](const char* name) { return std::getenv(name); });
}

}  // namespace eatt
