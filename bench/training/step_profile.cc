#include "step_profile.h"

#include <ATen/record_function.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <unordered_map>

namespace eatt {
namespace {

using Clock = std::chrono::steady_clock;

enum Kind { kProducts, kSelection, kAttention, kLoss, kDropout, kNorms, kRest, kOptimiser, kKinds };
constexpr std::array<std::string_view, kKinds> kKindNames = {
    "products (linear, matmul)",
    "selection: codes, and sums of selected rows",
    "attention: scores, masks, softmax, values",
    "loss: output layer, log-softmax, cross-entropy",
    "dropout, with the residual or relu around it",
    "layer norms",
    "rest: relu, biases, embeddings, sums of gradients",
    "optimiser: clip, Adam"};

// Operations by name. What an operation calls is counted with it, so inner names matter only where
// the outer one is not listed.
Kind kind_of_name(std::string_view name) {
  static const std::unordered_map<std::string_view, Kind> kinds = {
      {"aten::linear", kProducts},
      {"aten::matmul", kProducts},
      {"aten::addmm", kProducts},
      {"aten::mm", kProducts},
      {"aten::bmm", kProducts},
      {"eatt::product", kProducts},
      {"aten::softmax", kAttention},
      {"aten::_softmax", kAttention},
      {"aten::masked_fill", kAttention},
      {"aten::cdist", kAttention},
      {"aten::_cdist_forward", kAttention},
      {"aten::neg", kAttention},
      {"aten::ge", kAttention},
      {"aten::gt", kAttention},
      {"aten::logical_or", kAttention},
      {"aten::log_softmax", kLoss},
      {"aten::dropout", kDropout},
      {"aten::layer_norm", kNorms},
      {"aten::native_layer_norm", kNorms},
      {"eatt::attention", kAttention},
      {"eatt::selection", kSelection},
      {"eatt::codes", kSelection},
      {"eatt::dropout", kDropout},
      {"eatt::add_dropped", kDropout},
      {"eatt::layer_norm", kNorms}};
  const auto found = kinds.find(name);
  if (found != kinds.end()) return found->second;
  // Backward passes of our own functions are called by their C++ types.
  const auto contains = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (contains("Binarise") || contains("Select")) return kSelection;
  if (contains("FusedAttention")) return kAttention;
  if (contains("CrossEntropy") || contains("SmoothedLoss")) return kLoss;
  if (contains("Drop")) return kDropout;
  if (contains("Project") || contains("HiddenUnits")) return kProducts;
  return contains("FusedLayerNorm") ? kNorms : kRest;
}

// Everything runs on the calling thread: libtorch's backward pass for CPU tensors does too. Threads
// of single operations show as shorter operations.
struct Recorder {
  struct Frame {
    Kind kind;
    bool counts_flops;  // This operation or one around it has been counted as a product.
    Clock::time_point start;
    Clock::duration inside{};  // Time of operations called from here.
  };

  Phase phase = Phase::forward;
  std::vector<Frame> stack;
  std::array<Clock::duration, kKinds> self{};
  double flops = 0;
  // What kind of work made the node with this sequence number; its backward pass counts alike.
  std::unordered_map<int64_t, Kind> forward_kinds;

