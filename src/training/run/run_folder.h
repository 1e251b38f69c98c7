#pragma once

#include <spdlog/common.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/files/file_descriptor.h"
#include "base/files/folder_lock.h"

namespace eatt {

// The folder of one training: checkpoints/step-NNNNNNNN, the bundles best and last, training.toml,
// log.jsonl, train.log, and data if --train-sets were prepared. Locked by one process at a time.
class RunFolder {
 public:
  // Creates the folder if it is missing and locks it; throws an Error if another
  // training holds it. A process that was killed holds nothing.
  explicit RunFolder(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }
  std::filesystem::path best() const { return path_ / "best"; }
  std::filesystem::path last() const { return path_ / "last"; }
  std::filesystem::path settings() const { return path_ / "training.toml"; }
  std::filesystem::path events() const { return path_ / "log.jsonl"; }
  std::filesystem::path text_log() const { return path_ / "train.log"; }
  std::filesystem::path data() const { return path_ / "data"; }
  std::filesystem::path record() const { return path_ / "run.json"; }

  // After a failure before the first checkpoint: leaves nothing of this start but a data set that
  // was finished.
  void remove_failed_start() const;

 private:
  std::filesystem::path path_;
  MissingFolders made_;
  std::vector<std::filesystem::path> missing_files_;  // Those that this start may make.
  FolderLock lock_;
};

// The logs of a training: log.jsonl has a JSON object per line, train.log a copy of every line that
// is printed. Both are appended to.
class TrainingLog {
 public:
  TrainingLog(const std::filesystem::path& events, const std::filesystem::path& text);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  // Adds the time. If the disk is full, training continues; the first failure is a warning.
  void event(nlohmann::json object);

 private:
  std::filesystem::path path_;
  FileDescriptor events_;
  spdlog::sink_ptr text_sink_;
  bool failed_ = false;
};

}  // namespace eatt
