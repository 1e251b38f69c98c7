#pragma once

#include <torch/torch.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundle/architecture.h"
#include "kernels/attention/attention.h"
#include "model/selection.h"

// The one place in this folder that knows the mechanisms of attention: which weights each has, and
// how it scores queries against keys. Everything that follows the scores is alike for all.
namespace eatt {

// The two sides of an attention: X asks, Y is looked at.
struct AttentionSides {
  torch::Tensor query;  // X [batch, query_len, model_dim], after its layer norm
  torch::Tensor key;    // Y [batch, key_len, model_dim]; the same tensor in self-attention
  SelectionCodes key_codes = {};  // f(Y) if the caller made it for several layers; else undefined
  torch::Tensor undropped_query = {};  // X without dropout, to make codes of; else undefined

  const torch::Tensor& coded_query() const {
    return undropped_query.defined() ? undropped_query : query;
  }
};

// Raw scores, before mask and softmax, in one of two forms.
struct Scores {
  // Queries and keys [batch, len, heads·n], still to be compared pair by pair: the score is
  // factor · (dot product, or negative L1 distance, of a head's parts).
  torch::Tensor query, key;
  kernels::ScoreKind kind = kernels::ScoreKind::dot;
  double factor = 1;
  // Or finished scores [batch, heads, query_len, key_len].
  torch::Tensor table;

  // The codes that queries and keys were made from, [batch, len, model_dim], in multiples of
  // code_unit; undefined if none.
  torch::Tensor query_codes, key_codes;
  double code_unit = 1;
  torch::Tensor query_selected, key_selected;  // See SelectionCodes::selected.

  bool are_pairwise() const { return query.defined(); }
};

// A mechanism of attention inside one sub-layer.
class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual Scores score(const AttentionSides& sides) = 0;
};

// Which sub-layer a scorer is made for.
struct ScorerPlace {
  const Architecture& architecture;
  Role role;
  size_t layer;
  CodeTraining codes = {};
};

// Creates the weights of the sub-layer's mechanism and registers them with the sub-layer, `owner`,
// under the names of bundle/expected_tensors.h and in its order.
std::unique_ptr<Scorer> make_scorer(torch::nn::Module& owner, const ScorerPlace& place);

// f of one side of an attention whose queries and keys select rows of weights.
class Coder {
 public:
  // The threshold is a constant, or a parameter of this name that is registered with `owner`.
  Coder(torch::nn::Module& owner, const std::string& name, const Architecture& architecture,
        CodeTraining training);
  SelectionCodes operator()(const torch::Tensor& x) const;

 private:
  torch::Tensor threshold_;  // A parameter [model_dim] if learned, else a constant []
  Architecture architecture_;
  CodeTraining training_;
};

// f(x) of a model of this architecture, by a threshold [] or [model_dim].
SelectionCodes make_codes(const torch::Tensor& x, const torch::Tensor& threshold,
                          const Architecture& architecture, const CodeTraining& training = {});

// Makes the codes of the encoder's output, which all cross-attentions share; none if no
// cross-attention reads codes.
std::optional<Coder> make_memory_coder(torch::nn::Module& decoder, const Architecture& architecture,
                                       const CodeTraining& training);

// A model's parameters by name, float32 on the CPU; tensors may be shared with the model.
using NamedWeights = std::map<std::string, torch::Tensor>;

// A projection of codes to queries or keys, by the names of its weights.
struct CodeProjection {
  Role role;
  size_t layer;
  bool reads_memory;  // Keys of cross-attention; all others read the input of their sub-layer.
  std::string weight, bias;
  std::string threshold;  // Of the codes; shared with other projections. A weight if it is learned.
};
std::vector<CodeProjection> code_projections(const Architecture& architecture);

// Moves the factor of the scores into the projections and removes the tensor that held it, so that
// a finished model spends no multiplication on it: distances are homogeneous, so Q and K take it;
// dot products need it once, in Q. The architecture's scales become `folded`.
void fold_score_scales(Architecture& architecture, NamedWeights& weights);

// The opposite, to train a finished model further: projections of a model `folded` are multiplied
// by the divisors of `wanted`, each according to its own mechanism, whatever the wanted one. Where
// the wanted scale is learned, its tensor is created.
void unfold_score_scales(const Architecture& wanted, const Architecture& folded,
                         NamedWeights& weights);

}  // namespace eatt
