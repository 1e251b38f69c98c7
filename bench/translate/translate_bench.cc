// A worker that times translations of random pieces; bench/translate/compare.py drives it.
//
//   translate_bench [--threads 2]
//
// It reads a command a line and answers each with a line. Every sentence has 24 source pieces and
// is forced to 24 target pieces; each thread has a batch of its own in flight.
//   load NAME FOLDER [SHORTLIST]      → reads a model folder; "loaded"
//   run NAME BATCH BEAM SENTENCES     → target pieces, seconds
//   parts NAME BATCH BEAM SENTENCES   → seconds of all threads by part: name=seconds …
//   count NAME BATCH BEAM SENTENCES   → as run, with operations counted
//   looks NAME BATCH BEAM SENTENCES   → how often it is looked whether to count, if it is not
//   look                              → seconds that one such look takes
//   translate NAME PIECE …            → the pieces of a greedy translation, 24 of them
//   columns NAME                      → output columns of a sentence, on average
//   density NAME                      → share of the binarised inputs that exceed their threshold
//   peak                              → the most memory the process had, in KB (VmHWM)
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <bit>
#include <chrono>
#include <deque>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "base/random.h"
#include "energy/activity.h"
#include "kernels/selection/selection_codes.h"
#include "runtime/layers/model.h"
#include "runtime/layers/observer.h"
#include "runtime/layers/transformer.h"
#include "runtime/search/search.h"
#include "runtime/shortlist/shortlist.h"
#include "text/pieces/pieces.h"

namespace {

using namespace eatt;

constexpr int kPieces = 24;

struct Load {
  size_t batch = 0, beam = 0, sentences = 0;
};

// Seconds by what they were spent on.
class PartTimes : public Observer {
 public:
  static constexpr std::array<std::string_view, 10> kNames = {
      "embedding",       "norm",  "query/key", "scores",       "context",
      "fused-attention", "value", "output",    "feed-forward", "vocabulary"};

  bool wants_times() const override { return true; }
  bool wants_logits() const override { return false; }
  void spent(const Place& place, Duty duty, double elapsed) override {
    seconds[part(place, duty)] += elapsed;
  }

  std::array<double, kNames.size()> seconds = {};

 private:
  static size_t part(const Place& place, Duty duty) {
    switch (duty) {
      case Duty::embedding:
        return 0;
      case Duty::norm:
      case Duty::residual:
        return 1;
      case Duty::query:
      case Duty::key:
        return 2;
      case Duty::scores:
        return place.stack == Stack::encoder ? 5 : 3;
      case Duty::context:
        return 4;
      case Duty::value:
        return 6;
      case Duty::output:
        return 7;
      case Duty::ffn:
        return 8;
      default:
        return 9;
    }
  }
};

class DensityObserver : public Observer {
 public:
  void codes(const CodeRows& codes) override {
    const size_t words = codes.rows * kernels::code_words(codes.dim);
    for (size_t w = 0; w < words; ++w) ones_ += static_cast<size_t>(std::popcount(codes.bits[w]));
    all_ += codes.rows * codes.dim;
  }
  double density() const {
    return all_ == 0 ? 0 : static_cast<double>(ones_) / static_cast<double>(all_);
  }

 private:
  size_t ones_ = 0, all_ = 0;
};

// A model with the memory of as many threads as translate.
class Engine {
 public:
  Engine(const std::string& folder, const std::string& shortlist, size_t threads)
      : model_(load_model(Bundle::open(folder, {.verify_hashes = false}))), times_(threads) {
    if (!shortlist.empty()) shortlist_ = Shortlist::open(shortlist);
    for (PartTimes& times : times_) {
      steps_.push_back(make_steps({}));
      timed_steps_.push_back(make_steps({.observer = &times}));
      counting_steps_.push_back(make_steps({.observer = &recorders_.emplace_back()}));
    }
  }

  // Target pieces and seconds.
  std::pair<size_t, double> run(const Load& load) { return run(load, steps_); }

  std::pair<size_t, double> count(const Load& load) { return run(load, counting_steps_); }

  // Whether anybody counts or observes is asked at most 16 times in a layer of a step or of the
  // encoder, and at most 8 times for a row in a layer or in the search: an upper bound.
  uint64_t looks(const Load& load) {
    for (ActivityRecorder& recorder : recorders_) recorder.take();
    count(load);
    energy::Activity all;
    for (const ActivityRecorder& recorder : recorders_) all += recorder.activity();
    const uint64_t decoders = model_.decoder.size(), encoders = model_.encoder.size();
    return 16 * (all.batches * (encoders + 1) + all.steps * (decoders + 1)) +
           8 * (all.source_rows + all.rows * (decoders + 1));
  }

  PartTimes parts(const Load& load) {
    for (PartTimes& times : times_) times = {};
    run(load, timed_steps_);
    PartTimes all;
    for (const PartTimes& times : times_) {
      for (size_t i = 0; i < all.seconds.size(); ++i) all.seconds[i] += times.seconds[i];
    }
    return all;
  }

  std::vector<int32_t> translate(const std::vector<int32_t>& source) {
    const SearchTask task{.source = source};
    return search(*steps_[0], {&task, 1}, options(1))[0][0].pieces;
  }

  double density() const {
    DensityObserver observer;
    const auto steps = make_steps({.observer = &observer});
    std::atomic<size_t> next = 0;
    take_batches({.batch = 4, .beam = 1, .sentences = 4}, *steps, next);
    return observer.density();
  }

  double mean_columns() const {
    if (!shortlist_) return static_cast<double>(vocab());
    size_t columns = 0;
    constexpr size_t kSentences = 100;
    std::vector<int32_t> pieces;
    for (size_t i = 0; i < kSentences; ++i) {
      shortlist_->pieces_for(random_source(i), pieces);
      columns += pieces.size();
    }
    return static_cast<double>(columns) / kSentences;
  }

