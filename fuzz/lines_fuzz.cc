// Any bytes, plain or gzip, are lines within the limit, or an Error.
#include <cstdlib>

#include "base/error.h"
#include "memory_file.h"
#include "text/corpus/line_reader.h"
#include "text/corpus/pair_problem.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMaxLineBytes = 1000;
  const MemoryFile file(data, size);
  const std::string path = file.path();
  try {
    eatt::LineReader reader(path, kMaxLineBytes);
    uint64_t lines = 0;
    for (eatt::LineReader::Line line; reader.next(line);) {
      ++lines;
      if (line.text.size() > kMaxLineBytes) std::abort();
      if (line.text.find('\n') != std::string_view::npos) std::abort();
      if (line.too_long != (line.size > kMaxLineBytes)) std::abort();
      eatt::find_text_problem(line.text, line.text);
    }
    if (reader.number() != lines) std::abort();
  } catch (const eatt::Error&) {
  }
  return 0;
}
