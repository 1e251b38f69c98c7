#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files/open_file.h"
#include "base/text/utf8.h"
#include "energy/meter/power_meter.h"

namespace eatt::energy {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_read(const fs::path& path, int error_number,
                               std::string_view advice = {}) {
  throw Error(fmt::format("{}: cannot be read: {}{}", path.string(), system_message(error_number),
                          error_number == EACCES || error_number == EPERM ? advice : ""));
}

// The first line of a file of sysfs.
std::string read_line(const fs::path& file, std::string_view advice = {}) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) fail_to_read(file, errno, advice);
  std::array<char, 256> bytes;
  const ssize_t size = ::read(opened.get(), bytes.data(), bytes.size());
  if (size < 0) fail_to_read(file, errno, advice);
  const std::string_view text(bytes.data(), static_cast<size_t>(size));
  return std::string(text.substr(0, text.find('\n')));
}

uint64_t read_number(const fs::path& file, uint64_t low, uint64_t high,
                     std::string_view advice = {}) {
  const std::string text = read_line(file, advice);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < low ||
      number > high) {
    throw Error(fmt::format("{}: found {}, expected an integer from {} to {}", file.string(),
                            in_quotes(text), low, high));
  }
  return number;
}

// "intel-rapl:0" of "intel-rapl:0:1"; nothing of "intel-rapl:0".
std::string parent_of(const std::string& zone) {
  const size_t colon = zone.rfind(':');
  return zone.find(':') == colon ? "" : zone.substr(0, colon);
}

// Names of folders that begin with `prefix`, sorted: a zone comes after the one that contains it.
std::set<std::string> zones(const fs::path& root, std::string_view prefix) {
  std::set<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.starts_with(prefix)) found.insert(std::move(name));
  }
  if (error == std::errc::no_such_file_or_directory) {
    throw Error(fmt::format("this machine (or container) has no energy counters: {} does not exist",
                            root.string()));
  }
  if (error) fail_to_read(root, error.value());
  return found;
}

// A package, and its dram if it has one.
struct Package {
  PowerDomain package;
  std::optional<PowerDomain> dram;
  std::optional<Error>
      unnamed;  // Why a zone inside, which may be its dram, could not be identified.
};

// The packages among the zones that begin with `prefix`, by zone.
std::map<std::string, Package> find_packages(const fs::path& root, std::string_view prefix) {
  std::map<std::string, Package> packages;
  for (const std::string& zone : zones(root, prefix)) {
    const std::string parent = parent_of(zone);
    const auto package = packages.find(parent);
    if (!parent.empty() && package == packages.end()) continue;  // Inside psys or the like.
    const fs::path folder = root / zone;
    std::string name;
    try {
      name = printable(read_line(folder / "name"));
    } catch (const Error& error) {
      if (parent.empty()) throw;  // It may be a package.
      package->second.unnamed = error;
      continue;
    }
    if (parent.empty() && name.starts_with("package-")) {
      packages[zone].package = {name, PowerDomain::Kind::package, folder, 0};
    } else if (!parent.empty() && name == "dram") {
      package->second.dram = {"", PowerDomain::Kind::dram, folder, 0};
    }
  }
  return packages;
}

// Those of intel-rapl, and those of intel-rapl-mmio that do not repeat them.
std::vector<std::pair<std::string, Package>> find_all_packages(const fs::path& root) {
  const auto first = find_packages(root, "intel-rapl:");
  std::vector<std::pair<std::string, Package>> packages(first.begin(), first.end());
  for (const auto& mmio : find_packages(root, "intel-rapl-mmio:")) {
    const Package& again = mmio.second;
    const auto known_end = packages.begin() + static_cast<long>(first.size());
    const auto known = std::find_if(packages.begin(), known_end, [&](const auto& other) {
      return other.second.package.name == again.package.name;
    });
    if (known == known_end) {
      packages.push_back(mmio);
    } else if (!known->second.dram) {
      known->second.dram = again.dram;
      if (!known->second.unnamed) known->second.unnamed = again.unnamed;
    }
  }
  return packages;
}

}  // namespace

fs::path powercap_root() {
  const char* root = std::getenv("EATT_POWERCAP");
  return root != nullptr && *root != '\0' ? root : "/sys/class/powercap";
}

std::vector<PowerDomain> find_power_domains(const fs::path& root) {
  const auto packages = find_all_packages(root);
  if (packages.empty()) {
    throw Error(fmt::format(
        "this machine has no energy counters: {} has no package intel-rapl:N; on bare metal, `sudo "
        "modprobe intel_rapl_msr` may help",
        root.string()));
  }
  std::vector<PowerDomain> domains;
  std::set<std::string> names;
  for (auto [zone, package] : packages) {
    if (!package.dram && package.unnamed) throw *package.unnamed;
    std::string& name = package.package.name;
    if (!names.insert(name).second) name = fmt::format("{} ({})", name, zone);
    domains.push_back(package.package);
    if (!package.dram) continue;
    package.dram->name = "dram of " + name;
    domains.push_back(*package.dram);
  }
  for (PowerDomain& domain : domains) {
    domain.range_microjoules =
        read_number(domain.folder / "max_energy_range_uj", 1, uint64_t{1} << 62);
  }
  return domains;
}

uint64_t read_energy(const PowerDomain& domain) {
  // The pattern is for the user's shell, which may list these folders.
  const std::string advice =
      fmt::format("; `sudo chmod a+r {}/intel-rapl*/energy_uj` grants it until the next boot",
                  domain.folder.parent_path().string());
  return read_number(domain.folder / "energy_uj", 0, domain.range_microjoules, advice);
}

}  // namespace eatt::energy
