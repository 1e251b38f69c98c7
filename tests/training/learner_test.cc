#include "training/update/learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "../model/small_models.h"
#include "model/building_blocks.h"

namespace eatt {
namespace {

using ::testing::HasSubstr;
using namespace testing;

TrainingOptions plain_options() {
  TrainingOptions options;
  options.dropout = 0;
  options.clip_norm = 0;
  return options;
}

const std::vector<PiecePair> kPairs = {{{4, 5, 6}, {7, 8}}, {{9}, {10, 11, 4}}, {{5, 5}, {6}}};

std::vector<std::vector<PiecePair>> one_batch() { return {kPairs}; }

TEST(Learner, BatchesOfOneUpdateCountByTheirWords) {
  Learner together(small_architecture(Mechanism::vanilla), plain_options());
  Learner apart(small_architecture(Mechanism::vanilla), plain_options());
  const auto all = one_batch();
  const std::vector<std::vector<PiecePair>> split = {{kPairs[0]}, {kPairs[1], kPairs[2]}};
  const auto whole = together.update(all, 0.01, 1);
  const auto parts = apart.update(split, 0.01, 1);
  EXPECT_NEAR(whole.loss, parts.loss, 1e-5);
  EXPECT_EQ(whole.words, 9);
  EXPECT_EQ(parts.words, 9);
  EXPECT_TRUE(torch::allclose(together.parameters().gradients(), apart.parameters().gradients(),
                              1e-3, 1e-6));
}

TEST(Learner, WorkersSideBySideGiveTheGradientOfOne) {
  Learner alone(small_architecture(Mechanism::eatt), plain_options());
  Learner several(small_architecture(Mechanism::eatt), plain_options(), /*workers=*/2);
  Learner too_many(small_architecture(Mechanism::eatt), plain_options(), /*workers=*/5);
  for (Learner* other : {&several, &too_many}) {
    EXPECT_TRUE(other->parameters().values().equal(alone.parameters().values()));
    const auto expected = alone.update(one_batch(), 0.0, 1);
    const auto found = other->update(one_batch(), 0.0, 1);
    EXPECT_NEAR(found.loss, expected.loss, 1e-5);
    EXPECT_EQ(found.words, expected.words);
    EXPECT_EQ(found.source_words, expected.source_words);
    EXPECT_TRUE(torch::allclose(other->parameters().gradients(), alone.parameters().gradients(),
                                1e-3, 1e-6));
  }
}

// Loss, likelihood and gradients of an update with dropout, and of one with a teacher.
TEST(Learner, KernelsGiveTheUpdateOfLibtorchsOperators) {
  TrainingOptions options = plain_options();
  options.dropout = options.dropout_attention = options.dropout_ffn = 0.3;
  options.distill_weight = 0.5;
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt}) {
    for (const bool taught : {false, true}) {
      Learner fused(small_architecture(mechanism, 2), options, /*workers=*/2);
      Learner generic(small_architecture(mechanism, 2), options, /*workers=*/2);
      if (taught) {
        for (Learner* learner : {&fused, &generic}) {
          torch::manual_seed(3);
          learner->set_teacher(Transformer(small_architecture(mechanism), ModelTraining{}));
        }
      }
      const auto found = fused.update(one_batch(), 0.0, 1);
      const WithoutFusedKernels without;
      const auto expected = generic.update(one_batch(), 0.0, 1);
      EXPECT_NEAR(found.loss, expected.loss, 1e-5);
      EXPECT_NEAR(found.likelihood, expected.likelihood, 1e-5);
      EXPECT_NEAR(found.gradient_norm, expected.gradient_norm, 1e-5 * expected.gradient_norm);
      EXPECT_TRUE(torch::allclose(fused.parameters().gradients(), generic.parameters().gradients(),
                                  1e-5, 1e-5));
    }
  }
}

TEST(Learner, ManyUpdatesOfOneBatchLearnItByHeart) {
  for (const Mechanism mechanism : {Mechanism::vanilla, Mechanism::eatt, Mechanism::dense}) {
    TrainingOptions options = plain_options();
    options.label_smoothing = 0;
    Learner learner(small_architecture(mechanism, 2), options);
    const auto batch = one_batch();
    double likelihood = 0;
    for (uint64_t i = 0; i < 200; ++i) likelihood = learner.update(batch, 0.01, i).likelihood;
    EXPECT_LT(likelihood, 0.1) << mechanism_name(mechanism);
  }
}

