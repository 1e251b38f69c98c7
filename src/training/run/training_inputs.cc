#include "training/run/training_inputs.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "base/stop_signal.h"
#include "base/threads.h"
#include "bundle/bundle.h"
#include "bundle/bundle_checks.h"
#include "evaluation/text_lines.h"
#include "text/corpus/prepare_corpus.h"
#include "training/options/training_options.h"
#include "training/run/checkpoint.h"

namespace eatt {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kGuidedAlignment[] = "--guided-alignment";
constexpr char kTextDigests[] = "train_sets_sha256";  // In run.json: of each file.

void tell_of_long_pairs(const DataSet& data, const TrainingPlan& plan) {
  const LongPairs found = count_long_pairs(data, plan);
  if (found.left_out == 0) return;
  spdlog::info("left out {} of {} longer than {} pieces (--max-length)",
               format_count(found.left_out), format_count(found.all, "pair"),
               plan.options.max_length);
}

void check_valid_lengths(const ValidationSet& valid, const TrainingPlan& plan,
                         const Architecture& architecture) {
  if (!has_length_limit(architecture) || valid.longest() < architecture.max_length) return;
  throw UsageError(
      fmt::format("{} or {} has a sentence of {} pieces, and this model's attention can read at "
                  "most {}; raise --max-length, or shorten the sentence",
                  plan.valid_source.string(), plan.valid_target.string(), valid.longest(),
                  plan.options.max_length));
}

// The SHA-256 of each text, by its path.
using TextDigests = std::vector<std::pair<std::string, std::string>>;

TextDigests digests_of_text(const TrainingPlan& plan) {
  TextDigests digests;
  for (const PairInput& input : plan.train_sets) {
    for (const int side : {0, 1}) {
      const std::string& path = input.file(side).path;
      digests.emplace_back(path, path == "-" ? path : sha256_of_file(path));
    }
  }
  return digests;
}

// Of the text itself: where it lies and when it was written does not matter.
std::string digest_of(const TextDigests& texts) {
  if (texts.empty()) return "none";
  std::string digests;
  for (const auto& [path, digest] : texts) digests += digest;
  return sha256_hex(digests);
}

std::string digest_of_links(const TrainingPlan& plan) {
  TextDigests digests;
  for (const std::string& path : plan.guided_alignment) {
    digests.emplace_back(path, path == "-" ? path : sha256_of_file(path));
  }
  return digest_of(digests);
}

std::string digest_of_bundle(const fs::path& path) {
  return path.empty() ? "none" : sha256_of_file(path / kManifestFile);
}

// What beside the options decides the weights.
json identity_of(const TrainingPlan& plan, const TrainingInputs& inputs, const TextDigests& texts) {
  json identity = {{"training data", data_digest(inputs)},
                   {"--train-sets", digest_of(texts)},
                   {kGuidedAlignment, digest_of_links(plan)},
                   {"--teacher", digest_of_bundle(plan.teacher)},
                   {"--init-from", digest_of_bundle(plan.init_from)},
                   {"--valid-sets",
                    plan.valid_source.empty()
                        ? "none"
                        : sha256_of_file(plan.valid_source) + sha256_of_file(plan.valid_target)}};
  // A prepared data set has its own vocabulary, whatever was requested.
  if (plan.prepared.empty()) {
    identity["--vocab-size"] = std::to_string(plan.options.vocab_size);
    identity["--joint-vocab"] = plan.options.joint_vocab ? "true" : "false";
  }
  return identity;
}

void refuse(const RunFolder& run, std::string_view name, const std::string& before,
            const std::string& now) {
  throw UsageError(fmt::format(
      "{} was started with {} {} and cannot continue with {}; give the old value, or start a new "
      "run with another --model",
      run.path().string(), name, before.empty() ? "''" : before, now.empty() ? "''" : now));
}

// Where the value of an option comes from if it was not typed: ", which --recipe tiny sets".
std::string source_of(const std::string& option, const TrainingPlan& plan) {
  const bool typed = std::ranges::find(plan.flags, option) != plan.flags.end();
  return typed || plan.recipe.empty() ? "" : fmt::format(", which --recipe {} sets", plan.recipe);
}

// The data themselves are compared, and the vocabulary that was requested with the one requested
// before; training.toml has the actual one.
bool describes_the_data(const TrainingOption& option) {
  return option.name == "source-language" || option.name == "target-language" ||
         option.name == "vocab-size" || option.name == "joint-vocab";
}

// The digests of texts in a record, in their order: those of --valid-sets stand in one string.
std::vector<std::string> recorded_digests(const json& before, const std::string& name) {
  if (name == "--train-sets") return before.value(kTextDigests, std::vector<std::string>());
  constexpr size_t kDigits = 64;
  const std::string both = before.value(name, "");
  if (both.size() != 2 * kDigits) return {};
  return {both.substr(0, kDigits), both.substr(kDigits)};
}

// The file of --train-sets, --valid-sets, … that is not what the run was started with; empty if
// that is not known.
std::string changed_file(const json& before, const std::string& name, const TrainingPlan& plan,
                         const TextDigests& texts) {
  if (name == "--teacher") return plan.teacher.string();
  if (name == "--init-from") return plan.init_from.string();
  if (name == "training data") return plan.prepared.string();
  TextDigests now = texts;
  if (name == "--valid-sets") {
    now.clear();
    for (const fs::path& file : {plan.valid_source, plan.valid_target}) {
      now.emplace_back(file.string(), file.empty() ? "" : sha256_of_file(file));
    }
  }
  const auto recorded = recorded_digests(before, name);
  for (size_t i = 0; i < now.size() && recorded.size() == now.size(); ++i) {
    if (now[i].second != recorded[i]) return now[i].first;
  }
  return {};
}

[[noreturn]] void refuse_other_data(const RunFolder& run, const std::string& name,
                                    const std::string& file, std::string_view which) {
  if (which == "other" && !file.empty()) {
    throw UsageError(fmt::format(
        "{}: differs from the {} that {} was started with; give the original, or start a new run "
        "with another --model",
        file, name, run.path().string()));
  }
  throw UsageError(fmt::format(
      "{} was started with {} {}; give the same again, or start a new run with another --model",
      run.path().string(), which, name));
}

// A prepared data set has its own links, and its digest covers them.
void compare_links(const RunFolder& run, const json& before, const std::string& now,
                   const TrainingPlan& plan) {
  const std::string old = before.value(kGuidedAlignment, "none");
  if (old == now || !plan.prepared.empty() || before.value("--train-sets", "none") == "none") {
    return;
  }
  const std::string file = plan.guided_alignment.size() == 1 ? plan.guided_alignment.front() : "";
  refuse_other_data(run, kGuidedAlignment, file,
                    old == "none"   ? "no"
                    : now == "none" ? "a"
                                    : "other");
}

void compare_identity(const RunFolder& run, const json& before, const json& now,
                      const TrainingPlan& plan, const TextDigests& texts) {
  for (const auto& [name, value] : now.items()) {
    // Text and the data set made from it are interchangeable.
    if (name == "--train-sets" && (value == "none" || before.value(name, "none") == "none")) {
      continue;
    }
    if (name == kGuidedAlignment) {
      compare_links(run, before, value, plan);
      continue;
    }
    if (!before.contains(name) || before[name] == value) continue;
    const bool is_option = name == "--vocab-size" || name == "--joint-vocab";
    if (is_option) refuse(run, name, before[name], value);
    // The others are digests, which tell the user nothing.
    refuse_other_data(run, name, changed_file(before, name, plan, texts),
                      before[name] == "none" ? "no"
                      : value == "none"      ? "a"
                                             : "other");
  }
}

}  // namespace

