#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "evaluation/tokenizers.h"
#include "runtime/api/translator.h"
#include "text/corpus/pair_reader.h"
#include "text/corpus/preparation_folder.h"

namespace eatt {

// Which of a teacher's hypotheses the student learns from.
enum class HypothesisChoice {
  best,       // The one with the best score.
  reference,  // Of the n-best list the one nearest to the given translation, by sentence BLEU.
};

// What `eatt distill` was asked for.
struct DistillOptions {
  std::vector<std::string> teachers;  // Several are an ensemble.
  std::vector<double> weights;
  std::vector<PairInput> inputs;
  std::filesystem::path output;
  SearchOptions search = {.beam_size = 4, .length_penalty = 0.6};
  TranslatorOptions translator;
  HypothesisChoice choice = HypothesisChoice::best;
  evaluation::Tokenizer tokenizer = evaluation::Tokenizer::v13a;  // Of BLEU.
  bool keep_original = false;  // The pairs themselves follow behind the translations.
  bool drop_cut = false;       // Leave out hypotheses that the length limit cut.
  bool overwrite = false;      // What another command made in `output` gives way.
};

// What the two sides of the distilled text are called: "train.zh" and "train.en".
struct SideNames {
  std::string source;
  std::string target;
};

// After the languages of the teacher, where it knows them, else after the endings of the text files
// (that of gzip aside), else "train.source" and "train.target".
SideNames name_sides(const DistillOptions& options);

// Everything that the distilled text depends on; SHA-256 stands for text, teachers and shortlist,
// wherever they lie. Threads and batches change nothing and are not in it.
PreparationPlan make_distill_plan(const DistillOptions& options, const SideNames& names);

}  // namespace eatt
