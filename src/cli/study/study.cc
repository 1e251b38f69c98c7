// `eatt study`: the paper's tables and figures, trained and measured by one command.
#include "study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/files/text_file.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/program.h"
#include "report/report.h"
#include "study/inputs.h"
#include "study/manifest.h"
#include "study/tables.h"
#include "text/corpus/languages.h"
#include "text/corpus/line_reader.h"

namespace eatt::cli {
namespace {

using study::StudyKind;

struct Arguments {
  std::vector<std::string> names;
  bool dry_run = false;
  study::StudyOptions options;
};

std::vector<StudyKind> kinds_of(const std::vector<std::string>& names) {
  std::vector<StudyKind> kinds;
  std::vector<std::string_view> choices(study::kStudyNames.begin(), study::kStudyNames.end());
  choices.push_back("all");
  for (const std::string& name : names) {
    const size_t choice = read_choice("NAME", name, choices);
    for (size_t i = 0; i < study::kStudyNames.size(); ++i) {
      const auto kind = static_cast<StudyKind>(i);
      const bool wanted = choice == i || choice == study::kStudyNames.size();
      if (wanted && std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
    }
  }
  return kinds;
}

// What a study decides for each cell may not be set for all.
void check_train_options(const std::vector<std::string>& options) {
  for (const std::string& word : options) {
    const std::string name = word.substr(0, word.find('='));
    for (const char* own : {"--model",           "--train-sets",   "--prepared",
                            "--valid-sets",      "--seed",         "--attention",
                            "--encoder-self",    "--decoder-self", "--cross",
                            "--preset",          "--code-levels",  "--threshold",
                            "--learn-threshold", "--score-scale",  "--score-divisor",
                            "--teacher",         "--recipe",       "--attention-dim",
                            "--qk-dim",          "--init-from",    "--cpu-threads",
                            "--dry-run",         "--dump-config"}) {
      if (name == own)
        throw UsageError(fmt::format(
            "{} cannot be given after --, because the study sets it for each cell", own));
    }
  }
}

uint64_t lines_of(const std::string& file) {
  constexpr size_t kLongestLine = 1 << 20;
  LineReader reader(file, kLongestLine);
  uint64_t lines = 0;
  while (const uint64_t skipped = reader.skip(1 << 20)) lines += skipped;
  return lines;
}

void expect_as_many_lines(const std::string& source, const std::string& target) {
  const uint64_t ours = lines_of(source), theirs = lines_of(target);
  if (ours == theirs) return;
  throw Error(fmt::format("{} has {} and {} {}; parallel text has as many on both sides", source,
                          format_count(ours, "line"), target, format_count(theirs, "line")));
}

// Whatever is wrong with the files shows before anything is trained.
void check_texts(const study::StudyOptions& options) {
  Direction direction;
  for (const auto* files :
       {&options.train_sets, &options.valid_sets, &options.test_sets, &options.sentences}) {
    for (const std::string& file : *files) open_bytes(file);
  }
  const auto& train = options.train_sets;
  if (!train.empty()) direction = {language_of(train[0]), language_of(train[1])};
  for (size_t i = 0; i + 1 < train.size(); i += 2) {
    check_languages(direction, "this study", {"--train-sets", train[i], train[i + 1]});
    expect_as_many_lines(train[i], train[i + 1]);
  }
  check_languages(direction, "this study",
                  {"--valid-sets", options.valid_sets[0], options.valid_sets[1]});
  if (!options.sentences.empty()) {
    check_languages(direction, "this study",
                    {"--sentences", options.sentences[0], options.sentences[1]});
    expect_as_many_lines(options.sentences[0], options.sentences[1]);
    if (const uint64_t lines = lines_of(options.sentences[0]); lines > study::kMostCaseSentences) {
      throw UsageError(fmt::format("--sentences has {}; the study shows {} at most",
                                   format_count(lines, "line"), study::kMostCaseSentences));
    }
  }
  if (options.test_sets.empty()) return;
  check_languages(direction, "this study",
                  {"--test-sets", options.test_sets[0], options.test_sets[1]});
  expect_as_many_lines(options.test_sets[0], options.test_sets[1]);
}

void settle(const Command& command, Arguments& arguments) {
  study::StudyOptions& options = arguments.options;
  options.kinds = kinds_of(arguments.names);
  if (options.train_sets.empty() == options.prepared.empty())
    throw UsageError("give either --train-sets SRC TGT or --prepared DIR");
  if (options.train_sets.size() % 2 != 0)
    throw UsageError("--train-sets: expected pairs of source and target files");
  check_train_options(options.train_options);
  check_texts(options);
  const bool several = std::ranges::find(options.kinds, StudyKind::overall) != options.kinds.end();
  if (command.given("--seeds") && !several)
    throw UsageError("--seeds applies to the study overall only");
  if (!several) options.seeds = 1;
  const bool with_case =
      std::ranges::find(options.kinds, StudyKind::case_study) != options.kinds.end();
  if (!options.sentences.empty() && !with_case)
    throw UsageError("--sentences applies to the study case only");
  options.threads = thread_count();
  options.jobs = std::min(options.jobs, options.threads);
  expect_eatt_train("study");
  options.eatt_train = find_eatt_train();
  options.eatt = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command_line = typed_command();
  options.command = "eatt" + command_line.substr(command_line.find(' '));
  options.version = version_text("eatt").substr(0, version_text("eatt").find('\n'));
}

void write_page(const study::StudyOptions& options) {
  write_file_atomically(
      options.output / "report.html",
      report::print(report::make_report({options.output}, made_by_text()), report::Format::html));
}

std::vector<study::CellReport> train_cells(const study::StudyOptions& options) {
  try {
    return study::run_study(options);
  } catch (const Stopped&) {
    write_page(options);
    throw;
  }
}

void run(const Command& command, Arguments& arguments) {
  settle(command, arguments);
  study::StudyOptions& options = arguments.options;
  auto check = study::first_training(options);
  check.emplace_back("--check-only");
  if (const int code = run_eatt_train("train", check); code != kDone) throw ExitCode{code, ""};
  study::read_recipe(options);
  study::take_earlier_test_sets(options);
  study::check_cells(options, study::chosen_cells(options));
  if (arguments.dry_run) return print_result(study::describe_study(options));
  study::check_folder(options);
  const FolderLock lock(options.output, {.work = "running a study", .option = "--output"});
  const auto reports = train_cells(options);
  const study::StudyOptions all = study::with_earlier_studies(options);
  const auto tables = study::write_results(all, study::with_earlier_cells(all, reports));
  write_page(options);
  print_result(study::markdown_of(tables));
  const auto failed = static_cast<size_t>(std::ranges::count(
      reports, study::CellState::failed, [](const auto& report) { return report.state; }));
  spdlog::info(
      "the results are in {0}/results.md, .csv and .json; {0}/report.html shows them with charts",
      options.output.string());
  if (failed > 0) {
    throw Error(fmt::format("{} of {} failed; the same command tries again", failed,
                            format_count(reports.size(), "cell")));
  }
}

std::string studies_help() {
  return fmt::format("Studies: {}, or all of them (all)", fmt::join(study::kStudyNames, ", "));
}

void add_data(Command& command, study::StudyOptions& options) {
  command.add_option("--train-sets", options.train_sets, "Source and target text to train on")
      .shows("SRC TGT...")
      .reads();
  command
      .add_option("--prepared", options.prepared,
                  "A data set made by `eatt corpus prepare`, instead of --train-sets")
      .shows("DIR")
      .reads();
  command
      .add_option("--valid-sets", options.valid_sets,
                  "Source and target text that chooses the best checkpoint")
      .shows("SRC TGT")
      .takes(2)
      .required()
      .reads();
  command.add_option("--test-sets", options.test_sets, "Source and target text to score at the end")
      .shows("SRC TGT")
      .takes(2)
      .reads();
  command
      .add_option("--sentences", options.sentences,
                  "Source and target text of the study case, instead of the first dev sentences")
      .shows("SRC TGT")
      .takes(2)
      .reads();
  command.add_option("--output", options.output, "Folder for the runs, the scores and the results")
      .shows("DIR")
      .required()
      .fills();
}

}  // namespace

void add_study_command(Command& program) {
  const auto arguments = std::make_shared<Arguments>();
  study::StudyOptions& options = arguments->options;
  Command& command = program.add_command(
      "study", "Train and measure the models of the paper's tables and figures",
      "eatt study ablation --recipe tiny --train-sets train.en train.de --valid-sets dev.en dev.de "
      "--output studies/en-de\n"
      "  eatt study all --recipe multi30k-en-de --prepared data --valid-sets dev.en dev.de "
      "--output studies/all --jobs 2 -- --after 3000u");
  command.add_note(
      "Each cell of a table is an ordinary run of `eatt train` in DIR/cells. Stopped, the same "
      "command continues; cells that are done are not trained again, and one that fails does not "
      "stop the others. Options after -- are for `eatt train`, in all cells.");
  command.add_option("NAME", arguments->names, studies_help()).required().takes(1, kAnyNumber);
  command.add_option("--recipe", options.recipe, "Recipe of all cells; see `eatt train --help`")
      .shows("NAME|FILE")
      .required();
  add_data(command, options);
  command
      .add_option("--beam-size", options.beam_size,
                  "Beam of the scores at the end; validation during training is greedy",
                  Range{1, 1024})
      .shows("N");
  command
      .add_option("--length-penalty", options.length_penalty,
                  "Length penalty of these scores; see `eatt translate --help`", Range{0.0, 10.0})
      .shows("X");
  command
      .add_option("--cells", options.cells,
                  "Train only these cells and their teachers, by the names that --dry-run shows; "
                  "the others stay empty in the tables")
      .shows("CELL...")
      .takes(1, kAnyNumber);
  command
      .add_option("--seeds", options.seeds, "Trainings of each model in the study overall",
                  Range{1, 100})
      .shows("N");
  command
      .add_option("--jobs", options.jobs,
                  "Trainings at once, at most one per thread; they share the threads",
                  Range{1, 1024})
      .shows("N");
  command.add_flag("--dry-run", arguments->dry_run,
                   "Print time, memory, disk and the commands of all cells; train nothing");
  command.add_threads_option();
  command.take_words(options.train_options, "[-- TRAIN-OPTIONS...]");
  command.on_run([&command, arguments] { run(command, *arguments); });
}

}  // namespace eatt::cli
