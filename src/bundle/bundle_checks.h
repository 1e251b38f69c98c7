#pragma once

#include <span>
#include <string>

#include "base/files/mapped_file.h"
#include "bundle/bundle_folder.h"
#include "bundle/expected_tensors.h"
#include "bundle/manifest.h"
#include "bundle/safetensors.h"

namespace eatt {

// What Bundle::open and check_bundle check, step by step. Each throws an Error: which file, what
// was found, what was expected, what to do.
Manifest read_manifest(const BundleFolder& folder);

// The file is there and has the size that the manifest says. Swapped piece models are named as
// such, here and by their hashes.
void check_size(const BundleFolder& folder, const Manifest& manifest, const std::string& name);

void check_hash(const BundleFolder& folder, const Manifest& manifest, const std::string& name,
                const MappedFile& file);

// The piece model `name` has as many pieces as the embedding of its side has rows.
void check_vocabulary(const BundleFolder& folder, const std::string& name, const MappedFile& file,
                      size_t rows, const std::string& embedding);

// The file has exactly the expected tensors, each with its type and shape, and each where its
// elements can be used in place.
void check_tensors(const std::string& file_name, const Safetensors& weights,
                   std::span<const TensorSpec> expected);

// No value is infinite or not a number. Reads everything.
void check_values(const std::string& file_name, const Safetensors& weights);

}  // namespace eatt
