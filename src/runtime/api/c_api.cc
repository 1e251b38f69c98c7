#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
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
  // Sentences of a text are translated one by one, as on the command line.
  eatt::TranslatorOptions translator{.split_sentences = true};
  eatt::SearchOptions search;
  std::map<std::string, std::string> given;  // By name, what was set last.
};

struct eatt_translator {
  eatt::Translator translator;
  eatt_options options;  // What it was opened with: the search options are defaults for its calls.
  bool aligned;          // Whether results have alignments.
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

// What was set for opening a translator must have an effect there.
void check_opening_options(const eatt_options& options, bool aligned) {
  if (aligned || options.search.coverage_penalty != 0) return;
  for (const char* name : {"alignment-layer", "alignment-head", "alignment-shift"}) {
    if (!options.given.contains(name)) continue;
    throw eatt::UsageError(
        fmt::format("option '{}' has no effect without 'alignment' 'hard'", name));
  }
}

// The search of a call: the options of opening, overridden by those of the call. Options of the
// model are refused here, unless the translator was opened with the same values.
eatt::SearchOptions search_of(const eatt_translator& translator, const eatt_options* options) {
  eatt_options merged = translator.options;
  if (options == nullptr) return merged.search;
  for (const auto& [name, value] : options->given) {
    const auto* field = eatt::translator_fields().find(name);
    if (field == nullptr) {
      eatt::search_fields().find(name)->set(merged.search, value);
    } else if (field->get(options->translator) != field->get(translator.options.translator)) {
      throw eatt::UsageError(
          fmt::format("option '{}' is '{}' here, but the translator was opened {}; it has to be "
                      "set before eatt_translator_open()",
                      name, value,
                      translator.options.given.contains(name)
                          ? fmt::format("with '{}'", translator.options.given.at(name))
                          : "without it"));
    }
  }
  const bool has_seed = options->given.contains("seed");
  if (has_seed && !merged.search.sampling) {
    throw eatt::UsageError("option 'seed' needs 'sampling' '1', because a search is not random");
  }
  return merged.search;
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
    const std::string own_name = text_of(name, "name"), own_value = text_of(value, "value");
    eatt::set_option(own_name, own_value, options->search, options->translator);
    options->given[own_name] = own_value;
    return 1;
  });
}

void eatt_options_free(eatt_options* options) { delete options; }

eatt_translator* eatt_translator_open(const char* bundle, const eatt_options* options,
                                      char** error) {
  return guarded<eatt_translator*>(error, nullptr, [&] {
    const eatt_options own = options != nullptr ? *options : eatt_options{};
    const bool aligned = own.translator.wants_attention;
    check_opening_options(own, aligned);
    eatt::TranslatorOptions opening = own.translator;
    opening.wants_attention = aligned || own.search.coverage_penalty != 0;
    opening.split_sentences = own.translator.split_sentences && !aligned;
    return new eatt_translator{eatt::Translator(text_of(bundle, "bundle"), opening), own, aligned};
  });
}

void eatt_translator_free(eatt_translator* translator) { delete translator; }

char* eatt_translate_text(const eatt_translator* translator, const eatt_options* options,
                          const char* source, char** error) {
  return guarded<char*>(error, nullptr, [&] {
    const eatt_translator& own = given(translator, "translator");
    char* text =
        copy_text(own.translator.translate(utf8_of(source, "source"), search_of(own, options)));
    if (text == nullptr) throw std::bad_alloc();
    return text;
  });
}

eatt_result* eatt_translate(const eatt_translator* translator, const eatt_options* options,
                            const char* const* sources, size_t count, char** error) {
  return guarded<eatt_result*>(error, nullptr, [&] {
    const eatt_translator& own = given(translator, "translator");
    const eatt::SearchOptions search = search_of(own, options);
    std::vector<eatt::TranslationTask> tasks;
    for (size_t i = 0; i < count; ++i) {
      tasks.push_back({.source = utf8_at(sources, i, "sources"), .stays_whole = search.n_best > 1});
    }
    return make_result(own.translator.translate(tasks, search), own.aligned);
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
