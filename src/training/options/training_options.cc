#include "training/options/training_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files/atomic_file.h"

namespace eatt {
namespace {

size_t size_of(int64_t option) { return static_cast<size_t>(option); }

// The mechanisms of a role; `name` is the option that sets it alone, and `role` its value.
std::vector<Mechanism> mechanisms(const TrainingOptions& options, std::string_view name,
                                  const std::string& role, int64_t layers) {
  const std::string& text = role.empty() ? options.attention : role;
  const std::string option = fmt::format("--{}", role.empty() ? "attention" : name);
  if (!mechanism_named(text) && text.find_first_of(":,") == text.npos) {
    refuse_value(option, text,
                 one_of(kMechanismNames) + ", or layer by layer, as in eatt:1-3,vanilla:4-6");
  }
  try {
    return parse_mechanisms(text, size_of(layers));
  } catch (const UsageError& problem) {
    throw UsageError(fmt::format("{} {}", option, problem.what()));
  }
}

double number(const std::string& text, std::string_view name) {
  size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == text.size() && !text.empty() && std::isfinite(value)) return value;
  throw UsageError(fmt::format("--{} is '{}'; expected a number, or preset", name, text));
}

size_t code_levels(const std::string& text) {
  const double value = number(text, "code-levels");
  if (value >= 0 && value <= kMostCodeLevels && value == std::floor(value)) {
    return static_cast<size_t>(value);
  }
  throw UsageError(fmt::format("--code-levels is '{}'; expected an integer from 0 to {}, or preset",
                               text, kMostCodeLevels));
}

void choose_scale(const TrainingOptions& options, Architecture& architecture) {
  if (options.score_scale == ScaleChoice::preset) return;
  const double head_width = std::sqrt(static_cast<double>(architecture.qk_head_dim()));
  for (Attention* role :
       {&architecture.encoder_self, &architecture.decoder_self, &architecture.cross}) {
    switch (options.score_scale) {
      case ScaleChoice::fixed:
      case ScaleChoice::learned:
        role->scale.kind =
            options.score_scale == ScaleChoice::fixed ? ScaleKind::fixed : ScaleKind::learned;
        role->scale.divisor = options.score_divisor > 0 ? options.score_divisor : head_width;
        break;
      default:
        role->scale = {};
    }
  }
}

// Widths of values, queries and keys for a number of heads.
void choose_widths(const TrainingOptions& options, Architecture& a) {
  apply_preset(options.preset, a);
  if (options.attention_dim > 0) {
    a.attention_dim = size_of(options.attention_dim);
    if (options.preset != Preset::released) a.qk_dim = a.attention_dim;
  }
  if (options.qk_dim > 0) a.qk_dim = size_of(options.qk_dim);
}

bool heads_fit(const TrainingOptions& options, size_t heads) {
  Architecture a;
  a.model_dim = size_of(options.model_dim);
  a.heads = heads;
  choose_widths(options, a);
  return a.attention_dim % heads == 0 && a.qk_dim > 0 && a.qk_dim % heads == 0;
}

// Each head gets an equal part of the width of attention.
void check_heads(const TrainingOptions& options) {
  constexpr size_t kMostSuggested = 64;
  if (heads_fit(options, size_of(options.heads))) return;
  std::vector<size_t> fitting;
  for (size_t heads = 1; heads <= kMostSuggested; ++heads) {
    if (heads_fit(options, heads)) fitting.push_back(heads);
  }
  std::string widths = fmt::format("--model-dim {}", options.model_dim);
  if (options.attention_dim > 0) widths = fmt::format("--attention-dim {}", options.attention_dim);
  if (options.qk_dim > 0) widths += fmt::format(" and --qk-dim {}", options.qk_dim);
  if (options.preset == Preset::released) widths += " (with --preset released)";
  throw UsageError(fmt::format(
      "--heads is {}, but {} cannot be divided into {} equal heads; {} work: --heads {}",
      options.heads, widths, options.heads, fitting.size() == 1 ? "this would" : "these would",
      fmt::join(fitting, ", ")));
}

}  // namespace

std::vector<double> corpus_weights(const TrainingOptions& options) {
  constexpr double kMost = 1000;
  const std::string& text = options.corpus_weights;
  std::vector<double> weights;
  if (text.empty()) return weights;
  const auto refuse = [&] {
    refuse_value("--corpus-weights", text,
                 "a weight from 0 to 1000 for each corpus, not all 0, such as 1,3");
  };
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    double weight = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + comma, weight);
    if (error != std::errc() || end != text.data() + comma) refuse();
    if (!(weight >= 0 && weight <= kMost)) refuse();
    weights.push_back(weight);
    at = comma + 1;
  }
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0; })) refuse();
  return weights;
}

