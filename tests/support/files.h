#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::testing {

// A fresh folder, removed with everything in it at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  // Writes a file into it and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);
std::vector<std::string> split_lines(std::string_view text);

// A file of this repository, e.g. repository_file("scripts/demo.sh").
std::filesystem::path repository_file(std::string_view name);

// ../shared/data/NAME if it exists. Tests that need real data skip without it:
//   const auto folder = shared_data("sacrebleu");
//   if (!folder) GTEST_SKIP() << "needs ../shared/data/sacrebleu";
std::optional<std::filesystem::path> shared_data(std::string_view name);

}  // namespace eatt::testing
