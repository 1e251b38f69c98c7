#include "evaluation/alignments.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/files/atomic_file.h"
#include "base/progress.h"
#include "base/text/utf8.h"

namespace eatt::evaluation {
namespace {

bool before(const AlignmentLink& a, const AlignmentLink& b) {
  return std::pair(a.source, a.target) < std::pair(b.source, b.target);
}

// Sorted, without duplicates; a link that is both sure and possible is sure.
std::vector<AlignmentLink> as_set(std::vector<AlignmentLink> links) {
  std::sort(links.begin(), links.end(), [](const AlignmentLink& a, const AlignmentLink& b) {
    return std::tuple(a.source, a.target, !a.sure) < std::tuple(b.source, b.target, !b.sure);
  });
  const auto same_words = [](const AlignmentLink& a, const AlignmentLink& b) {
    return a.source == b.source && a.target == b.target;
  };
  links.erase(std::unique(links.begin(), links.end(), same_words), links.end());
  return links;
}

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Alignments read_alignments(const std::filesystem::path& path, uint32_t base) {
  const std::string text = read_file(path);
  if (text.empty())
    throw Error(path.string() + ": is empty, expected the links of a sentence per line");
  Alignments result{path.string(), {}};
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    try {
      result.sentences.push_back(parse_alignment_line(rest.substr(0, end), base));
    } catch (const AlignmentSyntaxError& error) {
      throw Error(fmt::format("{}: line {}, column {}: {}", result.name,
                              result.sentences.size() + 1, error.column(), error.what()));
    }
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return result;
}

void reverse_links(Alignments& alignments) {
  for (auto& links : alignments.sentences) {
    for (AlignmentLink& link : links) std::swap(link.source, link.target);
  }
}

double AlignmentScore::precision() const { return ratio(links_in_possible, links); }

double AlignmentScore::recall() const { return ratio(links_in_sure, sure); }

double AlignmentScore::error_rate() const {
  return 1.0 - ratio(links_in_sure + links_in_possible, links + sure);
}

AlignmentScore score_alignments(const Alignments& hypothesis, const Alignments& gold) {
  if (hypothesis.sentences.size() != gold.sentences.size()) {
    throw Error(fmt::format("{} has {}, but {} has {}; expected as many in both", hypothesis.name,
                            format_count(hypothesis.sentences.size(), "line"), gold.name,
                            format_count(gold.sentences.size())));
  }
  AlignmentScore score;
  for (size_t i = 0; i < gold.sentences.size(); ++i) {
    const std::vector<AlignmentLink> wanted = as_set(gold.sentences[i]);
    const std::vector<AlignmentLink> found = as_set(hypothesis.sentences[i]);
    score.links += found.size();
    for (const AlignmentLink& link : wanted) score.sure += link.sure ? 1 : 0;
    for (const AlignmentLink& link : found) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), link, before);
      if (at == wanted.end() || before(link, *at)) continue;
      ++score.links_in_possible;
      if (at->sure) ++score.links_in_sure;
    }
  }
  return score;
}

}  // namespace eatt::evaluation
