#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/folder_lock.h"
#include "text/corpus/preparation_plan.h"

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
  // The plan of the run that was interrupted here, if there was one and it can be continued.
  std::optional<PreparationPlan> interrupted_plan() const;
  // Whether that run has left more than what a new one does in no time: a vocabulary, or more.
  bool has_work_done() const;
  // A new run, whatever an interrupted one has left. A finished data set stays until publish().
  void begin(const PreparationPlan& plan) const;

  // Moves files from the subfolder up, in place of an older data set's. dataset.json comes last.
  // Calls after_each(name). May be repeated after a run that was killed in it.
  void publish(const std::vector<std::string>& files,
               const std::function<void(std::string_view)>& after_each) const;
  // The end: only the data set stays.
  void remove_unfinished() const;

 private:
  std::filesystem::path path_;
  FolderLock lock_;
};

}  // namespace eatt
