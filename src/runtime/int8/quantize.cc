#include "runtime/int8/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/threads.h"
#include "bundle/expected_tensors.h"
#include "bundle/write_bundle.h"
#include "kernels/products/products.h"
#include "kernels/selection/selection_int8.h"
#include "runtime/int8/quantize_selection.h"
#include "runtime/layers/weight_reader.h"

namespace eatt {

namespace {

static_assert(kernels::kInt8PanelColumns == kInt8Columns && kernels::kInt8GroupSize == kInt8Inputs,
              "the format's panels are those of the kernels");

// A thread packs panels of about this many weights at a time.
constexpr size_t kChunkWeights = 1 << 18;

// One piece of the work.
struct Job {
  size_t part;
  size_t begin = 0, end = 0;  // Rows; a selection is one job.
};

struct Squares {
  double errors = 0;
  double weights = 0;
};

class Quantizer {
 public:
  Quantizer(const Bundle& bundle, bool wants_errors)
      : bundle_(bundle),
        a_(bundle.architecture()),
        wants_errors_(wants_errors),
        parts_(int8_parts(a_)),
        kept_(int8_kept_tensors(a_)),
        result_(expected_tensors(a_, Precision::int8)) {}

  NamedTensors run(std::vector<QuantizationError>* errors) {
    const std::vector<Job> jobs = all_jobs();
    std::vector<Squares> squares(jobs.size());
    parallel_for(jobs.size() + kept_.size(), [&](size_t i) {
      if (i >= jobs.size()) {
        copy(kept_[i - jobs.size()].name);
      } else if (const Int8Part& part = parts_[jobs[i].part]; part.is_selection) {
        squares[i] = quantize_selection_part(part);
      } else {
        squares[i] = quantize_product_rows(part, jobs[i].begin, jobs[i].end);
      }
    });
    if (errors != nullptr) *errors = gathered(jobs, squares);
    return std::move(result_);
  }

 private:
  std::vector<Job> all_jobs() const {
    std::vector<Job> jobs;
    for (size_t p = 0; p < parts_.size(); ++p) {
      const Int8Part& part = parts_[p];
      const size_t panels = std::max<size_t>(1, kChunkWeights / (part.in * kInt8Columns));
      const size_t rows = part.is_selection ? part.out : panels * kInt8Columns;
      for (size_t begin = 0; begin < part.out; begin += rows) {
        jobs.push_back({p, begin, std::min(begin + rows, part.out)});
      }
    }
    return jobs;
  }

  std::vector<QuantizationError> gathered(const std::vector<Job>& jobs,
                                          const std::vector<Squares>& squares) const {
    std::vector<QuantizationError> errors;
    for (const Int8Part& part : parts_) errors.push_back({part.name, 0, 0});
    for (size_t i = 0; i < jobs.size(); ++i) {
      errors[jobs[i].part].errors += squares[i].errors;
      errors[jobs[i].part].weights += squares[i].weights;
    }
    return errors;
  }

  // Values of the float32 model; an Error if one of them is not finite.
  std::span<const float> checked(const std::string& name, size_t begin, size_t size) const {
    const auto values = bundle_.weights().values<float>(name).subspan(begin, size);
    bool finite = true;  // The loop has no early exit, so that it is vectorized.
    for (const float x : values) finite &= std::abs(x) <= std::numeric_limits<float>::max();
    if (finite) return values;
    throw Error(fmt::format(
        "{}: tensor '{}' of {} has a value that is not finite; the training diverged or the "
        "file is damaged: quantize an earlier checkpoint or copy the bundle again",
        bundle_.path().string(), name, kWeightsFile));
  }

  void copy(const std::string& name) {
    const auto to = result_.writable<float>(name);
    std::ranges::copy(checked(name, 0, to.size()), to.begin());
  }

  // The factor of a head's weights and bias that makes a scale of the scores unnecessary.
  double head_factor(const Int8Part& part, const Int8Part::Source& source, size_t head) const {
    const bool query = source.name.ends_with(".q_proj");
    const bool key = source.name.ends_with(".k_proj");
    if (!query && !(key && scores_by_distance(part.mechanism))) return 1;
    const size_t heads = a_.heads;
    return score_factors(a_, part.role, part.attention, [&](std::string_view name) {
      return checked(std::string(name), 0, heads);
    })[head];
  }

