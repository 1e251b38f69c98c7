#pragma once

#include <cstdint>
#include <string>

#include "bundle/architecture.h"
#include "training/run/trainer.h"

namespace eatt {

// What a training would take, estimated without starting it.
struct DryRun {
  Architecture architecture;
  uint64_t parameters = 0;
  uint64_t pairs = 0;
  double source_length = 0, target_length = 0;  // Mean, in pieces, end marker included.
  bool estimated = false;                       // Lengths come from pieces learned on a sample.
  double updates_per_epoch = 0;
  double updates = 0, epochs = 0;  // The whole training.
  double seconds_per_update = 0;   // Measured on a few batches; validation not included.
  double weight_bytes = 0;         // Parameters, gradients, moments, averages.
  double activation_bytes = 0;     // Of the largest batch, measured.
  // pJ per sentence of the mean length by the closed forms, attention only and with feed-forward,
  // and those of vanilla attention; on the paper's ASIC.
  struct Energy {
    double model = 0, vanilla = 0;
  };
  Energy paper, exact;
};

DryRun examine(const TrainingPlan& plan);
std::string print_dry_run(const DryRun& found);

}  // namespace eatt
