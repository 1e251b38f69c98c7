#include "inspection/inspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/threads.h"
#include "energy/activity.h"
#include "runtime/api/translator.h"
#include "support/files.h"
#include "support/tiny_bundle.h"

namespace eatt::inspection {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

const std::vector<SentencePair> kText = {{"abc de", "fg hij k"}, {"k", "la"}, {"de abc", "b a"}};

std::vector<std::pair<std::string, std::string>> pairs() {
  std::vector<std::pair<std::string, std::string>> result;
  for (const SentencePair& pair : kText) result.emplace_back(pair.source, *pair.target);
  return result;
}

class Inspect : public ::testing::Test {
 protected:
  std::string bundle(Mechanism mechanism) const {
    const auto path = folder_ / mechanism_name(mechanism);
    return testing::write_random_bundle(path, testing::tiny_architecture(mechanism)).string();
  }
  TemporaryFolder folder_;
};

TEST_F(Inspect, AttentionIsThatOfTheTranslatorForEveryMechanismPrecisionLayerAndHead) {
  for (const Mechanism mechanism : kMechanisms) {
    const std::string model = bundle(mechanism);
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      for (const AlignmentSource source : {AlignmentSource{2, 0, 0}, AlignmentSource{1, 2, 0}}) {
        const Inspection found =
            inspect(model, kText,
                    {.precision = precision, .source = source, .units = AlignmentUnits::piece});
        TranslatorOptions options = {.precision = std::string(precision_name(precision))};
        options.wants_attention = true;
        options.alignment_layer = static_cast<int>(source.layer);
        options.alignment_head = static_cast<int>(source.head);
        const auto scored = Translator(model, options).score(pairs());
        for (size_t i = 0; i < kText.size(); ++i) {
          const AlignedSentence& sentence = found.alignments[i];
          const auto& attention = scored[i].hypotheses[0].attention;
          ASSERT_EQ(sentence.weights.size() + 1, attention.size());
          for (size_t row = 0; row < sentence.weights.size(); ++row) {
            auto weights = sentence.weights[row];
            weights.push_back(sentence.end_marker[row]);
            ASSERT_EQ(weights.size(), attention[row].size());
            for (size_t k = 0; k < weights.size(); ++k) {
              ASSERT_NEAR(weights[k], attention[row][k], 2e-6) << mechanism_name(mechanism);
            }
          }
        }
      }
    }
  }
}

TEST_F(Inspect, DensityIsThatOfTheOperationCounts) {
  const std::string model = bundle(Mechanism::eatt);
  Translator translator(model, {.threads = 1, .records_activity = true});
  translator.score(pairs());
  const energy::Activity activity = translator.activity();
  const double dim = static_cast<double>(testing::tiny_architecture().model_dim);
  const auto density = [&](const energy::CodeActivity& codes) {
    return static_cast<double>(codes.ones) / (static_cast<double>(codes.rows) * dim);
  };
  const Inspection found = inspect(model, kText, {});
  size_t seen = 0;
  for (const CodeReport& report : found.codes) {
    const size_t layer = report.place.layer;
    const Role role = role_of(report.place);
    const auto& counted = role == Role::encoder_self   ? activity.encoder_self.at(layer - 1)
                          : role == Role::decoder_self ? activity.decoder_self.at(layer - 1)
                          : layer == 0                 ? activity.cross_key
                                                       : activity.cross_query.at(layer - 1);
    EXPECT_NEAR(report.density, density(counted), 1e-12) << to_text(report.place);
    ++seen;
  }
  EXPECT_EQ(seen, 7u);  // Two layers of three roles, and the encoder's output.
}

TEST_F(Inspect, EntropyIsAShareOfTheMostForEveryAttention) {
  for (const Mechanism mechanism : kMechanisms) {
    const Inspection found = inspect(bundle(mechanism), kText, {});
    EXPECT_EQ(found.attention.size(), 6u) << mechanism_name(mechanism);
    for (const AttentionReport& report : found.attention) {
      EXPECT_GT(report.entropy, 0);
      EXPECT_GT(report.entropy_share, 0);
      EXPECT_LE(report.entropy_share, 1 + 1e-6);
      EXPECT_EQ(report.mechanism, mechanism_name(mechanism));
    }
  }
}

