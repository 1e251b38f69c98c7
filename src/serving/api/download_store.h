#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace eatt::serving {

// Translated files that wait to be fetched: in memory, for a while, the oldest go first if there
// are too many. Any thread may call it.
class DownloadStore {
 public:
  // Returns the name to fetch it by, which nobody can guess.
  std::string add(const std::string& file_name, std::string content);
  std::optional<std::string> find(std::string_view name);

 private:
  struct File {
    std::string name, content;
    std::chrono::steady_clock::time_point added;
  };
  void drop_old();

  std::mutex mutex_;
  std::deque<File> files_;
  size_t bytes_ = 0;
};

}  // namespace eatt::serving