  Kind kind_of(const at::RecordFunction& function) {
    if (!stack.empty() && stack.back().kind != kRest) return stack.back().kind;
    if (phase == Phase::update) return kOptimiser;
    if (phase == Phase::loss) return kLoss;
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
      const auto found = forward_kinds.find(function.seqNr());
      if (found != forward_kinds.end()) return found->second;
    }
    return kind_of_name(function.name());
  }
};
Recorder recorder;

// Multiplications and additions of a matrix product, or 0 if the operation is none.
double flops_of(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  const size_t left = name == "aten::addmm" ? 1 : 0;
  if (left == 0 && name != "aten::mm" && name != "aten::bmm" && name != "eatt::product") return 0;
  const auto inputs = function.inputs();
  if (inputs.size() < left + 2 || !inputs[left].isTensor()) return 0;
  const auto& a = inputs[left].toTensor();
  const auto& b = inputs[left + 1].toTensor();
  return 2.0 * static_cast<double>(a.numel()) * static_cast<double>(b.size(-1));
}

std::unique_ptr<at::ObserverContext> start_operation(const at::RecordFunction& function) {
  const Kind kind = recorder.kind_of(function);
  const bool forward = recorder.phase == Phase::forward || recorder.phase == Phase::loss;
  // Several operations may see the same number; the last one made the node.
  if (forward && function.seqNr() >= 0) recorder.forward_kinds[function.seqNr()] = kind;
  bool counted = !recorder.stack.empty() && recorder.stack.back().counts_flops;
  if (const double flops = flops_of(function); flops > 0 && !counted) {
    recorder.flops += flops;
    counted = true;
  }
  recorder.stack.push_back({kind, counted, Clock::now()});
  return nullptr;
}

void end_operation(const at::RecordFunction&, at::ObserverContext*) {
  const Recorder::Frame frame = recorder.stack.back();
  recorder.stack.pop_back();
  const auto total = Clock::now() - frame.start;
  recorder.self[frame.kind] += total - frame.inside;
  if (!recorder.stack.empty()) recorder.stack.back().inside += total;
}

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

// The best of several large products, in flop per second.
double sgemm_speed() {
  const torch::NoGradGuard no_grad;
  constexpr int64_t kSize = 1024;
  const auto a = torch::randn({kSize, kSize}), b = torch::randn({kSize, kSize});
  auto c = torch::empty({kSize, kSize});
  double best = 0;
  for (int i = 0; i < 10; ++i) {
    const auto start = Clock::now();
    torch::mm_out(c, a, b);
    best = std::max(best, 2.0 * kSize * kSize * kSize / seconds(Clock::now() - start));
  }
  return best;
}

// Which kernels OpenBLAS chose: an old name means that it does not know this CPU.
std::string blas_kernels() {
  using Namer = char* (*)();
  const auto name = reinterpret_cast<Namer>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  return name == nullptr ? "no OpenBLAS" : fmt::format("OpenBLAS for {}", name());
}

std::string table(double step_seconds, double plain_seconds, int steps) {
  std::string text;
  double known = 0;
  const auto row = [&](std::string_view name, double part) {
    text +=
        fmt::format("{:62} {:9.2f} ms {:5.1f} %\n", name, part * 1e3, 100.0 * part / step_seconds);
  };
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const double part = seconds(recorder.self[kind]) / steps;
    known += part;
    row(kKindNames[kind], part);
  }
  row("between operations", step_seconds - known);
  row("an update", step_seconds);
  text += fmt::format("the same without the profiler {:43.2f} ms\n", plain_seconds * 1e3);
  const double products = recorder.flops / seconds(recorder.self[kProducts]);
  const double best = sgemm_speed();
  text += fmt::format(
      "products: {:.2f} GFLOP an update at {:.1f} GFLOP/s, {:.0f} % of {:.1f} GFLOP/s "
      "(sgemm 1024x1024x1024, {})\n",
      recorder.flops / steps * 1e-9, products * 1e-9, 100 * products / best, best * 1e-9,
      blas_kernels());
  text += fmt::format("the whole update: {:.0f} % of that sgemm's speed\n",
                      100 * recorder.flops / steps / plain_seconds / best);
  return text;
}

double seconds_per_step(TrainingStep& step, int steps, void (*enter)(Phase)) {
  const auto start = Clock::now();
  for (int i = 0; i < steps; ++i) {
    recorder.forward_kinds.clear();
    step.run_in_phases(enter);
  }
  return seconds(Clock::now() - start) / steps;
}

}  // namespace

std::string profile_steps(TrainingStep& step, int steps) {
  recorder = {};
  seconds_per_step(step, 2, nullptr);  // Warm-up.
  const double plain = seconds_per_step(step, steps, nullptr);
  const auto handle = at::addGlobalCallback(
      at::RecordFunctionCallback(start_operation, end_operation)
          .needsInputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  const double profiled =
      seconds_per_step(step, steps, [](Phase phase) { recorder.phase = phase; });
  at::removeCallback(handle);
  return table(profiled, plain, steps);
}

}  // namespace eatt
