#include "study/cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/error.h"

namespace eatt::study {
namespace {

using Words = std::vector<std::string>;

Cell vanilla(int seed) { return {kVanilla, "vanilla", {"--attention", "vanilla"}, seed}; }

Cell eatt(int seed) {
  return {kEatt, "E-ATT (paper)", {"--preset", "paper", "--attention", "eatt"}, seed};
}

Cell best(int seed) {
  return {kBest, "E-ATT (best)", {"--preset", "best", "--attention", "eatt"}, seed};
}

Cell best_distilled(int seed) {
  Cell cell = best(seed);
  cell.name = kBestDistilled;
  cell.title = "E-ATT (best), distilled";
  cell.teacher = vanilla(seed).id();
  cell.teacher_options = {"--distill-maps", "1"};
  return cell;
}

Cell paper_mechanism(const std::string& name, const std::string& title) {
  return {name, title, {"--preset", "paper", "--attention", name}};
}

std::string title_of(std::string_view mechanism) {
  return mechanism == kEatt ? "E-ATT" : std::string(mechanism);
}

Cell hybrid(const std::string& self, const std::string& cross) {
  if (self == kVanilla && cross == kVanilla) return vanilla(1);
  if (self == kEatt && cross == kEatt) return eatt(1);
  const Words options = {"--preset",       "paper", "--encoder-self", self,
                         "--decoder-self", self,    "--cross",        cross};
  return {hybrid_name(self, cross),
          fmt::format("{} self, {} cross", title_of(self), title_of(cross)), options};
}

Cell student(const std::string& attention, Narrowed narrowed, int halvings, const ModelSize& size) {
  const auto narrow = [&](int width) { return std::to_string(width >> halvings); };
  Cell cell = attention == kVanilla ? vanilla(1) : eatt(1);
  cell.name = student_name(attention, narrowed, halvings);
  cell.teacher = vanilla(1).id();
  if (narrowed == Narrowed::attention) {
    cell.title = fmt::format("{}, attention width {}", title_of(attention), narrow(size.model_dim));
    cell.options.insert(cell.options.end(), {"--attention-dim", narrow(size.model_dim)});
  } else {
    cell.title = fmt::format("{}, model width {}", title_of(attention), narrow(size.model_dim));
    cell.options.insert(cell.options.end(),
                        {"--model-dim", narrow(size.model_dim), "--ffn-dim", narrow(size.ffn_dim)});
  }
  return cell;
}

std::vector<Cell> distillation(const ModelSize& size) {
  const int least = size.heads << kHalvings;
  if (size.model_dim % least != 0 || size.ffn_dim % (1 << kHalvings) != 0) {
    throw UsageError(fmt::format(
        "the study distillation halves the widths {} times: --model-dim {} must be a multiple of "
        "{} for {} heads, and --ffn-dim {} of {}",
        kHalvings, size.model_dim, least, size.heads, size.ffn_dim, 1 << kHalvings));
  }
  std::vector<Cell> cells = {vanilla(1), eatt(1), best_distilled(1)};
  for (const char* attention : {kVanilla, kEatt}) {
    cells.push_back(student(attention, Narrowed::attention, 0, size));
    for (const Narrowed narrowed : {Narrowed::attention, Narrowed::model}) {
      for (int halvings = 1; halvings <= kHalvings; ++halvings) {
        cells.push_back(student(attention, narrowed, halvings, size));
      }
    }
  }
  return cells;
}

}  // namespace

std::string_view name_of(StudyKind kind) { return kStudyNames[static_cast<size_t>(kind)]; }

std::string Cell::id() const { return fmt::format("{}-s{}", name, seed); }

std::string hybrid_name(std::string_view self, std::string_view cross) {
  return self == cross ? std::string(self) : fmt::format("self-{}-cross-{}", self, cross);
}

std::string student_name(std::string_view attention, Narrowed narrowed, int halvings) {
  return fmt::format("student-{}-{}-{}", attention,
                     narrowed == Narrowed::attention ? "attention" : "model", 1 << halvings);
}

std::vector<Cell> cells_of(StudyKind kind, int seeds, const ModelSize& size) {
  std::vector<Cell> cells;
  switch (kind) {
    case StudyKind::overall:
      for (int seed = 1; seed <= seeds; ++seed) {
        cells.insert(cells.end(), {vanilla(seed), eatt(seed), best(seed), best_distilled(seed)});
      }
      return cells;
    case StudyKind::ablation:
      return {vanilla(1),
              paper_mechanism("selection", "selection only"),
              paper_mechanism("l1", "L1 only"),
              eatt(1),
              best(1),
              best_distilled(1)};
    case StudyKind::hybrid:
      for (const std::string_view self : kHybrids) {
        for (const std::string_view cross : kHybrids) {
          cells.push_back(hybrid(std::string(self), std::string(cross)));
        }
      }
      cells.insert(cells.end(), {best(1), best_distilled(1)});
      return cells;
    case StudyKind::distillation:
      return distillation(size);
    case StudyKind::density:
      return {eatt(1), best(1)};
    case StudyKind::case_study:
    case StudyKind::energy:
      return {vanilla(1), eatt(1), best(1)};
  }
  throw InternalError("every study has cells");
}

std::vector<Cell> cells_of(const std::vector<StudyKind>& kinds, int seeds, const ModelSize& size) {
  std::vector<Cell> all;
  for (const StudyKind kind : kinds) {
    for (Cell& cell : cells_of(kind, seeds, size)) {
      if (std::ranges::find(all, cell.id(), &Cell::id) == all.end()) all.push_back(std::move(cell));
    }
  }
  return all;
}

std::vector<Cell> cells_named(const std::vector<Cell>& cells,
                              const std::vector<std::string>& names) {
  if (names.empty()) return cells;
  for (const std::string& name : names) {
    if (std::ranges::find(cells, name, &Cell::name) != cells.end()) continue;
    std::set<std::string> known;
    for (const Cell& cell : cells) known.insert(cell.name);
    throw UsageError(
        fmt::format("--cells: no cell {}; these studies have {}", name, fmt::join(known, ", ")));
  }
  std::set<std::string> wanted;
  for (const Cell& cell : cells) {
    if (std::ranges::find(names, cell.name) == names.end()) continue;
    wanted.insert(cell.id());
    if (!cell.teacher.empty()) wanted.insert(cell.teacher);
  }
  std::vector<Cell> chosen;
  std::ranges::copy_if(cells, std::back_inserter(chosen),
                       [&](const Cell& cell) { return wanted.contains(cell.id()); });
  return chosen;
}

}  // namespace eatt::study
