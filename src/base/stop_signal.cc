#include "base/stop_signal.h"

#include <csignal>

namespace eatt {
namespace {

volatile std::sig_atomic_t received_signal = 0;

void note(int signal) {
  received_signal = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  std::signal(SIGTERM, note);
  std::signal(SIGINT, note);
}

StopSignal::~StopSignal() {
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

const char* StopSignal::received() const {
  if (received_signal == 0) return nullptr;
  return received_signal == SIGTERM ? "SIGTERM" : "Ctrl-C";
}

}  // namespace eatt
