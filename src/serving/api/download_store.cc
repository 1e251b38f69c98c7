#include "serving/api/download_store.h"

#include <fmt/format.h>

#include <random>

namespace eatt::serving {
namespace {

constexpr size_t kOverhead = 256;  // Bytes that a file takes beside its name and content.
constexpr std::chrono::minutes kKept{30};

// The end of a file's name in letters that need no escapes.
std::string plain_name(std::string_view name) {
  constexpr size_t kLongest = 80;
  std::string result;
  for (const char c : name.substr(name.size() - std::min(name.size(), kLongest))) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    result += plain ? c : '_';
  }
  return result;
}

}  // namespace

size_t DownloadStore::File::bytes() const { return name.size() + content->size() + kOverhead; }

std::string DownloadStore::add(const std::string& file_name, std::string content) {
  std::random_device random;  // The system's random numbers.
  std::string name;
  for (int i = 0; i < 4; ++i) name += fmt::format("{:08x}", random());
  name += "." + plain_name(file_name);
  File file{.name = name,
            .content = std::make_shared<const std::string>(std::move(content)),
            .added = std::chrono::steady_clock::now()};
  const std::lock_guard lock(mutex_);
  const File& kept = files_.emplace_back(std::move(file));
  by_name_.emplace(kept.name, &kept);
  bytes_ += kept.bytes();
  drop_old();
  return name;
}

std::optional<std::string> DownloadStore::find(std::string_view name) {
  std::shared_ptr<const std::string> content;  // Copied outside the lock.
  {
    const std::lock_guard lock(mutex_);
    drop_old();
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
      content = found->second->content;
    }
  }
  return content ? std::optional(*content) : std::nullopt;
}

void DownloadStore::drop_old() {
  const auto oldest = std::chrono::steady_clock::now() - kKept;
  while (!files_.empty() && (bytes_ > most_bytes_ || files_.front().added < oldest)) {
    bytes_ -= files_.front().bytes();
    by_name_.erase(files_.front().name);
    files_.pop_front();
  }
}

}  // namespace eatt::serving
