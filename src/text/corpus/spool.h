#pragma once

#include <filesystem>
#include <string>

#include "base/files/byte_source.h"
#include "base/files/file_descriptor.h"

namespace eatt {

// Standard input, pipes and other things that can be read only once.
bool is_read_once(const TextFile& file);

// A copy of such a file that can be read again and again. It lives in `folder` without a name, and
// so is gone when the program ends, however it ends.
class Spool {
 public:
  Spool(const TextFile& file, const std::filesystem::path& folder);

  // To be read like any other; called by the original's name in messages.
  const TextFile& copy() const { return copy_; }

 private:
  FileDescriptor file_;
  TextFile copy_;
};

}  // namespace eatt
