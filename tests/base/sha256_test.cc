#include "base/sha256.h"

#include <gtest/gtest.h>

#include "support/files.h"

namespace eatt {
namespace {

TEST(Sha256, AgreesWithTheStandardsVectors) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheDigestOfTheWhole) {
  Sha256 hash;
  hash.update("a");
  hash.update("");
  hash.update("bc");
  EXPECT_EQ(hash.hex_digest(), sha256_hex("abc"));
  hash.update("abc");
  EXPECT_EQ(hash.hex_digest(), sha256_hex("abc")) << "usable again after hex_digest()";
}

TEST(Sha256, AFileLargerThanOneStepHashesLikeItsBytes) {
  const testing::TemporaryFolder folder;
  const std::string bytes((9 << 20) + 17, 'z');
  EXPECT_EQ(sha256_of_file(folder.write("large", bytes)), sha256_hex(bytes));
}

}  // namespace
}  // namespace eatt
