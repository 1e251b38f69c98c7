// Memory that the attention of one training step takes: forward and backward of one layer's heads,
// in one of three forms. Prints the peak of resident memory above what was there before, in MB.
//
//   attention_memory fused|bmm|broadcast LENGTH [BATCH HEADS]
#include <fmt/format.h>
#include <torch/torch.h>

#include <fstream>
#include <string>

#include "model/attention_scores.h"

namespace {

constexpr int64_t kHeadDim = 64;

// A line of /proc/self/status, in MB.
double status_megabytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

torch::Tensor split_heads(const torch::Tensor& x, int64_t heads) {
  return x.unflatten(-1, {heads, -1}).transpose(1, 2);
}

torch::Tensor attend(const std::string& form, const torch::Tensor& q, const torch::Tensor& k,
                     const torch::Tensor& v, int64_t heads) {
  if (form == "fused") {
    const auto mask = eatt::AttentionMask::from_lengths(
        torch::full({q.size(0)}, k.size(1), torch::kLong), k.size(1), /*causal=*/false, q.size(1));
    return eatt::fused_attention(
        q, k, v, mask, {.kind = eatt::kernels::ScoreKind::l1, .heads = heads, .factor = 0.125});
  }
  const auto query = split_heads(q, heads), key = split_heads(k, heads);
  const auto scores = form == "bmm"
                          ? torch::matmul(query, key.transpose(-2, -1)).mul(0.125)
                          : (query.unsqueeze(-2) - key.unsqueeze(-3)).abs().sum(-1).mul(-0.125);
  return torch::matmul(torch::softmax(scores, -1), split_heads(v, heads))
      .transpose(1, 2)
      .flatten(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: attention_memory fused|bmm|broadcast LENGTH [BATCH HEADS]\n");
    return 2;
  }
  const std::string form = argv[1];
  const int64_t length = std::stoll(argv[2]);
  const int64_t batch = argc > 4 ? std::stoll(argv[3]) : 8,
                heads = argc > 4 ? std::stoll(argv[4]) : 8;
  torch::set_num_threads(1);
  const auto make = [&](int64_t len) {
    return torch::randn({batch, len, heads * kHeadDim}).requires_grad_();
  };
  const auto step = [&](int64_t len) {
    const auto q = make(len), k = make(len), v = make(len);
    const double before = status_megabytes("VmRSS:");
    attend(form, q, k, v, heads).sum().backward();
    return before;
  };
  step(16);  // Loads what is loaded on first use.
  const double before = step(length);
  fmt::print("{:.1f}\n", status_megabytes("VmHWM:") - before);
}
