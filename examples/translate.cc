// Translates its arguments: translate_cpp BUNDLE "a sentence" "another one"
#include <cstdio>
#include <exception>

#include "translator.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s BUNDLE SENTENCE...\n", argv[0]);
    return 2;
  }
  try {
    const eatt::Translator translator(argv[1], {.threads = 1});
    std::vector<eatt::TranslationTask> tasks;
    for (int i = 2; i < argc; ++i) tasks.push_back({.source = argv[i]});
    for (const auto& translation : translator.translate(tasks, {.beam_size = 4, .n_best = 2})) {
      for (const auto& hypothesis : translation.hypotheses) {
        std::printf("%.3f\t%s\n", hypothesis.score, hypothesis.text.c_str());
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
