#pragma once

#include <array>
#include <cstddef>
#include <filesystem>

#include "base/error.h"

namespace eatt {

// Work that was stopped by a signal: the end of the command, whatever else its errors may lead to.
// The message says how to continue.
class Stopped : public Error {
 public:
  using Error::Error;
};

// The signals that ask a program to end: Ctrl-C (SIGINT), SIGTERM, and SIGHUP of a terminal that is
// closed.
//
// While a StopSignal lives, the first of them only makes a note, so that work can be saved; a
// second one ends the process as usual. Signals that were ignored stay so: SIGHUP under nohup,
// SIGINT after `trap '' INT` and in jobs that a script starts with &.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Its name, such as "SIGTERM" or "Ctrl-C", once one has come; else null. The last StopSignal's
  // answer stays when it is gone.
  static const char* received();
  static int number();  // SIGTERM, …; 0 if none has come.

 private:
  std::array<void (*)(int), 3> before_{};  // What was done at each of the signals.
};

// A file that is of no use to anybody if a signal ends the process: it is removed then.
class DiscardedFile {
 public:
  DiscardedFile() = default;
  explicit DiscardedFile(const std::filesystem::path& path);
  DiscardedFile(DiscardedFile&& other) noexcept : slot_(other.slot_) { other.slot_ = kNone; }
  DiscardedFile& operator=(DiscardedFile&& other) noexcept;
  ~DiscardedFile() { keep(); }

  // From now on the file stays.
  void keep();

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  size_t slot_ = kNone;
};

// From now on a signal that ends the process removes the DiscardedFiles first. For main(): a
// library leaves the signals of its program alone. Signals that are ignored stay so.
void discard_files_on_signals();

}  // namespace eatt
