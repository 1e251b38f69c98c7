#pragma once

#include <spdlog/spdlog.h>

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

}  // namespace eatt