fs::path prepare_data(const TrainingPlan& plan, const RunFolder& run) {
  if (!plan.prepared.empty()) return plan.prepared;
  PrepareOptions options;
  options.inputs = plan.train_sets;
  add_links(plan.guided_alignment, options.inputs);
  options.output = run.data();
  options.joint_vocabulary = plan.options.joint_vocab;
  options.pieces.vocab_size = static_cast<int>(plan.options.vocab_size);
  options.pieces.coverage_is_an_option = false;
  options.max_length = static_cast<uint32_t>(plan.options.max_length);
  const bool unused = list_checkpoints(run.checkpoints()).empty();
  // A run that has begun keeps its data; begin_or_resume compares the text they came from.
  if (!unused && fs::exists(run.data() / kDataSetFile)) return run.data();
  const bool was_there = fs::exists(run.data());
  try {
    prepare_corpus(options);
  } catch (const Stopped&) {
    throw;
  } catch (const Error&) {
    // A first attempt with other files or sizes may have left files that nothing depends on.
    if (!unused || !was_there) throw;
    options.overwrite = true;
    prepare_corpus(options);
  }
  return run.data();
}

std::string data_digest(const TrainingInputs& inputs) {
  Sha256 data;
  for (const auto& [name, file] : inputs.data.info().files) data.update(name + file.sha256);
  data.update(inputs.source_pieces.sha256() + inputs.target_pieces.sha256());
  return data.hex_digest();
}

