#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bundle/bundle.h"
#include "serving/engine/engine.h"
#include "serving/models/replay.h"
#include "text/language/language_profile.h"

namespace eatt::serving {

struct LoadedModel {
  // options.batch_rows may be 0: as many as suit the size of the model.
  LoadedModel(std::string model_name, const std::string& bundle, const EngineOptions& options);

  std::string name;  // Of its folder: "eatt.int8".
  Manifest manifest;
  Precision precision;  // In which it computes.
  uint64_t parameters = 0;
  std::vector<LanguageProfile> profiles;  // Of its languages; none in bundles of an earlier eatt.
  std::unique_ptr<Engine> engine;
  std::unique_ptr<Replay> replay;

  const std::string& source() const { return manifest.source_language; }
  const std::string& target() const { return manifest.target_language; }
};

// The models of the server, in the order in which they were given. Never changed: a reload makes
// another set, and requests hold the one that they began with.
struct ModelSet {
  std::vector<std::unique_ptr<LoadedModel>> models;

  // Null if there is none.
  const LoadedModel* named(std::string_view name) const;
  // The first for these languages, compared as a whole ("zh-Hant") or else without region and
  // script. An empty code fits any.
  const LoadedModel* for_languages(std::string_view source, std::string_view target) const;
  // Of sources and targets, each once.
  std::vector<std::string> languages() const;
  std::vector<std::string> sources() const;
};

// Whether a code means a language: "zh" means "zh-Hant" too.
bool is_language(std::string_view wanted, std::string_view code);

// Holds the current set and exchanges it on request.
class ModelStore {
 public:
  // Throws an Error if a bundle cannot be opened.
  ModelStore(std::vector<std::string> bundles, EngineOptions options);
  ~ModelStore();

  std::shared_ptr<const ModelSet> current() const;
  // Opens all bundles again on a thread of its own, then calls `also`. If either throws, the log
  // says why and everything stays as it was. Returns at once.
  void reload_soon(std::function<void()> also);
  // Of all models, added up, with those that were replaced.
  EngineStatus status() const;

 private:
  std::shared_ptr<const ModelSet> load() const;
  void reload(const std::function<void()>& also);
  void retire();
  void work();

  const std::vector<std::string> bundles_;
  const EngineOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const ModelSet> current_;
  std::shared_ptr<const ModelSet> leaving_;  // Replaced, but held by requests.
  EngineStatus retired_;                     // Of those that nobody holds any more.
  std::function<void()> reload_;             // Not empty: asked for.
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace eatt::serving
