#include "training/distributed/gradient_buckets.h"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>

#include "base/error.h"

namespace eatt {
namespace {

// Calls a function when a parameter has got its gradient.
class Arrival : public torch::autograd::FunctionPostHook {
 public:
  explicit Arrival(std::function<void()> tell) : tell_(std::move(tell)) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list&) override {
    tell_();
    return outputs;
  }

 private:
  std::function<void()> tell_;
};

}  // namespace

GradientBuckets::GradientBuckets(ProcessGroup& group, const std::vector<torch::nn::Module*>& models,
                                 const std::vector<ParameterBuffer*>& rows, int64_t bucket_floats)
    : group_(group), rows_(rows) {
  expects(models.size() == rows.size() && !rows.empty(), "a row of gradients for each model");
  cut(*rows_[0], bucket_floats);
  for (size_t thread = 0; thread < models.size(); ++thread) watch(thread, *models[thread]);
  for (size_t i = 0; i < buckets_.size(); ++i) order_.push_back(i);
}

// From the end of the row, so that the first bucket is the first to be complete.
void GradientBuckets::cut(const ParameterBuffer& row, int64_t bucket_floats) {
  const size_t parameters = row.names().size();
  bucket_of_.resize(parameters);
  for (size_t i = parameters; i-- > 0;) {
    const int64_t begin = row.offset(i), end = row.offset(i + 1);
    const bool full =
        buckets_.empty() || buckets_.back().end - buckets_.back().begin >= bucket_floats;
    if (full) buckets_.emplace_back().end = end;
    buckets_.back().begin = begin;
    ++buckets_.back().parameters;
    bucket_of_[i] = buckets_.size() - 1;
  }
}

void GradientBuckets::watch(size_t thread, torch::nn::Module& model) {
  const auto parameters = model.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto accumulator = torch::autograd::impl::grad_accumulator(parameters[i]);
    accumulator->add_post_hook(
        std::make_unique<Arrival>([this, thread, i] { arrived(thread, i); }));
    accumulators_.push_back(std::move(accumulator));
  }
}

double GradientBuckets::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void GradientBuckets::begin_update() {
  const std::lock_guard lock(mutex_);
  for (Bucket& bucket : buckets_) {
    bucket.missing = bucket.parameters * rows_.size();
    bucket.sum.reset();
  }
  has_arrived_.assign(rows_.size(), std::vector<char>(bucket_of_.size(), 0));
  in_last_pass_.assign(rows_.size(), 0);
  handed_over_ = 0;
  completed_.clear();
  start_ = Clock::now();
}

void GradientBuckets::begin_last_pass(size_t thread) {
  const std::lock_guard lock(mutex_);
  in_last_pass_[thread] = 1;
}

void GradientBuckets::arrived(size_t thread, size_t parameter) {
  const std::lock_guard lock(mutex_);
  if (in_last_pass_.empty() || in_last_pass_[thread] == 0) return;
  note_arrival(thread, parameter);
  hand_over_complete_ones();
}

void GradientBuckets::end_thread(size_t thread) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < bucket_of_.size(); ++i) note_arrival(thread, i);
  in_last_pass_[thread] = 0;
  times_.backward_ended = seconds();
  times_.bytes_in_backward = bytes_summed();
  hand_over_complete_ones();
}

void GradientBuckets::note_arrival(size_t thread, size_t parameter) {
  char& has_arrived = has_arrived_[thread][parameter];
  if (has_arrived != 0) return;
  has_arrived = 1;
  const size_t bucket = bucket_of_[parameter];
  if (--buckets_[bucket].missing == 0) completed_.push_back(bucket);
}

void GradientBuckets::hand_over_complete_ones() {
  while (handed_over_ < order_.size() && buckets_[order_[handed_over_]].missing == 0) {
    if (handed_over_ == 0) times_.first_started = seconds();
    hand_over(buckets_[order_[handed_over_++]]);
  }
}

// Threads are added in their order, so that the sum is the same in every run.
void GradientBuckets::hand_over(Bucket& bucket) {
  const torch::NoGradGuard no_grad;
  const auto part = [&](size_t thread) {
    return rows_[thread]->gradients().slice(0, bucket.begin, bucket.end);
  };
  torch::Tensor sum = part(0);
  for (size_t thread = 1; thread < rows_.size(); ++thread) sum.add_(part(thread));
  bucket.sum = group_.start_sum(sum);
}

double GradientBuckets::bytes_summed() const {
  int64_t floats = 0;
  for (const Bucket& bucket : buckets_) {
    if (bucket.sum && bucket.sum->has_arrived()) floats += bucket.end - bucket.begin;
  }
  return static_cast<double>(floats) * sizeof(float);
}

ReductionTimes GradientBuckets::finish() {
  for (Bucket& bucket : buckets_) {
    expects(bucket.sum.has_value(), "all threads have ended");
    bucket.sum->wait();
  }
  times_.finished = seconds();
  times_.bytes = bytes_summed();
  if (!agreed_) agree_on_order();
  return times_;
}

void GradientBuckets::agree_on_order() {
  std::vector<int64_t> order(completed_.begin(), completed_.end());
  group_.broadcast(
      torch::from_blob(order.data(), {static_cast<int64_t>(order.size())}, torch::kLong));
  order_.assign(order.begin(), order.end());
  agreed_ = true;
}

}  // namespace eatt
