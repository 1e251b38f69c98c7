#include "text/pieces/nmt_nfkc.h"

// The file as it is. The assembler reads it much faster than the compiler would read an array.
asm(".pushsection .rodata\n"
    ".balign 8\n"
    ".hidden eatt_nmt_nfkc\n"
    ".global eatt_nmt_nfkc\n"
    "eatt_nmt_nfkc:\n"
    ".incbin \"" EATT_NMT_NFKC_FILE
    "\"\n"
    ".hidden eatt_nmt_nfkc_end\n"
    ".global eatt_nmt_nfkc_end\n"
    "eatt_nmt_nfkc_end:\n"
    ".popsection\n");

extern "C" {
__attribute__((visibility("hidden"))) extern const char eatt_nmt_nfkc[];
__attribute__((visibility("hidden"))) extern const char eatt_nmt_nfkc_end[];
}

namespace eatt {

std::string_view nmt_nfkc_rules() {
  return {eatt_nmt_nfkc, static_cast<size_t>(eatt_nmt_nfkc_end - eatt_nmt_nfkc)};
}

}  // namespace eatt
