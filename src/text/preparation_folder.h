#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "text/preparation_plan.h"

namespace eatt {

// The output folder of a preparation, held by one process at a time. Everything is made in its
// subfolder `unfinished` and moved up at the end, dataset.json last: a folder with a dataset.json
// is complete.
class PreparationFolder {
 public:
  // Makes the folder if need be. Throws an Error if another process is at work in it.
  explicit PreparationFolder(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path unfinished(std::string_view name) const;

  bool is_complete() const;
  // The plan of the run that was interrupted here, if there was one.
  std::optional<PreparationPlan> interrupted_plan() const;
  void begin(const PreparationPlan& plan);

  // Gives up what an earlier preparation left, finished or not.
  void clear();
  // Moves `file` from the subfolder up.
  void publish(std::string_view file) const;
  // The end: only the data set stays.
  void remove_unfinished() const;

 private:
  std::filesystem::path path_;
  FileDescriptor lock_;
};

}  // namespace eatt
