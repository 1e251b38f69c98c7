// Any bytes are either a shortlist with valid answers (sorted, in the vocabulary, with the end
// marker), or an Error.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "base/error.h"
#include "memory_file.h"
#include "runtime/shortlist/shortlist.h"

namespace {

void check_answer(const eatt::Shortlist& shortlist, const std::vector<int32_t>& source) {
  std::vector<int32_t> target;
  shortlist.pieces_for(source, target);
  const bool ascends =
      std::ranges::adjacent_find(target, std::ranges::greater_equal()) == target.end();
  if (target.empty() || target.front() != 3 || !ascends ||
      static_cast<size_t>(target.back()) >= shortlist.target_vocab()) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  try {
    const auto shortlist = eatt::Shortlist::open(file.path());
    check_answer(shortlist, {});
    std::vector<int32_t> all(std::min<size_t>(shortlist.source_vocab(), 1000));
    std::iota(all.begin(), all.end(), 0);
    check_answer(shortlist, all);
  } catch (const eatt::Error&) {
  }
  return 0;
}