  // Rows [begin, end) of a product, begin a multiple of 64. A factor of a row changes only its
  // scale.
  Squares quantize_product_rows(const Int8Part& part, size_t begin, size_t end) {
    std::vector<int8_t> numbers((end - begin) * part.in);
    const auto scales = result_.writable<float>(part.name + ".scales");
    Squares squares;
    size_t first = 0;  // First row of the current source.
    for (const Int8Part::Source& source : part.sources) {
      const size_t from = std::max(begin, first), to = std::min(end, first + source.out);
      if (from < to) {
        const auto weight =
            checked(source.name + ".weight", (from - first) * part.in, (to - from) * part.in);
        int8_t* quantized = &numbers[(from - begin) * part.in];
        kernels::quantize_weights(weight.data(), part.in, to - from, quantized, &scales[from]);
        if (wants_errors_) add_squares(weight, quantized, &scales[from], part.in, squares);
        fold(part, source, from - first, to - first, first);
      }
      first += source.out;
    }
    const size_t panel = kernels::int8_panels_size(part.in, kInt8Columns);
    kernels::pack_int8_panels(
        numbers.data(), part.in, end - begin,
        result_.writable<int8_t>(part.name + ".panels").data() + begin / kInt8Columns * panel,
        result_.writable<int32_t>(part.name + ".sums").data() + begin);
    return squares;
  }

  // Scales and biases of rows [from, to) of a source, which is row `first` and on of the part.
  void fold(const Int8Part& part, const Int8Part::Source& source, size_t from, size_t to,
            size_t first) {
    const auto scales = result_.writable<float>(part.name + ".scales");
    const size_t head_rows = source.out / a_.heads;
    std::vector<double> factors(to - from, 1.0);
    if (!part.attention.empty()) {
      for (size_t r = from; r < to; ++r)
        factors[r - from] = head_factor(part, source, r / head_rows);
    }
    for (size_t r = from; r < to; ++r) {
      float& scale = scales[first + r];
      scale = std::max(static_cast<float>(scale * factors[r - from]),
                       std::numeric_limits<float>::min());
    }
    if (!part.has_bias) return;
    const auto bias = checked(source.name + ".bias", from, to - from);
    const auto folded = result_.writable<float>(part.name + ".bias");
    for (size_t r = from; r < to; ++r) {
      folded[first + r] = static_cast<float>(bias[r - from] * factors[r - from]);
    }
  }

  // Rows of a head of Q or K.
  SelectionRows head_rows(const std::string& projection, size_t in, size_t head) const {
    const size_t rows = a_.qk_head_dim();
    return {checked(projection + ".weight", head * rows * in, rows * in),
            checked(projection + ".bias", head * rows, rows), a_.code_levels,
            static_cast<float>(code_unit(a_))};
  }

  // The units of a head's integers: of Q, of K, and the one in the tensor.
  struct HeadUnits {
    float query, key;
    float stored;
  };

  // Distances compare integers of Q and K, so both need the same unit. Their products have the
  // product of the units, so each side takes the unit that suits it best, and the tensor gets the
  // geometric mean, as if Q had been multiplied by a number and K divided by it.
  static HeadUnits head_units(const SelectionRows& query, const SelectionRows& key, size_t in,
                              bool distances, double factor) {
    const SelectionRows both[] = {query, key};
    HeadUnits units{};
    double stored = 0;
    if (distances) {
      units.query = units.key = selection_scale(both, in);
      stored = units.query * factor;
    } else {
      units.query = selection_scale(std::span(both).first(1), in);
      units.key = selection_scale(std::span(both).last(1), in);
      stored = std::sqrt(static_cast<double>(units.query) * units.key * factor);
    }
    stored *= query.unit;
    units.stored = std::max(static_cast<float>(stored), std::numeric_limits<float>::min());
    return units;
  }

