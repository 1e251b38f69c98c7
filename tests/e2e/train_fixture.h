#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/files.h"
#include "support/run.h"

namespace eatt::testing {

// `eatt train` on 400 pairs of the built-in corpus.
class Train : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto made = run("eatt", {"corpus", "generate", "--pair", "zh-en", "--train", "400",
                                   "--dev", "20", "--test", "20", "--output", corpus("")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  std::string corpus(std::string_view name) const {
    return (folder_ / "corpus").string() + "/" + std::string(name);
  }

  // `eatt train` of a model that takes seconds; later arguments override.
  std::vector<std::string> command(const std::string& run_name,
                                   std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments = {"train",
                                          "--recipe",
                                          "tiny",
                                          "--train-sets",
                                          corpus("train.zh"),
                                          corpus("train.en"),
                                          "--valid-sets",
                                          corpus("dev.zh"),
                                          corpus("dev.en"),
                                          "--model",
                                          path(run_name),
                                          "--cpu-threads",
                                          "1",
                                          "--after",
                                          "60u",
                                          "--save-freq",
                                          "5u",
                                          "--valid-freq",
                                          "60u",
                                          "--dropout",
                                          "0.1",
                                          "--model-dim",
                                          "16",
                                          "--enc-depth",
                                          "1",
                                          "--dec-depth",
                                          "1",
                                          "--vocab-size",
                                          "700"};
    for (const std::string& word : more) {
      if (word.starts_with("--")) drop(arguments, word);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  // Takes out what validation needs, too: an option without effect is refused.
  static void drop_validation(std::vector<std::string>& arguments) {
    for (const char* option : {"--valid-sets", "--valid-freq"}) drop(arguments, option);
  }

  // The same with a prepared data set in place of the text.
  std::vector<std::string> command_on(const std::string& data, const std::string& run_name,
                                      const std::vector<std::string>& more = {}) const {
    auto arguments = command(run_name, more);
    for (const char* option : {"--train-sets", "--vocab-size"}) drop(arguments, option);
    arguments.insert(arguments.end(), {"--prepared", path(data)});
    return arguments;
  }

  // Takes out an option and its values.
  static void drop(std::vector<std::string>& arguments, const std::string& option) {
    const auto found = std::ranges::find(arguments, option);
    if (found == arguments.end()) return;
    const auto is_option = [](const std::string& word) { return word.starts_with("--"); };
    arguments.erase(found, std::find_if(found + 1, arguments.end(), is_option));
  }

  // Waits in a shell until the training with this $pid shows progress, or is gone.
  std::string wait_for_progress(const std::string& run_name) const {
    return "until grep -q progress '" + path(run_name) +
           "/log.jsonl' 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done; ";
  }

  // The same as text for a shell.
  std::string shell_command(const std::string& run_name, std::vector<std::string> more = {}) const {
    std::string text = "'" + program_path("eatt").string() + "'";
    for (const std::string& word : command(run_name, std::move(more))) text += " '" + word + "'";
    return text;
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string final_weights(const std::string& run_name) const {
    return read_text(folder_ / run_name / "checkpoints" / "step-00000060" / "weights.safetensors");
  }

  static RunResult shell(const std::string& script) { return run("/bin/bash", {"-c", script}); }

  TemporaryFolder folder_;
};

}  // namespace eatt::testing
