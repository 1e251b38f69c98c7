#include "base/stop_signal.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace eatt {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t received_signal = 0;

// Where a signal handler can read them: it must neither allocate nor wait for a lock.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<bool> ready = false;
  std::array<char, 4096> path{};
};
constexpr size_t kSlots = 64;
std::array<Slot, kSlots> slots;

// With the files in it, but no folders. By system calls alone, which a signal handler may make.
void remove_folder(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) std::array<char, 4096> entries;
  for (ssize_t size; (size = ::getdents64(folder, entries.data(), entries.size())) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
      ::unlinkat(folder, entry->d_name, 0);  // Fails for "." and "..", as it should.
      at += entry->d_reclen;
    }
  }
  ::close(folder);
  ::rmdir(path);
}

void discard_and_end(int signal) {
  for (const Slot& slot : slots) {
    if (slot.ready && ::unlink(slot.path.data()) != 0 && errno == EISDIR) {
      remove_folder(slot.path.data());
    }
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // Comes once this handler returns.
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

void note(int signal) {
  received_signal = signal;
  for (const int other : kSignals) {
    if (!is_ignored(other)) std::signal(other, discard_and_end);
  }
}

}  // namespace

StopSignal::StopSignal() {
  received_signal = 0;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    before_[i] = is_ignored(kSignals[i]) ? SIG_IGN : std::signal(kSignals[i], note);
  }
}

StopSignal::~StopSignal() {
  for (size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], before_[i]);
}

int StopSignal::number() { return received_signal; }

const char* StopSignal::received() {
  switch (received_signal) {
    case 0:
      return nullptr;
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "Ctrl-C";
  }
}

// A file that finds no free slot, or has a longer name, is left to the next writer of its target.
DiscardedFile::DiscardedFile(const std::filesystem::path& path) {
  const std::string& name = path.native();
  for (size_t i = 0; i < slots.size() && name.size() < slots[i].path.size(); ++i) {
    if (slots[i].taken.exchange(true)) continue;
    std::memcpy(slots[i].path.data(), name.c_str(), name.size() + 1);
    slots[i].ready = true;
    slot_ = i;
    return;
  }
}

DiscardedFile& DiscardedFile::operator=(DiscardedFile&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

void DiscardedFile::keep() {
  if (slot_ == kNone) return;
  slots[slot_].ready = false;
  slots[slot_].taken = false;
  slot_ = kNone;
}

void discard_files_on_signals() {
  for (const int signal : kSignals) {
    if (!is_ignored(signal)) std::signal(signal, discard_and_end);
  }
}

}  // namespace eatt
