#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace eatt::serving {

// Translated files that wait to be fetched: in memory, for a while, the oldest go first if there
// are too many. Any thread may call it.
class DownloadStore {
 public:
  explicit DownloadStore(size_t most_bytes = size_t{64} << 20) : most_bytes_(most_bytes) {}

  // Returns the name to fetch it by, which nobody can guess.
  std::string add(const std::string& file_name, std::string content);
  std::optional<std::string> find(std::string_view name);

 private:
  struct File {
    std::string name;
    std::shared_ptr<const std::string> content;
    std::chrono::steady_clock::time_point added;
    size_t bytes() const;
  };
  void drop_old();

  const size_t most_bytes_;
  std::mutex mutex_;
  std::list<File> files_;  // The oldest first.
  std::unordered_map<std::string_view, const File*> by_name_;
  size_t bytes_ = 0;
};

}  // namespace eatt::serving
