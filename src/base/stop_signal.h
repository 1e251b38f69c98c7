#pragma once

#include "base/error.h"

namespace eatt {

// Work that was stopped by SIGTERM or Ctrl-C: the end of the command, whatever else its errors may
// lead to. The message says how to continue.
class Stopped : public Error {
 public:
  using Error::Error;
};

// While it lives, SIGTERM and the first Ctrl-C only make a note, so that work can be saved; a
// second Ctrl-C ends the process as usual.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Its name, such as "SIGTERM", once one has come; else null.
  const char* received() const;
};

}  // namespace eatt
