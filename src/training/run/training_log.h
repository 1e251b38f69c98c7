#pragma once

#include <spdlog/common.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files/file_descriptor.h"

namespace eatt {

// Where a training leaves its traces: an object per line in log.jsonl, and in train.log a copy of
// every line that is shown. Both are appended to.
class TrainingLog {
 public:
  TrainingLog(const std::filesystem::path& events, const std::filesystem::path& text);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  // Adds the time. A full disk does not stop the training: the first failure is a warning.
  void event(nlohmann::json object);

 private:
  std::filesystem::path path_;
  FileDescriptor events_;
  spdlog::sink_ptr text_sink_;
  bool failed_ = false;
};

}  // namespace eatt
