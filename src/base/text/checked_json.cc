#include "base/text/checked_json.h"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/sha256.h"

namespace eatt {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string checksum_of(json object) {
  object.erase(kChecksumKey);
  return sha256_hex(object.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace));
}

// A file may be opened many times; it is mentioned once.
void warn_once(const std::string& file) {
  static std::mutex mutex;
  static std::set<std::string> warned;
  const std::lock_guard lock(mutex);
  if (!warned.insert(file).second) return;
  spdlog::warn("{}: has no \"{}\", so damage to it would go unnoticed", file, kChecksumKey);
}

}  // namespace

std::string print_checked_json(ordered_json object) {
  object.erase(kChecksumKey);
  const auto print = [&] {
    return object.dump(2, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
  };
  // The checksum is of what a reader will find, so it is taken of the text read back.
  object[kChecksumKey] = checksum_of(json::parse(print()));
  return print() + "\n";
}

void check_json_checksum(const json& object, const JsonOrigin& origin) {
  const auto found = object.find(kChecksumKey);
  if (found == object.end()) return warn_once(origin.file);
  if (found->is_string() && *found == checksum_of(object)) return;
  throw Error(fmt::format(
      "{}: its contents do not match its \"{}\", so it was damaged or edited; {}; if you meant to "
      "edit it, delete the line \"{}\"",
      origin.file, kChecksumKey, origin.advice, kChecksumKey));
}

}  // namespace eatt
