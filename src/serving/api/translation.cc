#include "serving/api/translation.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text/utf8.h"

namespace eatt::serving {
namespace {

constexpr size_t kMostGrowth = 4;

// What becomes of a request that the engine did not translate.
[[noreturn]] void throw_outcome(const Reply& reply) {
  if (reply.outcome == Outcome::timed_out) {
    throw ApiError{.status = 504, .code = "", .message = "The translation took too long"};
  }
  if (reply.outcome == Outcome::cancelled) {
    throw ApiError{.status = 499, .code = "", .message = "The client left"};
  }
  throw std::runtime_error(reply.error);  // For the log; clients get a general sentence.
}

void add_job(std::vector<Job>& jobs, const TranslationOrder& order,
             const markup::Document& document) {
  for (const std::string& text : document.texts()) {
    jobs.push_back({.text = text,
                    .search = order.search,
                    .wants_attention = order.wants_attention || document.needs_alignment(),
                    .wants_scores = order.wants_scores});
  }
}

[[noreturn]] void refuse_size(std::string message) {
  throw ApiError{.status = 400, .code = "limit", .message = std::move(message)};
}

// Short terms with long translations make a large answer of a small request.
void check_growth(const TranslationOrder& order, const std::vector<TranslatedText>& texts,
                  const ApiLimits& limits) {
  size_t bytes = 0;
  for (const TranslatedText& text : texts) bytes += text.document.term_bytes();
  bytes *= static_cast<size_t>(std::max(1, order.search.n_best));
  if (bytes <= kMostGrowth * limits.body) return;
  refuse_size(
      fmt::format("Invalid request: the glossary would add {} bytes to the answer, more than {}; "
                  "send less text",
                  bytes, kMostGrowth * limits.body));
}

}  // namespace

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string TranslatedText::text(size_t hypothesis) const {
  if (hypothesis == 0) return document.assemble(parts);
  std::vector<Translation> chosen = parts;
  for (Translation& part : chosen) {
    const size_t at = std::min(hypothesis, part.hypotheses.size() - 1);
    std::swap(part.hypotheses[0], part.hypotheses[at]);
  }
  return document.assemble(chosen);
}

size_t TranslatedText::hypotheses() const {
  size_t most = 1;
  for (const Translation& part : parts) most = std::max(most, part.hypotheses.size());
  return most;
}

Handler::Cancel submit_translation(
    Service& service, const CallPtr& call, TranslationOrder given,
    std::function<void(TranslationOrder, std::vector<TranslatedText>)> done) {
  auto order = std::make_shared<TranslationOrder>(std::move(given));
  auto texts = std::make_shared<std::vector<TranslatedText>>();
  std::vector<Job> jobs;
  for (const std::string& text : order->texts) {
    texts->push_back({markup::Document(text, order->markup, order->model->source())});
    add_job(jobs, *order, texts->back().document);
  }
  check_growth(*order, *texts, service.options.limits);
  const auto finish = [&service, call, order, texts, done](Reply& reply) {
    service.guarded(call, [&] {
      if (reply.outcome != Outcome::done) throw_outcome(reply);
      auto next = reply.translations.begin();
      for (TranslatedText& text : *texts) {
        const auto end = next + static_cast<long>(text.document.texts().size());
        text.parts.assign(std::move_iterator(next), std::move_iterator(end));
        next = end;
      }
      done(std::move(*order), std::move(*texts));
    });
  };
  if (jobs.empty()) {
    Reply nothing;
    finish(nothing);
    return {};
  }
  Engine& engine = *order->model->engine;
  // A worker of the engine has better things to do than to write JSON.
  const auto ticket = engine.submit(std::move(jobs), call->deadline(), [call, finish](Reply reply) {
    call->post([finish, shared = std::make_shared<Reply>(std::move(reply))] { finish(*shared); });
  });
  return [&engine, ticket, models = order->models] { engine.cancel(ticket); };
}

void check_texts(const std::vector<std::string>& texts, const ApiLimits& limits) {
  if (texts.size() > limits.batch) {
    refuse_size(fmt::format("Invalid request: request ({}) exceeds batch limit ({})", texts.size(),
                            limits.batch));
  }
  size_t characters = 0;
  for (const std::string& text : texts) {
    if (!is_valid_utf8(text)) {
      throw ApiError{.status = 400, .code = "", .message = "Invalid request: text is not UTF-8"};
    }
    characters += count_characters(text);
  }
  if (characters > limits.characters) {
    refuse_size(fmt::format("Invalid request: request ({}) exceeds text limit ({})", characters,
                            limits.characters));
  }
}

}  // namespace eatt::serving
