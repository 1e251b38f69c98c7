#pragma once

#include <gtest/gtest.h>

#include "kernels/isa.h"

namespace eatt::kernels {

// Runs body() on every instruction set of this CPU; failures name the one they happened on.
template <typename Body>
void on_each_isa(const Body& body) {
  for (const Isa& isa : supported_isas()) {
    SCOPED_TRACE("instruction set " + std::string(isa.name));
    const ForcedIsa forced(isa);
    body();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace eatt::kernels
