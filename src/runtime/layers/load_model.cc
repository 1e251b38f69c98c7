#include <fmt/format.h>

#include "base/error.h"
#include "kernels/isa.h"
#include "runtime/int8/make_int8_model.h"
#include "runtime/int8/quantize.h"
#include "runtime/layers/model.h"

namespace eatt {

Model load_model(Bundle bundle, std::optional<Precision> precision) {
  kernels::check_forced_isa();
  const auto kept = std::make_shared<const Bundle>(std::move(bundle));
  const Architecture& architecture = kept->architecture();
  const Precision stored = kept->manifest().precision;
  const Precision wanted = precision.value_or(stored);
  Model model;
  if (stored == Precision::int8) {
    if (wanted != Precision::int8) {
      throw Error(
          fmt::format("{}: is an int8 bundle and cannot be computed in float32; take the "
                      "bundle it was made from",
                      kept->path().string()));
    }
    model = make_int8_model(architecture,
                            [&](std::string_view name) { return kept->weights().tensor(name); });
  } else if (wanted == Precision::int8) {
    const auto tensors = std::make_shared<const NamedTensors>(quantize(*kept));
    model =
        make_int8_model(architecture, [&](std::string_view name) { return *tensors->find(name); });
    model.kept.push_back(tensors);
    return model;
  } else {
    model = make_float_model(
        architecture, [&](std::string_view name) { return kept->weights().values<float>(name); });
  }
  model.kept.push_back(kept);
  return model;
}

}  // namespace eatt
