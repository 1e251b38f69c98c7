// Translated files that wait to be fetched.
#include "serving/api/download_store.h"

#include <gmock/gmock.h>

namespace eatt::serving {
namespace {

TEST(DownloadStore, FindsFilesByTheirNames) {
  DownloadStore store;
  const std::string first = store.add("a b.txt", "one"), second = store.add("a b.txt", "two");
  EXPECT_THAT(first, ::testing::EndsWith(".a_b.txt"));
  EXPECT_EQ(store.find(first), "one");
  EXPECT_EQ(store.find(second), "two");
  EXPECT_EQ(store.find("a_b.txt"), std::nullopt);
}

TEST(DownloadStore, DropsTheOldestOfManyTinyFiles) {
  DownloadStore store(/*most_bytes=*/30'000);  // A file takes about 300 bytes.
  const std::string first = store.add("a.txt", "x");
  std::string last;
  for (int i = 0; i < 90; ++i) last = store.add("a.txt", "x");
  EXPECT_EQ(store.find(first), "x");
  for (int i = 0; i < 30; ++i) last = store.add("a.txt", "x");
  EXPECT_EQ(store.find(first), std::nullopt);
  EXPECT_EQ(store.find(last), "x");
}

TEST(DownloadStore, DropsTheOldestOfLargeFiles) {
  DownloadStore store(/*most_bytes=*/30'000);
  const std::string content(12'000, 'x');
  const std::string first = store.add("a.txt", content), second = store.add("a.txt", content);
  EXPECT_EQ(store.find(first), content);
  store.add("a.txt", content);
  EXPECT_EQ(store.find(first), std::nullopt);
  EXPECT_EQ(store.find(second), content);
}

}  // namespace
}  // namespace eatt::serving
