// Any bytes read as TSV are pairs without tabs, reported problems, or an Error.
#include <cstdlib>

#include "base/error.h"
#include "memory_file.h"
#include "text/corpus/pair_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  const std::string path = file.path();
  eatt::PairInput input;
  input.source = path;
  try {
    eatt::PairReader reader({input}, 1000);
    for (eatt::RawPair pair; reader.next(pair);) {
      if (pair.problem != eatt::PairProblem::none) continue;
      if (pair.source.find('\t') != std::string_view::npos) std::abort();
      if (pair.target.find('\t') != std::string_view::npos) std::abort();
      eatt::find_text_problem(pair.source, pair.target);
    }
  } catch (const eatt::Error&) {
  }
  return 0;
}