TEST(Learner, TheSameSeedDrawsTheSameDropout) {
  TrainingOptions options = plain_options();
  options.dropout = 0.5;
  const auto loss = [&](uint64_t seed) {
    Learner learner(small_architecture(Mechanism::eatt), options);
    return learner.update(one_batch(), 0.0, seed).loss;
  };
  EXPECT_EQ(loss(5), loss(5));
  EXPECT_NE(loss(5), loss(6));
}

TEST(Learner, AnUpdateThatIsNotFiniteChangesNothingAndNamesTheTensor) {
  Learner learner(small_architecture(Mechanism::vanilla), plain_options());
  {
    const torch::NoGradGuard no_grad;
    learner.model()->named_parameters()["decoder.layers.0.fc1.weight"][0][0] =
        std::numeric_limits<float>::quiet_NaN();
  }
  const auto before = learner.parameters().values().clone();
  const auto result = learner.update(one_batch(), 0.1, 1);
  EXPECT_THAT(result.problem, HasSubstr("first in decoder.layers.0.fc1.weight"));
  EXPECT_TRUE(torch::equal(before.nan_to_num(7), learner.parameters().values().nan_to_num(7)));
  EXPECT_EQ(learner.adam().steps(), 0);
}

TEST(Learner, ALossBeyondAllSenseIsAProblemThoughFinite) {
  Learner learner(small_architecture(Mechanism::vanilla), plain_options());
  {
    const torch::NoGradGuard no_grad;
    learner.model()->named_parameters()["decoder.output_projection.weight"].mul_(1e4);
  }
  EXPECT_THAT(learner.update(one_batch(), 0.1, 1).problem, HasSubstr("the loss is"));
}

TEST(Learner, TheMovingAverageFollowsItsDefinition) {
  TrainingOptions options = plain_options();
  options.exponential_smoothing = 0.25;
  Learner learner(small_architecture(Mechanism::vanilla), options);
  const auto start = learner.parameters().values().clone();
  learner.update(one_batch(), 0.01, 1);
  const auto trained = learner.parameters().values().clone();
  const double newest = 9.0 / 11;  // Early on; 0.25 from the 26th update.
  const auto expected = start * (1 - newest) + trained * newest;
  learner.with_kept_weights(
      [&] { EXPECT_TRUE(torch::allclose(learner.parameters().values(), expected, 0, 1e-7)); });
  EXPECT_TRUE(learner.parameters().values().equal(trained)) << "training goes on where it was";
}

ModelTrace maps_of(Transformer& model, const TrainingBatch& batch, bool gradient) {
  ModelTrace trace = {.wants_weights = true, .wants_gradient = gradient};
  model->decode(model->encode(batch.source, &trace), batch.target, &trace);
  return trace;
}

TEST(DistilledMaps, CostNothingWhereStudentAndTeacherAgree) {
  Transformer model(small_architecture(Mechanism::vanilla), ModelTraining{});
  model->eval();
  const TrainingBatch batch = make_batch(kPairs);
  const auto loss = map_loss(maps_of(model, batch, true), maps_of(model, batch, false),
                             batch.source, batch.target);
  EXPECT_NEAR(loss.item<double>(), 0, 1e-6);
}

TEST(DistilledMaps, ALearnerThatMindsThemAttendsAsItsTeacherDoes) {
  torch::manual_seed(9);
  Transformer teacher(small_architecture(Mechanism::vanilla), ModelTraining{});
  shake(*teacher, 0.5);
  const TrainingBatch batch = make_batch(kPairs);
  const auto distance = [&](double weight) {
    TrainingOptions options = plain_options();
    options.distill_maps = weight;
    Learner student(small_architecture(Mechanism::eatt), options);
    student.set_teacher(teacher);
    student.set_share_done(0);
    for (uint64_t i = 0; i < 200; ++i) student.update(one_batch(), 0.01, i);
    student.model()->eval();
    return map_loss(maps_of(student.model(), batch, false), maps_of(teacher, batch, false),
                    batch.source, batch.target)
        .item<double>();
  };
  EXPECT_LT(distance(1), 0.5 * distance(0));
}

