#pragma once

#include <hwy/highway.h>

#include "kernels/isa.h"

// How a kernel comes about. Each .cc file with SIMD code is compiled once per instruction set, by
// including itself:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "kernels/this_file.cc"
//   #include <hwy/foreach_target.h>     // Includes this very file again, once per instruction set.
//   #include <hwy/highway.h>
//   #include "kernels/something-inl.h"  // Shared SIMD code, in eatt::kernels::HWY_NAMESPACE.
//
//   HWY_BEFORE_NAMESPACE();
//   namespace eatt::kernels::HWY_NAMESPACE {
//   void add_rows(…) {…}                // Named after the public function.
//   }
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE                        // Once only: the public function, which picks one of them.
//   namespace eatt::kernels {
//   HWY_EXPORT(add_rows);
//   void add_rows(…) { EATT_DISPATCH(add_rows)(…); }
//   }
//   #endif
//
// -inl.h files have the guard that vectors-inl.h shows instead of #pragma once.
//
// The call below costs a load and an indirect jump, so what is dispatched is a whole head or block
// of rows.
#define EATT_DISPATCH(function) (::eatt::kernels::chosen_isa(), HWY_DYNAMIC_DISPATCH(function))
