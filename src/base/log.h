#pragma once

#include <spdlog/spdlog.h>

#include <functional>
#include <string>
#include <string_view>

namespace eatt {

enum class LogFormat {
  plain,  // "12:34:56 warning: text", coloured on a terminal
  json,   // {"time":"2026-01-02T03:04:05.678Z","level":"warning","message":"text"}, one per line
};

// Everything goes to stderr, so stdout carries results only. Call once at the start of main();
// afterwards spdlog::info(...) and the like are the only way to log.
void set_up_logging(LogFormat format, spdlog::level::level_enum level);

// The chosen format, for code that writes to stderr itself.
LogFormat log_format();

// The last rows of a terminal on stderr: a status, such as a progress bar, that is redrawn in place
// while log lines scroll by above it. Everything that writes to stderr goes through this file, so
// that the two never end up in one row. Safe to call from any thread.

// Whether there is one: stderr is a terminal that can erase a row, the log is plain text, and
// --quiet was not given.
bool shows_status();

// The longest text that fits. Leaves room for the ^C that a terminal shows where the cursor is.
int status_columns();

// Replaces the status; `text` is ASCII, a row or several, which are cut if they are too long.
void show_status(std::string_view text);
// Replaces the status by its last state, which stays on the screen as a line of its own.
void keep_status(std::string_view text);
// Erases it.
void end_status();

// Erases the status, calls `write`, and draws the status again below what was written, which must
// end with a newline.
void write_above_status(const std::function<void()>& write);

// Lines for stderr. A closed stderr is not an error.
void write_to_stderr(std::string_view lines);

}  // namespace eatt
