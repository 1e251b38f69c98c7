#pragma once

#include <cstdint>
#include <string>

#include "support/files.h"

namespace eatt::testing {

// A folder that looks like /sys/class/powercap.
class FakePowercap {
 public:
  static constexpr uint64_t kRange = 262'143'328'850;  // As on a real machine, in microjoules.

  // zone: "intel-rapl:0", "intel-rapl:0:1"; name: "package-0", "dram".
  void add(const std::string& zone, const std::string& name, uint64_t microjoules,
           uint64_t range = kRange) const {
    std::filesystem::create_directory(folder_ / zone);
    set(zone, "name", name);
    set(zone, "max_energy_range_uj", std::to_string(range));
    set_energy(zone, microjoules);
  }
  void set(const std::string& zone, const std::string& file, const std::string& text) const {
    const auto part = folder_.write(zone + "/new", text + "\n");
    std::filesystem::rename(
        part, folder_ / (zone + "/" + file));  // Atomic, because a meter may be reading.
  }
  void set_energy(const std::string& zone, uint64_t microjoules) const {
    set(zone, "energy_uj", std::to_string(microjoules));
  }
  void remove(const std::string& zone) const { std::filesystem::remove_all(folder_ / zone); }

  const std::filesystem::path& path() const { return folder_.path(); }
  std::string energy_file(const std::string& zone) const {
    return (folder_ / (zone + "/energy_uj")).string();
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace eatt::testing
