#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/folders.h"

// The sections of a report, and what stands at its top.
namespace eatt::report {

// A run as it is called and colored everywhere in the report.
struct ShownRun {
  const TrainingRun* run = nullptr;
  std::string name;
  chart::Tone tone = chart::Tone::first_other;
  bool dashed = false;  // Another run has the same color.
};
// Colors by the attention of the runs: vanilla, the paper's E-ATT, our best codes, or others.
std::vector<ShownRun> shown_runs(const std::vector<TrainingRun>& runs);

// "vanilla", "E-ATT, binary codes", "E-ATT, signed codes", or the roles one by one.
std::string attention_of(const TrainingRun& run);
// "finished", "stopped after 300 updates", "unfinished, 300 updates so far".
std::string state_of(const TrainingRun& run);

// Loss, dev cross-entropy and dev BLEU by update. Of many runs, the first are drawn.
Section training_curves(const std::vector<ShownRun>& runs);

// Heat maps. Of many sentences, the first are drawn.
Section alignment_section(const std::vector<Alignment>& alignments);

// A table of the runs' results and one of the settings in which they differ, and the curves.
// Returns the section on how they were made, which comes last in a report.
Section add_runs(const std::vector<TrainingRun>& runs, Document& document);

// Results beside the paper's, energy, densities, curves. Returns the section on how it was made.
// `heading` is put before the title of each section where there are several studies: "en-de: ".
Section add_study(const StudyRecord& record, const std::string& heading, Document& document);

}  // namespace eatt::report
