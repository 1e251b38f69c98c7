#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text/json.h"

namespace eatt {

// JSON objects that carry their own checksum, so that a flipped bit or a forgotten edit shows:
// config.json of a bundle, state.json of a checkpoint. The key "checksum" holds the SHA-256 of the
// object without that key, written with sorted keys and no white space. So other line breaks or
// another order of keys do not matter, and every value does.
inline constexpr char kChecksumKey[] = "checksum";

// The text of the object, indented by two, with its checksum as the last key. Bytes that are not
// UTF-8 become U+FFFD.
std::string print_checked_json(nlohmann::ordered_json object);

// Checks an object as parse_json() gave it; call it after the checks that can name a wrong key. A
// wrong checksum is an Error that says what to do. A file without one was written by an earlier
// eatt, or edited by somebody who removed the line: it passes, with one warning per file.
void check_json_checksum(const nlohmann::json& object, const JsonOrigin& origin);

}  // namespace eatt