TEST(DistilledMaps, ATeacherWithOtherHeadsOrLayersIsRefused) {
  TrainingOptions options = plain_options();
  options.distill_maps = 1;
  Architecture other = small_architecture(Mechanism::vanilla);
  other.heads = 1;
  Learner student(small_architecture(Mechanism::eatt), options);
  EXPECT_THROW(student.set_teacher(Transformer(other, ModelTraining{})), UsageError);
}

TEST(SoftCodes, AreHardAgainWhenTheModelIsValidated) {
  TrainingOptions options = plain_options();
  options.soft_codes = 0.5;
  Learner learner(small_architecture(Mechanism::eatt), options);
  learner.set_share_done(0.1);
  learner.update(one_batch(), 0.01, 1);
  const ModelTrace trace = maps_of(learner.model(), make_batch(kPairs), false);
  Transformer finished(small_architecture(Mechanism::eatt), ModelTraining{});
  copy_weights(weights_of(*learner.model()), *finished);
  finished->eval();
  const ModelTrace expected = maps_of(finished, make_batch(kPairs), false);
  EXPECT_TRUE(trace.cross[0].weights.equal(expected.cross[0].weights));
}

// A factor of 0 shows which weights it reaches: they stay where they were, the others move.
TEST(CodeRate, IsThatOfQueriesKeysAndThresholdsOfLayersWithCodes) {
  TrainingOptions options = plain_options();
  options.code_lr = 0;
  Architecture architecture = small_architecture(Mechanism::eatt, 2);
  architecture.threshold.learned = true;
  architecture.decoder_self.layers[1] = Mechanism::vanilla;
  Learner learner(architecture, options);
  const auto before = learner.parameters().values().clone();
  learner.update(one_batch(), 0.01, 1);
  ParameterBuffer& rows = learner.parameters();
  for (size_t i = 0; i < rows.names().size(); ++i) {
    const std::string& name = rows.names()[i];
    const bool of_codes = name.find("_proj") == name.npos ? name.find("threshold") != name.npos
                                                          : name.find("q_proj") != name.npos ||
                                                                name.find("k_proj") != name.npos;
    const bool vanilla = name.starts_with("decoder.layers.1.self_attn.");
    const bool rests = rows.part(before, i).equal(rows.part(rows.values(), i));
    EXPECT_EQ(rests, of_codes && !vanilla) << name;
  }
}

// As with --code-gradient 0, and thresholds get none either; before that, nothing changes.
TEST(FrozenCodes, PassNoGradientInTheLastShareOfTheTraining) {
  for (const size_t levels : {0, 1}) {
    Architecture architecture = small_architecture(Mechanism::eatt, 2);
    architecture.threshold = {.learned = true, .value = 0.3};
    architecture.code_levels = levels;
    const auto gradients = [&](double freeze, double code_gradient, double share_done) {
      TrainingOptions options = plain_options();
      options.freeze_codes = freeze;
      options.code_gradient = code_gradient;
      Learner learner(architecture, options);
      learner.set_share_done(share_done);
      learner.update(one_batch(), 0.0, 1);
      std::map<std::string, torch::Tensor> found;
      ParameterBuffer& rows = learner.parameters();
      for (size_t i = 0; i < rows.names().size(); ++i) {
        found[rows.names()[i]] = rows.part(rows.gradients(), i).clone();
      }
      return found;
    };
    const auto frozen = gradients(0.25, 1, 0.75), without = gradients(0, 0, 0.75);
    const auto early = gradients(0.25, 1, 0.7), plain = gradients(0, 1, 0.7);
    for (const auto& [name, gradient] : frozen) {
      EXPECT_TRUE(early.at(name).equal(plain.at(name))) << name;
      if (name.find("threshold") != name.npos) {
        EXPECT_EQ(gradient.abs().max().item<float>(), 0) << name;
        EXPECT_GT(plain.at(name).abs().max().item<float>(), 0) << name;
      } else {
        EXPECT_TRUE(torch::allclose(gradient, without.at(name), 1e-4, 1e-7)) << name;
      }
    }
    const std::string norm = "encoder.layers.0.self_attn_layer_norm.weight";
    EXPECT_FALSE(torch::allclose(frozen.at(norm), plain.at(norm), 1e-3, 1e-7));
  }
}