  Squares quantize_selection_part(const Int8Part& part) {
    std::vector<int8_t> numbers(part.out * part.in);
    const auto bias = result_.writable<int16_t>(part.name + ".bias");
    const auto scales = result_.writable<float>(part.name + ".scales");
    const Int8Part::Source queries{part.attention + "q_proj", 0};
    Squares squares;
    for (size_t head = 0; head < scales.size(); ++head) {
      const SelectionRows query = head_rows(queries.name, part.in, head);
      const SelectionRows key = head_rows(part.attention + "k_proj", part.in, head);
      const HeadUnits units = head_units(query, key, part.in, scores_by_distance(part.mechanism),
                                         head_factor(part, queries, head));
      scales[head] = units.stored;
      size_t first = head * query.bias.size();  // Row of the part.
      for (const Int8Part::Source& source : part.sources) {
        const bool is_query = source.name == queries.name;
        const SelectionRows& rows = is_query ? query : key;
        const float unit = is_query ? units.query : units.key;
        int8_t* quantized = &numbers[first * part.in];
        quantize_selection(rows, unit, quantized, &bias[first]);
        if (wants_errors_) {
          const std::vector<float> row_scales(rows.bias.size(), unit);
          add_squares(rows.weight, quantized, row_scales.data(), part.in, squares);
        }
        first += source.out;
      }
    }
    pack(part, numbers);
    return squares;
  }

  void pack(const Int8Part& part, const std::vector<int8_t>& numbers) {
    const bool rows = part.layout == SelectionLayout::rows;
    kernels::pack_selection_int8(
        numbers.data(), part.in, part.out,
        {.layout = rows ? kernels::Int8Layout::rows : kernels::Int8Layout::panels},
        result_.writable<uint8_t>(part.name + ".packed").data());
  }

  static void add_squares(std::span<const float> weight, const int8_t* quantized,
                          const float* scales, size_t in, Squares& squares) {
    for (size_t begin = 0; begin < weight.size(); begin += in, quantized += in, ++scales) {
      float errors = 0, weights = 0;
      for (size_t i = 0; i < in; ++i) {
        const float error = weight[begin + i] - static_cast<float>(quantized[i]) * *scales;
        errors += error * error;
        weights += weight[begin + i] * weight[begin + i];
      }
      squares.errors += errors;
      squares.weights += weights;
    }
  }

  const Bundle& bundle_;
  const Architecture& a_;
  const bool wants_errors_;
  const std::vector<Int8Part> parts_;
  const std::vector<TensorSpec> kept_;
  NamedTensors result_;
};

}  // namespace

double QuantizationError::relative() const { return weights > 0 ? std::sqrt(errors / weights) : 0; }

NamedTensors quantize(const Bundle& bundle, std::vector<QuantizationError>* errors) {
  if (bundle.manifest().precision != Precision::float32) {
    throw Error(fmt::format("{}: is an {} bundle already; give the float32 one it was made of",
                            bundle.path().string(), precision_name(bundle.manifest().precision)));
  }
  return Quantizer(bundle, errors != nullptr).run(errors);
}

Manifest write_int8_bundle(const std::filesystem::path& path, const Bundle& bundle,
                           const NamedTensors& tensors, const std::optional<GoldenPair>& golden) {
  BundleContents contents;
  contents.manifest = bundle.manifest();
  contents.manifest.architecture = with_folded_scales(bundle.architecture());
  contents.manifest.precision = Precision::int8;
  contents.manifest.golden = golden;
  contents.manifest.made["quantized"] =
      fmt::format("int8, from weights of SHA-256 {}",
                  bundle.manifest().files.at(kWeightsFile).sha256.substr(0, 16));
  contents.manifest.made[kDerivedKey] = derived_by("quantize", std::span(&bundle.path(), 1));
  contents.tensors = tensors.tensors();
  contents.source_piece_model = bundle.source_piece_model();
  if (!bundle.manifest().joint_pieces()) contents.target_piece_model = bundle.target_piece_model();
  contents.training_toml = bundle.training_toml();
  contents.results_json = bundle.results_json();
  contents.languages_json = bundle.languages_json();
  return write_bundle(path, contents);
}

}  // namespace eatt
