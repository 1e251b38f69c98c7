#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/log.h"
#include "base/ordered_pipeline.h"
#include "base/progress.h"
#include "base/text/json.h"
#include "text/corpus/pair_chunk.h"
#include "text/corpus/preparation_steps.h"

namespace eatt {
namespace {

constexpr std::string_view kCheckFile = "check.json";

std::string check_to_json(const CheckedCorpus& checked) {
  const nlohmann::ordered_json json = {{"pairs_read", checked.pairs_read},
                                       {"pairs_usable", checked.pairs_usable},
                                       {"problems", problems_to_json(checked.problems)}};
  return json.dump(2) + "\n";
}

CheckedCorpus check_from_json(const std::filesystem::path& file) {
  const JsonOrigin origin{file.string(), "use --overwrite to start anew"};
  const nlohmann::json json = parse_json(read_file(file), origin);
  const JsonNode root(json, origin);
  return {root["pairs_read"].integer(0, UINT64_MAX), root["pairs_usable"].integer(0, UINT64_MAX),
          problems_from_json(root["problems"])};
}

CheckedCorpus read_everything(const Preparation& preparation) {
  CheckedCorpus checked;
  PairChunkReader reader(preparation.inputs, preparation.options.max_line_bytes);
  const uint64_t kilobytes = input_kilobytes(preparation.inputs);
  Progress progress("checking", kilobytes, "KB");
  ordered_pipeline<PairChunk>(
      [&](PairChunk& chunk) { return reader.read(chunk); },
      [](PairChunk& chunk) {
        chunk.for_each_usable([](PairChunk::Entry&, std::string_view, std::string_view) {});
      },
      [&](PairChunk& chunk) {
        checked.pairs_read += chunk.entries.size();
        count_problems(chunk, preparation.inputs, checked.problems);
        progress.update(chunk.bytes_taken >> 10);
      });
  progress.update(kilobytes);
  progress.finish();
  checked.pairs_usable = checked.pairs_read - checked.problems.total();
  return checked;
}

void judge(const CheckedCorpus& checked, BadLines bad_lines) {
  const uint64_t bad = checked.problems.total();
  if (bad > 0 && bad_lines == BadLines::refuse) {
    throw Error(
        fmt::format("the text has {}; correct it, or leave such pairs out by --bad-lines drop",
                    checked.problems.text()));
  }
  if (checked.pairs_usable == 0) {
    throw Error(checked.pairs_read == 0
                    ? std::string("the input has no lines; expected sentence pairs")
                    : fmt::format("none of the {} pairs can be used: {}",
                                  format_count(checked.pairs_read), checked.problems.text()));
  }
  if (bad > 0) spdlog::warn("left out: {}", checked.problems.text());
}

}  // namespace

CheckedCorpus check_corpus(const Preparation& preparation) {
  const auto file = preparation.folder.unfinished(kCheckFile);
  if (std::filesystem::exists(file)) return check_from_json(file);
  const CheckedCorpus checked = read_everything(preparation);
  judge(checked, preparation.options.bad_lines);
  write_file_atomically(file, check_to_json(checked));
  preparation.committed("check");
  return checked;
}

uint64_t input_kilobytes(const std::vector<PairInput>& inputs) {
  uint64_t bytes = 0;
  for (const PairInput& input : inputs) {
    bytes += std::filesystem::file_size(input.source.path);
    if (!input.is_tsv()) bytes += std::filesystem::file_size(input.target.path);
  }
  return (bytes >> 10) + 1;
}

}  // namespace eatt
