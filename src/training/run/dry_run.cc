#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/temporary_folder.h"
#include "base/progress.h"
#include "base/stop_signal.h"
#include "base/text/text_layout.h"
#include "base/threads.h"
#include "bundle/expected_tensors.h"
#include "energy/closed_forms.h"
#include "model/computing.h"
#include "text/corpus/prepare_corpus.h"
#include "text/data/batches.h"
#include "text/data/data_set_format.h"
#include "training/run/trainer.h"
#include "training/run/training_inputs.h"
#include "training/update/batches.h"
#include "training/update/learner.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kSamplePairs = 20'000;
constexpr uint64_t kSampleGrowth = 8;
constexpr size_t kLineBytes = 16'384;
constexpr int64_t kTimedWords = 1500;  // Source pieces of a timed update.
constexpr double kTimedSeconds = 6;

bool reads_standard_input(const TrainingPlan& plan) {
  return std::ranges::any_of(plan.train_sets, [](const PairInput& input) {
    return input.source.path == "-" || input.target.path == "-";
  });
}

// Writes the first `most` pairs to two files; returns how many pairs there are in all.
uint64_t write_sample(const TrainingPlan& plan, const fs::path& folder, uint64_t most) {
  PairReader reader(plan.train_sets, kLineBytes);
  AtomicFile source(folder / "source"), target(folder / "target");
  RawPair pair;
  uint64_t pairs = 0;
  for (; pairs < most && reader.next(pair); ++pairs) {
    source.write(std::string(pair.source) + "\n");
    target.write(std::string(pair.target) + "\n");
  }
  source.commit();
  target.commit();
  if (pairs == 0) throw Error("the training text has no pair of sentences");
  while (const uint64_t skipped = reader.skip(1 << 20)) pairs += skipped;
  return pairs;
}

void prepare_sample(const TrainingPlan& plan, const fs::path& folder) {
  PrepareOptions options;
  options.inputs = {{(folder / "source").string(), (folder / "target").string()}};
  options.output = folder / "data";
  options.joint_vocabulary = plan.options.joint_vocab;
  options.max_length = static_cast<uint32_t>(plan.options.max_length);
  options.overwrite = true;
  options.pieces.vocab_size = static_cast<int>(plan.options.vocab_size);
  options.pieces.coverage_is_an_option = false;
  prepare_corpus(options);
}

// Prepares the first pairs; returns how many there are in all. A sample may be too small to learn
// all pieces, so it grows until it is large enough, or until all the text is too little: then a
// training refuses the vocabulary too, in the same words.
uint64_t prepare_first_pairs(const TrainingPlan& plan, const fs::path& folder) {
  for (uint64_t size = kSamplePairs;; size *= kSampleGrowth) {
    const uint64_t pairs = write_sample(plan, folder, size);
    spdlog::info("dry run: preparing {} in a temporary folder, to count their pieces",
                 pairs <= size ? format_count(pairs, "pair")
                               : fmt::format("the first {} of {}", format_count(size),
                                             format_count(pairs, "pair")));
    try {
      prepare_sample(plan, folder);
      return pairs;
    } catch (const UsageError&) {
      throw;
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      if (size >= pairs || reads_standard_input(plan)) throw;
    }
  }
}

// The pairs that a training would use, and those that are too long for it. Where a sample was
// prepared, found.pairs is the number of all pairs, and both are estimated from their shares.
void count_pairs(const DataSet& data, const TrainingPlan& plan, DryRun& found) {
  const LongPairs counted = count_long_pairs(data, plan);
  found.sampled = found.estimated && data.info().pairs_read < found.pairs;
  const double scale = found.estimated ? static_cast<double>(found.pairs) /
                                             static_cast<double>(data.info().pairs_read)
                                       : 1;
  const auto scaled = [&](uint64_t count) {
    return static_cast<uint64_t>(std::llround(static_cast<double>(count) * scale));
  };
  found.pairs = scaled(counted.all - counted.left_out);
  found.left_out = scaled(counted.left_out);
}

