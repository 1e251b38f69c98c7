#include "translate/onednn_int8.h"

#ifdef EATT_ONEDNN
#include <dnnl.hpp>
#include <memory>
#include <unordered_map>
#endif

namespace eatt::bench {

#ifdef EATT_ONEDNN
namespace {

using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

struct Prepared {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::matmul product;
  std::vector<uint8_t> x;
  std::vector<std::unordered_map<int, dnnl::memory>> arguments;
};

}  // namespace

void prepare_onednn_products(const std::vector<uint8_t>& x, size_t rows, size_t in, size_t out,
                             const std::vector<std::vector<int8_t>>& weights, OneDnnProducts& to) {
  const auto m = static_cast<dnnl::memory::dim>(rows), k = static_cast<dnnl::memory::dim>(in);
  const auto n = static_cast<dnnl::memory::dim>(out);
  const auto prepared = std::make_shared<Prepared>();
  prepared->x = x;
  to.y.resize(rows * out);
  const dnnl::engine& engine = prepared->engine;
  const dnnl::memory::desc x_desc({m, k}, Type::u8, Tag::ab), y_desc({m, n}, Type::s32, Tag::ab);
  const dnnl::memory::desc any_desc({k, n}, Type::s8, Tag::any);
  const dnnl::memory::desc w_desc({k, n}, Type::s8, Tag::ba);
  const dnnl::matmul::primitive_desc chosen({x_desc, any_desc, y_desc}, engine);
  prepared->product = dnnl::matmul(chosen);
  for (const auto& weight : weights) {
    dnnl::memory plain(w_desc, engine, const_cast<int8_t*>(weight.data()));
    dnnl::memory packed(chosen.weights_desc(), engine);
    dnnl::reorder(plain, packed).execute(prepared->stream, plain, packed);
    prepared->stream.wait();
    prepared->arguments.push_back({{DNNL_ARG_SRC, dnnl::memory(x_desc, engine, prepared->x.data())},
                                   {DNNL_ARG_WEIGHTS, packed},
                                   {DNNL_ARG_DST, dnnl::memory(y_desc, engine, to.y.data())}});
  }
  to.multiply = [prepared](size_t i) {
    prepared->product.execute(prepared->stream, prepared->arguments[i]);
    prepared->stream.wait();
  };
}
#else
void prepare_onednn_products(const std::vector<uint8_t>&, size_t, size_t, size_t,
                             const std::vector<std::vector<int8_t>>&, OneDnnProducts&) {}
#endif

}  // namespace eatt::bench
