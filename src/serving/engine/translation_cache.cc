#include "serving/engine/translation_cache.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/api/option_fields.h"

namespace eatt::serving {
namespace {

size_t bytes_of(const std::vector<std::string>& texts) {
  size_t bytes = texts.size() * sizeof(std::string);
  for (const std::string& text : texts) bytes += text.size();
  return bytes;
}

size_t bytes_of(const Hypothesis& hypothesis) {
  size_t bytes = sizeof(Hypothesis) + hypothesis.text.size() + bytes_of(hypothesis.pieces) +
                 hypothesis.words.size() * sizeof(int32_t) +
                 hypothesis.piece_scores.size() * sizeof(double) +
                 hypothesis.attention_begin.size() * sizeof(size_t);
  for (const auto& row : hypothesis.attention) bytes += sizeof(row) + row.size() * sizeof(float);
  return bytes;
}

size_t bytes_of(const Translation& translation) {
  size_t bytes = sizeof(Translation) + bytes_of(translation.source_pieces) +
                 translation.source_words.size() * sizeof(int32_t);
  for (const Hypothesis& hypothesis : translation.hypotheses) bytes += bytes_of(hypothesis);
  return bytes;
}

}  // namespace

std::shared_ptr<const Translation> TranslationCache::find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->translation;
}

void TranslationCache::insert(std::string key, std::shared_ptr<const Translation> translation) {
  constexpr size_t kOverhead = 128;  // Of the list, the map and the allocator.
  const size_t bytes = kOverhead + sizeof(Entry) + key.size() + bytes_of(*translation);
  if (bytes > most_bytes_) return;
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(key);
  if (place != places_.end()) drop(place->second);
  while (bytes_ + bytes > most_bytes_) drop(std::prev(entries_.end()));
  entries_.push_front({std::move(key), std::move(translation), bytes});
  places_.emplace(entries_.front().key, entries_.begin());
  bytes_ += bytes;
}

void TranslationCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes;
  places_.erase(entry->key);
  entries_.erase(entry);
}

uint64_t TranslationCache::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

uint64_t TranslationCache::misses() const {
  const std::lock_guard lock(mutex_);
  return misses_;
}

size_t TranslationCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::string cache_key(const Job& job, size_t number) {
  std::string key;
  if (job.search != SearchOptions{}) {
    for (const auto& field : search_fields()) key += field.get(job.search) + ' ';
    if (job.search.sampling) key += fmt::format("{} ", number);
  }
  key += job.wants_attention ? '+' : '-';
  key += job.wants_scores ? '+' : '-';
  return key + job.text;
}

}  // namespace eatt::serving
