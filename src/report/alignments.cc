#include <nlohmann/json.hpp>

#include "base/files/atomic_file.h"
#include "base/text/json.h"
#include "report/folders.h"

namespace eatt::report {
namespace {

constexpr size_t kMostBytes = 64 << 20;

std::vector<std::string> words_of(const JsonNode& list) {
  std::vector<std::string> words;
  for (const JsonNode& word : list.items()) words.push_back(word.text());
  return words;
}

Alignment alignment_of(const JsonNode& node) {
  const auto attention = node.find("attention");
  Alignment alignment{.model = node["model"].text(),
                      .attention = attention ? attention->text() : std::string(),
                      .source = words_of(node["source"]),
                      .target = words_of(node["target"]),
                      .weights = {}};
  const JsonNode weights = node["weights"];
  for (const JsonNode& row : weights.items()) {
    alignment.weights.emplace_back();
    for (const JsonNode& weight : row.items()) alignment.weights.back().push_back(weight.number());
    if (alignment.weights.back().size() != alignment.source.size())
      row.fail("a weight for each word of source");
  }
  if (alignment.weights.size() != alignment.target.size())
    weights.fail("a row for each word of target");
  return alignment;
}

}  // namespace

std::vector<Alignment> read_alignments(const std::filesystem::path& file) {
  const JsonOrigin origin{file.string(), "make it again, or remove it"};
  const nlohmann::json object = parse_json(read_file(file, kMostBytes), origin,
                                           {.max_bytes = kMostBytes, .max_values = 1 << 22});
  const JsonNode root(object, origin);
  std::vector<Alignment> alignments;
  for (const JsonNode& sentence : root["sentences"].items())
    alignments.push_back(alignment_of(sentence));
  return alignments;
}

}  // namespace eatt::report
