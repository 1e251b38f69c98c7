#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/files/open_file.h"

namespace eatt {

// The curves of a training as an event file of TensorBoard: TFRecords with a protocol buffer each.
// Every event is written at once, so a process that is killed leaves a file that can be read. There
// is one file for each run; a folder may hold those of several.
class TensorBoardLog {
 public:
  // Begins a file, or a copy of the one that an earlier process left, without events after `update`
  // and without an event that is cut off: no update appears twice. The copy has a new name,
  // because a TensorBoard that is watching would not notice that a file became shorter.
  // Throws an Error if the folder cannot be written to.
  TensorBoardLog(const std::filesystem::path& folder, const std::string& run, int64_t update);

  // Adds the numbers of a "progress" or "validation" event of log.jsonl as train/loss, dev/bleu, …,
  // and densities by layer as density/encoder_self/1. If the disk is full, training continues; the
  // first failure is a warning.
  void add(const nlohmann::json& event);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  bool failed_ = false;
};

}  // namespace eatt
