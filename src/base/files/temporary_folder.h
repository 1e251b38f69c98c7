#pragma once

#include <filesystem>
#include <string_view>

namespace eatt {

// A folder of its own in the system's folder for temporary files, removed with everything in it at
// the end.
class TemporaryFolder {
 public:
  // Its name begins with `prefix`. Throws an Error if it cannot be created.
  explicit TemporaryFolder(std::string_view prefix);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace eatt
