#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/api/translator.h"
#include "serving/engine/engine.h"

namespace eatt::serving {

// Translations that were asked for lately, up to a number of bytes; those that were not asked for
// the longest time go first. May be called from any thread.
class TranslationCache {
 public:
  explicit TranslationCache(size_t most_bytes) : most_bytes_(most_bytes) {}

  bool enabled() const { return most_bytes_ > 0; }

  // Null if there is none of this key.
  std::shared_ptr<const Translation> find(std::string_view key);
  // What is larger than the whole cache is not kept.
  void insert(std::string key, std::shared_ptr<const Translation> translation);

  uint64_t hits() const;
  uint64_t misses() const;
  size_t bytes() const;  // Of all that is kept, about.

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Translation> translation;
    size_t bytes;
  };
  using Entries = std::list<Entry>;

  void drop(Entries::iterator entry);

  const size_t most_bytes_;
  mutable std::mutex mutex_;  // Guards everything below.
  Entries entries_;           // Asked for most recently first.
  std::unordered_map<std::string_view, Entries::iterator> places_;  // Keys are those of entries_.
  size_t bytes_ = 0;
  uint64_t hits_ = 0, misses_ = 0;
};

// Everything that a translation depends on, as a key: the job, and where the translation is drawn
// at random, its number in the request.
std::string cache_key(const Job& job, size_t number);

}  // namespace eatt::serving
