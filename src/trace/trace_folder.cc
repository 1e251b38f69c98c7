#include "trace/trace_folder.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/open_file.h"
#include "base/text/json.h"
#include "bundle/architecture.h"
#include "energy_report/model_report.h"
#include "trace/tensors.h"

namespace eatt::trace {
namespace {

namespace fs = std::filesystem;

constexpr char kTracedWeightsFile[] = "weights.safetensors";

// The last parts of the tensors' names, and what they are.
constexpr std::array<std::pair<const char*, const char*>, 24> kTensorMeanings = {{
    {"weight",
     "weights of a product or selection [out, in] or an embedding [pieces, model_dim], "
     "integers; of w2 and norms floats"},
    {"scales", "what a weight of each output of a product, or of each piece, is worth [out]"},
    {"bias", "added to each output [out]: integers in a selection, floats elsewhere"},
    {"units", "what the integer 1 of a query or key is worth, by head [heads]"},
    {"threshold", "what inputs are compared with to make codes [model_dim]: queries and keys"},
    {"q_threshold", "the same for queries of cross-attention"},
    {"k_threshold", "the same for keys of all cross-attentions"},
    {"score_table", "trained scores [heads, max_length, max_length]: head, query, key position"},
    {"residual", "what a sub-layer adds its delta to, or the last norm reads [rows, model_dim]"},
    {"normed", "what a sub-layer reads: the residual, normed [rows, model_dim]"},
    {"context", "values weighted by attention [rows, attention_dim]"},
    {"codes", "codes [rows, model_dim] of queries and keys: 0 and 1, or signed integers"},
    {"q_codes", "codes of queries of cross-attention"},
    {"k_codes", "codes of the encoder's output, for keys of all cross-attentions"},
    {"query", "queries [rows, qk_dim]: sums of selected weights"},
    {"key", "keys [rows, qk_dim]: sums of selected weights"},
    {"distances", "sums of |query - key| [heads, query_len, key_len]; -1 where none is computed"},
    {"scores",
     "scores before the softmax [heads, query_len, key_len]; -inf where none is computed"},
    {"input", "rounded input rows of a product [rows, in]"},
    {"input_scales", "what a number of each input row is worth [rows]"},
    {"sums", "sums of input times weight [rows, out]"},
    {"output",
     "of a product: sums times scales, plus bias, after relu where there is one [rows, out]; of a "
     "stack: what it hands on [rows, model_dim]"},
    {"source_pieces", "what the encoder reads, the end marker last"},
    {"fed_pieces, chosen_pieces", "what each step of the decoder reads and what was chosen then"},
}};

// trace.json grows with its sentences.
constexpr JsonLimits kTraceLimits{
    .max_bytes = size_t{1} << 30, .max_depth = 16, .max_values = size_t{1} << 28};

// The files of the trace in this folder, of any version; nothing if it is not a trace.
std::optional<std::set<std::string>> files_of_trace(const fs::path& path) {
  try {
    const JsonOrigin origin{(path / kTraceFile).string(), "write the trace again"};
    const MappedFile file(path / kTraceFile);
    const nlohmann::json json = parse_json(file.text(), origin, kTraceLimits);
    const JsonNode trace(json, origin);
    if (trace["format"].text() != kTraceFormatName) return std::nullopt;
    std::set<std::string> files{kTraceFile};
    for (const auto& [name, record] : trace["files"].members()) files.insert(name);
    return files;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A folder that is not a trace was given by mistake and is not replaced, nor is a trace to which
// files were added.
const fs::path& checked(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return path;
  if (fs::is_directory(path, error) && fs::is_empty(path, error)) return path;
  const auto files = files_of_trace(path);
  if (!files) {
    throw Error(
        fmt::format("{}: exists and is not a trace (it has no {} of one), so it is not replaced; "
                    "choose another "
                    "name or remove it",
                    path.string(), kTraceFile));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    const std::string name = entry.path().filename().string();
    if (files->contains(name) && entry.is_regular_file()) continue;
    throw Error(
        fmt::format("{}: holds {}, which is not a file of the trace there, so the trace is not "
                    "replaced; choose another name or move that away",
                    path.string(), name));
  }
  return path;
}

}  // namespace

TraceFolder::TraceFolder(const fs::path& target, TracedBundle bundle)
    : target_(target), folder_(checked(target)), bundle_(std::move(bundle)) {}

void TraceFolder::write(const std::string& name, const TensorList& tensors) {
  files_[name] = write_safetensors(folder_.path() / name, tensors.tensors(), {{"format", "pt"}});
}

void TraceFolder::add_weights(const PlainModel& model) {
  write(kTracedWeightsFile, weight_tensors(model));
}

void TraceFolder::add_sentence(const SentenceTrace& sentence) {
  const std::string name = fmt::format("sentence-{:04}.safetensors", sentences() + 1);
  write(name, sentence.tensors);
  nlohmann::ordered_json entry = {{"file", name},
                                  {"source", sentence.source},
                                  {"source_pieces", sentence.source_pieces},
                                  {"translation", sentence.translation},
                                  {"target_pieces", sentence.target_pieces},
                                  {"finished", sentence.finished}};
  entry["operations"] = energy::ledger_json(sentence.operations);
  sentences_.push_back(std::move(entry));
}

uint64_t TraceFolder::bytes() const {
  uint64_t sum = 0;
  for (const auto& [name, record] : files_) sum += record.bytes;
  return sum;
}

void TraceFolder::finish() {
  nlohmann::ordered_json json = {{"format", kTraceFormatName},
                                 {"format_version", kTraceFormatVersion}};
  json["bundle"] = {{"name", bundle_.name},
                    {"precision", precision_name(bundle_.manifest.precision)},
                    {"weights_sha256", bundle_.manifest.files.at(kWeightsFile).sha256}};
  json["architecture"] = print_architecture(with_folded_scales(bundle_.manifest.architecture));
  for (const auto& [suffix, meaning] : kTensorMeanings) json["tensors"][suffix] = meaning;
  for (const auto& [name, record] : files_) {
    json["files"][name] = {{"bytes", record.bytes}, {"sha256", record.sha256}};
  }
  json["sentences"] = sentences_;
  write_file_atomically(folder_.path() / kTraceFile,
                        json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  checked(target_);  // Files may have been added while the model was traced.
  folder_.commit();
}

}  // namespace eatt::trace
