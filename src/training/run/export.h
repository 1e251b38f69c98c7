#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace eatt {

// Writes a checkpoint of a run folder as a bundle, by default the newest: the moving average of the
// weights if the run keeps one. Returns the checkpoint's update.
// Throws an Error if there is no such run or checkpoint, or if the run has written no bundle yet.
int64_t export_checkpoint(const std::filesystem::path& run, const std::filesystem::path& bundle,
                          std::optional<int64_t> update);

// Which checkpoints of a run: at most `count` of the newest, or of the best validated ones.
struct CheckpointChoice {
  enum class Order { newest, best } order = Order::newest;
  size_t count = 5;
};

// Writes the mean of a run's checkpoints as a bundle. Returns their updates.
std::vector<int64_t> average_checkpoints(const std::filesystem::path& run,
                                         const std::filesystem::path& bundle,
                                         const CheckpointChoice& choice);

// Writes the mean of bundles with one architecture and the same pieces.
void average_bundles(std::span<const std::filesystem::path> inputs,
                     const std::filesystem::path& bundle);

}  // namespace eatt
