#include "builtin/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/progress.h"
#include "builtin/zh_en/patterns.h"

namespace eatt::builtin {
namespace {

constexpr LanguagePair kLanguagePairs[] = {
    {.source = "zh", .target = "en", .source_spacing = Spacing::none, .sentence = zh_en::sentence},
};

}  // namespace

std::string LanguagePair::name() const { return fmt::format("{}-{}", source, target); }

std::span<const LanguagePair> language_pairs() { return kLanguagePairs; }

const LanguagePair& find_language_pair(std::string_view name, std::span<const LanguagePair> known) {
  std::string names;
  for (const LanguagePair& pair : known) {
    if (pair.name() == name) return pair;
    names += (names.empty() ? "" : ", ") + pair.name();
  }
  throw UsageError(
      fmt::format("there is no built-in corpus for the pair '{}'; known pairs: {}", name, names));
}

uint64_t SeenTexts::hash_of(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash == kEmpty ? 1 : hash;
}

size_t SeenTexts::slot_of(uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = (hash ^ (hash >> 32)) & mask;
  while (slots_[slot] != kEmpty && slots_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

bool SeenTexts::contains(std::string_view text) const {
  return slots_[slot_of(hash_of(text))] != kEmpty;
}

void SeenTexts::insert(std::string_view text) {
  uint64_t& slot = slots_[slot_of(hash_of(text))];
  if (slot != kEmpty) return;
  slot = hash_of(text);
  ++size_;
  if (2 * size_ > slots_.size()) grow();
}

void SeenTexts::grow() {
  std::vector<uint64_t> old(2 * slots_.size(), kEmpty);
  old.swap(slots_);
  for (const uint64_t hash : old) {
    if (hash != kEmpty) slots_[slot_of(hash)] = hash;
  }
}

namespace {

constexpr uint64_t kMaxPairs = 100'000'000;  // With more, the hashes alone would take gigabytes.

// Draws sentence pairs until neither side has been seen before.
class DistinctSentences {
 public:
  DistinctSentences(const LanguagePair& pair, uint64_t seed, uint64_t wanted)
      : pair_(pair), random_(seed), wanted_(wanted) {}

  SentencePair next() {
    for (int draws = 0; draws < kMaxDraws; ++draws) {
      Composer composer(random_);
      SentencePair candidate = finish(pair_.sentence(composer));
      // Compared without spaces, because with --raw two segmentations of a text are the same text.
      const std::string source = join(candidate.source, Spacing::none);
      const std::string target = join(candidate.target, Spacing::none);
      if (sources_.contains(source) || targets_.contains(target)) continue;
      sources_.insert(source);
      targets_.insert(target);
      return candidate;
    }
    throw Error(
        fmt::format("the built-in {} grammar produced {} different sentence pairs and then {} "
                    "duplicates in a row, "
                    "but {} pairs are needed; ask for fewer with --train, --dev and --test",
                    pair_.name(), format_count(sources_.size()), format_count(kMaxDraws),
                    format_count(wanted_)));
  }

 private:
  static constexpr int kMaxDraws = 2'000;

  const LanguagePair& pair_;
  Random random_;
  uint64_t wanted_;
  SeenTexts sources_;
  SeenTexts targets_;
};

// The three files of train, dev or test.
class PartFiles {
 public:
  PartFiles(const LanguagePair& pair, const GenerateOptions& options, std::string_view part)
      : source_(path(options, part, pair.source), existing(options)),
        target_(path(options, part, pair.target), existing(options)),
        align_(path(options, part, "align"), existing(options)),
        source_spacing_(options.raw ? pair.source_spacing : Spacing::words),
        target_spacing_(options.raw ? pair.target_spacing : Spacing::words) {}

  void write(const SentencePair& pair) {
    source_.write(join(pair.source, source_spacing_) + "\n");
    target_.write(join(pair.target, target_spacing_) + "\n");
    align_.write(pharaoh(pair, source_spacing_, target_spacing_) + "\n");
  }

  void expect_same_sizes() const {
    for (const AtomicFile* file : {&source_, &target_, &align_}) file->expect_same_size();
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
  static Existing existing(const GenerateOptions& options) {
    return options.overwrite ? Existing::replaced : Existing::kept;
  }

  AtomicFile source_;
  AtomicFile target_;
  AtomicFile align_;
  Spacing source_spacing_;
  Spacing target_spacing_;
};

// Throws a UsageError if the options do not fit the language pair; returns the number of pairs.
uint64_t checked_size(const LanguagePair& pair, const GenerateOptions& options) {
  uint64_t total = 0;
  for (const uint64_t size : {options.train, options.dev, options.test}) {
    total += std::min(size, kMaxPairs + 1);
  }
  if (total > kMaxPairs) {
    throw UsageError(fmt::format(
        "cannot generate more than {} sentence pairs; ask for fewer with --train, --dev and --test",
        format_count(kMaxPairs)));
  }
  if (options.raw && pair.source_spacing == Spacing::words &&
      pair.target_spacing == Spacing::words) {
    throw UsageError(
        fmt::format("--raw removes the spaces of a language that is written without them, but both "
                    "sides of {} are "
                    "written with spaces; leave it out",
                    pair.name()));
  }
  return total;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("{}: cannot create the folder: {}", folder.string(), error.message()));
  }
}

}  // namespace

void generate_corpus(const LanguagePair& pair, const GenerateOptions& options) {
  DistinctSentences sentences(pair, options.seed, checked_size(pair, options));
  make_folder(options.output);
  struct Part {
    std::string_view name;
    uint64_t size;
  };
  // Test and dev come first: they stay the same when the training set grows.
  const std::array<Part, 3> parts = {
      {{"test", options.test}, {"dev", options.dev}, {"train", options.train}}};
  std::vector<std::unique_ptr<PartFiles>> files;
  uint64_t done = 0;
  for (const Part& part : parts) {
    files.push_back(std::make_unique<PartFiles>(pair, options, part.name));
    for (uint64_t i = 0; i < part.size; ++i) {
      files.back()->write(sentences.next());
      if (++done % 256 == 0 && options.progress) options.progress(done);
    }
  }
  for (const auto& file : files) file->expect_same_sizes();
  for (const auto& file : files) file->commit();
}

}  // namespace eatt::builtin
