#pragma once

#include <optional>
#include <string_view>
#include <vector>

// The paper's own results, to print beside ours. Its tasks: IWSLT'15 English-Vietnamese (en-vi),
// WMT14 English-German (en-de), WMT17 Chinese-English (zh-en); base size, d 512.
namespace eatt::study::paper {

struct TestScore {
  std::string_view task;
  double vanilla, vanilla_deviation;
  double eatt, eatt_deviation;
};
const std::vector<TestScore>& test_scores();

// BLEU on the dev set of en-vi.
std::optional<double> ablation(std::string_view mechanism);
std::optional<double> hybrid(std::string_view self, std::string_view cross);
// Students whose widths are halved so often, and energy in % of vanilla's attention at full width.
struct Student {
  double bleu, energy_percent;
};
Student student(std::string_view attention, int halvings);

// Rows added per feature in % by layer, six layers; of cross-attention's keys, one for all layers.
const std::vector<double>& density(std::string_view role);  // "enc-self", "dec-self", "cross-query"
inline constexpr double kCrossKeyDensity = 24.2;

// Energy in % of vanilla's, as the paper prints it: "alignment", "attention" or "block", on "asic"
// or "fpga".
struct PrintedEnergy {
  std::string_view mechanism, level, chip;
};
std::optional<double> energy(const PrintedEnergy& wanted);

}  // namespace eatt::study::paper
