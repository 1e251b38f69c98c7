// `eatt distill`: a teacher's translations of the training text, for a student to learn from.
#include "distillation/distill.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "bundle/bundle.h"
#include "cli/commands.h"
#include "cli/corpus/corpus_options.h"
#include "cli/habits.h"
#include "cli/program.h"
#include "cli/translate/translate_options.h"
#include "runtime/api/option_fields.h"
#include "text/corpus/languages.h"

namespace eatt::cli {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> train_sets;
  TsvOptions tsv;
  std::string tokenizer;
  std::vector<std::string> train_options;  // What follows `--`.
  DistillOptions options;
};

// Chinese has no spaces between words, and 13a would find one word in most sentences.
evaluation::Tokenizer tokenizer_for(const Arguments& arguments) {
  if (arguments.tokenizer.empty()) {
    const Bundle teacher =
        Bundle::open(arguments.options.teachers.front(), {.verify_hashes = false});
    return teacher.manifest().target_language.starts_with("zh") ? evaluation::Tokenizer::zh
                                                                : evaluation::Tokenizer::v13a;
  }
  const auto tokenizer = evaluation::tokenizer_from_name(arguments.tokenizer);
  if (tokenizer) return *tokenizer;
  throw UsageError(
      fmt::format("--tokenize is '{}'; expected 13a, intl, zh, char or none", arguments.tokenizer));
}

void settle_search(const Command& command, DistillOptions& options) {
  SearchOptions& search = options.search;
  // A default must not stand in the way of another way to compare lengths.
  if (search.normalize != 0 && !command.given("--length-penalty")) search.length_penalty = 0;
  options.translator.wants_attention = search.coverage_penalty != 0;
  if (command.given("--seed") && !search.sampling) {
    throw UsageError("--seed needs --sampling, because a search is not random");
  }
  if (!options.weights.empty() && options.teachers.size() == 1) {
    throw UsageError("--weights has no effect on a single teacher");
  }
  if (options.choice == HypothesisChoice::reference) {
    if (!command.given("--n-best")) search.n_best = search.beam_size;
    check_search_options(search);
    if (search.n_best > 1) return;
    throw UsageError(
        fmt::format("--choose reference has no effect with {}: there is only one translation to "
                    "choose from; use 2 or more",
                    search.beam_size == 1 ? "--beam-size 1" : "--n-best 1"));
  }
  for (const char* name : {"--n-best", "--tokenize"}) {
    if (command.given(name)) {
      throw UsageError(fmt::format("{} has no effect without --choose reference", name));
    }
  }
  check_search_options(search);
}

// `eatt train` with the options after --, on this text.
std::vector<std::string> train_words(const Arguments& arguments, const fs::path& source,
                                     const fs::path& target) {
  std::vector<std::string> words = {"train"};
  words.insert(words.end(), arguments.train_options.begin(), arguments.train_options.end());
  words.insert(words.end(), {"--train-sets", source.string(), target.string()});
  return words;
}

// A mistake in the options of training shows before hours of translation, not after.
void check_train_options(const Arguments& arguments) {
  const auto& train_options = arguments.train_options;
  if (train_options.empty()) return;
  for (const std::string name : {"--prepared", "--train-sets"}) {
    const auto is_given = [&](const std::string& option) {
      return option == name || option.starts_with(name + "=");
    };
    if (std::ranges::none_of(train_options, is_given)) continue;
    throw UsageError(fmt::format(
        "{} after -- would train on other text than the distilled text; leave it out", name));
  }
  const SideNames names = name_sides(arguments.options);
  const fs::path& folder = arguments.options.output;
  auto words = train_words(arguments, folder / names.source, folder / names.target);
  words.emplace_back("--check-only");
  if (const int code = run_eatt_train("train", words); code != kDone) throw ExitCode{code, ""};
}

void settle(const Command& command, Arguments& arguments) {
  DistillOptions& options = arguments.options;
  options.inputs = pair_inputs(arguments.train_sets, arguments.tsv);
  if (options.inputs.empty()) {
    throw UsageError("nothing to translate; use --train-sets SRC TGT or --tsv FILE");
  }
  settle_search(command, options);
  if (options.choice == HypothesisChoice::reference) options.tokenizer = tokenizer_for(arguments);
  check_train_options(arguments);
}

std::string summary(const DistillResult& result, const DistillOptions& options) {
  const DistillState& state = result.state;
  const double speed = static_cast<double>(state.target_pieces) / std::max(state.seconds, 1e-9);
  return fmt::format(
      "{} pairs in {} ({} tokens/s), {} cut at the length limit{}, {} left out: {} {}\n",
      format_count(state.pairs()), format_duration(state.seconds),
      format_count(static_cast<uint64_t>(speed)), format_count(state.cut),
      options.drop_cut && state.cut > 0 ? " and left out" : "",
      format_count(state.left_out.total() + state.unusable), result.source.string(),
      result.target.string());
}

