#include "serving/api/download_store.h"

#include <fmt/format.h>

#include <random>

namespace eatt::serving {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;
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

std::string DownloadStore::add(const std::string& file_name, std::string content) {
  std::random_device random;  // The system's random numbers.
  std::string name;
  for (int i = 0; i < 4; ++i) name += fmt::format("{:08x}", random());
  name += "." + plain_name(file_name);
  const std::lock_guard lock(mutex_);
  bytes_ += content.size();
  files_.push_back({name, std::move(content), std::chrono::steady_clock::now()});
  drop_old();
  return name;
}

std::optional<std::string> DownloadStore::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  drop_old();
  for (const File& file : files_) {
    if (file.name == name) return file.content;
  }
  return std::nullopt;
}

void DownloadStore::drop_old() {
  const auto oldest = std::chrono::steady_clock::now() - kKept;
  while (!files_.empty() && (bytes_ > kMostBytes || files_.front().added < oldest)) {
    bytes_ -= files_.front().content.size();
    files_.pop_front();
  }
}

}  // namespace eatt::serving