LongPairs count_long_pairs(const DataSet& data, const TrainingPlan& plan) {
  LongPairs found = {.all = data.size()};
  data.each_length([&](size_t, PairLength length) {
    found.left_out += std::max(length.source, length.target) > plan.options.max_length;
  });
  if (plan.prepared.empty()) {
    const uint64_t dropped = data.info().dropped[PairProblem::many_pieces].count;
    found.left_out += dropped;
    found.all += dropped;
  }
  if (found.left_out < found.all) return found;
  throw UsageError(fmt::format(
      "{}: all {} are longer than {} pieces, so nothing is left to train on; raise --max-length",
      data.folder().string(), format_count(found.all, "pair"), plan.options.max_length));
}

TrainingInputs::TrainingInputs(const TrainingPlan& plan, const fs::path& data_set)
    : data(data_set),
      source_pieces(data.source_pieces_file()),
      target_pieces(data.target_pieces_file()) {
  tell_of_long_pairs(data, plan);
  architecture = make_architecture(plan.options, static_cast<size_t>(source_pieces.size()),
                                   static_cast<size_t>(target_pieces.size()));
  if (architecture.embeddings == EmbeddingSharing::all &&
      source_pieces.sha256() != target_pieces.sha256()) {
    throw UsageError(
        fmt::format("--tied-embeddings all needs one vocabulary for both languages; {} "
                    "has two",
                    plan.prepared.string()));
  }
  if (plan.valid_source.empty()) return;
  valid.emplace(TextPair{plan.valid_source, plan.valid_target}, source_pieces, target_pieces);
  check_valid_lengths(*valid, plan, architecture);
}

namespace {

void check_schedule(const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  if (options.lr_schedule == ScheduleKind::linear && options.after.epochs) {
    throw UsageError("--lr-schedule linear needs --after in updates, such as 20000u");
  }
  if (options.after.count == 0) throw UsageError("--after is 0; training would never start");
  if (plan.valid_source.empty() && options.early_stopping > 0) {
    throw UsageError("--early-stopping needs --valid-sets");
  }
  if (options.early_stopping > 0 && options.valid_freq.count == 0) {
    throw UsageError("--early-stopping needs --valid-freq: it counts validations");
  }
  if (options.soft_codes + options.freeze_codes > 1) {
    throw UsageError(
        "--soft-codes and --freeze-codes add up to more than 1: codes that are still "
        "soft cannot be frozen");
  }
}

}  // namespace

void check_options(const TrainingPlan& plan) {
  const TrainingOptions& options = plan.options;
  check_schedule(plan);
  if (!plan.teacher.empty() && options.distill_weight == 0 && options.distill_maps == 0) {
    throw UsageError("--teacher has no effect with --distill-weight 0; leave it out");
  }
  if (!plan.guided_alignment.empty() && !plan.prepared.empty()) {
    throw UsageError(
        "--guided-alignment needs --train-sets; to use a prepared data set, give the file to `eatt "
        "corpus prepare --guided-alignment`");
  }
  if (options.guided_alignment_layer > options.dec_depth) {
    throw UsageError(
        fmt::format("--guided-alignment-layer is {}, but the model has {}; 0 is the "
                    "last",
                    options.guided_alignment_layer,
                    format_count(static_cast<uint64_t>(options.dec_depth), "decoder layer")));
  }
  const size_t weights = corpus_weights(options).size();
  if (weights > 0 && !plan.train_sets.empty() && weights != plan.train_sets.size()) {
    throw UsageError(fmt::format("--corpus-weights has {} for {} of text; expected one for each",
                                 format_count(weights, "weight"),
                                 format_count(plan.train_sets.size(), "pair")));
  }
  const bool divided =
      options.score_scale == ScaleChoice::fixed || options.score_scale == ScaleChoice::learned;
  if (options.score_divisor > 0 && !divided) {
    throw UsageError("--score-divisor needs --score-scale fixed or learned");
  }
  if (plan.device != "cpu" && !plan.device.starts_with("cuda")) {
    throw UsageError(fmt::format("--device is '{}'; expected cpu or cuda", plan.device));
  }
  if (plan.device.starts_with("cuda") && !torch::cuda::is_available()) {
    throw UsageError(
        "--device is cuda, but this libtorch has no CUDA device (Debian's libtorch is built "
        "without CUDA)");
  }
  const auto vocab = static_cast<size_t>(options.vocab_size);
  make_architecture(options, vocab, vocab);  // Mistakes show before text is prepared.
  if (!evaluation::tokenizer_from_name(options.valid_tokenize)) {
    throw UsageError(fmt::format("--valid-tokenize is '{}'; expected 13a, intl, zh, char or none",
                                 options.valid_tokenize));
  }
  if (options.tied_embeddings == EmbeddingSharing::all && !options.joint_vocab) {
    throw UsageError("--tied-embeddings all needs one vocabulary: --joint-vocab true");
  }
}

