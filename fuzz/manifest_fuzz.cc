// Any text is either a manifest that is the same after printing and parsing, or an Error.
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/expected_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto manifest = eatt::parse_manifest({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (!(eatt::parse_manifest(eatt::print_manifest(manifest), "again") == manifest)) std::abort();
    eatt::parameter_count(manifest.architecture);
    eatt::expected_tensors(manifest.architecture, manifest.precision);
  } catch (const eatt::Error&) {
  }
  return 0;
}
