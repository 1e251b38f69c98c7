#include "training/update/learner.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/threads.h"
#include "training/update/optimizer.h"

namespace eatt {
namespace {

ModelTraining model_training(const TrainingOptions& options) {
  ModelTraining training;
  training.dropout = {.residual = options.dropout,
                      .attention = options.dropout_attention,
                      .ffn = options.dropout_ffn};
  training.codes = {.surrogate_width = options.surrogate_width,
                    .gradient = options.code_gradient,
                    .wants_selected = options.code_density_weight > 0,
                    .without_dropout = options.codes_without_dropout};
  return training;
}

// The weights that read codes, and the thresholds that make them.
std::set<std::string> code_weights(const Architecture& architecture) {
  std::set<std::string> names;
  for (const CodeProjection& projection : code_projections(architecture)) {
    names.insert({projection.weight, projection.bias, projection.threshold});
  }
  return names;
}

// Worker i's share of a batch; its pairs have similar lengths, so equal numbers are equal
// work.
std::span<const PiecePair> part_of(std::span<const PiecePair> batch, size_t i, size_t workers) {
  const size_t begin = batch.size() * i / workers;
  return batch.subspan(begin, batch.size() * (i + 1) / workers - begin);
}

int64_t target_words(std::span<const std::vector<PiecePair>> batches) {
  int64_t words = 0;
  for (const auto& batch : batches) {
    for (const PiecePair& pair : batch) words += static_cast<int64_t>(pair.target.size()) + 1;
  }
  return words;
}

void check_same_maps(const Architecture& teacher, const Architecture& student) {
  if (teacher.heads == student.heads && teacher.encoder_layers() == student.encoder_layers() &&
      teacher.decoder_layers() == student.decoder_layers())
    return;
  throw UsageError(fmt::format(
      "--distill-maps: the teacher has {}+{} layers with {}, the student {}+{} with {}; they must "
      "have as many",
      teacher.encoder_layers(), teacher.decoder_layers(), format_count(teacher.heads, "head"),
      student.encoder_layers(), student.decoder_layers(), format_count(student.heads, "head")));
}

}  // namespace

uint64_t dropout_seed(int64_t seed, int64_t attempt) {
  return Random::stream(static_cast<uint64_t>(seed), static_cast<uint64_t>(attempt)).next();
}

Learner::Learner(const Architecture& architecture, const TrainingOptions& options, int workers,
                 torch::Device device, ProcessGroup* group)
    : options_(options), device_(device), group_(group) {
  torch::manual_seed(static_cast<uint64_t>(options.seed));
  for (int i = 0; i < workers; ++i) workers_.push_back(make_worker(architecture));
  adam_ = std::make_unique<Adam>(
      parameters(), AdamOptions{options.adam_beta1, options.adam_beta2, options.adam_epsilon});
  if (options.code_lr != 1) adam_->set_rate_factor(code_weights(architecture), options.code_lr);
  restart_average();
  if (group_ == nullptr) return;
  std::vector<torch::nn::Module*> models;
  std::vector<ParameterBuffer*> rows;
  for (Worker& worker : workers_) {
    models.push_back(worker.model.get());
    rows.push_back(worker.parameters.get());
  }
  buckets_ = std::make_unique<GradientBuckets>(*group_, models, rows);
}

Learner::Worker Learner::make_worker(const Architecture& architecture) {
  Worker worker;
  worker.random = std::make_shared<Random>(0);  // Seeded before every update.
  ModelTraining training = model_training(options_);
  training.random = worker.random;
  training.codes.hardness = code_hardness_;
  training.codes.frozen = codes_frozen_;
  worker.model = Transformer(architecture, training);
  worker.model->to(device_);
  worker.parameters = workers_.empty()
                          ? std::make_unique<ParameterBuffer>(*worker.model)
                          : std::make_unique<ParameterBuffer>(*worker.model, parameters());
  worker.model->train();
  return worker;
}

void Learner::restart_average() {
  if (options_.exponential_smoothing > 0) smoothed_ = parameters().values().clone();
}

void Learner::set_teacher(Transformer teacher) {
  if (options_.distill_maps > 0) check_same_maps(teacher->architecture(), model()->architecture());
  teacher_ = std::move(teacher);
  teacher_->to(device_);
  teacher_->eval();
}

void Learner::set_share_done(double share) { share_done_ = share; }

UpdateResult Learner::update(std::span<const std::vector<PiecePair>> batches, double learning_rate,
                             uint64_t seed, DensityCounter* density, int64_t words_of_all) {
  const auto rank = static_cast<uint64_t>(group_ == nullptr ? 0 : group_->rank());
  torch::manual_seed(seed + rank);  // For devices that draw from libtorch's generator.
  UpdateResult result;
  result.words = words_of_all != 0 ? words_of_all : target_words(batches);
  const double share = 1.0 / static_cast<double>(result.words);
  *code_hardness_ = options_.soft_codes > 0 ? std::min(share_done_ / options_.soft_codes, 1.0) : 1;
  *codes_frozen_ = options_.freeze_codes > 0 && share_done_ >= 1 - options_.freeze_codes;
  if (buckets_) buckets_->begin_update();
  std::vector<UpdateResult> parts(workers_.size());
  std::vector<DensityCounter> densities(workers_.size());
  parallel_for(workers_.size(), [&](size_t i) {
    *workers_[i].random = Random::stream(seed, rank * workers_.size() + i);
    workers_[i].parameters->gradients().zero_();
    backward(i, batches, share, parts[i], density != nullptr ? &densities[i] : nullptr);
  });
  *code_hardness_ = 1;  // For validation.
  for (size_t i = 0; i < workers_.size(); ++i) {
    result.loss += parts[i].loss;
    result.likelihood += parts[i].likelihood;
    result.source_words += parts[i].source_words;
    result.alignment_loss += parts[i].alignment_loss;
    result.alignment_rows += parts[i].alignment_rows;
    if (density != nullptr) density->add(densities[i]);
  }
  if (group_ != nullptr) add_other_processes(result, density);
  result.gradient_norm = gather_gradients(result);
  result.problem = find_problem(result);
  if (!result.problem.empty()) return result;
  adam_->step(learning_rate, clip_scale(result.gradient_norm, options_.clip_norm));
  if (smoothed_.defined()) {
    const torch::NoGradGuard no_grad;
    // Average over fewer updates at first, or the random initial values would stay in it for long.
    const double early = 9.0 / (static_cast<double>(adam_->steps()) + 10);
    smoothed_.lerp_(parameters().values(), std::max(options_.exponential_smoothing, early));
  }
  return result;
}

void Learner::backward(size_t worker, std::span<const std::vector<PiecePair>> batches, double share,
                       UpdateResult& result, DensityCounter* density) {
  const auto part = [&](size_t i) { return part_of(batches[i], worker, workers_.size()); };
  size_t last = batches.size();  // Batches after it have no pair for this worker.
  while (last > 0 && part(last - 1).empty()) --last;
  for (size_t i = 0; i < last; ++i) {
    if (part(i).empty()) continue;
    if (buckets_ && i + 1 == last) buckets_->begin_last_pass(worker);
    backward(workers_[worker], make_batch(part(i), device_), share, result, density);
  }
  if (buckets_) buckets_->end_thread(worker);
}

// Adds what the other processes have computed to a result of this one, except gradients.
void Learner::add_other_processes(UpdateResult& result, DensityCounter* density) {
  std::vector<double> sums = {result.loss, result.likelihood,
                              static_cast<double>(result.source_words), result.alignment_loss,
                              static_cast<double>(result.alignment_rows)};
  const size_t scalars = sums.size();
  const Architecture& architecture = model()->architecture();
  if (density != nullptr) {
    density->each_count(architecture, [&](double& count) { sums.push_back(count); });
  }
  group_->sum(torch::from_blob(sums.data(), {static_cast<int64_t>(sums.size())}, torch::kDouble));
  result.loss = sums[0];
  result.likelihood = sums[1];
  result.source_words = static_cast<int64_t>(sums[2]);
  result.alignment_loss = sums[3];
  result.alignment_rows = static_cast<int64_t>(sums[4]);
  if (density == nullptr) return;
  size_t next = scalars;
  density->each_count(architecture, [&](double& count) { count = sums[next++]; });
}

// Adds the gradients of all workers to those of the first. Returns the norm of the sum, which the
// last addition computes along the way.
double Learner::gather_gradients(UpdateResult& result) {
  if (buckets_) {
    result.reduction = buckets_->finish();
    return norm_of(parameters().gradients());
  }
  if (workers_.size() == 1) return norm_of(parameters().gradients());
  double squares = 0;
  for (size_t i = 1; i < workers_.size(); ++i) {
    squares = add_row(parameters().gradients(), workers_[i].parameters->gradients());
  }
  return std::sqrt(squares);
}

size_t Learner::guided_layer() const {
  const auto layer = static_cast<size_t>(options_.guided_alignment_layer);
  return (layer == 0 ? workers_[0].model->architecture().decoder_layers() : layer) - 1;
}

// Adds a batch's part of the gradient of the mean loss; `share` is 1 / all words of the update.
void Learner::backward(Worker& worker, const TrainingBatch& batch, double share,
                       UpdateResult& result, DensityCounter* density) {
  Transformer& model = worker.model;
  const bool maps = options_.distill_maps > 0 && teacher_;
  const bool guided = batch.guide && options_.guided_alignment_weight > 0;
  ModelTrace trace = {.wants_weights = maps, .wants_gradient = maps};
  if (guided) trace.guided_layer = guided_layer();
  const bool steered = options_.code_density_weight > 0;
  ModelTrace* wanted = density != nullptr || maps || steered ? &trace : nullptr;
  const auto hidden =
      model->decode(model->encode(batch.source, wanted), batch.target, guided ? &trace : wanted);
  ModelTrace teacher_trace = {.wants_weights = maps};
  Teacher teacher;
  if (teacher_) teacher = ask_teacher(batch, maps ? &teacher_trace : nullptr);
  const Loss loss =
      output_loss(hidden.flatten(0, 1).index_select(0, batch.places), model->output_weight(),
                  {.labels = batch.labels,
                   .smoothing = options_.label_smoothing,
                   .teacher = teacher_ ? &teacher : nullptr});
  auto total = loss.sum;
  if (maps) {
    total = total + map_loss(trace, teacher_trace, batch.source, batch.target) *
                        (options_.distill_maps * (1 - share_done_));
  }
  if (guided) {
    const auto& attention = trace.cross[*trace.guided_layer].weights;
    const auto alignment = guided_alignment_loss(attention, *batch.guide);
    result.alignment_loss += alignment.item<double>();
    result.alignment_rows += batch.guide->rows;
    total = total + alignment * options_.guided_alignment_weight;
  }
  if (steered) {
    const auto misfit = density_loss(trace, batch.source, batch.target, options_.code_density);
    total = total + misfit * (options_.code_density_weight * static_cast<double>(batch.words()));
  }
  (total * share).backward();
  result.loss += total.item<double>() * share;
  result.likelihood += loss.likelihood.item<double>() * share;
  result.source_words += batch.source_words;
  if (density != nullptr) density->add(trace, batch.source, batch.target);
}

// The teacher's states at the words of a batch; its attention goes to `trace`, if wanted.
Teacher Learner::ask_teacher(const TrainingBatch& batch, ModelTrace* trace) {
  const torch::NoGradGuard no_grad;
  const auto states = teacher_->decode(teacher_->encode(batch.source, trace), batch.target, trace);
  return {.hidden = states.flatten(0, 1).index_select(0, batch.places),
          .weight = teacher_->output_weight().detach(),
          .share = options_.distill_weight,
          .temperature = options_.distill_temperature};
}

// A loss of three times that of guessing means that the model has forgotten
// everything.
std::string Learner::find_problem(const UpdateResult& result) const {
  const double most =
      3 * std::log(static_cast<double>(workers_[0].model->architecture().target_vocab));
  const bool exploded = !(result.likelihood <= most);
  if (std::isfinite(result.loss) && std::isfinite(result.gradient_norm) && !exploded) return {};
  std::string problem = fmt::format("the loss is {:.4g}, the gradient's norm {:.4g}", result.loss,
                                    result.gradient_norm);
  const std::string value = parameters().first_not_finite(parameters().values());
  const std::string gradient = parameters().first_not_finite(parameters().gradients());
  if (!value.empty()) return problem + "; first in " + value;
  if (!gradient.empty()) return problem + "; first in the gradient of " + gradient;
  return problem;
}

void Learner::with_kept_weights(const std::function<void()>& body) {
  if (!smoothed_.defined()) return body();
  const torch::NoGradGuard no_grad;
  const auto trained = parameters().values().clone();
  const auto restore = [&] { parameters().values().copy_(trained); };
  parameters().values().copy_(smoothed_);
  try {
    body();
  } catch (...) {
    restore();
    throw;
  }
  restore();
}

}  // namespace eatt
