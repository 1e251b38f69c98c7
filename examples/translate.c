/* Translates its arguments: translate_c BUNDLE "a sentence" "another one" */
#include <stdio.h>

#include "eatt.h"

static int fail(char *error) {
  fprintf(stderr, "%s\n", error != NULL ? error : "out of memory");
  eatt_string_free(error);
  return 1;
}

static void print(const eatt_result *result) {
  for (size_t i = 0; i < eatt_result_sentences(result); ++i) {
    for (size_t k = 0; k < eatt_result_hypotheses(result, i); ++k) {
      printf("%.3f\t%s\n", eatt_result_score(result, i, k), eatt_result_text(result, i, k));
    }
  }
}

int main(int argc, char **argv) {
  char *error = NULL;
  int code = 0;
  if (argc < 3) {
    fprintf(stderr, "usage: %s BUNDLE SENTENCE...\n", argv[0]);
    return 2;
  }
  eatt_options *options = eatt_options_new();
  if (!eatt_options_set(options, "cpu-threads", "1", &error) ||
      !eatt_options_set(options, "beam-size", "4", &error) ||
      !eatt_options_set(options, "n-best", "2", &error)) {
    eatt_options_free(options);
    return fail(error);
  }
  eatt_translator *translator = eatt_translator_open(argv[1], options, &error);
  eatt_result *result = NULL;
  if (translator != NULL) {
    result = eatt_translate(translator, options, (const char *const *)argv + 2, (size_t)argc - 2,
                            &error);
  }
  if (result != NULL) {
    print(result);
  } else {
    code = fail(error);
  }
  eatt_result_free(result);
  eatt_translator_free(translator);
  eatt_options_free(options);
  return code;
}
