#include "markup/placement.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

namespace eatt::markup {
namespace {

constexpr float kLeastProbability = 0.2f;
constexpr size_t kNeighbours = 8;     // Source tokens on either side that a place depends on.
constexpr size_t kTermDistance = 12;  // Tokens within which a term's translation is looked for.

// Runs of tokens that siblings have, by their first.
class TakenRuns {
 public:
  void add(TextRange run) { ends_[run.begin] = run.end; }

  bool overlaps(TextRange run) const {
    const auto next = ends_.lower_bound(run.end);
    return next != ends_.begin() && std::prev(next)->second > run.begin;
  }
  // The run that a place is inside of, not at an end.
  std::optional<TextRange> around(size_t place) const {
    const auto next = ends_.lower_bound(place);
    if (next == ends_.begin()) return std::nullopt;
    const auto run = std::prev(next);
    if (run->second <= place) return std::nullopt;
    return TextRange{run->first, run->second};
  }

 private:
  std::map<size_t, size_t> ends_;
};

class Placer {
 public:
  Placer(const Passage& passage, const TokenAlignment& alignment, std::string_view translation)
      : passage_(passage),
        alignment_(alignment),
        translation_(translation),
        targets_of_(alignment.source.size()),
        aligned_before_(alignment.target.size() + 1),
        children_(passage.nodes.size() + 1),
        places_(passage.nodes.size()) {
    for (size_t t = 0; t < alignment.target.size(); ++t) {
      const size_t source = alignment.source_of[t];
      aligned_before_[t + 1] = aligned_before_[t] + (source == kNoToken ? 0 : 1);
      if (source != kNoToken) targets_of_[source].push_back(t);
    }
    for (size_t i = 0; i < passage.nodes.size(); ++i) {
      children_[static_cast<size_t>(passage.nodes[i].parent + 1)].push_back(i);
    }
  }

  std::vector<TextRange> run() {
    place_children(0, {0, alignment_.target.size()});
    return std::move(places_);
  }

 private:
  // A place that a word next to a node is in favour of, and how much it counts.
  struct Vote {
    size_t place;
    double weight;
  };

  void place_children(size_t list, TextRange room);
  std::optional<TextRange> find_run(const Node& node, TextRange room, const TakenRuns& taken) const;
  std::optional<TextRange> find_term(const Node& node, TextRange room,
                                     const TakenRuns& taken) const;
  std::optional<TextRange> best_run(TextRange words, TextRange room, const TakenRuns& taken) const;
  std::vector<Vote> votes_for(const Node& node, TextRange room) const;
  size_t find_gap(const Node& node, TextRange room, const TakenRuns& taken) const;

  // Source tokens that the node covers; where it stands, if it covers none.
  TextRange words_of(const Node& node) const {
    const auto first_from = [&](size_t byte) {
      return static_cast<size_t>(
          std::ranges::lower_bound(alignment_.source, byte, {}, &TextRange::begin) -
          alignment_.source.begin());
    };
    return {first_from(node.source.begin), first_from(node.source.end)};
  }

  // Target tokens in the room that are aligned with these source tokens, in order.
  std::vector<size_t> targets_of(TextRange words, TextRange room) const {
    std::vector<size_t> targets;
    for (size_t word = words.begin; word < words.end; ++word) {
      for (const size_t target : targets_of_[word]) {
        if (target >= room.begin && target < room.end) targets.push_back(target);
      }
    }
    std::ranges::sort(targets);
    return targets;
  }