// Batches of an epoch, and the mean lengths.
void count_batches(const DataSet& data, const TrainingOptions& options, DryRun& found) {
  const auto left_out = pairs_longer_than(data, options.max_length);
  const BatchOptions how = batch_options(options, data);
  EpochBatches batches(data.lengths(), how, static_cast<uint64_t>(options.seed), 0, left_out);
  if (!how.corpora.empty()) found.pairs = batches.pairs();
  std::vector<uint64_t> pairs;
  double count = 0, source = 0, target = 0;
  for (; batches.next(pairs); ++count) {
    for (const uint64_t pair : pairs) {
      source += data.lengths()[pair].source;
      target += data.lengths()[pair].target;
    }
  }
  const auto size = static_cast<double>(batches.pairs());
  const double scale = static_cast<double>(found.pairs) / size;
  found.updates_per_epoch = count * scale / static_cast<double>(options.optimizer_delay);
  found.source_length = source / size + 1;
  found.target_length = target / size + 1;
}

double peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// Times a few small updates with random weights and scales by the words of a real one.
void measure(const DataSet& data, const TrainingOptions& options, DryRun& found) {
  spdlog::info("dry run: timing a few updates of {} on {}",
               format_count(found.parameters, "parameter"),
               format_count(static_cast<uint64_t>(thread_count()), "thread"));
  set_up_computing();
  Learner learner(found.architecture, options, worker_count());
  BatchOptions small = batch_options(options, data);
  small.words = static_cast<size_t>(std::min(options.mini_batch_words, kTimedWords));
  BatchStream stream(data, small, static_cast<uint64_t>(options.seed), options.max_length);
  const double before = peak_bytes();
  double seconds = 0, words = 0, most_words = 0;
  for (int round = 0; round < 6 && seconds < kTimedSeconds; ++round) {
    const std::vector<std::vector<PiecePair>> batch = {read_pairs(data, stream.next())};
    const auto start = std::chrono::steady_clock::now();
    const UpdateResult result = learner.update(batch, 1e-6, 1);
    most_words = std::max(most_words, static_cast<double>(result.words));
    if (round == 0) continue;  // The first update also allocates memory.
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    words += static_cast<double>(result.words);
  }
  const double epoch_words = found.target_length * static_cast<double>(found.pairs);
  const double update_words = epoch_words / found.updates_per_epoch;
  found.seconds_per_update = seconds / words * update_words;
  const double batch_words = update_words / static_cast<double>(options.optimizer_delay);
  found.activation_bytes = (peak_bytes() - before) * std::max(batch_words / most_words, 1.0);
}

// What the run folder holds in the end: checkpoints with both moments, the bundles best and last,
// and the data set unless it is elsewhere.
double disk_bytes(const DryRun& found, const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  const auto weights = static_cast<double>(found.parameters) * 4;
  const double rows = options.exponential_smoothing > 0 ? 4 : 3;
  const auto kept = static_cast<double>(options.keep_last + options.keep_best);
  const double models = kept * rows * weights + 2 * weights;
  if (!plan.prepared.empty()) return models;
  const auto piece = static_cast<double>(piece_bytes(static_cast<int>(options.vocab_size)));
  const double pieces = (found.source_length + found.target_length - 2) * piece;
  return models + static_cast<double>(found.pairs) * (pieces + 2 * sizeof(uint32_t));
}

// Additions per feature of codes of a normal distribution.
double expected_density(const Architecture& a) {
  const auto share_above = [](double limit) { return 0.5 * std::erfc(limit / std::sqrt(2.0)); };
  const double threshold = a.threshold.value;
  if (a.code_levels == 0) return share_above(threshold);
  double additions = 0;
  for (size_t n = 1; n <= a.code_levels; ++n) {
    // From code n − 1 to code n, for both signs.
    const int more = std::popcount(n) - std::popcount(n - 1);
    additions += 2 * more * share_above(threshold * static_cast<double>(2 * n - 1));
  }
  return additions;
}

