#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/program.h"
#include "text/corpus/languages.h"
#include "text/corpus/prepare_corpus.h"

namespace eatt::cli {
namespace {

struct Arguments {
  std::vector<std::string> train_sets;
  TsvOptions tsv;
  std::vector<std::string> links;
  std::vector<int> vocab_sizes = {32'000};
  bool joint = false;
  bool separate = false;
  std::vector<std::string> scripts;
  PrepareOptions options;
};

std::string side_line(const char* side, uint64_t pieces, uint64_t pairs, uint64_t unknown) {
  const auto share = [&](uint64_t part) {
    return pieces == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(pieces);
  };
  const double mean = static_cast<double>(pieces) / static_cast<double>(pairs);
  return fmt::format("{} {:>15}  mean {:.1f} a sentence, {:.4f} % unknown\n", side,
                     format_count(pieces), mean, 100 * share(unknown));
}

// How much of each corpus was kept, where there are several.
std::string corpora_lines(const std::vector<DataSetInfo::Corpus>& corpora) {
  if (corpora.size() < 2) return {};
  std::string text;
  for (size_t i = 0; i < corpora.size(); ++i) {
    const auto& corpus = corpora[i];
    const std::string label = fmt::format("corpus {}", i + 1);
    text += fmt::format("  {:<12}{:>15}  of {} in {}{}{}\n", label, format_count(corpus.pairs),
                        format_count(corpus.pairs_read), corpus.source,
                        corpus.target.empty() ? "" : ", ", corpus.target);
  }
  return text;
}

std::string summary(const PrepareResult& result, const std::string& folder) {
  const DataSetInfo& info = result.info;
  std::string text = fmt::format("pairs read    {:>15}\n", format_count(info.pairs_read));
  for (size_t i = 0; i < kPairProblems; ++i) {
    const auto& entry = info.dropped.entries[i];
    if (entry.count == 0) continue;
    const std::string detail = entry.detail.empty() ? "" : ", " + entry.detail;
    text += fmt::format("  dropped     {:>15}  {} (first: {}, line {}{})\n",
                        format_count(entry.count), description(static_cast<PairProblem>(i)),
                        entry.first_file, entry.first_line, detail);
  }
  text += fmt::format("pairs kept    {:>15}\n", format_count(info.pairs));
  text += corpora_lines(info.corpora);
  text += side_line("source pieces", info.source_pieces, info.pairs, info.source_unknown);
  text += side_line("target pieces", info.target_pieces, info.pairs, info.target_unknown);
  const auto size = [](int pieces) { return format_count(static_cast<uint64_t>(pieces)); };
  text += info.is_joint() ? fmt::format("vocabulary    {:>15}  joint\n", size(info.source.size))
                          : fmt::format("vocabularies  {:>15}  source, {} target\n",
                                        size(info.source.size), size(info.target.size));
  if (info.links) {
    text += fmt::format("links         {:>15}  between pieces\n", format_count(*info.links));
  }
  uint64_t bytes = 0;
  for (const auto& [name, file] : info.files) bytes += file.bytes;
  text += fmt::format("data set      {:>12} MB  {}\n", format_count((bytes >> 20) + 1), folder);
  if (result.was_complete) return text + "it is already complete; nothing to do\n";
  const double total = result.check_seconds + result.pieces_seconds + result.encoding_seconds;
  return text + fmt::format("time          {:>15}  checking {}, pieces {}, encoding {}\n",
                            format_duration(total), format_duration(result.check_seconds),
                            format_duration(result.pieces_seconds),
                            format_duration(result.encoding_seconds));
}

// Options of training say nothing when nothing is trained: better told than ignored.
void refuse_training_options(const Command& command) {
  for (const char* name :
       {"--vocab-size", "--joint-vocab", "--separate-vocab", "--character-coverage",
        "--byte-fallback", "--sample-size", "--sample-characters", "--seed"}) {
    if (command.given(name)) {
      throw UsageError(
          fmt::format("{} has no effect with --pieces, because no pieces are learned", name));
    }
  }
}

// --require-script SRC TGT, where "any" is no requirement.
std::optional<Script> parse_script(const std::string& name) {
  if (name == "any") return std::nullopt;
  const auto script = script_from_name(name);
  if (!script) {
    refuse_value("--require-script", name, fmt::format("any, {}", fmt::join(script_names(), ", ")));
  }
  return script;
}

void settle_filters(const Command& command, const Arguments& arguments, PairFilters& filters) {
  if (arguments.scripts.empty()) {
    if (!command.given("--min-script-share")) return;
    throw UsageError("--min-script-share needs --require-script SRC TGT");
  }
  filters.source_script = parse_script(arguments.scripts.front());
  filters.target_script = parse_script(arguments.scripts.back());
}

void run(const Command& command, Arguments arguments) {
  PrepareOptions& options = arguments.options;
  settle_filters(command, arguments, options.filters);
  if (!options.piece_models.empty()) refuse_training_options(command);
  if (arguments.joint && arguments.separate) {
    throw UsageError("--joint-vocab and --separate-vocab exclude each other");
  }
  options.inputs = pair_inputs(arguments.train_sets, arguments.tsv);
  for (const PairInput& input : options.inputs) {
    if (!input.is_tsv()) expect_two_files({"--train-sets", input.source, input.target});
  }
  add_links(arguments.links, options.inputs);
  options.joint_vocabulary = !arguments.separate;
  options.pieces.vocab_size = arguments.vocab_sizes.front();
  if (arguments.vocab_sizes.size() == 2) {
    if (options.joint_vocabulary) {
      throw UsageError("--vocab-size has two sizes; add --separate-vocab, or give one");
    }
    options.target_vocab_size = arguments.vocab_sizes.back();
  }
  print_result(summary(prepare_corpus(options), options.output.string()));
}

void add_input_options(Command& command, Arguments& arguments) {
  command
      .add_option("--train-sets", arguments.train_sets,
                  "Source and target text, one sentence per line; more pairs of files may follow. "
                  "Gzip is recognized, - is standard input")
      .shows("SRC TGT...")
      .reads();
  add_tsv_options(command, arguments.tsv);
  command
      .add_option(
          "--guided-alignment", arguments.links,
          "Word links of each pair in Pharaoh format, such as 0-0 1-2: a file for each pair "
          "of files; training on the data set is then guided by them")
      .shows("FILE...")
      .reads();
  command.add_option("--output", arguments.options.output, "Folder for the data set")
      .shows("DIR")
      .required()
      .fills();
  command.add_flag("--overwrite", arguments.options.overwrite,
                   "Replace what another command has written to DIR");
}

void add_piece_options(Command& command, Arguments& arguments) {
  PrepareOptions& options = arguments.options;
  command
      .add_option("--vocab-size", arguments.vocab_sizes,
                  "Pieces to learn; two numbers for separate vocabularies")
      .shows("N [M]")
      .takes(1, 2);
  command.add_flag("--joint-vocab", arguments.joint,
                   "One vocabulary for both sides, as without this option");
  command.add_flag("--separate-vocab", arguments.separate,
                   "Separate vocabularies for the two sides");
  command
      .add_option(
          "--pieces", options.piece_models,
          "Use these .spm models, one for both sides or one each, instead of learning pieces")
      .shows("MODEL [MODEL]")
      .takes(1, 2)
      .reads();
  add_piece_training_options(command, options.pieces);
  command
      .add_option("--sample-size", options.sample_size,
                  "Number of random pairs to learn the pieces from")
      .shows("N");
  command.add_option("--seed", options.seed, "Seed for choosing the sample").shows("N");
}

void add_limit_options(Command& command, PrepareOptions& options) {
  command
      .add_option("--max-length", options.max_length,
                  "Drop pairs with more pieces than this on a side")
      .shows("N");
  command
      .add_option("--max-line-bytes", options.max_line_bytes,
                  "Treat lines longer than this as bad lines")
      .shows("N");
  command.add_choice("--bad-lines", options.bad_lines,
                     {{"drop", BadLines::drop}, {"refuse", BadLines::refuse}},
                     "What to do with NUL bytes, invalid UTF-8, empty or too long lines, and wrong "
                     "columns: drop the pair, or refuse the text");
}

void add_filter_options(Command& command, Arguments& arguments) {
  PairFilters& filters = arguments.options.filters;
  const std::string kFilters = "Filters";
  command
      .add_option("--min-length", filters.min_length,
                  "Drop pairs with fewer pieces than this on a side")
      .shows("N")
      .group(kFilters);
  command
      .add_option("--max-ratio", filters.max_ratio,
                  "Drop pairs in which one side has more than X times as many pieces as the other",
                  Range{1, 1e6})
      .shows("X")
      .group(kFilters);
  command
      .add_flag("--drop-duplicates", filters.drop_duplicates,
                "Drop pairs that repeat an earlier pair, in whichever corpus it was")
      .group(kFilters);
  command
      .add_flag("--drop-identical", filters.drop_identical,
                "Drop pairs whose two sides are the same text")
      .group(kFilters);
  command
      .add_option("--require-script", arguments.scripts,
                  "Drop pairs whose letters are not of these scripts, such as Han Latin; any "
                  "requires none")
      .takes(2)
      .shows("SRC TGT")
      .group(kFilters);
  command
      .add_option("--min-script-share", filters.min_script_share,
                  "Share of a side's letters that --require-script demands", Range{0, 1})
      .shows("X")
      .group(kFilters);
}

// "2,5"
TsvColumns parse_columns(const std::string& text) {
  TsvColumns columns;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, columns.source);
  const bool has_comma = first.ec == std::errc() && first.ptr != end && *first.ptr == ',';
  if (has_comma) {
    const auto second = std::from_chars(first.ptr + 1, end, columns.target);
    const bool is_number = second.ec == std::errc() && second.ptr == end;
    if (is_number && columns.source > 0 && columns.target > 0 && columns.source != columns.target) {
      return columns;
    }
  }
  refuse_value("--tsv-columns", text,
               "the columns of source and target, counted from 1, such as 2,5");
}

}  // namespace

void add_tsv_columns_option(Command& command, TsvColumns& columns) {
  command
      .add_setting(
          "--tsv-columns", [&columns](const std::string& text) { columns = parse_columns(text); },
          "Columns of TSV files with source and target text, from 1; others are not read")
      .shows("SRC,TGT");
}

void add_tsv_options(Command& command, TsvOptions& tsv) {
  command.add_option("--tsv", tsv.files, "Text as source<TAB>target").shows("FILE...").reads();
  add_tsv_columns_option(command, tsv.columns);
}

std::vector<PairInput> pair_inputs(const std::vector<std::string>& train_sets,
                                   const TsvOptions& tsv) {
  if (train_sets.size() % 2 != 0) {
    throw UsageError(fmt::format("--train-sets has {}; expected pairs of source and target",
                                 format_count(train_sets.size(), "file")));
  }
  std::vector<PairInput> inputs;
  for (size_t i = 0; i < train_sets.size(); i += 2) {
    inputs.push_back({train_sets[i], train_sets[i + 1]});
  }
  if (tsv.columns.chosen() && tsv.files.empty()) {
    throw UsageError("--tsv-columns needs --tsv FILE, whose columns it chooses");
  }
  for (const std::string& file : tsv.files) inputs.push_back({file, {}, tsv.columns});
  return inputs;
}

void add_corpus_prepare(Command& corpus) {
  Command& command = corpus.add_command(
      "prepare", "Turn parallel text into pieces, ready for training",
      "eatt corpus prepare --train-sets train.en train.de --vocab-size 8000 --output data/en-de");
  command.add_note("If it is stopped, the same command continues where it left off.");
  const auto arguments = std::make_shared<Arguments>();
  add_input_options(command, *arguments);
  add_piece_options(command, *arguments);
  add_limit_options(command, arguments->options);
  add_filter_options(command, *arguments);
  command.add_threads_option();
  command.on_run([&command, arguments] { run(command, *arguments); });
}

}  // namespace eatt::cli
