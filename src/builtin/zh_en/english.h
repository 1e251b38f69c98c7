#pragma once

#include <string>
#include <string_view>

#include "builtin/composer.h"

// The inflection of English, for the words of our lexicon: regular rules and the irregular words.
namespace eatt::builtin::english {

// "police officer" → "police officers", "child" → "children", "pair" → "pairs"
std::string plural(std::string_view noun);

enum class Form { base, third_person, past, participle, gerund };

// Inflects the first word: "listen to" → "listened to".
std::string inflect(std::string_view verb, Form form);

std::string comparative(std::string_view adjective);  // "taller", "more famous"
std::string superlative(std::string_view adjective);  // "tallest", "most famous"

// Turns "a" into "an" where the next word requires it.
void correct_articles(Words& sentence);

// Capitalizes the first letter of the sentence.
void capitalize(Words& sentence);

}  // namespace eatt::builtin::english
