#pragma once

#include <array>
#include <vector>

#include "energy/kinds.h"
#include "energy/shape.h"

namespace eatt::energy {

// Densities of the three roles, in the order of kRoles, and where they come from.
struct Densities {
  enum class Source {
    paper,  // Its figure of nonzero values: En-Vi, six layers.
    given,  // One number for all.
  };
  struct ByRole {
    Role role = Role::encoder_self;
    std::vector<Density> layers;  // From the first layer on; empty if not known by layer.
    Density mean;                 // Over the layers.
  };

  Source source = Source::paper;
  std::array<ByRole, kRoles.size()> roles;
  // Over the three roles. Energy is linear in density, so this gives the mean energy as well.
  Density mean;
};

Densities paper_densities();

// Throws a UsageError unless 0 <= density <= 1.
Densities uniform_densities(double density);

}  // namespace eatt::energy
