/* Translation from C, and from every language that can call C.
 *
 * Handles are opaque. A function that fails returns 0 or NULL and, unless `error` is NULL, sets
 * *error to a sentence that says what is wrong; give it to eatt_string_free(). On success *error is
 * set to NULL. Strings are UTF-8 and end with a zero byte. A source or target that is not valid
 * UTF-8 makes the whole call fail, and the error names the text and the byte: nothing is replaced
 * or left out silently. Functions that take a const translator may be called from many threads at
 * once. No C++ exception leaves these functions.
 *
 *   char *error;
 *   eatt_translator *translator = eatt_translator_open("model", NULL, &error);
 *   char *text = translator ? eatt_translate_text(translator, NULL, "ein Satz .", &error) : NULL;
 */
#ifndef EATT_H
#define EATT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rises when functions are added; none is ever removed or changed. */
#define EATT_API_VERSION 1
int eatt_api_version(void);

/* Options have the names, values and defaults of `eatt translate --help`, without hyphens in front:
 * "beam-size", "4". Switches are "1" or "0": "no-split", "1".
 *
 * Options of the model ("precision", "cpu-threads", "shortlist", "alignment", "no-split",
 * "max-input-length", …) are for eatt_translator_open(). Options of the search ("beam-size",
 * "n-best", "length-penalty", …) are for eatt_translator_open(), where they become the defaults of
 * this translator, or for a single call, where they override these. One object can be used for
 * both. No option is ignored: unknown names fail here, and a call fails if an option of the model
 * has another value than when the translator was opened. */
typedef struct eatt_options eatt_options;
eatt_options *eatt_options_new(void);
int eatt_options_set(eatt_options *options, const char *name, const char *value, char **error);
void eatt_options_free(eatt_options *options);

/* A model, ready to translate. `options` may be NULL everywhere: nothing is set. */
typedef struct eatt_translator eatt_translator;
eatt_translator *eatt_translator_open(const char *bundle, const eatt_options *options,
                                      char **error);
void eatt_translator_free(eatt_translator *translator);

/* One text; the result goes to eatt_string_free(). Several sentences in a text are translated one
 * by one and joined, unless the translator was opened with "no-split" or "alignment". */
char *eatt_translate_text(const eatt_translator *translator, const eatt_options *options,
                          const char *source, char **error);

/* Many texts, computed together; with "n-best" several translations of each, the best first (texts
 * then stay whole). */
typedef struct eatt_result eatt_result;
eatt_result *eatt_translate(const eatt_translator *translator, const eatt_options *options,
                            const char *const *sources, size_t count, char **error);
/* Log-probabilities of given translations, one for each source. */
eatt_result *eatt_score(const eatt_translator *translator, const char *const *sources,
                        const char *const *targets, size_t count, char **error);
void eatt_result_free(eatt_result *result);

/* The parts of a result; NULL, 0 or NaN out of range. Texts live as long as the result. */
size_t eatt_result_sentences(const eatt_result *result);
size_t eatt_result_hypotheses(const eatt_result *result, size_t sentence);
const char *eatt_result_text(const eatt_result *result, size_t sentence, size_t hypothesis);
double eatt_result_score(const eatt_result *result, size_t sentence, size_t hypothesis);
double eatt_result_log_probability(const eatt_result *result, size_t sentence, size_t hypothesis);
/* "0-0 1-2": links between white-space words, source first, counted from 0. Sorted by
 * source, then target. NULL unless the translator was opened with "alignment" "hard". */
const char *eatt_result_alignment(const eatt_result *result, size_t sentence, size_t hypothesis);

/* For texts and errors that were returned; NULL is fine. */
void eatt_string_free(char *text);

#ifdef __cplusplus
}
#endif

#endif /* EATT_H */
