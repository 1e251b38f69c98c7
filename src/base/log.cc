#include "base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/status_line.h"

namespace eatt {
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

}  // namespace

LogFormat log_format() { return chosen_format; }

void set_up_logging(LogFormat format, spdlog::level::level_enum level) {
  chosen_format = format;
  std::shared_ptr<spdlog::logger> logger;
  if (format == LogFormat::json) {
    logger =
        std::make_shared<spdlog::logger>("eatt", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
    formatter->add_flag<JsonMessageFlag>('*');
    formatter->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%*})");
    logger->set_formatter(std::move(formatter));
  } else {
    logger = std::make_shared<spdlog::logger>("eatt", std::make_shared<PlainSink>());
    logger->set_pattern("%H:%M:%S %^%l%$: %v");
  }
  logger->set_level(level);
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace eatt
