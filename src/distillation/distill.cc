#include "distillation/distill.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "base/text/text_layout.h"
#include "base/threads.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/preparation_folder.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Stage = DistillState::Stage;

constexpr size_t kMaxLineBytes = 16'384;  // As in `eatt corpus prepare`.

// A pair that a teacher can translate.
struct UsablePair {
  PairChunk::Entry* entry;
  std::string_view source, target;
  int64_t number;  // Among all pairs that were read.
};

class Distillation {
 public:
  Distillation(const DistillOptions& options, DistillFolder& folder, const DistillState& state)
      : options_(options),
        folder_(folder),
        state_(state),
        translator_(options.teachers, options.weights, options.translator) {}

  DistillState run() {
    total_ = PairReader(options_.inputs, kMaxLineBytes).skip(std::numeric_limits<uint64_t>::max());
    if (state_.pairs_read > 0 || state_.stage != Stage::translations) {
      spdlog::info("{}: continuing after {} of {} {}", options_.output.string(),
                   format_count(state_.pairs_read), format_count(total_),
                   state_.stage == Stage::originals ? "original pairs" : "pairs");
    }
    if (state_.stage == Stage::translations) {
      go_through("translating", [this](PairChunk& chunk) { translate(chunk); });
      expect_translations();
      enter(options_.keep_original ? Stage::originals : Stage::written);
    }
    if (state_.stage == Stage::originals) {
      go_through("appending originals", [this](PairChunk& chunk) { append_originals(chunk); });
      enter(Stage::written);
    }
    return state_;
  }

 private:
  void go_through(const char* task, const std::function<void(PairChunk&)>& use) {
    PairChunkReader reader(options_.inputs, kMaxLineBytes);
    reader.skip(state_.pairs_read);
    Progress progress(task, total_, "pairs", state_.pairs_read);
    for (PairChunk chunk; reader.read(chunk);) {
      use(chunk);
      state_.pairs_read += chunk.entries.size();
      folder_.save(state_);
      progress.update(state_.pairs_read);
      if (stop_.received() != nullptr) leave(stop_.received());
    }
    progress.finish();
  }

  [[noreturn]] void leave(const char* signal) const {
    throw Error(fmt::format(
        "{}: stopped by {} after {} of {} pairs; run the same command to continue",
        options_.output.string(), signal, format_count(state_.pairs_read), format_count(total_)));
  }

  void enter(Stage stage) {
    state_.stage = stage;
    state_.pairs_read = 0;
    folder_.save(state_);
  }

  void translate(PairChunk& chunk) {
    const auto start = Clock::now();
    const std::vector<UsablePair> pairs = usable_pairs(chunk);
    count_problems(chunk, options_.inputs, state_.left_out);
    std::vector<TranslationTask> tasks;
    std::vector<std::string_view> references;
    for (const UsablePair& pair : pairs) {
      tasks.push_back({.source = std::string(pair.source), .number = pair.number});
      references.push_back(pair.target);
    }
    const auto translations = translator_.translate(tasks, options_.search);
    const auto chosen = choose_hypotheses(translations, references, options_);
    for (size_t i = 0; i < pairs.size(); ++i) append(pairs[i].source, chosen[i]);
    state_.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  }

  // Null: all hypotheses were cut off, and --drop-cut was given.
  void append(std::string_view source, const Hypothesis* hypothesis) {
    if (hypothesis == nullptr || !hypothesis->finished) ++state_.cut;
    if (hypothesis == nullptr) return;
    const std::string text = one_line(hypothesis->text);
    if (find_text_problem(source, text) != PairProblem::none) {
      ++state_.unusable;
      return;
    }
    append_lines(source, text);
    ++state_.translations;
    state_.target_pieces += hypothesis->pieces.size();
  }

  void append_originals(PairChunk& chunk) {
    for (const UsablePair& pair : usable_pairs(chunk)) {
      append_lines(pair.source, pair.target);
      ++state_.originals;
    }
  }

  void append_lines(std::string_view source, std::string_view target) {
    folder_.append(std::string(source) + "\n", std::string(target) + "\n");
  }

  // The pairs with text on both sides that is not too long for the teachers. Counts the reasons for
  // leaving out the others.
  std::vector<UsablePair> usable_pairs(PairChunk& chunk) const {
    std::vector<UsablePair> pairs;
    chunk.for_each_usable([&](PairChunk::Entry& entry, std::string_view source,
                              std::string_view target) {
      const auto index = static_cast<int64_t>(&entry - chunk.entries.data());
      pairs.push_back({&entry, source, target, static_cast<int64_t>(state_.pairs_read) + index});
    });
    const size_t limit =
        std::min(options_.translator.max_input_pieces,
                 translator_.max_source_pieces().value_or(std::numeric_limits<size_t>::max()));
    parallel_for(pairs.size(), [&](size_t i) {
      const size_t pieces = translator_.source_pieces(std::string(pairs[i].source));
      if (pieces > 0 && pieces <= limit) return;
      pairs[i].entry->problem = pieces == 0 ? PairProblem::no_pieces : PairProblem::many_pieces;
      pairs[i].entry->detail = pieces;
    });
    std::erase_if(pairs,
                  [](const UsablePair& pair) { return pair.entry->problem != PairProblem::none; });
    return pairs;
  }

  void expect_translations() const {
    if (state_.translations > 0) return;
    folder_.discard();
    if (total_ == 0) throw Error("the input has no lines; expected sentence pairs");
    throw Error(
        fmt::format("none of {} pairs is left: {} hypotheses were cut off, {} were empty, {} pairs "
                    "left out{}{}",
                    format_count(total_), format_count(state_.cut), format_count(state_.unusable),
                    format_count(state_.left_out.total()), state_.left_out.total() > 0 ? ": " : "",
                    state_.left_out.text()));
  }

  const DistillOptions& options_;
  DistillFolder& folder_;
  DistillState state_;
  Translator translator_;
  const StopSignal stop_;
  uint64_t total_ = 0;
};

// A distillation that continues reads its text again, so pipes are refused.
void check_inputs(const DistillOptions& options, const SideNames& names) {
  for (const PairInput& input : options.inputs) {
    for (const int side : {0, 1}) {
      const TextFile& file = input.file(side);
      if (is_read_once(file)) {
        throw UsageError(
            fmt::format("{}: can be read only once, but an interrupted distillation reads its text "
                        "again; write it to a file first",
                        file.name));
      }
      for (const std::string& name : {names.source, names.target}) {
        std::error_code missing;
        if (!fs::equivalent(file.path, options.output / name, missing)) continue;
        throw UsageError(
            fmt::format("{}: would be overwritten; choose another --output", file.name));
      }
    }
  }
}

}  // namespace

DistillResult distill_text(const DistillOptions& options) {
  const SideNames names = name_sides(options);
  check_inputs(options, names);
  const PreparationPlan plan = make_distill_plan(options, names);
  DistillFolder folder(options.output, names);
  DistillResult result{.source = folder.source(),
                       .target = folder.target(),
                       .state = folder.open(plan, options.overwrite)};
  result.was_complete = result.state.stage == Stage::written;
  try {
    if (!result.was_complete) result.state = Distillation(options, folder, result.state).run();
  } catch (const Stopped&) {
    throw;  // The same command goes on from there.
  } catch (...) {
    if (folder.has_nothing()) folder.discard();
    throw;
  }
  folder.publish();
  return result;
}

}  // namespace eatt
