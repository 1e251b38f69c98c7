#include "text/corpus/prepare_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/stop_signal.h"
#include "text/corpus/preparation_folder.h"
#include "text/data/data_set.h"

namespace eatt {
namespace {

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The files of any data set.
std::vector<std::string> data_set_names() {
  std::vector<std::string> names = {std::string(kDataSetFile), "joint.spm", "source.spm",
                                    "target.spm"};
  for (const DataKind kind : kDataKinds) names.emplace_back(file_name(kind));
  for (const DataKind kind : kLinkKinds) names.emplace_back(file_name(kind));
  return names;
}

// Nor are files of the same names replaced that no preparation has made.
void expect_no_other_files(const PrepareOptions& options) {
  for (const std::string& name : data_set_names()) {
    const auto file = options.output / name;
    const auto is_that = [&](const std::filesystem::path& model) {
      std::error_code missing;
      return std::filesystem::equivalent(model, file, missing);
    };
    std::error_code missing;
    if (!std::filesystem::exists(file, missing)) continue;
    if (std::ranges::any_of(options.piece_models, is_that)) continue;
    throw Error(
        fmt::format("{}: exists and is not of a data set, so it is not replaced; choose another "
                    "--output, or add --overwrite",
                    file.string()));
  }
}

// The text may be in the output folder, but not under a name that a file of the data set gets.
void expect_other_names(const PrepareOptions& options) {
  const std::vector<std::string> names = data_set_names();
  for (const PairInput& input : options.inputs) {
    for (const TextFile& file : {input.source, input.target, input.links}) {
      for (const std::string& name : names) {
        std::error_code missing;
        if (!std::filesystem::equivalent(file.path, options.output / name, missing)) continue;
        throw UsageError(
            fmt::format("{}: would be written over; choose another --output", file.name));
      }
    }
  }
}

void check_options(const PrepareOptions& options) {
  if (options.inputs.empty()) throw UsageError("no text given; use --train-sets or --tsv");
  if (options.piece_models.size() > 2) {
    throw UsageError(
        fmt::format("--pieces has {} models; expected one for both sides, or source "
                    "and target",
                    options.piece_models.size()));
  }
  if (options.max_length == 0) throw UsageError("--max-length is 0; expected 1 or more");
  if (options.filters.min_length > options.max_length) {
    throw UsageError(fmt::format("--min-length is {} and --max-length {}; no pair could be kept",
                                 options.filters.min_length, options.max_length));
  }
  if (options.sample_size == 0) throw UsageError("--sample-size is 0; expected 1 or more");
  if (options.max_line_bytes == 0 || options.max_line_bytes > (size_t{1} << 28)) {
    throw UsageError(fmt::format("--max-line-bytes is {}; expected 1 to {}", options.max_line_bytes,
                                 size_t{1} << 28));
  }
  const auto is_standard_input = [](const TextFile& file) { return file.path == "-"; };
  int standard_inputs = 0;
  for (const PairInput& input : options.inputs) {
    standard_inputs += is_standard_input(input.source) + is_standard_input(input.target) +
                       is_standard_input(input.links);
    for (const TextFile& file : {input.source, input.target, input.links}) {
      std::error_code none;
      if (!std::filesystem::is_directory(file.path, none)) continue;
      throw Error(fmt::format("{}: is a folder, expected a text file", file.name));
    }
  }
  if (standard_inputs > 1) throw UsageError("standard input (-) can be given only once");
  expect_other_names(options);
  for (const auto& model : options.piece_models)
    Pieces{model};  // Throws if it is not a piece model.
}

bool reads_once(const PrepareOptions& options) {
  return std::ranges::any_of(options.inputs, has_file_read_once);
}

// Looks at the content of the folder. True if it is the finished data set that these options make;
// otherwise a run is continued or begun there.
bool is_already_made(const PreparationFolder& folder, const PreparationPlan& plan,
                     const PrepareOptions& options) {
  const std::string name = folder.path().string();
  const bool read_once = reads_once(options);
  if (folder.is_complete() && !options.overwrite) {
    if (read_once) {
      throw Error(
          fmt::format("{}: holds a data set already, and standard input or a pipe cannot be "
                      "compared with what it was made of; use --overwrite to start over",
                      name));
    }
    expect_same_plan(DataSet(folder.path()).info().made_with, plan, name);
    folder.remove_unfinished();  // Left by a run that was killed at its very end.
    return true;
  }
  const auto interrupted = folder.interrupted_plan();
  if (interrupted == plan && !read_once) {
    spdlog::info("{}: continuing an interrupted run", name);
    return false;
  }
  if (!interrupted && !folder.is_complete() && !options.overwrite) expect_no_other_files(options);
  // Hours of work must not be lost by mistake. But a run that failed early, say for a wrong
  // --vocab-size, leaves nothing worth keeping, and a new one may start without --overwrite.
  if (interrupted && !read_once && !options.overwrite && folder.has_work_done()) {
    expect_same_plan(*interrupted, plan, name);
  }
  folder.begin(plan);
  if (options.after_commit) options.after_commit("plan");
  return false;
}

// Inputs that can be read several times: pipes are copied first.
std::vector<PairInput> make_readable(const PrepareOptions& options, std::deque<Spool>& spools) {
  std::vector<PairInput> inputs = options.inputs;
  for (PairInput& input : inputs) {
    for (TextFile* file : {&input.source, &input.target, &input.links}) {
      if (file->path.empty() || !is_read_once(*file)) continue;
      spdlog::info(
          "{} cannot be read a second time: if this is stopped, the whole command "
          "has to be run again",
          file->name);
      *file = spools.emplace_back(*file, options.output).copy();
    }
  }
  return inputs;
}

DataSetInfo::Vocabulary describe(const std::string& file, const Pieces& pieces) {
  return {file, pieces.size(), pieces.sha256()};
}

void publish(const Preparation& preparation, const DataSetInfo& info) {
  std::vector<std::string> files;
  for (const auto& [name, file] : info.files) files.push_back(name);
  files.push_back(info.source.file);
  if (!info.is_joint()) files.push_back(info.target.file);
  preparation.folder.publish(files, preparation.options.after_commit);
  preparation.folder.remove_unfinished();
}

PrepareResult prepare_in(const PreparationFolder& folder, const PrepareOptions& options) {
  const PreparationPlan plan = make_plan(options);
  PrepareResult result;
  if (is_already_made(folder, plan, options)) {
    result.info = DataSet(folder.path()).info();
    result.was_complete = true;
    return result;
  }
  std::deque<Spool> spools;
  const auto inputs = make_readable(options, spools);
  const StopSignal stop;
  const Preparation preparation{options, inputs, folder, stop};

  const auto description = folder.unfinished(kDataSetFile);
  if (!std::filesystem::exists(description)) {
    Stopwatch watch;
    const CheckedCorpus checked = check_corpus(preparation);
    result.check_seconds = watch.lap();
    const Vocabularies vocabularies = make_vocabularies(preparation, checked);
    result.pieces_seconds = watch.lap();
    result.info = encode_corpus(preparation, checked, vocabularies);
    result.info.source = describe(vocabularies.files.front(), *vocabularies.source);
    result.info.target = describe(vocabularies.files.back(), *vocabularies.target);
    result.info.made_with = plan;
    // If inputs changed while they were read, no command could make this data set again.
    expect_same_plan(plan, make_plan(options), folder.path().string());
    write_file_atomically(description, to_json(result.info));
    result.encoding_seconds = watch.lap();
    preparation.committed("finished");
  } else {
    result.info = parse_data_set_info(read_file(description), description.string());
  }
  publish(preparation, result.info);
  return result;
}

}  // namespace

PrepareResult prepare_corpus(const PrepareOptions& options) {
  check_options(options);
  const PreparationFolder folder(options.output);
  try {
    return prepare_in(folder, options);
  } catch (const Stopped&) {
    throw;  // The same command goes on from there.
  } catch (...) {
    folder.remove_failed_start();
    throw;
  }
}

}  // namespace eatt
