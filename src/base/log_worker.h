#pragma once

#include <string>

namespace eatt {

// Marks every message as one of worker `number`: "12:34:56 [1] warning: text", or "worker":1 in
// JSON. For processes that share a log. Call after set_up_logging().
void set_log_worker(int number);

// "[1] ", or nothing without a worker.
std::string log_worker_tag();

}  // namespace eatt
