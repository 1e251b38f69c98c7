#include "support/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/files/open_file.h"
#include "support/run.h"

namespace eatt::testing {

void Screen::feed(std::string_view more) {
  unread_ += more;
  std::string_view bytes = unread_;
  while (!bytes.empty()) {
    size_t used = 1;
    if (bytes[0] == '\033') {
      used = control(bytes);
      if (used == 0) break;
    } else if (bytes[0] == '\r') {
      note();
      column_ = 0;
    } else if (bytes[0] == '\n') {
      newline();
    } else {
      put(bytes[0]);
    }
    bytes.remove_prefix(used);
  }
  unread_ = std::string(bytes);
}

// A full row breaks when another character comes, not before.
void Screen::put(char c) {
  if (column_ == columns_) {
    newline();
    column_ = 0;
    rows_[row_].continues = true;
  }
  std::string& text = rows_[row_].text;
  if (text.size() <= column_) text.resize(column_ + 1, ' ');
  text[column_++] = c;
}

void Screen::newline() {
  note();
  if (++row_ == rows_.size()) rows_.emplace_back();
}

// ESC [ number letter; returns its size, 0 if it has not come whole.
size_t Screen::control(std::string_view sequence) {
  const size_t end =
      sequence.size() < 3 ? sequence.npos : sequence.find_first_not_of("0123456789;", 2);
  if (end == sequence.npos) return 0;
  note();
  const auto number = std::strtoul(std::string(sequence.substr(2, end - 2)).c_str(), nullptr, 10);
  std::string& text = rows_[row_].text;
  switch (sequence[end]) {
    case 'A':
      row_ -= std::min<size_t>(row_, number);
      break;
    case 'J':
      rows_.resize(row_ + 1);
      [[fallthrough]];
    case 'K':
      rows_[row_].text.resize(std::min(text.size(), column_));
      break;
    case 'm':
      break;
    default:
      throw std::runtime_error("the screen does not know " + std::string(sequence.substr(1, end)));
  }
  return end + 1;
}

void Screen::resize(size_t columns) {
  const size_t cursor_line = first_row_of_line(row_);
  const size_t cursor = (row_ - cursor_line) * columns_ + column_;  // From the start of its line.
  std::vector<Row> rows;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].continues) continue;
    const std::string line = line_at(row);
    const size_t first = rows.size();
    for (size_t begin = 0; begin == 0 || begin < line.size(); begin += columns) {
      rows.push_back({line.substr(begin, columns), begin > 0});
    }
    if (row != cursor_line) continue;
    const size_t down = std::min(cursor == 0 ? 0 : (cursor - 1) / columns, rows.size() - 1 - first);
    row_ = first + down;
    column_ = cursor - down * columns;
  }
  rows_ = std::move(rows);
  columns_ = columns;
}

size_t Screen::first_row_of_line(size_t row) const {
  while (row > 0 && rows_[row].continues) --row;
  return row;
}

std::string Screen::line_at(size_t row) const {
  std::string line = rows_[row].text;
  while (++row < rows_.size() && rows_[row].continues) line += rows_[row].text;
  return line;
}

void Screen::note() { seen_.insert(line_at(first_row_of_line(row_))); }

std::vector<std::string> Screen::lines() const {
  std::vector<std::string> lines;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (!rows_[row].continues) lines.push_back(line_at(row));
  }
  return lines;
}

namespace {

winsize size_of(size_t columns) {
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  return size;
}

// Reads what comes; reacts once it has come.
void follow(int terminal, const TerminalOptions& options, TerminalResult& result) {
  bool resized = options.resize_to == 0, interrupted = options.interrupt_after.empty();
  const auto has = [&](const std::string& text) { return result.bytes.find(text) != text.npos; };
  for (;;) {
    pollfd ready{terminal, POLLIN, 0};
    char buffer[4096];
    const ssize_t got =
        ::poll(&ready, 1, 60'000) == 1 ? ::read(terminal, buffer, sizeof buffer) : 0;
    if (got <= 0) return;  // EIO: the program has closed its side.
    result.bytes.append(buffer, static_cast<size_t>(got));
    result.screen.feed(std::string_view(buffer, static_cast<size_t>(got)));
    if (!resized && has(options.resize_after)) {
      const winsize size = size_of(options.resize_to);
      ::ioctl(terminal, TIOCSWINSZ, &size);
      result.screen.resize(options.resize_to);
      resized = true;
    }
    if (!interrupted && has(options.interrupt_after)) {
      interrupted = ::write(terminal, "\x03", 1) == 1;
    }
  }
}

}  // namespace

TerminalResult run_on_terminal(const TerminalOptions& options, const std::function<int()>& child) {
  TerminalResult result;
  result.screen = Screen(options.columns);
  const winsize size = size_of(options.columns);
  int terminal = -1;
  const pid_t process = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (process < 0) throw std::runtime_error("cannot make a terminal");
  if (process == 0) {
    ::setenv("TERM", "xterm", 1);
    if (!options.stdout_too) {
      const FileDescriptor nowhere(::open("/dev/null", O_WRONLY));
      ::dup2(nowhere.get(), STDOUT_FILENO);
    }
    ::_exit(child());
  }
  const FileDescriptor closed_at_the_end(terminal);
  follow(terminal, options, result);
  int status = 0;
  ::waitpid(process, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

TerminalResult run_on_terminal(const TerminalOptions& options, const std::string& program,
                               const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {program_path(program).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return run_on_terminal(options, [&] {
    ::execv(argv[0], argv.data());
    return 127;
  });
}

}  // namespace eatt::testing
