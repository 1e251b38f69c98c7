#pragma once

#include <cstddef>
#include <cstdint>

// Exact pairwise L1 distances of integers: result [queries, keys] of
//   Σ |q − k| = 2·Σ max(q, k) − Σ q − Σ k,
// so that an element costs a maximum and an addition. All distances that fit into 32 bits are
// exact: intermediate sums may wrap modulo 2^32.
namespace eatt::kernels {

template <class T>
struct IntRows {
  const T* data;
  size_t rows;
  size_t stride;  // Elements from one row to the next.
};

// Bytes of packed keys; memory must be aligned to 4 bytes, better to 64.
size_t packed_keys_int16_size(size_t keys, size_t dim) noexcept;
size_t packed_keys_uint8_size(size_t keys, size_t dim) noexcept;

// Packs keys [rows, dim] into panels of 32 keys: [panel][⌈dim/n⌉][32 keys][n numbers] with n = 2
// for int16 and 4 for uint8, padded with zeros, then −Σ of each key (int32).
void pack_keys_int16(const IntRows<int16_t>& keys, size_t dim, uint8_t* packed) noexcept;
void pack_keys_uint8(const IntRows<uint8_t>& keys, size_t dim, uint8_t* packed) noexcept;

// distances [queries.rows, keys], `stride` elements from one row to the next.
void l1_distances_int16(const IntRows<int16_t>& queries, const uint8_t* packed_keys, size_t keys,
                        size_t dim, int32_t* distances, size_t stride) noexcept;
void l1_distances_uint8(const IntRows<uint8_t>& queries, const uint8_t* packed_keys, size_t keys,
                        size_t dim, int32_t* distances, size_t stride) noexcept;

}  // namespace eatt::kernels
