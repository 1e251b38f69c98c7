#pragma once

#include <hwy/highway.h>

#include "kernels/isa.h"

// How to write a kernel. Each .cc file with SIMD code is compiled once per instruction set, by
// including itself:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "kernels/this_file.cc"
//   #include <hwy/foreach_target.h>     // Includes this file again, once per instruction set.
//   #include <hwy/highway.h>
//   #include "kernels/something-inl.h"  // Shared SIMD code, in eatt::kernels::HWY_NAMESPACE.
//
//   HWY_BEFORE_NAMESPACE();
//   namespace eatt::kernels::HWY_NAMESPACE {
//   void add_rows(…) {…}                // Named after the public function.
//   }
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE                        // Once: the public function, which calls the best one.
//   namespace eatt::kernels {
//   HWY_EXPORT(add_rows);
//   void add_rows(…) { EATT_DISPATCH(add_rows)(…); }
//   }
//   #endif
//
// -inl.h files have a guard like that of vectors-inl.h instead of #pragma once. Kernels do not
// throw, allocate or log: callers check sizes and provide scratch memory.
//
// A dispatched call costs two loads and an indirect jump, so dispatch a head or a block of rows,
// not a single row.
#define EATT_DISPATCH(function) (::eatt::kernels::chosen_isa(), HWY_DYNAMIC_DISPATCH(function))
