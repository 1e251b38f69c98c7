#include "serving/api/access.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/files/open_file.h"
#include "base/sha256.h"

namespace eatt::serving {
namespace {

constexpr std::chrono::seconds kMinute{60};

}  // namespace

ApiKeys::ApiKeys(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  std::string_view text = mapped.text();
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    line = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    if (line.empty() || line.front() == '#') continue;
    digests_.push_back(sha256_hex(line));
  }
  if (!digests_.empty()) return;
  throw Error(fmt::format("{}: has no API key; expected one per line", file.string()));
}

bool ApiKeys::contains(std::string_view key) const {
  const std::string digest = sha256_hex(key);
  bool found = false;
  for (const std::string& known : digests_) {
    unsigned difference = 0;
    for (size_t i = 0; i < digest.size(); ++i) {
      difference |= static_cast<unsigned>(digest[i] ^ known[i]);
    }
    found |= difference == 0;
  }
  return found;
}

int RateLimit::seconds_to_wait(const std::string& client,
                               std::chrono::steady_clock::time_point now) {
  if (per_minute_ == 0) return 0;
  const std::lock_guard lock(mutex_);
  if (now - minute_begin_ >= kMinute) {
    minute_begin_ = now;
    requests_.clear();
  }
  if (++requests_[client] <= per_minute_) return 0;
  const auto left = minute_begin_ + kMinute - now;
  return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(left).count());
}

}  // namespace eatt::serving
