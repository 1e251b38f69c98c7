#include "training/run/teamwork.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/sha256.h"
#include "training/distributed/shares.h"

namespace eatt {

void Teamwork::in_first_worker(const std::function<void()>& body) {
  if (group_ == nullptr) return body();
  group_->while_first_works(body);
  state_ = parse_state(group_->broadcast(print_state(state_)));
}

void Teamwork::take_weights_of_first() {
  if (group_ == nullptr) return;
  const TrainingRows rows = learner_.rows();
  for (const auto& row : {rows.parameters.values(), rows.adam.first_moment(),
                          rows.adam.second_moment(), rows.smoothed}) {
    if (row.defined()) group_->broadcast(row);
  }
  rows.adam.set_steps(std::stoll(group_->broadcast(std::to_string(rows.adam.steps()))));
}

void Teamwork::expect_same_weights() {
  if (group_ == nullptr) return;
  const auto& weights = learner_.parameters().values();
  const std::string own =
      sha256_hex({static_cast<const char*>(weights.data_ptr()), weights.nbytes()});
  const bool differs = own != group_->broadcast(own);
  if (!group_->any(differs)) return;
  throw Error(fmt::format(
      "at update {} {} other weights than worker 0; do all workers have the same program and the "
      "same kind of CPU? EATT_FORCE_ISA makes them use the same instructions",
      state_.update, differs ? "this worker has" : "some workers have"));
}

UpdateWork Teamwork::draw(BatchStream& stream, const DataSet& data, int64_t batches) const {
  const int workers = group_ == nullptr ? 1 : group_->size();
  const int rank = group_ == nullptr ? 0 : group_->rank();
  PairBatches drawn;
  for (int64_t i = 0; i < batches * workers; ++i) drawn.push_back(stream.next());
  UpdateWork work;
  work.words_of_all = target_words(drawn, data.lengths());
  for (const auto& pairs :
       share_of(drawn, data.lengths(), static_cast<size_t>(rank), static_cast<size_t>(workers))) {
    work.batches.push_back(read_pairs(data, pairs));
  }
  return work;
}

}  // namespace eatt