void tell(const DistillResult& result, const DistillOptions& options) {
  const DistillState& state = result.state;
  if (result.was_complete) {
    spdlog::info("{}: is already complete; nothing to do", options.output.string());
  }
  if (state.left_out.total() > 0) spdlog::warn("left out: {}", state.left_out.text());
  if (state.unusable > 0) {
    spdlog::warn("left out: {} without a translation", format_count(state.unusable));
  }
  print_result(summary(result, options));
}

[[noreturn]] void train(const Arguments& arguments, const DistillResult& result) {
  flush_results();
  hand_over_to_eatt_train("train", train_words(arguments, result.source, result.target));
}

// Text in the teacher's own languages only: translating the target side would give nonsense.
void check_text_languages(const Arguments& arguments) {
  const Bundle teacher = Bundle::open(arguments.options.teachers.front(), {.verify_hashes = false});
  const Manifest& manifest = teacher.manifest();
  const Direction direction = {manifest.source_language, manifest.target_language};
  const auto& files = arguments.train_sets;
  for (size_t i = 0; i + 1 < files.size(); i += 2) {
    check_languages(direction, "the teacher", {"--train-sets", files[i], files[i + 1]});
  }
}

void run(const Command& command, Arguments& arguments) {
  settle(command, arguments);
  check_text_languages(arguments);
  const DistillResult result = distill_text(arguments.options);
  tell(result, arguments.options);
  if (!arguments.train_options.empty()) train(arguments, result);
}

void add_files(Command& command, Arguments& arguments) {
  DistillOptions& options = arguments.options;
  command.add_option("TEACHER", options.teachers, "Model folder; several form an ensemble")
      .required()
      .reads();
  command.add_option("--weights", options.weights, "Weight of each teacher, if there are several")
      .shows("X...");
  command
      .add_option("--train-sets", arguments.train_sets,
                  "Source and target text, one sentence per line; more pairs of files may follow. "
                  "Gzip is recognized")
      .shows("SRC TGT...")
      .reads();
  add_tsv_options(command, arguments.tsv);
  command
      .add_option("--output", options.output,
                  "Folder for train.SRC and train.TGT, named after the teacher's languages")
      .shows("DIR")
      .required()
      .fills();
  command.add_flag("--overwrite", options.overwrite,
                   "Replace what another command has written to DIR");
}

void add_choice(Command& command, Arguments& arguments) {
  DistillOptions& options = arguments.options;
  command.add_choice("--choose", options.choice,
                     {{"best", HypothesisChoice::best}, {"reference", HypothesisChoice::reference}},
                     "Which hypothesis to keep: the best, or the one in the n-best list that is "
                     "closest to the reference by sentence BLEU");
  command
      .add_option("--n-best", options.search.n_best, "Hypotheses that --choose reference considers",
                  Range{1, 10'000})
      .shows("N")
      .default_is("as many as --beam-size");
  command.add_option("--tokenize", arguments.tokenizer, "Tokenizer of that BLEU")
      .shows("NAME")
      .default_is("13a, or zh for Chinese");
  command
      .add_option("--max-input-length", options.translator.max_input_pieces,
                  "Leave out pairs with more source pieces", Range{1})
      .shows("N");
  command.add_flag("--keep-original", options.keep_original,
                   "Add the original pairs after the translations");
  command.add_flag("--drop-cut", options.drop_cut,
                   "Leave out translations that hit the length limit");
}

}  // namespace

void add_distill_command(Command& app) {
  Command& command = app.add_command(
      "distill", "Translate training text with a teacher model, for a student to learn from",
      "eatt distill runs/base/best --train-sets train.zh train.en --output distilled\n"
      "  eatt distill runs/base/best --train-sets train.zh train.en --output distilled \\\n"
      "      -- --recipe tiny --valid-sets dev.zh dev.en --model runs/student");
  command.add_note("Options after -- are for `eatt train`, which then learns from DIR.");
  command.add_note("If it is stopped, the same command continues where it left off.");
  const auto arguments = std::make_shared<Arguments>();
  add_files(command, *arguments);
  add_choice(command, *arguments);
  add_search_options(command, arguments->options.search, {"n-best", "alternatives"});
  add_translator_options(
      command, arguments->options.translator,
      {"alignment-layer", "alignment-head", "alignment-shift", "max-input-length"});
  add_search_habits(command);
  command.take_words(arguments->train_options, "[-- TRAIN-OPTIONS...]");
  command.on_run([&command, arguments] { run(command, *arguments); });
}

}  // namespace eatt::cli
