// What nearly every file of the libtorch half includes; compiled once. Read nothing into it.
#pragma once

#include <torch/torch.h>
