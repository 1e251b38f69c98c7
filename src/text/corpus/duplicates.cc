#include "text/corpus/duplicates.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/text/unicode.h"

namespace eatt {
namespace {

// Two rounds of multiplying and folding high bits into low ones for every eight bytes, and the
// length at the end, so that "ab" + "c" differs from "a" + "bc".
uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  hash = (hash ^ hash >> 32) * 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 29;
}

uint64_t hash_text(uint64_t hash, std::string_view text) {
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    hash = mix(hash, word);
  }
  uint64_t rest = 0;
  if (at < text.size()) std::memcpy(&rest, text.data() + at, text.size() - at);
  return mix(mix(hash, rest), text.size());
}

}  // namespace

FileDescriptor open_unnamed_file(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return FileDescriptor(fd);
  if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {
    // The file system has no unnamed files: make one with a name and remove the name at once.
    std::string path = (folder / "unnamed-XXXXXX").string();
    const int named = ::mkostemp(path.data(), O_CLOEXEC);
    if (named >= 0) {
      ::unlink(path.c_str());
      return FileDescriptor(named);
    }
  }
  throw Error(fmt::format("{}: cannot make a temporary file there: {}", folder.string(),
                          system_message(errno)));
}

void PairMarks::add(uint64_t number) {
  if (number / 8 >= bits_.size()) bits_.resize(number / 8 + 1);
  char& byte = bits_[number / 8];
  const auto bit = static_cast<char>(1 << number % 8);
  size_ += (byte & bit) == 0;
  byte = static_cast<char>(byte | bit);
}

void PairMarks::save(const std::filesystem::path& file) const {
  write_file_atomically(file, bits_);
}

PairMarks PairMarks::load(const std::filesystem::path& file) {
  PairMarks marks;
  marks.bits_ = read_file(file);
  for (const char byte : marks.bits_) {
    marks.size_ += static_cast<uint64_t>(std::popcount(static_cast<unsigned char>(byte)));
  }
  return marks;
}

uint64_t hash_of_pair(std::string_view source, std::string_view target) {
  return hash_text(hash_text(0, strip(source)), strip(target));
}

void DuplicateFinder::add(uint64_t number, uint64_t hash) {
  Part& part = parts_[hash >> 56];
  part.waiting.push_back({hash, number});
  if (part.waiting.size() == kBlockItems) write_block(part);
}

void DuplicateFinder::write_block(Part& part) {
  if (!file_.is_open()) file_ = FileWriter(open_unnamed_file(folder_));
  part.blocks.push_back(file_.size());
  const std::string_view bytes(reinterpret_cast<const char*>(part.waiting.data()),
                               part.waiting.size() * sizeof(Item));
  if (const int error = file_.write(bytes)) {
    throw Error(fmt::format("{}: cannot keep the hashes of pairs there: {}", folder_.string(),
                            system_message(error)));
  }
  part.waiting.clear();
}

PairMarks DuplicateFinder::find() {
  std::optional<MappedFile> file;
  if (file_.is_open()) {
    if (const int error = file_.flush()) {
      throw Error(fmt::format("{}: cannot keep the hashes of pairs there: {}", folder_.string(),
                              system_message(error)));
    }
    file.emplace(fmt::format("/proc/self/fd/{}", file_.descriptor()));
  }
  PairMarks repeated;
  for (Part& part : parts_) {
    std::vector<Item> items = std::move(part.waiting);
    for (const uint64_t block : part.blocks) {
      const size_t before = items.size();
      items.resize(before + kBlockItems);
      std::memcpy(items.data() + before, file->bytes().data() + block, kBlockItems * sizeof(Item));
      file->drop(block, kBlockItems * sizeof(Item));
    }
    std::ranges::sort(items);
    for (size_t i = 1; i < items.size(); ++i) {
      if (items[i].hash == items[i - 1].hash) repeated.add(items[i].number);
    }
  }
  return repeated;
}

}  // namespace eatt
