#include <gtest/gtest.h>

#include <string>

#include "base/sha256.h"
#include "builtin/generate.h"
#include "support/files.h"

namespace eatt::builtin {
namespace {

TEST(BuiltinCorpusGolden, ASeedGivesTheSameBytesOnEveryMachine) {
  const testing::TemporaryFolder folder;
  generate_corpus(find_language_pair("zh-en"),
                  {.train = 2000, .dev = 100, .test = 100, .seed = 1, .output = folder.path()});
  Sha256 digest;
  for (const char* part : {"train", "dev", "test"}) {
    for (const char* side : {".zh", ".en", ".align"}) {
      digest.update(testing::read_text(folder / (std::string(part) + side)));
    }
  }
  // Changes with every change of the grammar or its words. Then put the new digest here, and tell
  // users in CHANGELOG.md that scores on the built-in corpus cannot be compared with older ones.
  EXPECT_EQ(digest.hex_digest(),
            "7c5fbcee123fd61ae166d8982620f04e897f1557fd57e82373b6940e23a2a1fa");
}

}  // namespace
}  // namespace eatt::builtin
