#include "base/sha256.h"

#include <fmt/format.h>
#include <nettle/sha2.h>

#include <array>

namespace eatt {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { sha256_init(&state_->context); }
Sha256::~Sha256() = default;

void Sha256::update(std::string_view bytes) {
  sha256_update(&state_->context, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
}

std::string Sha256::hex_digest() {
  std::array<uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state_->context, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  return sha256_of(MappedFile(path));
}

std::string sha256_of(const MappedFile& file) {
  // In steps, dropping what was read, so that hashing a large file does not count as memory used.
  constexpr size_t kStep = size_t{4} << 20;
  Sha256 hash;
  for (size_t offset = 0; offset < file.text().size(); offset += kStep) {
    hash.update(file.text().substr(offset, kStep));
    file.drop(offset, kStep);
  }
  return hash.hex_digest();
}

}  // namespace eatt
