#include "text/language/learn_profiles.h"

#include <algorithm>

#include "text/corpus/languages.h"

namespace eatt {
namespace {

constexpr size_t kPairs = 10'000;
// They are spread over the data set. With each, up to 2 MB of each file come into memory.
constexpr size_t kPairsInMemory = 16;

void add_profile(const ProfileLearner& learner, const LanguageSide& side,
                 std::vector<LanguageProfile>& profiles) {
  if (side.language.empty() || side.language == kUnknownLanguage) return;
  LanguageProfile profile = learner.finish(side.language);
  if (!profile.costs.empty()) profiles.push_back(std::move(profile));
}

}  // namespace

std::vector<LanguageProfile> learn_profiles(const DataSet& data, const LanguageSide& source,
                                            const LanguageSide& target) {
  ProfileLearner source_learner, target_learner;
  std::vector<int32_t> source_ids, target_ids;
  const size_t pairs = std::min(data.size(), kPairs);
  for (size_t i = 0; i < pairs; ++i) {
    data.read(i * data.size() / pairs, source_ids, target_ids);
    source_learner.add(source.pieces->decode(source_ids));
    target_learner.add(target.pieces->decode(target_ids));
    if (i % kPairsInMemory == 0) data.release_pages();
  }
  std::vector<LanguageProfile> profiles;
  add_profile(source_learner, source, profiles);
  add_profile(target_learner, target, profiles);
  return profiles;
}

}  // namespace eatt
