// `eatt shortlist`: which target pieces each source piece makes likely, so that the runtime need
// not compute the whole output layer.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/progress.h"
#include "bundle/bundle.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/program.h"
#include "runtime/shortlist/build_shortlist.h"
#include "text/corpus/languages.h"
#include "text/data/data_set.h"
#include "text/lexicon/lexical_model.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string bundle;
  std::vector<std::string> train_sets;
  TsvOptions tsv;
  std::string prepared;
  std::string lexicon;
  fs::path output;
  ShortlistOptions shortlist;
  uint64_t max_pairs = 1'000'000;
  int iterations = 5;
  bool json = false;
};

void check(const Command& command, const Arguments& arguments) {
  if (std::ranges::count(arguments.train_sets, "-") + std::ranges::count(arguments.tsv.files, "-") >
      1) {
    throw UsageError("standard input (-) can be given only once");
  }
  const bool text = !arguments.train_sets.empty() || !arguments.tsv.files.empty();
  if (text && !arguments.prepared.empty()) {
    throw UsageError("--prepared excludes --train-sets and --tsv; give one of them");
  }
  if (!text && arguments.prepared.empty() && arguments.lexicon.empty()) {
    throw UsageError("nothing to learn from; use --train-sets, --tsv, --prepared or --lexicon");
  }
  if (command.given("--tsv-columns") && arguments.tsv.files.empty()) {
    throw UsageError("--tsv-columns needs --tsv FILE, whose columns it chooses");
  }
  if (!text && arguments.prepared.empty() && command.given("--max-pairs")) {
    throw UsageError("--max-pairs has no effect with --lexicon alone, because no text is read");
  }
  if (!arguments.lexicon.empty() && command.given("--iterations")) {
    throw UsageError("--iterations has no effect with --lexicon, because nothing is learned");
  }
}

// The sentence pairs of a command: text that was encoded, or a data set. Either may be absent.
struct Corpus {
  std::unique_ptr<const DataSet> data;
  std::unique_ptr<const PiecePairs> pairs;  // May refer to `data`.
  std::unique_ptr<DataSetCheck> check;      // Of `data`, in the background.
};

void expect_vocabulary(const std::filesystem::path& file, const std::string& found,
                       const Pieces& pieces, const std::string& bundle) {
  if (found == pieces.sha256()) return;
  throw Error(
      fmt::format("{}: is another vocabulary than that of {} (SHA-256 {}…, expected {}…); prepare "
                  "the text with --pieces from the bundle, or give it as --train-sets",
                  file.string(), bundle, found.substr(0, 12), pieces.sha256().substr(0, 12)));
}

Corpus open_corpus(const Arguments& arguments, const Pieces& source, const Pieces& target) {
  Corpus corpus;
  if (!arguments.prepared.empty()) {
    corpus.data = std::make_unique<DataSet>(arguments.prepared);
    const DataSet& data = *corpus.data;
    expect_vocabulary(data.source_pieces_file(), data.info().source.sha256, source,
                      arguments.bundle);
    expect_vocabulary(data.target_pieces_file(), data.info().target.sha256, target,
                      arguments.bundle);
    corpus.pairs = std::make_unique<PreparedPairs>(data, arguments.max_pairs);
    corpus.check = std::make_unique<DataSetCheck>(data);
  } else if (const auto inputs = pair_inputs(arguments.train_sets, arguments.tsv);
             !inputs.empty()) {
    corpus.pairs =
        std::make_unique<StoredPairs>(encode_pairs(inputs, source, target, arguments.max_pairs));
  }
  return corpus;
}

