#include "serving/models/models.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/progress.h"
#include "base/threads.h"
#include "bundle/expected_tensors.h"
#include "serving/api/metrics.h"
#include "text/sentences/sentences.h"

namespace eatt::serving {
namespace {

constexpr std::chrono::milliseconds kRetirePoll{50};

// Names that differ: a second "best" becomes "best-2".
std::vector<std::string> names_of(const std::vector<std::string>& bundles) {
  std::vector<std::string> names;
  for (const std::string& bundle : bundles) {
    const std::string name = bundle_name(bundle);
    std::string unique = name;
    for (int i = 2; std::ranges::find(names, unique) != names.end(); ++i) {
      unique = fmt::format("{}-{}", name, i);
    }
    names.push_back(unique);
  }
  return names;
}

void add_once(std::vector<std::string>& languages, const std::string& language) {
  if (std::ranges::find(languages, language) == languages.end()) languages.push_back(language);
}

// Rows that a worker computes together if the operator does not say: enough to use a weight several
// times while it is in the cache, and no more, because their keys and values push each other out of
// it. An int8 model of 7.5 million parameters was fastest with 12 to 16 rows where a core has 1 MB
// of second-level cache (AMD EPYC), and with 24 to 32 where it has 2 MB (Intel Emerald Rapids).
size_t usual_batch_rows(uint64_t parameters, Precision precision) {
  constexpr long kLargeCache = 2 << 20;
  const bool large = ::sysconf(_SC_LEVEL2_CACHE_SIZE) >= kLargeCache;  // 0 where it is not known.
  const double bytes_per_row = large ? 0.3e6 : 0.45e6;
  const double bytes = static_cast<double>(parameters) * (precision == Precision::int8 ? 1.0 : 4.0);
  return static_cast<size_t>(std::clamp(bytes / bytes_per_row, 4.0, 64.0));
}

}  // namespace

LoadedModel::LoadedModel(std::string model_name, const std::string& bundle,
                         const EngineOptions& options)
    : name(std::move(model_name)) {
  Bundle opened = Bundle::open(bundle, {.verify_hashes = false});  // The engine does that.
  manifest = opened.manifest();
  parameters = parameter_count(manifest.architecture);
  profiles = opened.language_profiles();
  const std::string& wanted = options.translator.precision;
  precision = wanted.empty()                              ? manifest.precision
              : wanted == precision_name(Precision::int8) ? Precision::int8
                                                          : Precision::float32;
  EngineOptions own = options;
  if (own.batch_rows == 0) own.batch_rows = usual_batch_rows(parameters, precision);
  engine = std::make_unique<Engine>(bundle, own);
  replay = std::make_unique<Replay>(std::move(opened), options.translator);
}

bool is_language(std::string_view wanted, std::string_view code) {
  return wanted.empty() || wanted == code || primary_language(wanted) == primary_language(code);
}

const LoadedModel* ModelSet::named(std::string_view name) const {
  for (const auto& model : models) {
    if (model->name == name) return model.get();
  }
  return nullptr;
}

const LoadedModel* ModelSet::for_languages(std::string_view source, std::string_view target) const {
  const auto is_exact = [](std::string_view wanted, std::string_view code) {
    return wanted.empty() || wanted == code;
  };
  for (const auto& model : models) {
    if (is_exact(source, model->source()) && is_exact(target, model->target())) return model.get();
  }
  for (const auto& model : models) {
    if (is_language(source, model->source()) && is_language(target, model->target())) {
      return model.get();
    }
  }
  return nullptr;
}

std::vector<std::string> ModelSet::languages() const {
  std::vector<std::string> result = sources();
  for (const auto& model : models) add_once(result, model->target());
  return result;
}

std::vector<std::string> ModelSet::sources() const {
  std::vector<std::string> result;
  for (const auto& model : models) add_once(result, model->source());
  return result;
}

ModelStore::ModelStore(std::vector<std::string> bundles, EngineOptions options)
    : bundles_(std::move(bundles)),
      options_(std::move(options)),
      current_(load()),
      thread_(start_thread([this] { work(); })) {}

ModelStore::~ModelStore() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

std::shared_ptr<const ModelSet> ModelStore::load() const {
  auto set = std::make_shared<ModelSet>();
  const std::vector<std::string> names = names_of(bundles_);
  for (size_t i = 0; i < bundles_.size(); ++i) {
    set->models.push_back(std::make_unique<LoadedModel>(names[i], bundles_[i], options_));
  }
  return set;
}

std::shared_ptr<const ModelSet> ModelStore::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ModelStore::reload_soon(std::function<void()> also) {
  {
    const std::lock_guard lock(mutex_);
    reload_ = std::move(also);
  }
  wake_.notify_all();
}

EngineStatus ModelStore::status() const {
  const std::lock_guard lock(mutex_);
  EngineStatus sum = retired_;
  for (const auto& set : {current_, leaving_}) {
    if (set == nullptr) continue;
    for (const auto& model : set->models) sum = sum_of(sum, model->engine->status());
  }
  return sum;
}

void ModelStore::reload(const std::function<void()>& also) {
  try {
    auto fresh = load();
    also();
    {
      const std::lock_guard lock(mutex_);
      leaving_ = std::exchange(current_, std::move(fresh));
    }
    spdlog::info("reloaded {}", format_count(bundles_.size(), "model"));
    retire();
  } catch (const std::exception& error) {
    spdlog::error("not reloaded, the models from before stay: {}", user_message(error));
  }
}

// An engine ends here, once no request holds it any more, and never on a thread of its own.
void ModelStore::retire() {
  while (leaving_.use_count() > 1) std::this_thread::sleep_for(kRetirePoll);
  std::shared_ptr<const ModelSet> old;
  const std::lock_guard lock(mutex_);
  for (const auto& model : leaving_->models) {
    EngineStatus last = model->engine->status();
    last.waiting = last.running = 0;
    retired_ = sum_of(retired_, last);
  }
  old = std::exchange(leaving_, nullptr);
}

void ModelStore::work() {
  while (true) {
    std::function<void()> also;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return ends_ || reload_ != nullptr; });
      if (ends_) return;
      also = std::exchange(reload_, nullptr);
    }
    reload(also);
  }
}

}  // namespace eatt::serving
