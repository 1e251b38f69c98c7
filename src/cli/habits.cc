#include "cli/habits.h"

#include <span>

namespace eatt::cli {

const char kTsvHint[] =
    "text in one file, such as TSV, is prepared first: `eatt corpus prepare --tsv FILE --output "
    "DATA`, then `eatt train --prepared DATA`";

namespace {

struct Habit {
  std::vector<const char*> options;
  const char* hint;
};

void add(Command& command, std::span<const Habit> habits) {
  for (const Habit& habit : habits) {
    for (const char* option : habit.options) command.add_hint(option, habit.hint);
  }
}

// When something happens.
const std::vector<Habit>& times_of_training() {
  static const std::vector<Habit> habits = {
      {{"--epochs", "--max-epoch", "--max-epochs", "--after-epochs"},
       "--after 10e trains for ten epochs, --after 2000u for 2,000 updates"},
      {{"--max-update", "--max-updates", "--max-steps", "--train-steps", "--steps", "--updates",
        "--after-batches"},
       "--after 2000u trains for 2,000 updates, --after 10e for ten epochs"},
      {{"--patience", "--early-stopping-patience", "--max-num-checkpoint-not-improved"},
       "--early-stopping N stops after N validations without a better score"},
      {{"--validate-interval", "--validate-interval-updates", "--valid-steps", "--eval-steps"},
       "--valid-freq 1000u validates every 1,000 updates, --valid-freq 1e after every epoch"},
      {{"--save-interval", "--save-interval-updates", "--save-checkpoint-steps", "--save-steps",
        "--checkpoint-interval"},
       "--save-freq 1000u saves every 1,000 updates, --save-freq 1e after every epoch"},
      {{"--keep-last-epochs", "--keep-interval-updates", "--keep-checkpoint", "--keep-last-params",
        "--keep-best-checkpoints"},
       "--keep-last N keeps the newest checkpoints, --keep-best N the best"},
      {{"--log-interval", "--report-every", "--logging-steps"},
       "--disp-freq 100u prints a line every 100 updates"},
      {{"--resume", "--continue", "--restore-file", "--train-from", "--no-reload", "--load-model"},
       "a run that was interrupted continues with `eatt train --model RUN`; a new one starts from "
       "a model with --init-from BUNDLE"},
      {{"--pretrained-model", "--finetune-from-model", "--from-pretrained"},
       "--init-from BUNDLE starts from a model"},
  };
  return habits;
}

const std::vector<Habit>& sizes_and_rates() {
  static const std::vector<Habit> habits = {
      {{"--batch-size", "--mini-batch", "--max-tokens", "--max-sentences", "--mini-batch-fit",
        "--batch-type"},
       "the size of a batch is --mini-batch-words N, in source pieces"},
      {{"--update-freq", "--accum-count", "--update-interval", "--gradient-accumulation-steps"},
       "--optimizer-delay N adds up the gradients of N batches"},
      {{"--maxi-batch"}, "--window-pairs N sorts that many pairs by length at a time"},
      {{"--workspace"}, "no memory is reserved; --mini-batch-words N sets the size of a batch"},
      {{"--lr", "--learning-rate", "--initial-learning-rate"},
       "the learning rate is --learn-rate X"},
      {{"--warmup", "--warmup-updates", "--warmup-steps", "--learning-rate-warmup"},
       "--lr-warmup N sets the number of warm-up updates"},
      {{"--lr-scheduler", "--lr-decay-inv-sqrt", "--decay-method"},
       "--lr-schedule chooses the schedule, such as inverse-sqrt"},
      {{"--optimizer", "--optim", "--optimizer-params", "--adam-betas", "--adam-eps"},
       "the optimizer is Adam; its options are --learn-rate, --adam-beta1, --adam-beta2 and "
       "--adam-epsilon"},
      {{"--criterion"}, "the loss is cross-entropy with --label-smoothing X"},
      {{"--fp16", "--bf16", "--amp", "--precision", "--compute-type", "--quantize-bits"},
       "training computes in float32; `eatt quantize` makes an int8 model of the result"},
  };
  return habits;
}

const std::vector<Habit>& models_and_files() {
  static const std::vector<Habit> habits = {
      {{"--arch", "-a", "--task", "--type", "--model-type"},
       "--recipe chooses the size of the model and --attention its attention; `eatt train --help` "
       "lists both"},
      {{"--config", "-c", "--config-file"},
       "--recipe FILE reads options from a TOML file; `eatt train --dump-config` prints one"},
      {{"--layers", "--encoder-layers", "--decoder-layers", "--num-layers"},
       "--enc-depth N and --dec-depth N set the number of layers"},
      {{"--dim-emb", "--hidden-size", "--d-model", "--encoder-embed-dim", "--decoder-embed-dim"},
       "--model-dim N sets the width of the model"},
      {{"--dim-ffn", "--transformer-dim-ffn", "--encoder-ffn-embed-dim", "--decoder-ffn-embed-dim"},
       "--ffn-dim N sets the width of the feed-forward layers"},
      {{"--transformer-heads", "--num-heads", "--encoder-attention-heads",
        "--decoder-attention-heads"},
       "--heads N sets the number of heads"},
      {{"--transformer-dropout"}, "--dropout X sets dropout"},
      {{"--vocabs", "--vocab", "--dim-vocabs", "--vocabulary"},
       "--vocab-size N learns a vocabulary from --train-sets; `eatt corpus prepare --pieces FILE` "
       "uses one that exists"},
      {{"--output", "-o", "--save-dir", "--save-model", "--output-dir"},
       "the folder of the run is --model RUN"},
      {{"--src", "--tgt", "--train-src", "--train-tgt", "--train-data", "--trainpref"},
       "the text is --train-sets SRC TGT, and text for validation --valid-sets SRC TGT"},
      {{"--devices", "--gpus", "--gpu", "--cuda"}, "--device cuda trains on a GPU"},
      {{"--tsv", "--tsv-columns"}, kTsvHint},
  };
  return habits;
}

}  // namespace

void add_training_habits(Command& command) {
  add(command, times_of_training());
  add(command, sizes_and_rates());
  add(command, models_and_files());
}

void add_search_habits(Command& command) {
  static const std::vector<Habit> habits = {
      {{"--nbest", "--nbest-size", "--num-hypotheses"}, "--n-best N sets the number of hypotheses"},
      {{"--beam", "--num-beams"}, "--beam-size N sets the width of the beam"},
      {{"--lenpen", "--alpha", "--length-penalty-alpha"}, "--length-penalty X sets it"},
      {{"--compute-type", "--quantization", "--int8shift", "--fp16"},
       "--precision int8 computes with 8-bit integers; `eatt quantize` makes an int8 model"},
      {{"--inter-threads", "--intra-threads", "--num-threads", "--workers", "--num-workers"},
       "--cpu-threads N sets the number of threads"},
      {{"--batch-size", "--max-batch-size"},
       "--mini-batch N sets the number of sentences in a batch, --mini-batch-words N its pieces"},
      {{"--max-tokens"}, "--mini-batch-words N sets the number of source pieces in a batch"},
      {{"--workspace"}, "no memory is reserved; --mini-batch-words N sets the size of a batch"},
      {{"--devices", "--device", "--gpus", "--cuda"},
       "this runs on the CPU; --cpu-threads N sets the number of threads"},
  };
  add(command, habits);
}

void add_translation_habits(Command& command) {
  static const std::vector<Habit> habits = {
      {{"--model", "--models", "-m", "--path", "--model-path"},
       "the model is given without an option: `eatt translate MODEL -i FILE`"},
      {{"--vocabs", "--vocab", "--vocabulary", "--spm"}, "a model contains its vocabulary"},
      {{"--config", "-c"}, "options are given on the command line; `eatt translate --help`"},
      {{"--src", "--source", "--input-file"}, "-i FILE reads the text"},
      {{"--out", "--output-file", "--results-path"}, "-o FILE writes the translations"},
      {{"--source-lang", "--target-lang", "--from", "--to"},
       "a model translates in one direction, which it knows"},
      {{"--print-alignment", "--report-align", "--with-align"},
       "--alignment hard prints word alignments"},
  };
  add(command, habits);
  add_search_habits(command);
}

}  // namespace eatt::cli