double Schedule::rate(int64_t update) const {
  const auto t = static_cast<double>(std::max<int64_t>(update, 1));
  const double climb = warmup > 0 ? std::min(t / static_cast<double>(warmup), 1.0) : 1.0;
  switch (kind) {
    case ScheduleKind::paper:
      return peak * std::min(climb, std::sqrt(static_cast<double>(decay_start) / t));
    case ScheduleKind::inverse_sqrt:
      return peak *
             std::min(climb, std::sqrt(static_cast<double>(std::max<int64_t>(warmup, 1)) / t));
    case ScheduleKind::linear: {
      const auto span = static_cast<double>(std::max<int64_t>(last_update - warmup, 1));
      const double left = (static_cast<double>(last_update) - t) / span;
      return peak * std::min(climb, std::clamp(left, 0.0, 1.0));
    }
    case ScheduleKind::constant:
      break;
  }
  return peak * climb;
}

Architecture make_architecture(const TrainingOptions& options, size_t source_vocab,
                               size_t target_vocab) {
  check_heads(options);
  Architecture a;
  a.model_dim = size_of(options.model_dim);
  a.heads = size_of(options.heads);
  a.ffn_dim = size_of(options.ffn_dim);
  a.encoder_self.layers.resize(size_of(options.enc_depth));
  a.decoder_self.layers.resize(size_of(options.dec_depth));
  a.cross.layers.resize(size_of(options.dec_depth));
  choose_widths(options, a);  // The preset, before what may override it.

  a.encoder_self.layers =
      mechanisms(options, "encoder-self", options.encoder_self, options.enc_depth);
  a.decoder_self.layers =
      mechanisms(options, "decoder-self", options.decoder_self, options.dec_depth);
  a.cross.layers = mechanisms(options, "cross", options.cross, options.dec_depth);
  a.max_length = size_of(options.max_length) + 1;  // The end marker counts.
  a.source_vocab = source_vocab;
  a.target_vocab = target_vocab;
  a.norm = options.norm;
  if (options.norm_epsilon > 0) a.norm_epsilon = options.norm_epsilon;
  a.embeddings = options.tied_embeddings;
  if (options.threshold != "preset") a.threshold.value = number(options.threshold, "threshold");
  a.threshold.learned = options.learn_threshold;
  if (options.code_levels != "preset") a.code_levels = code_levels(options.code_levels);
  choose_scale(options, a);
  validate(a, "the model's options");
  return a;
}

namespace {

// The value as it would be written on the command line.
std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return std::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  return {};
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string known_names() {
  std::string names;
  for (const BuiltInRecipe& recipe : built_in_recipes()) {
    names += (names.empty() ? "" : ", ") + std::string(recipe.name);
  }
  return names;
}

}  // namespace

void apply_recipe(std::string_view text, const std::string& file, TrainingOptions& options) {
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& problem) {
    throw UsageError(
        fmt::format("{}, line {}: {}", file, problem.source().begin.line, problem.description()));
  }
  for (const auto& [key, node] : table) {
    const auto where = fmt::format("{}, line {}", file, node.source().begin.line);
    const TrainingOption* option = training_option_table().find(key.str());
    if (option == nullptr) {
      throw UsageError(
          fmt::format("{}: '{}' is not a recipe key; `eatt train --dump-config` "
                      "prints all of them",
                      where, key.str()));
    }
    if (node.is_table() || node.is_array() || node.is_string() != option->is_text) {
      throw UsageError(
          fmt::format("{}: {} should be {}", where, key.str(),
                      option->is_text ? "a string in quotes" : "a number or true/false"));
    }
    try {
      option->set(options, text_of(node));
    } catch (const UsageError& problem) {
      throw UsageError(fmt::format("{}: {}", where, problem.what()));
    }
  }
}

void apply_recipe_named(const std::string& name, TrainingOptions& options) {
  for (const BuiltInRecipe& recipe : built_in_recipes()) {
    if (recipe.name == name) return apply_recipe(recipe.text, "recipe " + name, options);
  }
  if (!std::filesystem::exists(name)) {
    throw UsageError(fmt::format("--recipe is '{}', which is neither a file nor one of {}", name,
                                 known_names()));
  }
  apply_recipe(read_file(name, 1 << 20), name, options);
}

std::string print_recipe(const TrainingOptions& options) {
  std::string text;
  std::string_view group;
  for (const TrainingOption& option : training_option_table()) {
    if (option.group != group) {
      text += fmt::format("{}# {}\n", group.empty() ? "" : "\n", option.group);
      group = option.group;
    }
    const std::string value = option.get(options);
    const std::string line =
        fmt::format("{} = {}", option.name, option.is_text ? in_quotes(value) : value);
    text += fmt::format("{:<36}  # {}\n", line, option.help);
  }
  return text;
}

}  // namespace eatt
