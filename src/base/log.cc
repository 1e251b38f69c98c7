#include "base/log.h"

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/log_worker.h"

namespace eatt {
namespace {

constexpr int kUsualColumns = 80;
constexpr int kRoomForInterrupt = 3;  // "^C" and the cursor.

struct Status {
  std::mutex mutex;
  std::string text;   // Empty: there is none.
  std::string drawn;  // What is on the screen.
};

// Never destroyed: threads may log while the process ends.
Status& status() {
  static Status& only = *new Status;
  return only;
}

int terminal_columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsualColumns;
}

bool terminal_can_erase() {
  const char* kind = std::getenv("TERM");
  return kind == nullptr || std::string_view(kind) != "dumb";
}

void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

// Calls `use` for each row of a text.
template <typename Use>
void for_each_row(std::string_view text, Use use) {
  for (size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    use(text.substr(0, end));
  }
  use(text);
}

// A terminal that has become narrower breaks longer rows into several; the cursor is in the last.
std::string erasure(const std::string& drawn) {
  if (drawn.empty()) return {};
  const auto columns = static_cast<size_t>(terminal_columns());
  size_t rows = 0;
  for_each_row(drawn, [&](std::string_view row) {
    rows += 1 + (std::max<size_t>(row.size(), 1) - 1) / columns;
  });
  return rows == 1 ? "\r\033[K" : fmt::format("\r\033[{}A\033[J", rows - 1);
}

std::string cut(std::string_view text) {
  std::string result;
  for_each_row(text, [&](std::string_view row) {
    if (!result.empty()) result += '\n';
    result += row.substr(0, static_cast<size_t>(status_columns()));
  });
  return result;
}

// The caller holds the mutex. One write each, so that nothing flickers.
void redraw(Status& current) {
  std::string text = cut(current.text);
  put(erasure(current.drawn) + text);
  current.drawn = std::move(text);
}

}  // namespace

bool shows_status() {
  return ::isatty(STDERR_FILENO) == 1 && terminal_can_erase() && log_format() == LogFormat::plain &&
         spdlog::should_log(spdlog::level::info);
}

int status_columns() { return std::max(1, terminal_columns() - kRoomForInterrupt); }

void show_status(std::string_view text) {
  const std::lock_guard lock(status().mutex);
  status().text = text;
  redraw(status());
}

void keep_status(std::string_view text) {
  const std::lock_guard lock(status().mutex);
  status().text.clear();
  put(erasure(status().drawn) + cut(text) + "\n");
  status().drawn.clear();
}

void end_status() {
  const std::lock_guard lock(status().mutex);
  status().text.clear();
  if (!status().drawn.empty()) redraw(status());
}

void write_above_status(const std::function<void()>& write) {
  const std::lock_guard lock(status().mutex);
  put(erasure(status().drawn));
  status().drawn.clear();
  write();
  if (!status().text.empty()) redraw(status());
}

void write_to_stderr(std::string_view lines) {
  // Not by fmt::print, which throws if stderr is closed: that would hide the exit code.
  write_above_status([&] { put(std::string(lines)); });
}

namespace {

// The message as a JSON string, quotes included: user text may hold anything.
class JsonMessageFlag : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text(message.payload.data(), message.payload.size());
    const std::string quoted =
        nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    out.append(quoted.data(), quoted.data() + quoted.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JsonMessageFlag>();
  }
};

// Lines for people, above the progress bar if there is one.
class PlainSink : public spdlog::sinks::stderr_color_sink_mt {
 public:
  PlainSink() {
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color != nullptr && *no_color != '\0') set_color_mode(spdlog::color_mode::never);
  }
  void log(const spdlog::details::log_msg& message) override {
    write_above_status([&] { spdlog::sinks::stderr_color_sink_mt::log(message); });
  }
};

LogFormat chosen_format = LogFormat::plain;
std::optional<int> chosen_worker;

void set_pattern(spdlog::logger& logger) {
  if (chosen_format == LogFormat::plain) {
    return logger.set_pattern("%H:%M:%S " + log_worker_tag() + "%^%l%$: %v");
  }
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<JsonMessageFlag>('*');
  const std::string worker = chosen_worker ? fmt::format(R"("worker":{},)", *chosen_worker) : "";
  formatter->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",)" + worker +
                         R"("level":"%l","message":%*})");
  logger.set_formatter(std::move(formatter));
}

}  // namespace

LogFormat log_format() { return chosen_format; }

void set_up_logging(LogFormat format, spdlog::level::level_enum level) {
  chosen_format = format;
  spdlog::sink_ptr sink;
  if (format == LogFormat::json) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<PlainSink>();
  }
  const auto logger = std::make_shared<spdlog::logger>("eatt", std::move(sink));
  set_pattern(*logger);
  logger->set_level(level);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(logger);
}

void set_log_worker(int number) {
  chosen_worker = number;
  set_pattern(*spdlog::default_logger());
}

std::string log_worker_tag() {
  return chosen_worker ? fmt::format("[{}] ", *chosen_worker) : std::string();
}

}  // namespace eatt