TEST_F(Inspect, AModelWithoutCodesHasNeitherDensitiesNorFeatures) {
  const Inspection found = inspect(bundle(Mechanism::vanilla), kText, {});
  EXPECT_TRUE(found.codes.empty());
  EXPECT_THAT(to_text(found), AllOf(HasSubstr("this model has no codes"), HasSubstr("entropy"),
                                    Not(HasSubstr("features: number"))));
}

TEST_F(Inspect, AFeatureIsListedWithTheWordsThatItMarks) {
  const Inspection found =
      inspect(bundle(Mechanism::eatt), kText, {.features = 2, .feature_words = 1});
  for (const CodeReport& report : found.codes) {
    ASSERT_EQ(report.features.size(), 2u);
    EXPECT_GE(report.features[0].share, report.features[1].share);
    for (const Feature& feature : report.features) {
      if (feature.words.empty()) continue;
      const FeatureWord& word = feature.words[0];
      EXPECT_GT(static_cast<double>(word.fires) / static_cast<double>(word.positions),
                feature.share);
    }
  }
  EXPECT_EQ(found.alignments[0].source, (std::vector<std::string>{"abc", "de"}));
}

TEST_F(Inspect, ItsOwnLinksAsGoldLinksHaveNoError) {
  const std::string model = bundle(Mechanism::eatt);
  const Inspection first = inspect(model, kText, {.source = {2, 0, 1}});
  evaluation::Alignments gold = {.name = "gold", .sentences = {}};
  for (const AlignedSentence& sentence : first.alignments) {
    auto& links = gold.sentences.emplace_back();
    for (const WordLink& link : sentence.links) links.push_back({link.source, link.target, true});
  }
  const Inspection found = inspect(model, kText, {}, &gold);
  ASSERT_EQ(found.errors.size(), 2u);
  EXPECT_EQ(found.errors[1].reading.error_rate(), 0);
  EXPECT_GE(found.errors[0].best.head, 1u);
  EXPECT_THAT(to_text(found), HasSubstr("AER"));
  gold.sentences[1].push_back({5, 0, true});
  EXPECT_THAT([&] { inspect(model, kText, {}, &gold); },
              ThrowsMessage<Error>(HasSubstr("gold, line 2: the link 5-0 is outside")));
  gold.sentences.pop_back();
  EXPECT_THAT([&] { inspect(model, kText, {}, &gold); },
              ThrowsMessage<Error>(HasSubstr("links for 2 sentences, but the text has 3")));
}

TEST_F(Inspect, WithoutTranslationsTheModelsOwnAreTaken) {
  const std::string model = bundle(Mechanism::eatt);
  const Inspection found = inspect(model, {{"abc de", {}}, {"", {}}}, {});
  const std::string text = Translator(model).translate("abc de");
  std::string joined;
  for (const std::string& word : found.alignments[0].target) {
    joined += (joined.empty() ? "" : " ") + word;
  }
  EXPECT_EQ(joined, text);
  EXPECT_TRUE(found.alignments[1].target.empty());
}

TEST_F(Inspect, TheResultDoesNotDependOnTheNumberOfThreads) {
  const std::string model = bundle(Mechanism::eatt);
  set_thread_count(1);
  const std::string one = to_json(inspect(model, kText, {}));
  set_thread_count(3);
  const std::string three = to_json(inspect(model, kText, {}));
  set_thread_count(0);
  EXPECT_EQ(one, three);
}

TEST_F(Inspect, AlignmentsAsJsonHaveARowForEachTargetWord) {
  const std::string model = bundle(Mechanism::eatt);
  const auto json = nlohmann::json::parse(alignments_json(inspect(model, kText, {})));
  const auto& first = json.at("sentences").at(0);
  EXPECT_EQ(first.at("model"), model);
  EXPECT_EQ(first.at("source"), (std::vector<std::string>{"abc", "de"}));
  EXPECT_EQ(first.at("target"), (std::vector<std::string>{"fg", "hij", "k"}));
  ASSERT_EQ(first.at("weights").size(), 3u);
  EXPECT_EQ(first.at("weights").at(0).size(), 2u);
}

TEST_F(Inspect, LayersAndHeadsThatDoNotExistAreRefused) {
  const std::string model = bundle(Mechanism::eatt);
  EXPECT_THROW(inspect(model, kText, {.source = {3, 0, 0}}), UsageError);
  EXPECT_THROW(inspect(model, kText, {.source = {1, 3, 0}}), UsageError);
}

}  // namespace
}  // namespace eatt::inspection
