#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

// What the paper measured, as lists of trainings: each table or figure is a study, each training in
// it a cell.
namespace eatt::study {

enum class StudyKind { overall, ablation, hybrid, distillation, density, case_study, energy };
inline constexpr std::array<std::string_view, 7> kStudyNames = {
    "overall", "ablation", "hybrid", "distillation", "density", "case", "energy"};

std::string_view name_of(StudyKind kind);

// One training. Studies share their cells: vanilla is the same training in all of them.
struct Cell {
  std::string name;                  // "self-dense-cross-eatt"
  std::string title;                 // "dense self, E-ATT cross"
  std::vector<std::string> options;  // Of `eatt train`, besides those that all cells have.
  int seed = 1;
  std::string teacher = {};                       // The id of a cell to distill from; empty: none.
  std::vector<std::string> teacher_options = {};  // Of `eatt train`, besides --teacher.

  std::string id() const;  // "self-dense-cross-eatt-s1": the name of its folder.
};

// The sizes that students of distillation halve.
struct ModelSize {
  int model_dim = 512;
  int ffn_dim = 2048;
  int heads = 8;
};

// The names of the cells that a study compares, in the order of its table: vanilla, the paper's
// E-ATT, the best codes we know, and the same with vanilla as its teacher of words and attention.
inline constexpr char kVanilla[] = "vanilla";
inline constexpr char kEatt[] = "eatt";
inline constexpr char kBest[] = "best";
inline constexpr char kBestDistilled[] = "best-distilled";
inline constexpr std::array<std::string_view, 4> kHybrids = {"vanilla", "dense", "randinit",
                                                             "eatt"};
std::string hybrid_name(std::string_view self, std::string_view cross);

// Students of the distillation study: what is halved how often, for which attention.
enum class Narrowed { attention, model };
inline constexpr int kHalvings = 3;
std::string student_name(std::string_view attention, Narrowed narrowed, int halvings);

// The cells of a study. Only `overall` is trained with several seeds. The widths of `size` must be
// multiples of eight times the heads where students are wanted; throws a UsageError if not.
std::vector<Cell> cells_of(StudyKind kind, int seeds, const ModelSize& size);

// The cells of several studies, each once.
std::vector<Cell> cells_of(const std::vector<StudyKind>& kinds, int seeds, const ModelSize& size);

// Those of `cells` that have one of these names, and the teachers they need; all if there are no
// names. Throws a UsageError for a name that no cell has.
std::vector<Cell> cells_named(const std::vector<Cell>& cells,
                              const std::vector<std::string>& names);

}  // namespace eatt::study
