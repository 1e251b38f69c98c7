// Runs a fuzz target without libFuzzer: every file in the given folders and mutations of each, the
// same on every run. Catches regressions; scripts/fuzz.sh looks for new crashes.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/random.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr int kMutationsPerFile = 200;

void run_one(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// Replaces, deletes or repeats a few bytes, or cuts off the end.
std::string mutate(std::string bytes, eatt::Random& random) {
  for (uint64_t edit = 0; edit <= random.below(4) && !bytes.empty(); ++edit) {
    const size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes.erase(at, 1 + random.below(8));
        break;
      case 2:
        bytes.insert(at, bytes.substr(at, 1 + random.below(8)));
        break;
      default:
        bytes.resize(at);
        break;
    }
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::exists(argv[i])) continue;  // A target with no regressions yet.
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.push_back(entry);
  }
  if (files.empty()) {
    fmt::print(stderr, "no inputs found: a fuzz target needs seeds\n");
    return 1;
  }
  eatt::Random random(1);
  run_one("");
  for (const auto& file : files) {
    const std::string bytes = eatt::read_file(file);
    run_one(bytes);
    for (int i = 0; i < kMutationsPerFile; ++i) run_one(mutate(bytes, random));
  }
  fmt::print("{} inputs and {} mutations of each: none crashed\n", files.size(), kMutationsPerFile);
}