 private:
  using AllSteps = std::vector<std::unique_ptr<StepModel>>;

  std::unique_ptr<StepModel> make_steps(StepModelOptions options) const {
    options.shortlist = shortlist_ ? &*shortlist_ : nullptr;
    return std::make_unique<TransformerSteps>(model_, options);
  }

  static SearchOptions options(size_t beam) {
    SearchOptions options;
    options.beam_size = static_cast<int>(beam);
    options.min_length = options.max_length = options.max_length_extra = kPieces;
    return options;
  }

  size_t vocab() const { return model_.architecture.source_vocab; }

  std::vector<int32_t> random_source(size_t sentence) const {
    Random random = Random::stream(1, sentence);
    std::vector<int32_t> source(kPieces);
    for (int32_t& piece : source) {
      piece = kEndPiece + 1 + static_cast<int32_t>(random.below(vocab() - kEndPiece - 1));
    }
    return source;
  }

  // Takes batches of `load` until none is left; the number of target pieces.
  size_t take_batches(const Load& load, StepModel& steps, std::atomic<size_t>& next) const {
    size_t pieces = 0;
    for (;;) {
      const size_t first = next.fetch_add(load.batch);
      if (first >= load.sentences) return pieces;
      std::vector<SearchTask> tasks;
      for (size_t i = first; i < std::min(first + load.batch, load.sentences); ++i) {
        tasks.push_back({.source = random_source(i), .wants_scores = false});
      }
      for (const auto& hypotheses : search(steps, tasks, options(load.beam))) {
        pieces += hypotheses[0].pieces.size();
      }
    }
  }

  std::pair<size_t, double> run(const Load& load, const AllSteps& steps) const {
    std::atomic<size_t> next = 0, pieces = 0;
    std::vector<std::exception_ptr> errors(steps.size());
    const auto start = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> threads;
      for (size_t t = 0; t < steps.size(); ++t) {
        threads.emplace_back([&, t] {
          try {
            pieces += take_batches(load, *steps[t], next);
          } catch (...) {
            errors[t] = std::current_exception();
          }
        });
      }
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
    if (pieces != load.sentences * kPieces) {
      throw Error(fmt::format("{} sentences have {} target pieces; expected {} each",
                              load.sentences, pieces.load(), kPieces));
    }
    return {pieces, seconds.count()};
  }

  Model model_;
  std::optional<Shortlist> shortlist_;
  std::vector<PartTimes> times_;
  std::deque<ActivityRecorder> recorders_;  // Of each thread.
  AllSteps steps_, timed_steps_, counting_steps_;
};

// Seconds of a look at a pointer that is null, and of going on.
double seconds_of_a_look() {
  constexpr size_t kLooks = 20'000'000;
  Observer* volatile pointer = nullptr;
  size_t set = 0;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < kLooks; ++i) {
    if (pointer != nullptr) ++set;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (set != 0) throw Error("a null pointer was set");
  return seconds.count() / kLooks;
}

std::string peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:" && status >> word) return word;
  }
  throw Error("/proc/self/status has no VmHWM; this needs Linux");
}

class Worker {
 public:
  explicit Worker(size_t threads) : threads_(threads) {}

  std::string answer(const std::string& line) {
    std::istringstream words(line);
    std::string command, name, folder, shortlist;
    Load load;
    words >> command;
    if (command == "peak") return peak_memory();
    if (command == "look") return fmt::format("{:.6g}", seconds_of_a_look());
    words >> name;
    if (command == "load" && words >> folder) {
      words >> shortlist;
      engines_[name] = std::make_unique<Engine>(folder, shortlist, threads_);
      return "loaded";
    }
    Engine& engine = find(name, line);
    if (command == "columns") return fmt::format("{:.0f}", engine.mean_columns());
    if (command == "density") return fmt::format("{:.3f}", engine.density());
    if (command == "translate") {
      const std::vector<int32_t> source(std::istream_iterator<int32_t>(words), {});
      return fmt::format("{}", fmt::join(engine.translate(source), " "));
    }
    if (words >> load.batch >> load.beam >> load.sentences && load.batch > 0) {
      if (command == "run") return print(engine.run(load));
      if (command == "count") return print(engine.count(load));
      if (command == "looks") return fmt::format("{}", engine.looks(load));
      if (command == "parts") return print(engine.parts(load));
    }
    throw refusal(line);
  }

 private:
  static Error refusal(const std::string& line) {
    return Error(fmt::format("'{}' is no command; see bench/translate/translate_bench.cc", line));
  }
  static std::string print(const std::pair<size_t, double>& result) {
    return fmt::format("{} {:.9g}", result.first, result.second);
  }
  static std::string print(const PartTimes& times) {
    std::string text;
    for (size_t i = 0; i < PartTimes::kNames.size(); ++i) {
      text += fmt::format("{}{}={:.6g}", i == 0 ? "" : " ", PartTimes::kNames[i], times.seconds[i]);
    }
    return text;
  }
  Engine& find(const std::string& name, const std::string& line) {
    const auto found = engines_.find(name);
    if (found == engines_.end()) throw refusal(line);
    return *found->second;
  }

  size_t threads_;
  std::map<std::string, std::unique_ptr<Engine>> engines_;
};

int run(int argc, char** argv) {
  size_t threads = std::max(1u, std::thread::hardware_concurrency());
  CLI::App app("Times translations of random pieces", "translate_bench");
  app.add_option("--threads", threads, "Batches in flight")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  Worker worker(threads);
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << worker.answer(line) << std::endl;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "translate_bench: " << error.what() << '\n';
    return 1;
  }
}
