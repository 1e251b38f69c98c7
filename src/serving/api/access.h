#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace eatt::serving {

// The keys that may use the server. Only their digests are kept.
class ApiKeys {
 public:
  ApiKeys() = default;  // None: everybody may.
  // A file with a key per line; empty lines and lines that begin with # do not count. Throws an
  // Error if it cannot be read or has none.
  explicit ApiKeys(const std::filesystem::path& file);

  bool required() const { return !digests_.empty(); }
  // Takes the same time whatever the key is.
  bool contains(std::string_view key) const;

 private:
  std::vector<std::string> digests_;
};

// So many requests per minute and client, each minute anew. Any thread may call it.
class RateLimit {
 public:
  explicit RateLimit(size_t per_minute) : per_minute_(per_minute) {}  // 0: no limit.

  // 0 if the client may go on; else the seconds to wait.
  int seconds_to_wait(const std::string& client, std::chrono::steady_clock::time_point now);
  size_t per_minute() const { return per_minute_; }

 private:
  const size_t per_minute_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point minute_begin_ = {};
  std::unordered_map<std::string, size_t> requests_;  // Of this minute.
};

}  // namespace eatt::serving
