#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/progress.h"
#include "base/text/utf8.h"
#include "report/sections.h"

namespace eatt::report {
namespace {

namespace fs = std::filesystem;

constexpr char kAlignments[] = "alignments.json";

struct Material {
  std::vector<StudyRecord> studies;
  std::vector<TrainingRun> runs;
  std::vector<Alignment> alignments;
};

// A path whose last part is the folder's name, also for "." and "run/".
fs::path settled(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

bool add_alignments(const fs::path& folder, Material& material) {
  const fs::path file = folder / kAlignments;
  if (!fs::exists(file)) return false;
  for (Alignment& one : read_alignments(file)) material.alignments.push_back(std::move(one));
  return true;
}

[[noreturn]] void refuse(const fs::path& given, const fs::path& folder) {
  if (!fs::exists(folder)) throw Error(fmt::format("{}: no such folder", given.string()));
  if (!fs::is_directory(folder))
    throw Error(fmt::format("{}: is a file; give the folder of a study or of a training run",
                            given.string()));
  const fs::path above = folder.parent_path();
  const bool is_inside = is_run(above) || is_study(above);
  throw Error(fmt::format(
      "{}: is neither a study (it has no study.json) nor a training run (it has no log.jsonl){}",
      given.string(),
      is_inside ? fmt::format("; did you mean {}?", shell_quoted(above.string()))
                : "; give folders that `eatt study` or `eatt train` has made"));
}

void read_folder(const fs::path& given, Material& material) {
  const fs::path folder = settled(given);
  const bool has_alignments = add_alignments(folder, material);
  if (is_study(folder)) {
    material.studies.push_back(read_study(folder));
    for (const StudyCell& cell : material.studies.back().cells) {
      if (cell.run) add_alignments(cell.run->path, material);
    }
  } else if (is_run(folder)) {
    material.runs.push_back(read_run(folder));
  } else if (!has_alignments) {
    refuse(given, folder);
  }
}

std::string title_of(const Material& material) {
  std::string names;
  const auto add = [&](const std::string& name) { (names += names.empty() ? "" : ", ") += name; };
  for (const StudyRecord& record : material.studies) add(record.name);
  for (const TrainingRun& run : material.runs) add(run.name);
  const size_t count = material.studies.size() + material.runs.size();
  if (count == 0) return "Alignments";
  if (count == 1 && !material.studies.empty()) return "Study " + replace_invalid_utf8(names);
  if (count <= 3) return replace_invalid_utf8(names);
  const std::string runs = format_count(material.runs.size(), "training run");
  if (material.studies.empty()) return runs + " side by side";
  const std::string studies =
      material.studies.size() == 1 ? "A study" : format_count(material.studies.size()) + " studies";
  return material.runs.empty() ? studies : studies + " and " + runs;
}

// Tables and charts of a section say which study they belong to.
void name_study(const std::string& heading, Section& section) {
  section.study = heading;
  if (heading.empty()) return;
  for (Block& block : section.blocks) {
    if (auto* table = std::get_if<study::ResultTable>(&block))
      table->title = heading + table->title;
    if (auto* commands = std::get_if<Commands>(&block)) commands->title = heading + commands->title;
    if (auto* charts = std::get_if<Charts>(&block)) {
      for (chart::Chart& one : charts->charts) {
        std::visit([&](auto& drawn) { drawn.caption.title = heading + drawn.caption.title; }, one);
      }
    }
  }
}

// "en-de: " where there are several studies, with the folder above where their names are the same.
std::string heading_of(const StudyRecord& record, const std::vector<StudyRecord>& all) {
  if (all.size() == 1) return {};
  if (std::ranges::count(all, record.name, &StudyRecord::name) == 1) return record.name + ": ";
  return (record.path.parent_path().filename() / record.name).string() + ": ";
}

}  // namespace

Document make_report(const std::vector<fs::path>& folders, const std::string& made_by) {
  Material material;
  for (const fs::path& folder : folders) {
    const size_t known = material.alignments.size();
    read_folder(folder, material);
    if (folders.size() == 1) continue;
    for (size_t i = known; i < material.alignments.size(); ++i) {
      std::string& model = material.alignments[i].model;
      model = settled(folder).filename().string() + ": " + model;
    }
  }
  Document document{
      .title = title_of(material), .summary = {}, .tiles = {}, .sections = {}, .made_by = made_by};
  std::vector<Section> last;
  for (const StudyRecord& record : material.studies) {
    const std::string heading = heading_of(record, material.studies);
    const size_t first = document.sections.size();
    last.push_back(add_study(record, heading, document));
    name_study(heading, last.back());
    for (size_t i = first; i < document.sections.size(); ++i)
      name_study(heading, document.sections[i]);
  }
  if (!material.runs.empty()) last.push_back(add_runs(material.runs, document));
  if (!material.alignments.empty())
    document.sections.push_back(alignment_section(material.alignments));
  document.sections.insert(document.sections.end(), last.begin(), last.end());
  std::erase_if(document.sections, [](const Section& section) { return section.blocks.empty(); });
  return document;
}

}  // namespace eatt::report
