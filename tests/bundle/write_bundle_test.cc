// A bundle on the disk is the old one or the new one, whatever happens while it is written.
#include "bundle/write_bundle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "bundle/bundle.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::RandomBundle;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;
using testing::tiny_architecture;

size_t entries_in(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
}

// A bundle whose manifest and weights both carry `mark`.
RandomBundle marked(int mark) {
  RandomBundle bundle(tiny_architecture(), static_cast<uint64_t>(mark));
  bundle.contents().manifest.made["mark"] = std::to_string(mark);
  return bundle;
}

// The mark of the bundle at `path`; an exception if its files are not of one bundle.
std::string mark_of(const fs::path& path) { return Bundle::open(path).manifest().made.at("mark"); }

TEST(WriteBundle, ReplacesABundleAndLeavesNoLitter) {
  const TemporaryFolder folder;
  write_bundle(folder / "model", marked(1).contents());
  EXPECT_EQ(mark_of(folder / "model"), "1");
  const Manifest written = write_bundle(folder / "model", marked(2).contents());
  EXPECT_EQ(mark_of(folder / "model"), "2");
  EXPECT_EQ(Bundle::open(folder / "model").manifest(), written);
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(WriteBundle, ReplacesNothingThatIsNoBundle) {
  const TemporaryFolder folder;
  folder.write("home/letter.txt", "dear");
  EXPECT_THAT([&] { write_bundle(folder / "home", marked(1).contents()); },
              ThrowsMessage<Error>(HasSubstr("home: exists but is not a bundle")));
  EXPECT_THAT([&] { write_bundle(folder / "home/letter.txt", marked(1).contents()); },
              ThrowsMessage<Error>(HasSubstr("exists but is not a bundle")));
  EXPECT_EQ(testing::read_text(folder / "home/letter.txt"), "dear");
  folder.write("other/config.json", "{\"model_type\": \"marian\"}");
  EXPECT_THAT([&] { write_bundle(folder / "other", marked(1).contents()); },
              ThrowsMessage<Error>(HasSubstr("other: exists but is not a bundle")));
  folder.write("old/config.json", "{\"format\": \"eatt-bundle\", cut");
  write_bundle(folder / "old", marked(1).contents());
  EXPECT_EQ(mark_of(folder / "old"), "1");
  fs::create_directory(folder / "empty");
  write_bundle(folder / "empty", marked(1).contents());
  EXPECT_EQ(mark_of(folder / "empty"), "1");
}

TEST(WriteBundle, AFullDiskLeavesTheOldBundleWhole) {
  const TemporaryFolder folder;
  write_bundle(folder / "model", marked(1).contents());
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ::getrlimit(RLIMIT_FSIZE, &old_limit);
  const rlimit small{4096, old_limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);  // Every write beyond 4 KB fails, as on a full disk.
  EXPECT_THAT([&] { write_bundle(folder / "model", marked(2).contents()); },
              ThrowsMessage<Error>(HasSubstr("model.safetensors: cannot write")));
  ::setrlimit(RLIMIT_FSIZE, &old_limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(mark_of(folder / "model"), "1");
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(WriteBundle, AKilledWriterLeavesOneOfTheTwoAndTheNextOneCleansUp) {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  write_bundle(path, marked(1).contents());
  Random random(7);
  for (int round = 0; round < 15; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (int mark = 1;; mark = 3 - mark) write_bundle(path, marked(mark).contents());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(40'000)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_THAT(mark_of(path), AnyOf("1", "2")) << "round " << round;
  }
  write_bundle(path, marked(3).contents());
  EXPECT_EQ(mark_of(path), "3");
  EXPECT_EQ(entries_in(folder.path()), 1u);
}

TEST(WriteBundle, AReaderNeverSeesAMixNorAGap) {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  write_bundle(path, marked(1).contents());
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 60; ++i) write_bundle(path, marked(1 + i % 2).contents());
    done = true;
  });
  int opened = 0;
  while (!done) {
    EXPECT_NO_THROW({
      const std::string mark = mark_of(path);  // Hashes of all files checked.
      EXPECT_THAT(mark, AnyOf("1", "2"));
    });
    ++opened;
  }
  writer.join();
  EXPECT_GT(opened, 0);
}

TEST(WriteBundle, AnOpenBundleStaysUsableWhenItIsReplaced) {
  const TemporaryFolder folder;
  write_bundle(folder / "model", marked(1).contents());
  const Bundle bundle = Bundle::open(folder / "model");
  const auto values = bundle.weights().values<float>("encoder.layers.0.fc1.weight");
  const std::vector<float> before(values.begin(), values.end());
  write_bundle(folder / "model", marked(2).contents());
  EXPECT_TRUE(std::ranges::equal(before, values));
}

TEST(WriteBundle, ContentsThatContradictEachOtherAreNotWritten) {
  const TemporaryFolder folder;
  RandomBundle bundle = marked(1);
  bundle.contents().source_piece_model = testing::piece_model(41);
  EXPECT_THAT(
      [&] { write_bundle(folder / "model", bundle.contents()); },
      ThrowsMessage<Error>(HasSubstr("the source piece model: has 41 pieces, but the source "
                                     "embedding has 40 rows")));
  bundle = marked(1);
  bundle.contents().manifest.source_language = "not a code";
  EXPECT_THAT([&] { write_bundle(folder / "model", bundle.contents()); },
              ThrowsMessage<Error>(HasSubstr("languages.source: found \"not a code\"")));
  bundle = marked(1);
  bundle.contents().manifest.architecture.heads = 3;
  EXPECT_THAT([&] { write_bundle(folder / "model", bundle.contents()); },
              ThrowsMessage<Error>(HasSubstr("attention_dim: found 8")));
  bundle = marked(1);
  bundle.contents().tensors.pop_back();
  EXPECT_THROW(write_bundle(folder / "model", bundle.contents()), InternalError);
  bundle = marked(1);
  bundle.contents().tensors.front().shape = {50, 8};
  EXPECT_THROW(write_bundle(folder / "model", bundle.contents()), InternalError);
  EXPECT_EQ(entries_in(folder.path()), 0u);
}

}  // namespace
}  // namespace eatt
