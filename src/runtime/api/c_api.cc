#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text/utf8.h"
#include "runtime/api/eatt.h"
#include "runtime/api/option_fields.h"
#include "runtime/api/translator.h"
#include "runtime/api/word_alignment.h"

struct eatt_options {
  eatt::SearchOptions search;
  eatt::TranslatorOptions translator;
};

struct eatt_translator {
  eatt::Translator translator;
  bool aligned;  // Whether it was opened with attention.
};

struct eatt_result {
  std::vector<eatt::Translation> translations;
  std::vector<std::vector<std::string>> alignments;  // Empty without attention.
};

namespace {

// Memory from malloc, as eatt_string_free() expects; null if there is none left.
char* copy_text(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

// NULL where there is no memory left for the text.
char* copy_message(const std::exception& exception) noexcept {
  try {
    return copy_text(eatt::user_message(exception));
  } catch (...) {
    return nullptr;
  }
}

// Lets no exception through: what `body` throws becomes a message, and the result is `failed`.
template <typename Result, typename Body>
Result guarded(char** error, Result failed, Body&& body) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    if (error != nullptr) *error = copy_text("out of memory");
  } catch (const std::exception& exception) {
    if (error != nullptr) *error = copy_message(exception);
  } catch (...) {
    if (error != nullptr) *error = copy_text("an unknown error");
  }
  return failed;
}

template <typename T>
const T& given(const T* pointer, std::string_view what) {
  if (pointer == nullptr) throw eatt::UsageError(fmt::format("{} is NULL", what));
  return *pointer;
}

std::string text_of(const char* text, std::string_view what) { return &given(text, what); }

// Text to translate or to score.
std::string utf8_of(const char* text, std::string_view what) {
  std::string copy = text_of(text, what);
  const size_t at = eatt::first_invalid_utf8(copy);
  if (at != std::string::npos) {
    throw eatt::Error(
        fmt::format("{} is not valid UTF-8: byte {} (0x{:02x}) is part of no "
                    "character; convert the text to UTF-8",
                    what, at, static_cast<unsigned char>(copy[at])));
  }
  return copy;
}

// Element i of an array of texts.
std::string utf8_at(const char* const* texts, size_t i, std::string_view array) {
  return utf8_of((&given(texts, array))[i], fmt::format("{}[{}]", array, i));
}

eatt::SearchOptions search_of(const eatt_options* options) {
  return options != nullptr ? options->search : eatt::SearchOptions{};
}

eatt_result* make_result(std::vector<eatt::Translation> translations, bool aligned) {
  auto result = std::make_unique<eatt_result>();
  for (const eatt::Translation& translation : translations) {
    if (!aligned) break;
    auto& alignments = result->alignments.emplace_back();
    for (const eatt::Hypothesis& hypothesis : translation.hypotheses) {
      alignments.push_back(hypothesis.attention.empty()
                               ? ""
                               : eatt::print_links(eatt::hard_alignment(
                                     translation, hypothesis, eatt::AlignmentUnits::word)));
    }
  }
  result->translations = std::move(translations);
  return result.release();
}

const eatt::Hypothesis* find(const eatt_result* result, size_t sentence, size_t hypothesis) {
  if (result == nullptr || sentence >= result->translations.size()) return nullptr;
  const auto& hypotheses = result->translations[sentence].hypotheses;
  return hypothesis < hypotheses.size() ? &hypotheses[hypothesis] : nullptr;
}

}  // namespace

int eatt_api_version(void) { return EATT_API_VERSION; }

eatt_options* eatt_options_new(void) { return new (std::nothrow) eatt_options; }

int eatt_options_set(eatt_options* options, const char* name, const char* value, char** error) {
  return guarded(error, 0, [&] {
    given(options, "options");
    eatt::set_option(text_of(name, "name"), text_of(value, "value"), options->search,
                     options->translator);
    return 1;
  });
}

void eatt_options_free(eatt_options* options) { delete options; }

eatt_translator* eatt_translator_open(const char* bundle, const eatt_options* options,
                                      char** error) {
  return guarded<eatt_translator*>(error, nullptr, [&] {
    const auto own = options != nullptr ? options->translator : eatt::TranslatorOptions{};
    return new eatt_translator{eatt::Translator(text_of(bundle, "bundle"), own),
                               own.wants_attention};
  });
}

void eatt_translator_free(eatt_translator* translator) { delete translator; }

char* eatt_translate_text(const eatt_translator* translator, const eatt_options* options,
                          const char* source, char** error) {
  return guarded<char*>(error, nullptr, [&] {
    char* text =
        copy_text(given(translator, "translator")
                      .translator.translate(utf8_of(source, "source"), search_of(options)));
    if (text == nullptr) throw std::bad_alloc();
    return text;
  });
}

eatt_result* eatt_translate(const eatt_translator* translator, const eatt_options* options,
                            const char* const* sources, size_t count, char** error) {
  return guarded<eatt_result*>(error, nullptr, [&] {
    std::vector<eatt::TranslationTask> tasks;
    for (size_t i = 0; i < count; ++i) {
      tasks.push_back({.source = utf8_at(sources, i, "sources")});
    }
    const eatt_translator& own = given(translator, "translator");
    return make_result(own.translator.translate(tasks, search_of(options)), own.aligned);
  });
}

eatt_result* eatt_score(const eatt_translator* translator, const char* const* sources,
                        const char* const* targets, size_t count, char** error) {
  return guarded<eatt_result*>(error, nullptr, [&] {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (size_t i = 0; i < count; ++i) {
      pairs.emplace_back(utf8_at(sources, i, "sources"), utf8_at(targets, i, "targets"));
    }
    const eatt_translator& own = given(translator, "translator");
    return make_result(own.translator.score(pairs), own.aligned);
  });
}

void eatt_result_free(eatt_result* result) { delete result; }

size_t eatt_result_sentences(const eatt_result* result) {
  return result != nullptr ? result->translations.size() : 0;
}

size_t eatt_result_hypotheses(const eatt_result* result, size_t sentence) {
  if (result == nullptr || sentence >= result->translations.size()) return 0;
  return result->translations[sentence].hypotheses.size();
}

const char* eatt_result_text(const eatt_result* result, size_t sentence, size_t hypothesis) {
  const auto* found = find(result, sentence, hypothesis);
  return found != nullptr ? found->text.c_str() : nullptr;
}

double eatt_result_score(const eatt_result* result, size_t sentence, size_t hypothesis) {
  const auto* found = find(result, sentence, hypothesis);
  return found != nullptr ? found->score : std::numeric_limits<double>::quiet_NaN();
}

double eatt_result_log_probability(const eatt_result* result, size_t sentence, size_t hypothesis) {
  const auto* found = find(result, sentence, hypothesis);
  return found != nullptr ? found->log_probability : std::numeric_limits<double>::quiet_NaN();
}

const char* eatt_result_alignment(const eatt_result* result, size_t sentence, size_t hypothesis) {
  if (result == nullptr || sentence >= result->alignments.size()) return nullptr;
  const auto& alignments = result->alignments[sentence];
  return hypothesis < alignments.size() ? alignments[hypothesis].c_str() : nullptr;
}

void eatt_string_free(char* text) { std::free(text); }