  const Passage& passage_;
  const TokenAlignment& alignment_;
  std::string_view translation_;
  std::vector<std::vector<size_t>> targets_of_;  // Of each source token.
  std::vector<size_t> aligned_before_;           // Target tokens with a source token.
  std::vector<std::vector<size_t>> children_;    // Nodes of no element, then of node 0, 1, ….
  std::vector<TextRange> places_;
};

// Nodes with many words choose first. A room of no tokens has a place only.
void Placer::place_children(size_t list, TextRange room) {
  std::vector<size_t> by_size = children_[list];
  std::ranges::stable_sort(by_size, std::greater(), [&](size_t node) {
    const TextRange source = passage_.nodes[node].source;
    return source.end - source.begin;
  });
  TakenRuns taken;
  std::vector<size_t> without_run;
  for (const size_t i : by_size) {
    const auto found = find_run(passage_.nodes[i], room, taken);
    if (!found) {
      without_run.push_back(i);
      continue;
    }
    places_[i] = *found;
    taken.add(*found);
  }
  for (const size_t i : without_run) {
    const size_t place = find_gap(passage_.nodes[i], room, taken);
    places_[i] = {place, place};
  }
  for (const size_t i : children_[list]) {
    if (passage_.nodes[i].kind == Node::Kind::element) place_children(i + 1, places_[i]);
  }
}

std::optional<TextRange> Placer::find_run(const Node& node, TextRange room,
                                          const TakenRuns& taken) const {
  const TextRange words = words_of(node);
  if (node.kind == Node::Kind::kept || words.begin == words.end || room.begin == room.end) {
    return std::nullopt;
  }
  if (node.kind == Node::Kind::fixed) {
    if (const auto term = find_term(node, room, taken)) return term;
  }
  if (const auto run = best_run(words, room, taken)) return run;
  if (node.kind == Node::Kind::fixed) return std::nullopt;
  TokenAlignment::Choice best{.target = kNoToken, .probability = kLeastProbability};
  for (size_t word = words.begin; word < words.end; ++word) {
    const auto& choice = alignment_.best_target[word];
    const bool is_free = choice.target >= room.begin && choice.target < room.end &&
                         !taken.overlaps({choice.target, choice.target + 1});
    if (is_free && choice.probability >= best.probability) best = choice;
  }
  if (best.target == kNoToken) return std::nullopt;
  return TextRange{best.target, best.target + 1};
}

// The translation of a term where the model has written it by itself.
std::optional<TextRange> Placer::find_term(const Node& node, TextRange room,
                                           const TakenRuns& taken) const {
  const std::vector<size_t> targets = targets_of(words_of(node), room);
  const size_t gap = find_gap(node, room, taken);
  const size_t first = std::min(targets.empty() ? gap : targets.front(), gap);
  const size_t last = std::max(targets.empty() ? gap : targets.back(), gap);
  const size_t begin = std::max(room.begin, first - std::min(first, kTermDistance));
  const size_t end = std::min(room.end, last + kTermDistance);
  for (size_t token = begin; token < end; ++token) {
    const size_t from = alignment_.target[token].begin;
    if (!translation_.substr(from).starts_with(node.open)) continue;
    const auto behind =
        std::ranges::lower_bound(alignment_.target, from + node.open.size(), {}, &TextRange::end);
    if (behind == alignment_.target.end() || behind->end != from + node.open.size()) continue;
    const TextRange run{token, static_cast<size_t>(behind - alignment_.target.begin()) + 1};
    if (run.end <= room.end && !taken.overlaps(run)) return run;
  }
  return std::nullopt;
}

// The run with the largest number of tokens aligned with these words, less those aligned with
// others: it begins and ends with one of the former, so only these are looked at.
std::optional<TextRange> Placer::best_run(TextRange words, TextRange room,
                                          const TakenRuns& taken) const {
  const std::vector<size_t> targets = targets_of(words, room);
  std::optional<TextRange> best;
  int64_t best_score = 0;
  int64_t score = 0;
  size_t begin = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    const size_t target = targets[i];
    if (taken.overlaps({target, target + 1})) {
      score = 0;
      continue;
    }
    if (score > 0) {
      const size_t previous = targets[i - 1];
      score -= static_cast<int64_t>(aligned_before_[target] - aligned_before_[previous + 1]);
      if (taken.overlaps({previous, target})) score = 0;
    }
    if (score <= 0) {
      score = 0;
      begin = target;
    }
    ++score;
    if (score > best_score) {
      best_score = score;
      best = {begin, target + 1};
    }
  }
  return best;
}

// Each source token near the node votes for the places behind or before its target tokens.
std::vector<Placer::Vote> Placer::votes_for(const Node& node, TextRange room) const {
  constexpr double kAttached = 8;  // More than all others together.
  const size_t place = words_of(node).begin;
  const size_t first = place - std::min(place, kNeighbours);
  const size_t last = std::min(place + kNeighbours, targets_of_.size());
  std::vector<Vote> votes;
  for (size_t source = first; source < last; ++source) {
    const std::vector<size_t> targets = targets_of({source, source + 1}, room);
    const bool is_before = source < place;
    const size_t distance = is_before ? place - 1 - source : source - place;
    const bool is_attached = distance == 0 && !(is_before ? node.space_before : node.space_after);
    const double weight = std::ldexp(is_attached ? kAttached : 1, -2 * static_cast<int>(distance)) /
                          static_cast<double>(targets.size());
    for (const size_t target : targets) votes.push_back({target + (is_before ? 1 : 0), weight});
  }
  std::ranges::sort(votes, {}, &Vote::place);
  return votes;
}

// The weighted median of the votes: the place from which all that voted are least far away.
size_t Placer::find_gap(const Node& node, TextRange room, const TakenRuns& taken) const {
  const std::vector<Vote> votes = votes_for(node, room);
  double all = 0, passed = 0;
  for (const Vote& vote : votes) all += vote.weight;
  size_t best = room.end;
  for (const Vote& vote : votes) {
    passed += vote.weight;
    best = vote.place;
    if (2 * passed >= all) break;
  }
  if (votes.empty() && !targets_of_.empty()) {  // Nothing is known: keep the proportion.
    best = room.begin + (room.end - room.begin) * words_of(node).begin / targets_of_.size();
  }
  const auto run = taken.around(best);
  if (!run) return best;
  return best - run->begin < run->end - best ? run->begin : run->end;
}

}  // namespace

std::vector<TextRange> place_nodes(const Passage& passage, const TokenAlignment& alignment,
                                   std::string_view translation) {
  return Placer(passage, alignment, translation).run();
}

}  // namespace eatt::markup
