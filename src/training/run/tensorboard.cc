#include "training/run/tensorboard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/protobuf.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "TFRecords are little-endian");

// Numbers of fields in tensorflow/core/util/event.proto and framework/summary.proto.
enum EventField : uint32_t { kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5 };
enum SummaryField : uint32_t { kValue = 1 };
enum ValueField : uint32_t { kTag = 1, kSimpleValue = 2 };

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr uint64_t kMostEventBytes = 1 << 20;  // A longer one of ours would be a damaged length.

template <typename T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// As TFRecord stores checksums: data that hold checksums of their own would otherwise be weak
// spots.
uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return std::rotr(crc, 15) + 0xa282ead8u;
}

// Length, its checksum, data, their checksum.
std::string record_of(std::string_view data) {
  const uint64_t length = data.size();
  std::string record(bytes_of(length));
  record += bytes_of(masked_crc(bytes_of(length)));
  record += data;
  record += bytes_of(masked_crc(data));
  return record;
}

std::string begin_event() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::string event;
  append_double_field(kWallTime, std::chrono::duration<double>(now).count(), event);
  return event;
}

std::string version_record() {
  std::string event = begin_event();
  append_bytes_field(kFileVersion, "brain.Event:2", event);
  return record_of(event);
}

int64_t step_of(std::string_view event) {
  ProtobufReader field(event);
  while (field.next()) {
    if (field.number() == kStep) return static_cast<int64_t>(field.varint());
  }
  return 0;
}

// Takes a record off the front of `bytes`; empty if what is there is cut off or damaged.
std::string_view take_record(std::string_view& bytes) {
  constexpr size_t kAround = sizeof(uint64_t) + 2 * sizeof(uint32_t);
  uint64_t length = 0;
  if (bytes.size() < kAround) return {};
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length > kMostEventBytes || bytes.size() < kAround + length) return {};
  const std::string_view record = bytes.substr(0, kAround + length);
  if (record != record_of(record.substr(sizeof(uint64_t) + sizeof(uint32_t), length))) return {};
  bytes.remove_prefix(record.size());
  return record;
}

// The records of a file up to an update, as they stand there.
std::string records_up_to(int64_t update, const fs::path& file) {
  const MappedFile mapped(file);
  std::string_view rest = mapped.text();
  std::string kept;
  for (auto record = take_record(rest); !record.empty(); record = take_record(rest)) {
    const auto event = record.substr(12, record.size() - 16);
    if (step_of(event) <= update) kept += record;
  }
  return kept;
}

// This run's event files, oldest first: events.out.tfevents.SECONDS.RUN
std::vector<fs::path> files_of(const fs::path& folder, const std::string& run) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const size_t dot = name.find('.', std::min(name.size(), kPrefix.size()));
    if (name.starts_with(kPrefix) && dot != name.npos && name.substr(dot + 1) == run) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// A name that sorts after those of all earlier files.
std::string next_name(const std::vector<fs::path>& earlier, const std::string& run) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  if (!earlier.empty()) {
    const std::string last = earlier.back().filename().string().substr(kPrefix.size());
    seconds = std::max<int64_t>(seconds, std::strtoll(last.c_str(), nullptr, 10) + 1);
  }
  return fmt::format("{}{:010}.{}", kPrefix, seconds, run);
}

using Curves = std::vector<std::pair<std::string, double>>;

// {"encoder_self": [0.1, 0.2], "cross_key": 0.3} → density/encoder_self/1, …, density/cross_key,
// and their mean. Layers without codes have −1 there.
void add_densities(const json& densities, Curves& curves) {
  double sum = 0, count = 0;
  const auto add = [&](const std::string& name, double density) {
    if (density < 0) return;
    curves.emplace_back("density/" + name, density);
    sum += density;
    ++count;
  };
  for (const auto& [role, value] : densities.items()) {
    if (value.is_number()) add(role, value.get<double>());
    for (size_t layer = 0; value.is_array() && layer < value.size(); ++layer) {
      add(fmt::format("{}/{}", role, layer + 1), value[layer].get<double>());
    }
  }
  if (count > 0) curves.emplace_back("density/mean", sum / count);
}

Curves curves_of(const json& event) {
  constexpr std::array<std::string_view, 6> kTrain = {
      "loss", "perplexity", "learning_rate", "gradient_norm", "words_per_second", "alignment_loss"};
  constexpr std::array<std::string_view, 4> kDev = {"cross_entropy", "perplexity", "bleu", "chrf"};
  Curves curves;
  const auto add = [&](const std::string& group, auto names) {
    for (const std::string_view name : names) {
      if (!event.contains(name)) continue;
      const json& found = event.at(std::string(name));
      const json& number = found.is_object() ? found.at("score") : found;
      if (number.is_number()) curves.emplace_back(group + std::string(name), number.get<double>());
    }
  };
  const bool is_validation = event.value("event", "") == "validation";
  if (is_validation) add("dev/", kDev);
  if (!is_validation) add("train/", kTrain);
  if (!is_validation && event.contains("density")) add_densities(event["density"], curves);
  return curves;
}

}  // namespace

TensorBoardLog::TensorBoardLog(const fs::path& folder, const std::string& run, int64_t update) {
  make_folder(folder);
  const std::vector<fs::path> earlier = files_of(folder, run);
  std::string kept;
  for (const fs::path& file : earlier) kept += records_up_to(update, file);
  if (kept.empty()) kept = version_record();
  path_ = folder / next_name(earlier, run);
  write_file_atomically(path_, kept);
  for (const fs::path& file : earlier) fs::remove(file);
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file_.is_open()) {
    throw Error(fmt::format("{}: cannot be opened: {}", path_.string(), system_message(errno)));
  }
}

void TensorBoardLog::add(const json& event) {
  std::string summary;
  for (const auto& [name, number] : curves_of(event)) {
    std::string value;
    append_bytes_field(kTag, name, value);
    append_float_field(kSimpleValue, static_cast<float>(number), value);
    append_bytes_field(kValue, value, summary);
  }
  std::string message = begin_event();
  append_varint_field(kStep, event.value("update", uint64_t{0}), message);
  append_bytes_field(kSummary, summary, message);
  const std::string record = record_of(message);
  if (::write(file_.get(), record.data(), record.size()) == static_cast<ssize_t>(record.size())) {
    return;
  }
  if (!failed_) spdlog::warn("{}: cannot be written: {}", path_.string(), system_message(errno));
  failed_ = true;
}

}  // namespace eatt
