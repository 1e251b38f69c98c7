#pragma once

#include <string_view>

namespace eatt::serving {

// Tells systemd, or whoever set NOTIFY_SOCKET, how the service is: "READY=1", "STOPPING=1". Without
// that variable, or if nobody listens there, nothing happens.
void tell_service_manager(std::string_view state);

}  // namespace eatt::serving
