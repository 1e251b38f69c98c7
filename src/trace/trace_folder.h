#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files/atomic_file.h"
#include "bundle/bundle.h"
#include "trace/tracer.h"

namespace eatt::trace {

inline constexpr char kTraceFormatName[] = "eatt-trace";
inline constexpr int kTraceFormatVersion = 1;
inline constexpr char kTraceFile[] = "trace.json";

// The bundle that was traced.
struct TracedBundle {
  std::string name;  // Of its folder.
  Manifest manifest;
};

// A trace on its way to the disk; docs/trace-format.md describes it. It appears complete with
// finish() or not at all.
class TraceFolder {
 public:
  // Throws an Error if the target exists and is not a trace, or is a trace to which files were
  // added.
  TraceFolder(const std::filesystem::path& target, TracedBundle bundle);

  void add_weights(const PlainModel& model);
  void add_sentence(const SentenceTrace& sentence);
  size_t sentences() const { return sentences_.size(); }
  uint64_t bytes() const;  // Of all files but trace.json.

  // Throws an Error as the constructor does, if the folder has changed since.
  void finish();

 private:
  void write(const std::string& name, const TensorList& tensors);

  const std::filesystem::path target_;
  AtomicFolder folder_;
  TracedBundle bundle_;
  std::map<std::string, FileRecord> files_;
  nlohmann::ordered_json sentences_ = nlohmann::ordered_json::array();
};

}  // namespace eatt::trace
