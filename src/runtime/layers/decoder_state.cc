#include "runtime/layers/decoder_state.h"

#include <utility>

#include "base/error.h"

namespace eatt {
namespace {

KeyValueRows make_rows(const Model& model, const AttentionMechanism& mechanism) {
  const RowKind kind = model.precision == Precision::float32 ? RowKind::floats : RowKind::halves;
  return {RowStore(mechanism.key_format()), RowStore({kind, mechanism.shape().attention_dim})};
}

}  // namespace

DecoderState::DecoderState(const Model& model) {
  for (const DecoderLayerWeights& layer : model.decoder) {
    self.push_back(make_rows(model, *layer.self.mechanism));
    cross.push_back(make_rows(model, *layer.cross.mechanism));
  }
}

void DecoderState::start(SourceRows source) {
  source_ = std::move(source);
  step_ = 0;
  histories_.clear();
  free_.clear();
  slots_ = 0;
  for (KeyValueRows& layer : cross) layer.reserve(source_.rows());
}

void DecoderState::advance(std::span<const StepRow> rows) {
  std::swap(parents_, histories_);
  histories_.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    histories_[i].clear();
    if (rows[i].parent < 0) continue;
    expects(static_cast<size_t>(rows[i].parent) < parents_.size(), "a parent is a row");
    histories_[i] = parents_[static_cast<size_t>(rows[i].parent)];
  }
  free_unused();
  for (auto& history : histories_) history.push_back(take_slot());
  ++step_;
  for (KeyValueRows& layer : self) layer.reserve(slots_);
}

void DecoderState::free_unused() {
  used_.assign(slots_, false);
  for (const auto& history : histories_) {
    for (const uint32_t slot : history) used_[slot] = true;
  }
  free_.clear();
  for (uint32_t slot = slots_; slot-- > 0;) {
    if (!used_[slot]) free_.push_back(slot);
  }
}

uint32_t DecoderState::take_slot() {
  if (free_.empty()) return slots_++;
  const uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

}  // namespace eatt
