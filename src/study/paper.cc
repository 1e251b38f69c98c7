#include "study/paper.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "study/cells.h"

namespace eatt::study::paper {
namespace {

constexpr std::array<std::array<double, 4>, 4> kHybridBleu = {{
    {28.12, 19.92, 19.31, 27.72},  // Self-attention vanilla; cross-attention as in kHybrids.
    {27.48, 19.43, 19.21, 27.60},  // dense
    {27.36, 18.98, 18.83, 27.48},  // randinit
    {28.08, 19.85, 19.67, 27.45},  // eatt
}};

constexpr std::array<Student, 4> kVanillaStudents = {
    {{28.12, 100}, {27.22, 50}, {25.52, 25}, {21.08, 12.5}}};
constexpr std::array<Student, 4> kEattStudents = {
    {{27.45, 34.09}, {27.32, 17.05}, {26.42, 8.53}, {20.07, 4.28}}};

struct EnergyRow {
  PrintedEnergy of;
  double percent;
};
constexpr std::array<EnergyRow, 10> kEnergies = {{{{"dense", "alignment", "asic"}, 51.10},
                                                  {{"dense", "attention", "asic"}, 67.59},
                                                  {{"randinit", "alignment", "asic"}, 0.00},
                                                  {{"randinit", "attention", "asic"}, 33.80},
                                                  {{"eatt", "alignment", "asic"}, 0.45},
                                                  {{"eatt", "alignment", "fpga"}, 0.05},
                                                  {{"eatt", "attention", "asic"}, 34.09},
                                                  {{"eatt", "attention", "fpga"}, 33.83},
                                                  {{"eatt", "block", "asic"}, 83.17},
                                                  {{"eatt", "block", "fpga"}, 83.10}}};

}  // namespace

const std::vector<TestScore>& test_scores() {
  static const std::vector<TestScore> scores = {{"en-vi", 30.26, 0.07, 29.48, 0.08},
                                                {"en-de", 27.60, 0.04, 27.45, 0.04},
                                                {"zh-en", 24.28, 0.08, 24.23, 0.06}};
  return scores;
}

std::optional<double> ablation(std::string_view mechanism) {
  if (mechanism == "vanilla") return 28.12;
  if (mechanism == "selection") return 27.51;
  if (mechanism == "l1") return 28.05;
  if (mechanism == "eatt") return 27.45;
  return std::nullopt;
}

std::optional<double> hybrid(std::string_view self, std::string_view cross) {
  const auto row = std::ranges::find(kHybrids, self), column = std::ranges::find(kHybrids, cross);
  if (row == kHybrids.end() || column == kHybrids.end()) return std::nullopt;
  return kHybridBleu[static_cast<size_t>(row - kHybrids.begin())]
                    [static_cast<size_t>(column - kHybrids.begin())];
}

Student student(std::string_view attention, int halvings) {
  return (attention == kVanilla ? kVanillaStudents : kEattStudents)
      .at(static_cast<size_t>(halvings));
}

const std::vector<double>& density(std::string_view role) {
  static const std::vector<double> encoder = {5.9, 5.85, 15.03, 17.4, 17.69, 17.13},
                                   decoder = {20.17, 23.73, 28.08, 28.2, 28.3, 23.88},
                                   query = {33.87, 36.83, 45.09, 47.26, 54.99, 54.73};
  if (role == "enc-self") return encoder;
  if (role == "dec-self") return decoder;
  expects(role == "cross-query", "the paper has densities of three roles by layer");
  return query;
}

std::optional<double> energy(const PrintedEnergy& wanted) {
  for (const auto& [of, percent] : kEnergies) {
    if (of.mechanism == wanted.mechanism && of.level == wanted.level && of.chip == wanted.chip)
      return percent;
  }
  return std::nullopt;
}

}  // namespace eatt::study::paper