double density_misfit(Transformer& model, double wanted) {
  const torch::NoGradGuard no_grad;
  const TrainingBatch batch = make_batch(kPairs);
  ModelTrace trace = {.wants_weights = false};
  model->decode(model->encode(batch.source, &trace), batch.target, &trace);
  return density_loss(trace, batch.source, batch.target, wanted).item<double>();
}

// Codes that are all soft are as smooth as their gradient says, so numeric differences agree.
TEST(CodeDensity, GradientIsThatOfNumericDifferences) {
  for (const size_t levels : {0, 1, 3}) {
    torch::manual_seed(6);
    Architecture architecture = small_architecture(Mechanism::eatt, 2);
    architecture.threshold = {.learned = true, .value = 0.4};
    architecture.code_levels = levels;
    ModelTraining training;
    training.dropout.residual = 0;
    training.codes.wants_selected = true;
    training.codes.hardness = std::make_shared<double>(0);
    Transformer model(architecture, training);
    shake(*model, 0.1);
    model->to(torch::kDouble);
    const TrainingBatch batch = make_batch(kPairs);
    ModelTrace trace = {.wants_weights = false};
    model->decode(model->encode(batch.source, &trace), batch.target, &trace);
    density_loss(trace, batch.source, batch.target, 0.1).backward();
    for (const char* name :
         {"encoder.layers.0.self_attn_layer_norm.weight", "decoder.layers.1.cross_attn.q_threshold",
          "decoder.cross_attn.k_threshold", "encoder.layers.1.self_attn.threshold",
          "decoder.layers.0.self_attn.v_proj.bias"}) {
      auto parameter = parameters_of(*model).at(name);
      constexpr double kStep = 1e-5;
      const auto shifted = [&](double step) {
        const torch::NoGradGuard no_grad;
        parameter[2] += step;
        const double loss = density_misfit(model, 0.1);
        parameter[2] -= step;
        return loss;
      };
      const double numeric = (shifted(kStep) - shifted(-kStep)) / (2 * kStep);
      EXPECT_NE(numeric, 0) << name;
      EXPECT_NEAR(parameter.grad()[2].item<double>(), numeric, 1e-7 + 1e-4 * std::abs(numeric))
          << name << ", " << levels << " levels";
    }
  }
}

TEST(CodeDensity, OfALearnerWithAWeightOnItComesNearToWhatIsWanted) {
  const auto misfit = [&](double weight) {
    TrainingOptions options = plain_options();
    options.code_density = 0.4;
    options.code_density_weight = weight;
    Learner learner(small_architecture(Mechanism::eatt), options);
    for (uint64_t i = 0; i < 100; ++i) learner.update(one_batch(), 0.01, i);
    learner.model()->eval();
    ModelTraining training;
    training.codes.wants_selected = true;
    Transformer copy(small_architecture(Mechanism::eatt), training);
    copy_weights(weights_of(*learner.model()), *copy);
    copy->eval();
    return density_misfit(copy, 0.4);
  };
  EXPECT_LT(misfit(10), 0.1 * misfit(0));
}

TEST(Learner, AStudentAtFullWeightLearnsItsTeacherNotTheText) {
  TrainingOptions options = plain_options();
  options.distill_weight = 1;
  torch::manual_seed(9);
  Transformer teacher(small_architecture(Mechanism::vanilla), ModelTraining{});
  shake(*teacher, 0.5);
  Learner student(small_architecture(Mechanism::eatt, 2), options);
  student.set_teacher(teacher);
  const auto batch = one_batch();
  const auto logits = [&](Transformer& model) {
    const torch::NoGradGuard no_grad;
    const TrainingBatch tensors = make_batch(kPairs);
    const auto hidden = model->decode(model->encode(tensors.source), tensors.target);
    return model->logits(hidden.flatten(0, 1).index_select(0, tensors.places));
  };
  for (uint64_t i = 0; i < 400; ++i) student.update(batch, 0.01, i);
  const auto wanted = torch::softmax(logits(teacher), -1);
  const auto found = torch::softmax(logits(student.model()), -1);
  EXPECT_LT((wanted - found).abs().max().item<float>(), 0.05);
}

}  // namespace
}  // namespace eatt
