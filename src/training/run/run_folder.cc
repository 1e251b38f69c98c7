#include "training/run/run_folder.h"

#include <utility>

namespace eatt {

RunFolder::RunFolder(std::filesystem::path path)
    : path_(std::move(path)), lock_(path_, {.work = "training", .option = "--model"}) {
  make_folder(checkpoints());
  // What a killed process was writing or removing.
  for (const auto& entry : std::filesystem::directory_iterator(checkpoints())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("removed-") || name.find(".tmp-") != name.npos) {
      std::filesystem::remove_all(entry.path());
    }
  }
}

}  // namespace eatt
