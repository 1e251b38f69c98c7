#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bundle/architecture.h"
#include "energy/chip.h"
#include "energy/kinds.h"
#include "energy/ledger.h"

namespace eatt::energy {

// The size of a text and its translation, for figures per sentence or piece; without markers.
struct TextSize {
  uint64_t lines = 0;
  uint64_t source_words = 0;
  uint64_t source_pieces = 0;
  uint64_t target_pieces = 0;

  friend bool operator==(const TextSize&, const TextSize&) = default;
};

// What an account is in a report.
enum class AccountKind {
  model,           // The model that the report is about.
  compared,        // Another model that ran.
  mechanism_twin,  // Counted on the activity of the model, with one mechanism everywhere.
  int8_twin,       // The model itself in int8, counted on the same activity.
};

// A model, a text, and what translating it took.
struct ModelAccount {
  std::string name;
  AccountKind kind = AccountKind::model;
  Architecture architecture;
  Precision precision = Precision::float32;
  DotScores dot_scores = DotScores::floating;
  TextSize text;
  Activity activity;
  Ledger ledger;
  Footprint footprint;

  bool ran() const { return kind == AccountKind::model || kind == AccountKind::compared; }
};

// The kind as JSON has it: "model", "compared", "int8", "vanilla", "vanilla_int8", …
std::string kind_name(const ModelAccount& account);

// The account of a model that ran.
ModelAccount account_of(std::string name, AccountKind kind, const Architecture& architecture,
                        Precision precision, const TextSize& text, const Activity& activity);

// What the same translation, piece by piece, would have taken with one mechanism everywhere, or in
// another precision. Mechanisms that binarize need an account that has codes everywhere.
ModelAccount mechanism_twin(const ModelAccount& account, Mechanism mechanism, Precision precision,
                            DotScores dot_scores = DotScores::floating);
ModelAccount int8_twin(const ModelAccount& account);
bool has_codes_everywhere(const ModelAccount& account);

// Whether a layer selects rows by signed codes. Architectures without codes may have code levels,
// too: a preset sets them before mechanisms are chosen.
bool has_signed_codes(const Architecture& architecture);

// Rows added per feature by the codes of a model; 0 if there are none.
double density_of(const CodeActivity& codes, const Architecture& architecture);

// "eatt", or "enc-self eatt, dec-self vanilla, cross eatt:1-3,vanilla:4-6"
std::string mechanisms_text(const Architecture& architecture);

// Exact work of all duties up to a level.
Work work_of(const Ledger& ledger, Level level);

// Classes in the work that the chip neither prices nor leaves out, by name.
std::vector<std::string> unpriced(const Chip& chip, const Work& work);

// Joules of some work of an account; with memory, nothing where the chip leaves that out. The chip
// has to know all classes.
double arithmetic_joules(const Chip& chip, const Work& work, const ModelAccount& account);
std::optional<double> joules_with_memory(const Chip& chip, const Work& work,
                                         const ModelAccount& account);
// Joules of the paper's closed forms, on numbers of fp32.
double paper_joules(const Chip& chip, const ModelAccount& account, Level level);

// The activity of greedy search on one sentence whose source and translation both have `length`
// positions, end markers included, with the mean densities and number of columns of the account's
// text. For charts over lengths that the text does not have.
Activity activity_of_length(const ModelAccount& account, uint64_t length);

// How the text was translated.
struct ReportedSearch {
  int beam_size = 1;
  size_t batch_sentences = 1;
  // As in the runtime's SearchOptions.
  double length_penalty = 0;
  double normalize = 0;
  double word_penalty = 0;
  int min_length = 0;
  int max_length = 0;
  double max_length_factor = 2;
  int max_length_extra = 10;
  bool allow_unknown = false;
  std::string shortlist = {};  // A file; empty: the whole vocabulary.
};
// "greedy search, one sentence at a time", with penalties and the shortlist where there are any.
std::string search_text(const ReportedSearch& search);

// What `eatt energy model` reports: a model that ran, the models it is compared with, and the chips
// that price all of them.
struct ModelReport {
  ReportedSearch search;
  std::vector<Chip> chips;
  // The model; its vanilla twin at the same precision; of a float32 model itself and its vanilla
  // twin in int8; vanilla in int8 with integer scores; and others that ran.
  std::vector<ModelAccount> accounts;

  const ModelAccount& model() const { return accounts[0]; }
  const ModelAccount& vanilla() const { return accounts[1]; }
  // The least that vanilla attention takes: in int8, with integer scores.
  const ModelAccount& vanilla_int8() const;
};

// Throws an Error if a chip has no price for what the model does.
ModelReport make_model_report(ModelAccount model, std::vector<ModelAccount> compared,
                              std::vector<Chip> chips, const ReportedSearch& search);

// Throws the same Error before anything was translated.
void check_chips(const std::vector<Chip>& chips, const Architecture& architecture,
                 Precision precision);

// The chips that know a precision's numbers: all built-in ones for float32, and for int8 those that
// price integers.
std::vector<Chip> usual_chips(Precision precision);

enum class ModelTable { levels, models, duties, bytes, classes, densities, layers };
inline constexpr std::array<std::string_view, 8> kModelTableNames = {
    "levels", "models", "duties", "bytes", "classes", "densities", "layers", "all"};

// A table by its name, "all", or "" for all but layers. Throws a UsageError that lists the names.
std::vector<ModelTable> model_tables(std::string_view name);

std::string model_report_text(const ModelReport& report, const std::vector<ModelTable>& tables);
std::string model_report_json(const ModelReport& report);

// The report as a picture (SVG), on one chip: arithmetic and memory of all models of the report
// that the chip can price, in percent of vanilla attention, int8 again on its own scale; arithmetic
// by part of the model, also of twins of every mechanism that can be counted; and joules per target
// piece for sentences of 8 to 1,024 positions. The chip is the first that can price all of them, or
// else the first of the report.
std::string model_chart(const ModelReport& report);
// What of the report the chart does not show, in a sentence: other chips, and models that the chip
// cannot price. Empty if it shows everything.
std::string left_out_of_chart(const ModelReport& report);

// An array of the ledger's lines in their order: {"stack", "layer", "sub_layer", "duty",
// "operations": {"add": {"int32": N, …}, …}, "bytes": {"weights": {"read": N, "written": N}, …}}.
// What is zero is left out.
nlohmann::ordered_json ledger_json(const Ledger& ledger);

}  // namespace eatt::energy