namespace {

bool have_same_text(const fs::path& a, const fs::path& b) {
  std::error_code problem;
  if (fs::equivalent(a, b, problem)) return true;
  const auto size = fs::file_size(a, problem);
  return !problem && size == fs::file_size(b, problem) && !problem &&
         sha256_of_file(a) == sha256_of_file(b);
}

// Scores on text that a model has learned by heart say nothing about other text.
void warn_of_training_on_dev_text(const TrainingPlan& plan) {
  for (const PairInput& input : plan.train_sets) {
    if (input.is_tsv() || !have_same_text(input.source.path, plan.valid_source) ||
        !have_same_text(input.target.path, plan.valid_target)) {
      continue;
    }
    spdlog::warn(
        "--valid-sets has the same text as --train-sets, so its scores will not show how well the "
        "model translates new text; keep some pairs out of training for it");
    return;
  }
}

}  // namespace

void check_files(const TrainingPlan& plan) {
  for (const PairInput& input : plan.train_sets) {
    for (const int side : {0, 1}) {
      const std::string& path = input.file(side).path;
      if (path != "-" && !fs::exists(path)) {
        throw Error(fmt::format("{}: no such file; expected training text", path));
      }
    }
  }
  if (!plan.train_sets.empty()) {
    std::vector<PairInput> inputs = plan.train_sets;
    add_links(plan.guided_alignment, inputs);  // Throws if there are more or fewer.
  }
  for (const std::string& path : plan.guided_alignment) {
    if (path == "-" || fs::exists(path)) continue;
    throw Error(fmt::format("{}: no such file; expected word links (--guided-alignment)", path));
  }
  for (const fs::path& bundle : {plan.teacher, plan.init_from}) {
    if (!bundle.empty()) expect_float32(Bundle::open(bundle, {.verify_hashes = false}));
  }
  if (plan.valid_source.empty()) return;
  evaluation::expect_same_length(evaluation::TextLines::read_file(plan.valid_source),
                                 evaluation::TextLines::read_file(plan.valid_target));
  warn_of_training_on_dev_text(plan);
}

void compare_options(const RunFolder& run, const TrainingPlan& plan) {
  const TrainingOptions& now = plan.options;
  if (list_checkpoints(run.checkpoints()).empty() || !fs::exists(run.settings())) return;
  TrainingOptions before;
  apply_recipe(read_file(run.settings(), 1 << 20), run.settings().string(), before);
  for (const TrainingOption& option : training_option_table()) {
    if (may_change_on_resume(option) || describes_the_data(option)) continue;
    if (option.get(before) == option.get(now)) continue;
    refuse(run, fmt::format("--{}", option.name), option.get(before),
           option.get(now) + source_of(option.name, plan));
  }
  const std::string schedule = schedule_over_after(now, !plan.teacher.empty());
  if (!schedule.empty() && before.after != now.after) {
    refuse(run, schedule + " and --after", print_extent(before.after),
           print_extent(now.after) + source_of("after", plan));
  }
}

void begin_or_resume(const RunFolder& run, TrainingPlan& plan, const TrainingInputs& inputs) {
  const fs::path file = run.record();
  const TextDigests texts = digests_of_text(plan);
  json record = identity_of(plan, inputs, texts);
  if (!list_checkpoints(run.checkpoints()).empty() && fs::exists(run.settings()) &&
      fs::exists(file)) {
    compare_options(run, plan);
    const json before = json::parse(read_file(file, 1 << 20), nullptr, false);
    if (!before.is_object()) throw Error(fmt::format("{}: is damaged", file.string()));
    compare_identity(run, before, record, plan, texts);
    if (const int threads = before.value("threads", 0); threads != thread_count()) {
      spdlog::warn(
          "this run began on {} and now continues on {}, so the last digits of its "
          "numbers will differ",
          format_count(static_cast<uint64_t>(threads), "thread"), thread_count());
    }
    if (const int workers = before.value("workers", 1); workers != plan.place.size) {
      spdlog::warn(
          "this run began with {} and now continues with {}: an update has {:.3g} times as many "
          "pairs as before",
          format_count(static_cast<uint64_t>(workers), "worker"), plan.place.size,
          static_cast<double>(plan.place.size) / workers);
    }
  }
  take_vocabulary_of(inputs, plan);
  for (const auto& [path, digest] : texts) record[kTextDigests].push_back(digest);
  record["threads"] = thread_count();
  if (!plan.place.alone()) record["workers"] = plan.place.size;
  record["data"] = describe_data(plan, inputs);
  // The record first: training.toml alone, left by a process that was killed between the two, could
  // be somebody's own recipe, and would be refused.
  write_file_atomically(file, record.dump(2) + "\n");
  write_file_atomically(run.settings(), print_recipe(plan.options));
}

}  // namespace eatt
