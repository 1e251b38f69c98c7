#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace eatt::testing {

// What a terminal shows of the bytes that a program writes: carriage return, newline, erasing to
// the end of the row or screen, going up, colours (ignored), and rows that break when they are
// full. When it becomes narrower, rows that are too long break again, as in today's terminals.
class Screen {
 public:
  explicit Screen(size_t columns) : columns_(columns), rows_(1) {}

  void feed(std::string_view more);
  void resize(size_t columns);

  // Lines as they stand now; a line that broke into several rows is one.
  std::vector<std::string> lines() const;
  // Every state of every line that somebody could have seen.
  const std::set<std::string>& seen() const { return seen_; }

 private:
  struct Row {
    std::string text;
    bool continues = false;  // The row before it was full.
  };

  void put(char c);
  void newline();
  size_t control(std::string_view sequence);
  size_t first_row_of_line(size_t row) const;
  std::string line_at(size_t row) const;
  void note();

  std::string unread_;  // The begin of a sequence.
  size_t columns_;
  std::vector<Row> rows_;
  size_t row_ = 0, column_ = 0;
  std::set<std::string> seen_;
};

struct TerminalOptions {
  size_t columns = 80;
  // The terminal gets this many columns once the program has written `resize_after`; 0: never.
  size_t resize_to = 0;
  std::string resize_after = {};
  std::string interrupt_after = {};  // Then Ctrl-C is typed; empty: never.
  bool stdout_too = false;           // Otherwise standard output goes to /dev/null.
};

struct TerminalResult {
  int exit_code = -1;  // 128 + signal number if a signal ended it.
  std::string bytes;   // All that was written to the terminal.
  Screen screen{80};   // What it looks like in the end.
};

// Runs something in a child process whose standard input and error are a terminal.
TerminalResult run_on_terminal(const TerminalOptions& options, const std::function<int()>& child);
// Runs a program of this build there.
TerminalResult run_on_terminal(const TerminalOptions& options, const std::string& program,
                               const std::vector<std::string>& arguments);

}  // namespace eatt::testing
