#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "base/threads.h"
#include "training/run/trainer.h"

namespace eatt {
namespace {

std::string energy_line(const char* name, const DryRun::Energy& energy) {
  return fmt::format("  {:<18} {:>12.3f} µJ  {:.1f} % of vanilla attention\n", name,
                     energy.model * 1e-6, 100 * energy.model / energy.vanilla);
}

}  // namespace

std::string print_dry_run(const DryRun& found) {
  const Architecture& a = found.architecture;
  const auto megabytes = [](double bytes) {
    return format_count(static_cast<uint64_t>(bytes / 1e6) + 1);
  };
  std::string text = fmt::format(
      "attention     {} in the encoder, {} in the decoder, {} in cross-attention\n"
      "parameters    {:>13}\n"
      "memory        {:>10} MB  for weights and optimizer, plus about {} MB for a batch\n"
      "disk          {:>10} MB  for the run folder\n"
      "pairs         {:>13}  {:.1f} source and {:.1f} target pieces on average{}\n",
      print_mechanisms(a.encoder_self.layers), print_mechanisms(a.decoder_self.layers),
      print_mechanisms(a.cross.layers), format_count(found.parameters),
      megabytes(found.weight_bytes), megabytes(found.activation_bytes), megabytes(found.disk_bytes),
      format_count(found.pairs), found.source_length, found.target_length,
      found.sampled ? ", estimated from a sample" : "");
  if (found.left_out > 0) {
    text += fmt::format("left out      {:>13}  longer than {} pieces (--max-length)\n",
                        format_count(found.left_out), a.max_length - 1);
  }
  text += fmt::format(
      "updates       {:>13}  {:.1f} epochs of {}\n"
      "time          {:>13}  {:.3f} s per update, measured on {}; without validation\n",
      format_count(static_cast<uint64_t>(found.updates)), found.epochs,
      format_count(static_cast<uint64_t>(std::ceil(found.updates_per_epoch)), "update"),
      format_duration(found.updates * found.seconds_per_update), found.seconds_per_update,
      format_count(static_cast<uint64_t>(thread_count()), "thread"));
  text += fmt::format(
      "energy of attention for a sentence of {:.0f} pieces, computed for the paper's ASIC:\n",
      found.source_length);
  text += energy_line("paper accounting", found.paper);
  text += energy_line("exact accounting", found.exact);
  return text;
}

std::string dry_run_json(const DryRun& found) {
  const auto energy = [](const DryRun::Energy& of) {
    return nlohmann::ordered_json{{"joules", of.model * 1e-12},
                                  {"joules_vanilla", of.vanilla * 1e-12}};
  };
  const nlohmann::ordered_json object = {
      {"parameters", found.parameters},
      {"pairs", found.pairs},
      {"pairs_left_out", found.left_out},
      {"estimated_from_a_sample", found.sampled},
      {"mean_source_pieces", found.source_length},
      {"mean_target_pieces", found.target_length},
      {"updates", found.updates},
      {"epochs", found.epochs},
      {"updates_per_epoch", found.updates_per_epoch},
      {"threads", thread_count()},
      {"seconds_per_update", found.seconds_per_update},
      {"seconds", found.updates * found.seconds_per_update},
      {"memory_bytes",
       {{"weights_and_optimizer", found.weight_bytes}, {"batch", found.activation_bytes}}},
      {"disk_bytes", found.disk_bytes},
      {"attention_of_a_sentence",
       {{"paper", energy(found.paper)}, {"exact", energy(found.exact)}}}};
  return object.dump(2) + "\n";
}

}  // namespace eatt