// What is told about the shortlist made.
struct Report {
  uint64_t pairs_learnt = 0;
  double seconds = 0;
  uint64_t bytes = 0;
  size_t always = 0;
  int target_vocab = 0;
  ShortlistCoverage coverage;
};

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string text_report(const Report& report, const std::string& file) {
  std::string text;
  if (report.pairs_learnt > 0) {
    text += fmt::format("learned from  {:>12}  pairs in {}\n", format_count(report.pairs_learnt),
                        format_duration(report.seconds));
  }
  text += fmt::format("always        {:>12}  of {} target pieces\n", report.always,
                      format_count(static_cast<uint64_t>(report.target_vocab)));
  const ShortlistCoverage& coverage = report.coverage;
  if (coverage.pairs > 0) {
    text += fmt::format(
        "mean size     {:>12.0f}  pieces per sentence\n"
        "coverage      {:>10.2f} %  of the target pieces of {} pairs held out; {:.1f} % of them "
        "completely\n",
        ratio(coverage.sizes, coverage.pairs),
        100 * ratio(coverage.covered, coverage.target_pieces), format_count(coverage.pairs),
        100 * ratio(coverage.covered_pairs, coverage.pairs));
  }
  return text +
         fmt::format("written       {:>9} KB  {}\n", format_count(report.bytes / 1024 + 1), file);
}

std::string json_report(const Report& report, const std::string& file) {
  nlohmann::ordered_json json = {{"file", file},
                                 {"bytes", report.bytes},
                                 {"pairs", report.pairs_learnt},
                                 {"seconds", report.seconds},
                                 {"target_vocab", report.target_vocab},
                                 {"always", report.always}};
  const ShortlistCoverage& coverage = report.coverage;
  if (coverage.pairs > 0) {
    json["held_out"] = {{"pairs", coverage.pairs},
                        {"mean_size", ratio(coverage.sizes, coverage.pairs)},
                        {"coverage", ratio(coverage.covered, coverage.target_pieces)},
                        {"covered_pairs", ratio(coverage.covered_pairs, coverage.pairs)}};
  }
  return json.dump() + "\n";
}

// The vocabularies of the bundle. Only they matter here, and their digests are taken anyway.
struct Vocabularies {
  explicit Vocabularies(const Bundle& bundle)
      : source(bundle.source_piece_model(),
               (bundle.path() / bundle.manifest().source_pieces).string()),
        target(bundle.target_piece_model(),
               (bundle.path() / bundle.manifest().target_pieces).string()) {}

  Pieces source;
  Pieces target;
};

void check_text_languages(const Arguments& arguments, const Manifest& manifest) {
  const Direction direction = {manifest.source_language, manifest.target_language};
  const auto& files = arguments.train_sets;
  for (size_t i = 0; i + 1 < files.size(); i += 2) {
    check_languages(direction, "the model", {"--train-sets", files[i], files[i + 1]});
  }
}

ShortlistContents make_shortlist(const Arguments& arguments, const Vocabularies& vocabularies,
                                 const PiecePairs* training) {
  const auto& [source, target] = vocabularies;
  const LexicalModel lexicon =
      arguments.lexicon.empty()
          ? train_lexical_model(*training, {.source_vocab = source.size(),
                                            .target_vocab = target.size(),
                                            .iterations = arguments.iterations})
          : read_lexicon(arguments.lexicon, source, target);
  const auto counts = training != nullptr ? count_target_pieces(*training, target.size())
                                          : expected_target_counts(lexicon, target.size());
  return build_shortlist(lexicon, counts, source, target, arguments.shortlist);
}

// Where the shortlist is written and read back, to measure it: its own place, or a temporary file
// whose bytes are passed on to a pipe or a device.
class WrittenShortlist {
 public:
  explicit WrittenShortlist(const fs::path& output)
      : output_(output), passes_on_(is_written_through(output)) {
    file_ = passes_on_ ? fs::temp_directory_path() / fmt::format("eatt-shortlist-{}", ::getpid())
                       : output;
  }
  WrittenShortlist(const WrittenShortlist&) = delete;
  WrittenShortlist& operator=(const WrittenShortlist&) = delete;
  ~WrittenShortlist() {
    std::error_code ignored;
    if (passes_on_) fs::remove(file_, ignored);
  }

  void write(const ShortlistContents& contents) const {
    write_shortlist(file_, contents);
    if (passes_on_) write_file_atomically(output_, read_file(file_));
  }
  const fs::path& file() const { return file_; }

 private:
  fs::path output_, file_;
  bool passes_on_;
};

