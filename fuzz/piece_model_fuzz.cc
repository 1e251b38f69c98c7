// Any bytes are either a piece model, which then encodes and decodes text, or an Error.
#include <cstdlib>
#include <span>
#include <string>

#include "base/error.h"
#include "bundle/bundle_checks.h"
#include "text/pieces/pieces.h"

namespace {

// Scripts, composed and compatibility characters, spaces, control characters and bytes that are no
// UTF-8.
constexpr char kText[] =
    "  Ａ fünf\tﬁne  \xe4\xb8\xad\xe6\x96\x87\xc2\xa0x\xff\xfe\xe2\x96\x81 e\xcc\x81 1½ \x01";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    if (eatt::count_pieces(bytes, "fuzz") == 0) std::abort();
    const eatt::Pieces pieces({reinterpret_cast<const char*>(data), size}, "fuzz");
    (void)pieces.decode(pieces.encode(kText));
  } catch (const eatt::Error&) {
  }
  return 0;
}
