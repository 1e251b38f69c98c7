#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/files/temporary_folder.h"
#include "base/progress.h"
#include "study/child.h"
#include "study/runs.h"
#include "study/study.h"

namespace eatt::study {
namespace {

// What `eatt train --dry-run` says about one cell.
struct CellCost {
  double seconds = 0;  // With all threads.
  double memory_bytes = 0;
  double disk_bytes = 0;
};

CellCost cost_of_cell(const StudyOptions& options) {
  std::vector<std::string> words = first_training(options);
  words.insert(words.begin(), options.eatt_train);
  words.insert(words.end(),
               {"--dry-run", "--json", "--cpu-threads", std::to_string(options.threads)});
  const TemporaryFolder folder("eatt-study");
  const auto found = nlohmann::json::parse(output_of(words, folder.path()));
  const auto& memory = found.at("memory_bytes");
  return {.seconds = found.at("seconds"),
          .memory_bytes =
              memory.at("weights_and_optimizer").get<double>() + memory.at("batch").get<double>(),
          .disk_bytes = found.at("disk_bytes")};
}

// Trainings at once share the threads, so together they are as fast as one with all of them.
std::string summary(const StudyOptions& options, const std::vector<Cell>& cells) {
  const auto trained = static_cast<size_t>(std::ranges::count_if(cells, [&](const Cell& cell) {
    return end_of(StudyFolder{options.output}.run_of(cell.id())).finished;
  }));
  const std::string done =
      trained == 0 ? ""
                   : fmt::format(" that {} left of {}", cells.size() - trained == 1 ? "is" : "are",
                                 cells.size());
  const CellCost one = cost_of_cell(options);
  const auto megabytes = [](double bytes) {
    return format_count(static_cast<uint64_t>(bytes / 1e6) + 1);
  };
  const auto left = static_cast<double>(cells.size() - trained);
  return fmt::format(
      "# Estimate for {}{} on {}, assuming each takes as long as the paper's E-ATT at the recipe's "
      "size:\n"
      "# time about {} without validation, memory about {} MB for {} at once, disk about {} MB\n",
      format_count(cells.size() - trained, "training"), done,
      format_count(static_cast<uint64_t>(options.threads), "thread"),
      format_duration(one.seconds * left),
      megabytes(one.memory_bytes * static_cast<double>(options.jobs)),
      format_count(static_cast<uint64_t>(options.jobs), "training"),
      megabytes(one.disk_bytes * left));
}

}  // namespace

std::string describe_study(const StudyOptions& options) {
  const std::vector<Cell> cells = chosen_cells(options);
  std::string text = summary(options, cells);
  for (const Cell& cell : cells) {
    text += fmt::format("# {}, seed {}: {}\n", cell.name, cell.seed, cell.title);
    for (const Step& step : steps_of(cell, options, std::max(1, options.threads / options.jobs))) {
      text += typed(step.words);
      if (step.name != "train") text += " > " + shell_command({step.result.string()});
      text += '\n';
    }
  }
  return text;
}

}  // namespace eatt::study
