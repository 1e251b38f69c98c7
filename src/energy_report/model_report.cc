#include "energy_report/model_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/options.h"
#include "base/text/utf8.h"

namespace eatt::energy {
namespace {

// An activity in which the model does everything it can, once.
Activity smallest_activity(const Architecture& architecture) {
  constexpr CodeActivity kOne = {.rows = 1, .ones = 1, .distinct = 1};
  const size_t decoders = architecture.decoder_layers();
  Activity activity;
  activity.sentences = activity.batches = activity.source_rows = activity.source_pairs = 1;
  activity.steps = activity.rows = activity.self_pairs = activity.cross_pairs = 1;
  activity.columns = activity.distinct_columns = 1;
  activity.encoder_self.assign(architecture.encoder_layers(), kOne);
  activity.decoder_self.assign(decoders, kOne);
  activity.cross_query.assign(decoders, kOne);
  activity.cross_key = kOne;
  activity.search = {.rows = 1, .columns = 1, .candidates = 1, .comparisons = 1, .ended = 1};
  return activity;
}

}  // namespace

std::string search_text(const ReportedSearch& search) {
  std::string text =
      search.beam_size == 1 ? "greedy search" : fmt::format("beam of {}", search.beam_size);
  const auto add = [&](std::string_view what, double value) {
    if (value != 0) text += fmt::format(", {} {}", what, value);
  };
  add("length penalty", search.length_penalty);
  add("normalized by pieces to the power of", search.normalize);
  add("word penalty", search.word_penalty);
  add("at least pieces:", search.min_length);
  add("at most pieces:", search.max_length);
  if (!search.shortlist.empty()) text += fmt::format(", shortlist {}", printable(search.shortlist));
  return text + (search.batch_sentences == 1
                     ? ", one sentence at a time"
                     : fmt::format(", up to {} sentences at a time", search.batch_sentences));
}

const ModelAccount& ModelReport::vanilla_int8() const {
  return *std::ranges::find(accounts, DotScores::integer, &ModelAccount::dot_scores);
}

ModelReport make_model_report(ModelAccount model, std::vector<ModelAccount> compared,
                              std::vector<Chip> chips, const ReportedSearch& search) {
  ModelReport report{.search = search, .chips = std::move(chips), .accounts = {}};
  report.accounts = {model, mechanism_twin(model, kReferenceMechanism, model.precision)};
  if (model.precision == Precision::float32) {
    report.accounts.push_back(int8_twin(model));
    report.accounts.push_back(mechanism_twin(model, kReferenceMechanism, Precision::int8));
  }
  report.accounts.push_back(
      mechanism_twin(model, kReferenceMechanism, Precision::int8, DotScores::integer));
  for (ModelAccount& other : compared) report.accounts.push_back(std::move(other));
  for (const Chip& chip : report.chips) price(chip, model.ledger.total(), model.footprint);
  return report;
}

void check_chips(const std::vector<Chip>& chips, const Architecture& architecture,
                 Precision precision) {
  const Activity activity = smallest_activity(architecture);
  const Work work = count_operations(architecture, precision, activity).total();
  for (const Chip& chip : chips) {
    const auto classes = unpriced(chip, work);
    if (!classes.empty()) {
      throw Error(fmt::format(
          "chip {} has no price for {}, which this {} model computes with; name them under "
          "\"operations\" or \"left_out\", or choose another chip with --chip",
          chip.name, fmt::join(classes, ", "), precision_name(precision)));
    }
    price(chip, work, footprint(architecture, precision, activity));
  }
}

std::vector<Chip> usual_chips(Precision precision) {
  std::vector<Chip> chips;
  for (const Chip& chip : built_in_chips()) {
    if (precision == Precision::float32 || chip.price(Operation::mul, Number::int8))
      chips.push_back(chip);
  }
  return chips;
}

std::vector<ModelTable> model_tables(std::string_view name) {
  const size_t all = kModelTableNames.size() - 1;
  const size_t chosen = name.empty() ? all : read_choice("--table", name, kModelTableNames);
  if (chosen != all) return {static_cast<ModelTable>(chosen)};
  std::vector<ModelTable> tables;
  for (size_t i = 0; i < all; ++i) tables.push_back(static_cast<ModelTable>(i));
  if (name.empty()) std::erase(tables, ModelTable::layers);
  return tables;
}

}  // namespace eatt::energy
