#pragma once

#include "builtin/composer.h"

// The sentence patterns, with final punctuation; grammar.cc has their frequencies.
namespace eatt::builtin::zh_en {

// A random Chinese sentence with its English translation.
Phrase sentence(Composer& c);

// scene_patterns.cc: somebody does something
Phrase past_event(Composer& c);
Phrase past_negation(Composer& c);
Phrase progressive_event(Composer& c);
Phrase future_event(Composer& c);
Phrase habit(Composer& c);
Phrase experience(Composer& c);
Phrase perfect_event(Composer& c);
Phrase modal_event(Composer& c);
Phrase duration(Composer& c);
Phrase visits(Composer& c);

// motion_patterns.cc: somebody goes somewhere
Phrase motion(Composer& c);
Phrase motion_with_purpose(Composer& c);
Phrase journey(Composer& c);

// voice_patterns.cc: giving, asking, passive, 把, orders
Phrase giving(Composer& c);
Phrase teaching(Composer& c);
Phrase asking_to(Composer& c);
Phrase passive(Composer& c);
Phrase disposal(Composer& c);
Phrase order(Composer& c);

// state_patterns.cc: what somebody or something is, has, likes
Phrase stative(Composer& c);
Phrase clothing(Composer& c);
Phrase person_is_noun(Composer& c);
Phrase this_is(Composer& c);
Phrase thing_is_adjective(Composer& c);
Phrase person_is_adjective(Composer& c);
Phrase exclamation(Composer& c);
Phrase possession(Composer& c);
Phrase animal_event(Composer& c);

// scene_patterns.cc: what there is, and the weather
Phrase existence(Composer& c);
Phrase absence(Composer& c);
Phrase weather(Composer& c);

// measure_patterns.cc: comparisons and numbers
Phrase comparison(Composer& c);
Phrase measured_comparison(Composer& c);
Phrase equality(Composer& c);
Phrase superlative(Composer& c);
Phrase age(Composer& c);
Phrase price(Composer& c);
Phrase size(Composer& c);
Phrase population(Composer& c);
Phrase production(Composer& c);

// question_patterns.cc
Phrase yes_no_question(Composer& c);
Phrase adjective_question(Composer& c);
Phrase who_question(Composer& c);
Phrase what_question(Composer& c);
Phrase where_question(Composer& c);
Phrase when_question(Composer& c);
Phrase why_question(Composer& c);
Phrase how_question(Composer& c);
Phrase how_many_question(Composer& c);
Phrase which_question(Composer& c);
Phrase whose_question(Composer& c);
Phrase price_question(Composer& c);
Phrase age_question(Composer& c);

// relative_clauses.cc: nouns with relative clauses
Phrase related_thing_is_adjective(Composer& c);
Phrase related_person_is_noun(Composer& c);
Phrase stative_with_related_object(Composer& c);
Phrase related_thing_passive(Composer& c);

// complex_patterns.cc: two clauses
Phrase because(Composer& c);
Phrase although(Composer& c);
Phrase condition(Composer& c);
Phrase simultaneous(Composer& c);
Phrase contrast(Composer& c);
Phrase sequence(Composer& c);
Phrase first_then(Composer& c);
Phrase while_doing(Composer& c);
Phrase thought(Composer& c);

}  // namespace eatt::builtin::zh_en
