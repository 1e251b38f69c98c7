#pragma once

#include <string>

#include "energy_report/model_report.h"

namespace eatt::energy {

// The report as a picture (SVG), on one chip: joules of arithmetic by duty, for the model, those it
// is compared with, and twins of every mechanism that can be counted; and joules per target piece
// for sentences of 8 to 1,024 positions, for all models of the report that the chip can price. The
// chip is the first that can price all of them, or else the first of the report.
std::string model_chart(const ModelReport& report);

}  // namespace eatt::energy
