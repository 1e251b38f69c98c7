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

/* Options by the names of `eatt translate --help`, without hyphens in front: "beam-size", "4".
 * One object serves both eatt_translator_open(), which looks at what concerns the model
 * ("precision", "cpu-threads", "shortlist", "max-input-length", …), and the translating functions,
 * which look at what concerns the search ("beam-size", "n-best", "length-penalty", …). */
typedef struct eatt_options eatt_options;
eatt_options *eatt_options_new(void);
int eatt_options_set(eatt_options *options, const char *name, const char *value, char **error);
void eatt_options_free(eatt_options *options);

/* A model, ready to translate. `options` may be NULL everywhere: the defaults. */
typedef struct eatt_translator eatt_translator;
eatt_translator *eatt_translator_open(const char *bundle, const eatt_options *options,
                                      char **error);
void eatt_translator_free(eatt_translator *translator);

/* One text; the result goes to eatt_string_free(). */
char *eatt_translate_text(const eatt_translator *translator, const eatt_options *options,
                          const char *source, char **error);

/* Many texts, computed together; with "n-best" several translations of each, the best first. */
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
/* "0-0 1-2": links between white-space words, source first, counted from 0. NULL unless the
 * translator was opened with "attention" "1". */
const char *eatt_result_alignment(const eatt_result *result, size_t sentence, size_t hypothesis);

/* For texts and errors that were returned; NULL is fine. */
void eatt_string_free(char *text);

#ifdef __cplusplus
}
#endif

#endif /* EATT_H */