void run(const Command& command, const Arguments& arguments) {
  check(command, arguments);
  if (std::error_code none; fs::is_directory(arguments.output, none)) {
    throw UsageError(fmt::format("--output {} is a folder; expected the name of a file",
                                 arguments.output.string()));
  }
  const auto start = std::chrono::steady_clock::now();
  const Bundle bundle = Bundle::open(arguments.bundle, {.verify_hashes = false});
  check_text_languages(arguments, bundle.manifest());
  const Vocabularies vocabularies(bundle);
  const Corpus corpus = open_corpus(arguments, vocabularies.source, vocabularies.target);
  std::optional<PartOfPairs> training, held_out;
  if (corpus.pairs) {
    training.emplace(*corpus.pairs, PartOfPairs::Part::training);
    held_out.emplace(*corpus.pairs, PartOfPairs::Part::held_out);
  }
  const auto made = make_shortlist(arguments, vocabularies, training ? &*training : nullptr);
  if (corpus.check) corpus.check->wait();  // Nothing is written if the data set has changed.
  const WrittenShortlist written(arguments.output);
  written.write(made);

  const Shortlist shortlist = Shortlist::open(written.file());
  Report report;
  if (arguments.lexicon.empty()) report.pairs_learnt = training->size();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.bytes = fs::file_size(written.file());
  report.always = shortlist.always().size();
  report.target_vocab = vocabularies.target.size();
  if (held_out) report.coverage = measure_coverage(shortlist, *held_out);
  const std::string file = arguments.output.string();
  print_report(arguments.json ? json_report(report, file) : text_report(report, file),
               arguments.output);
}

bool is_shortlist(const fs::path& file) {
  const ShortlistHeader ours;
  const std::string_view magic(ours.magic.data(), ours.magic.size());
  return MappedFile(file).text().starts_with(magic);
}

void add_input_options(Command& command, Arguments& arguments) {
  command
      .add_option("bundle", arguments.bundle, "The model whose vocabularies the shortlist is for")
      .shows("BUNDLE")
      .required()
      .reads();
  command
      .add_option("--train-sets", arguments.train_sets,
                  "Source and target text to learn from, one sentence per line; more pairs of "
                  "files may follow. Gzip is recognized, - is standard input")
      .shows("SRC TGT...")
      .reads();
  add_tsv_options(command, arguments.tsv);
  command
      .add_option("--prepared", arguments.prepared,
                  "Learn from this data set, made by `eatt corpus prepare`")
      .shows("DIR")
      .reads();
  command
      .add_option("--lexicon", arguments.lexicon,
                  "Read probabilities instead of learning them: lines of `target source "
                  "probability`, as in Marian's lex.s2t")
      .shows("FILE")
      .reads();
  command.add_option("--output", arguments.output, "The shortlist")
      .shows("FILE")
      .required()
      .writes({"a shortlist", is_shortlist});
}

void add_size_options(Command& command, Arguments& arguments) {
  command
      .add_option("--first", arguments.shortlist.first,
                  "Number of most frequent target pieces that are always allowed",
                  Range{0, 1 << 24})
      .shows("N");
  command
      .add_option("--best", arguments.shortlist.best,
                  "Number of likely target pieces to keep for each source piece", Range{0, 1 << 24})
      .shows("N");
  command
      .add_option("--threshold", arguments.shortlist.threshold,
                  "Keep only pieces with a probability above this", Range{0, 1})
      .shows("P");
  command
      .add_option("--max-pairs", arguments.max_pairs,
                  "Learn from this many evenly spaced pairs if there are more",
                  Range{1, double(1ULL << 40)})
      .shows("N");
  command
      .add_option("--iterations", arguments.iterations, "Iterations of expectation maximization",
                  Range{1, 1000})
      .shows("N");
}

}  // namespace

void add_shortlist_command(Command& app) {
  Command& command = app.add_command(
      "shortlist",
      "Learn which target pieces are likely for a source sentence, to speed up the output layer",
      "eatt shortlist runs/en-de/best --train-sets train.en train.de --output en-de.shortlist");
  const auto arguments = std::make_shared<Arguments>();
  add_input_options(command, *arguments);
  add_size_options(command, *arguments);
  command.extra_arguments_mean({"--train-sets", ""});
  command.add_flag("--json", arguments->json, "Print the report as one JSON object");
  command.add_threads_option();
  command.on_run([&command, arguments] { run(command, *arguments); });
}

}  // namespace eatt::cli