// Alignment and attention of every layer: projections of Q and K at their width, the rest at V's.
double attention_picojoules(const DryRun& found, energy::Accounting accounting, bool vanilla) {
  const Architecture& a = found.architecture;
  const auto length = static_cast<int64_t>(std::lround(found.source_length));
  const auto width = [](size_t size) { return static_cast<int64_t>(size); };
  const energy::Shape qk(length, width(a.model_dim), width(a.qk_dim));
  const energy::Shape value(length, width(a.model_dim), width(a.attention_dim));
  // Inputs of a selection come from a layer norm: at first they are about normally distributed.
  const double density = expected_density(a);
  const energy::Chip& chip = energy::paper_chips().front();
  double sum = 0;
  for (const Attention* role : {&a.encoder_self, &a.decoder_self, &a.cross}) {
    for (const Mechanism layer : role->layers) {
      const auto mechanism = vanilla ? kReferenceMechanism : layer;
      for (const Duty duty : energy::kBlockDuties) {
        if (energy::level_of(duty) == energy::Level::block) continue;
        const bool inner = energy::level_of(duty) == energy::Level::alignment;
        sum += energy::picojoules(
            chip, energy::expect(energy::forms_of(mechanism, duty, accounting, a.code_levels),
                                 inner ? qk : value, {density, density}));
      }
    }
  }
  return sum;
}

// The data set to examine: the one that a training would read, or one made of a sample.
fs::path find_data(const TrainingPlan& plan, const fs::path& folder, DryRun& found) {
  if (!plan.prepared.empty()) return plan.prepared;
  if (!plan.run.empty() && fs::exists(plan.run / "data" / kDataSetFile)) return plan.run / "data";
  if (!plan.options.corpus_weights.empty()) {
    throw UsageError(
        "a dry run with --corpus-weights needs a prepared data set, because it samples text as if "
        "it "
        "were one corpus; make one with `eatt corpus prepare` and give it with --prepared");
  }
  found.estimated = true;
  found.pairs = prepare_first_pairs(plan, folder);
  return folder / "data";
}

DryRun examine_plan(const TrainingPlan& plan) {
  check_options(plan);
  check_files(plan);
  TrainingPlan settled = plan;
  fill_in_languages(settled);
  check_plan_languages(settled);
  const TemporaryFolder folder("eatt-dry-run");
  DryRun found;
  const DataSet data(find_data(plan, folder.path(), found));
  // The model has the vocabulary that was asked for; the timed one too, so its pieces all exist.
  const auto vocab = [&](int size) {
    return static_cast<size_t>(found.estimated ? plan.options.vocab_size : size);
  };
  found.architecture = make_architecture(plan.options, vocab(data.info().source.size),
                                         vocab(data.info().target.size));
  found.parameters = parameter_count(found.architecture);
  // Values, two moments, perhaps an average, and gradients of each worker.
  const double rows = (plan.options.exponential_smoothing > 0 ? 4 : 3) + worker_count();
  found.weight_bytes = static_cast<double>(found.parameters) * 4 * rows;
  count_pairs(data, plan, found);
  count_batches(data, plan.options, found);
  measure(data, plan.options, found);
  const auto count = static_cast<double>(plan.options.after.count);
  found.epochs = plan.options.after.epochs ? count : count / found.updates_per_epoch;
  found.updates = plan.options.after.epochs ? count * found.updates_per_epoch : count;
  found.disk_bytes = disk_bytes(found, plan);
  for (const auto accounting : energy::kAccountings) {
    auto& energy = accounting == energy::Accounting::paper ? found.paper : found.exact;
    energy.model = attention_picojoules(found, accounting, /*vanilla=*/false);
    energy.vanilla = attention_picojoules(found, accounting, /*vanilla=*/true);
  }
  return found;
}

}  // namespace

DryRun examine(const TrainingPlan& plan) {
  return with_plain_errors([&] { return examine_plan(plan); });
}

}  // namespace eatt
