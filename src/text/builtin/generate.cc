#include "text/builtin/generate.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/progress.h"

namespace eatt::builtin {
namespace {

// FNV-1a: the same on every machine, so that the choice of sentences is, too.
uint64_t hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

// Draws sentence pairs of which neither side has come before. Keeps 64-bit hashes, not sentences:
// should two sentences share one, the second is passed over and nothing else happens.
class DistinctSentences {
 public:
  DistinctSentences(const LanguagePair& pair, uint64_t seed, uint64_t wanted)
      : pair_(pair), random_(seed), wanted_(wanted) {
    sources_.reserve(wanted);
    targets_.reserve(wanted);
  }

  SentencePair next() {
    for (int draws = 0; draws < kMaxDraws; ++draws) {
      Composer composer(random_);
      SentencePair candidate = finish(pair_.sentence(composer));
      // Without spaces: two ways to cut one sentence into words are still one sentence.
      const uint64_t source = hash_of(join(candidate.source, Spacing::none));
      const uint64_t target = hash_of(join(candidate.target, Spacing::none));
      if (sources_.contains(source) || targets_.contains(target)) continue;
      sources_.insert(source);
      targets_.insert(target);
      return candidate;
    }
    throw Error(fmt::format(
        "the built-in {} grammar gave {} different sentences and then {} times in a row one it had "
        "given before; {} were asked for: ask for fewer with --train, --dev and --test",
        pair_.name(), format_count(sources_.size()), format_count(kMaxDraws),
        format_count(wanted_)));
  }

 private:
  static constexpr int kMaxDraws = 2'000;

  const LanguagePair& pair_;
  Random random_;
  uint64_t wanted_;
  std::unordered_set<uint64_t> sources_;
  std::unordered_set<uint64_t> targets_;
};

// The three files of train, dev or test.
class PartFiles {
 public:
  PartFiles(const LanguagePair& pair, const GenerateOptions& options, std::string_view part)
      : source_(path(options, part, pair.source)),
        target_(path(options, part, pair.target)),
        align_(path(options, part, "align")),
        source_spacing_(options.raw ? pair.source_spacing : Spacing::words),
        target_spacing_(options.raw ? pair.target_spacing : Spacing::words) {}

  void write(const SentencePair& pair) {
    source_.write(join(pair.source, source_spacing_) + "\n");
    target_.write(join(pair.target, target_spacing_) + "\n");
    align_.write(pharaoh(pair, source_spacing_, target_spacing_) + "\n");
  }

  void commit() {
    source_.commit();
    target_.commit();
    align_.commit();
  }

 private:
  static std::filesystem::path path(const GenerateOptions& options, std::string_view part,
                                    std::string_view extension) {
    return options.output / fmt::format("{}.{}", part, extension);
  }

  AtomicFile source_;
  AtomicFile target_;
  AtomicFile align_;
  Spacing source_spacing_;
  Spacing target_spacing_;
};

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  }
}

}  // namespace

void generate_corpus(const LanguagePair& pair, const GenerateOptions& options) {
  make_folder(options.output);
  struct Part {
    std::string_view name;
    uint64_t size;
  };
  // Test and dev come first: they stay the same when the training set grows.
  const std::array<Part, 3> parts = {
      {{"test", options.test}, {"dev", options.dev}, {"train", options.train}}};
  DistinctSentences sentences(pair, options.seed, options.train + options.dev + options.test);
  std::vector<std::unique_ptr<PartFiles>> files;
  uint64_t done = 0;
  for (const Part& part : parts) {
    files.push_back(std::make_unique<PartFiles>(pair, options, part.name));
    for (uint64_t i = 0; i < part.size; ++i) {
      files.back()->write(sentences.next());
      if (++done % 256 == 0 && options.progress) options.progress(done);
    }
  }
  for (const auto& file : files) file->commit();
}

}  // namespace eatt::builtin
