#include "text/lexicon/piece_pairs.h"

#include <algorithm>

#include "base/error.h"

namespace eatt {
namespace {

constexpr size_t kHeldOutStep = 50;

}  // namespace

std::span<const int32_t> StoredPairs::side(size_t k) const {
  const size_t begin = k == 0 ? 0 : ends_[k - 1];
  return std::span(ids_).subspan(begin, ends_[k] - begin);
}

void StoredPairs::read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const {
  source.assign(this->source(i).begin(), this->source(i).end());
  target.assign(this->target(i).begin(), this->target(i).end());
}

void StoredPairs::add(std::span<const int32_t> source, std::span<const int32_t> target) {
  for (const auto side : {source, target}) {
    ids_.insert(ids_.end(), side.begin(), side.end());
    ends_.push_back(ids_.size());
  }
}

void StoredPairs::clear() {
  ids_.clear();
  ends_.clear();
}

void StoredPairs::keep_if(const std::function<bool(size_t)>& keep) {
  size_t kept_ids = 0, kept_ends = 0, begin = 0;
  for (size_t i = 0; i < size(); ++i) {
    const size_t middle = ends_[2 * i], end = ends_[2 * i + 1];
    if (keep(i)) {
      std::copy(ids_.begin() + static_cast<ptrdiff_t>(begin),
                ids_.begin() + static_cast<ptrdiff_t>(end),
                ids_.begin() + static_cast<ptrdiff_t>(kept_ids));
      ends_[kept_ends++] = kept_ids + middle - begin;
      kept_ids += end - begin;
      ends_[kept_ends++] = kept_ids;
    }
    begin = end;
  }
  ids_.resize(kept_ids);
  ends_.resize(kept_ends);
}

PreparedPairs::PreparedPairs(const DataSet& data, size_t max_pairs) : data_(data) {
  expects(max_pairs > 0, "at least one pair is wanted");
  step_ = std::max<size_t>(1, (data.size() + max_pairs - 1) / max_pairs);
  size_ = (data.size() + step_ - 1) / step_;
}

size_t PartOfPairs::size() const {
  const size_t held_out = all_.size() / kHeldOutStep;
  return part_ == Part::held_out ? held_out : all_.size() - held_out;
}

void PartOfPairs::read(size_t i, std::vector<int32_t>& source, std::vector<int32_t>& target) const {
  all_.read(
      part_ == Part::held_out ? i * kHeldOutStep + kHeldOutStep - 1 : i + i / (kHeldOutStep - 1),
      source, target);
}

}  // namespace eatt
