#include "energy/powercap.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "bundle/printable.h"

namespace eatt::energy {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_read(const fs::path& file, int error_number) {
  // The pattern is for the user's shell, which may list these folders.
  const std::string advice =
      error_number == EACCES || error_number == EPERM
          ? fmt::format("; `sudo chmod a+r {}/intel-rapl*/energy_uj` grants it until the next boot",
                        file.parent_path().parent_path().string())
          : "";
  throw Error(
      fmt::format("{}: cannot be read: {}{}", file.string(), system_message(error_number), advice));
}

// The first line of a file of sysfs.
std::string read_line(const fs::path& file) {
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) fail_to_read(file, errno);
  std::array<char, 256> bytes;
  const ssize_t size = ::read(opened.get(), bytes.data(), bytes.size());
  if (size < 0) fail_to_read(file, errno);
  const std::string_view text(bytes.data(), static_cast<size_t>(size));
  return std::string(text.substr(0, text.find('\n')));
}

uint64_t read_number(const fs::path& file, uint64_t low, uint64_t high) {
  const std::string text = read_line(file);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < low ||
      number > high) {
    throw Error(fmt::format("{}: found {}, expected a whole number from {} to {}", file.string(),
                            in_quotes(text), low, high));
  }
  return number;
}

// "intel-rapl:0" of "intel-rapl:0:1"; nothing of "intel-rapl:0".
std::string parent_of(const std::string& zone) {
  const size_t colon = zone.rfind(':');
  return zone.find(':') == colon ? "" : zone.substr(0, colon);
}

// Names of folders that begin with `prefix`, in order: a zone stands behind what contains it.
std::set<std::string> zones(const fs::path& root, std::string_view prefix) {
  std::set<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.starts_with(prefix)) found.insert(std::move(name));
  }
  if (error == std::errc::no_such_file_or_directory) {
    throw Error(fmt::format(
        "{}: is not there, so this machine (or container) does not tell what energy it takes",
        root.string()));
  }
  if (error) fail_to_read(root, error.value());
  return found;
}

// Packages and their dram among the zones that begin with `prefix`, beside those already found.
void add_domains(const fs::path& root, std::string_view prefix, std::vector<PowerDomain>& domains) {
  std::map<std::string, std::string> packages;  // By zone.
  for (const std::string& zone : zones(root, prefix)) {
    PowerDomain domain;
    domain.folder = root / zone;
    domain.name = read_line(domain.folder / "name");
    if (domain.name.starts_with("package-")) {
      packages[zone] = domain.name;
    } else if (const auto package = packages.find(parent_of(zone));
               domain.name == "dram" && package != packages.end()) {
      domain.kind = PowerDomain::Kind::dram;
      domain.name = "dram of " + package->second;
    } else {
      continue;
    }
    const bool is_known = std::any_of(domains.begin(), domains.end(),
                                      [&](const auto& other) { return other.name == domain.name; });
    if (is_known) continue;
    domain.range_microjoules =
        read_number(domain.folder / "max_energy_range_uj", 1, uint64_t{1} << 62);
    domains.push_back(std::move(domain));
  }
}

}  // namespace

fs::path powercap_root() {
  const char* root = std::getenv("EATT_POWERCAP");
  return root != nullptr && *root != '\0' ? root : "/sys/class/powercap";
}

std::vector<PowerDomain> find_power_domains(const fs::path& root) {
  std::vector<PowerDomain> domains;
  add_domains(root, "intel-rapl:", domains);
  add_domains(root, "intel-rapl-mmio:", domains);
  if (domains.empty()) {
    throw Error(fmt::format(
        "{}: has no intel-rapl:N that is a package, so this machine does not tell what energy it "
        "takes; on bare metal, `sudo modprobe intel_rapl_msr` may help",
        root.string()));
  }
  return domains;
}

uint64_t read_energy(const PowerDomain& domain) {
  return read_number(domain.folder / "energy_uj", 0, domain.range_microjoules);
}

}  // namespace eatt::energy
