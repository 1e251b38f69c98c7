#include "trace/tensors.h"

namespace eatt::trace {
namespace {

void add_selection(const std::string& name, const PlainSelection& selection, TensorList& list) {
  const size_t out = selection.bias.size();
  list.add(name + ".weight", {out, selection.weight.size() / out}, selection.weight);
  list.add(name + ".bias", {out}, selection.bias);
}

void add_attention(const Architecture& a, const PlainAttention& attention, TensorList& list) {
  const size_t heads = a.heads;
  const std::string& name = attention.name;
  if (attention.query) {
    add_selection(name + ".q_select", *attention.query, list);
    add_selection(name + ".k_select", *attention.key, list);
    list.add(name + ".units", {heads}, attention.units);
    list.add(name + (attention.role == Role::cross ? ".q_threshold" : ".threshold"),
             {attention.threshold.size()}, attention.threshold);
  }
  for (const PlainAttention::Table& table : attention.tables) {
    list.add(table.name, table.shape, table.values);
  }
}

}  // namespace

TensorList weight_tensors(const PlainModel& model) {
  TensorList list;
  for (const PlainProduct& product : model.products) {
    list.add(product.name + ".weight", {product.out, product.in}, product.weight);
    list.add(product.name + ".scales", {product.out}, product.scales);
    if (!product.bias.empty()) list.add(product.name + ".bias", {product.out}, product.bias);
  }
  const size_t width = model.model->architecture.model_dim;
  for (const PlainEmbedding& embedding : model.embeddings) {
    list.add(embedding.name + ".weight", {embedding.scales.size(), width}, embedding.weight);
    list.add(embedding.name + ".scales", {embedding.scales.size()}, embedding.scales);
  }
  for (const PlainSubLayer& sub_layer : model.sub_layers) {
    list.add(sub_layer.norm_name + ".weight", {width}, std::span(sub_layer.norm->gain, width));
    list.add(sub_layer.norm_name + ".bias", {width}, std::span(sub_layer.norm->bias, width));
  }
  for (const PlainAttention& attention : model.attentions) {
    add_attention(model.model->architecture, attention, list);
  }
  if (!model.memory_threshold.empty()) {
    list.add("decoder.cross_attn.k_threshold", {model.memory_threshold.size()},
             model.memory_threshold);
  }
  return list;
}

}  // namespace eatt::trace
