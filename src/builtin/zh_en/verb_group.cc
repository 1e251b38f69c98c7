#include <algorithm>

#include "base/error.h"
#include "builtin/zh_en/clause.h"
#include "builtin/zh_en/lexicon.h"

namespace eatt::builtin::zh_en {
namespace {

using english::Form;
using english::inflect;

constexpr Modal kModals[] = {
    {"想", "want to", false, true},   {"应该", "should", true, true},
    {"打算", "plan to", false, true}, {"能", "can", true, true},
    {"可以", "may", true, true},      {"必须", "must", true, false},
};

std::string_view present_do(Agreement subject) {
  return subject == Agreement::singular ? "does" : "do";
}
std::string_view present_have(Agreement subject) {
  return subject == Agreement::singular ? "has" : "have";
}
Form present_form(Agreement subject) {
  return subject == Agreement::singular ? Form::third_person : Form::base;
}

// Builds a VerbGroup.
class Builder {
 public:
  Builder(Composer& c, const Verb& verb, const Tense& tense, Agreement subject, Order order)
      : c_(c), verb_(verb), tense_(tense), subject_(subject), order_(order) {}

  VerbGroup build() {
    switch (tense_.aspect) {
      case Aspect::past:
        past();
        break;
      case Aspect::progressive:
        progressive(present_be(subject_));
        break;
      case Aspect::background:
        progressive(past_be(subject_));
        break;
      case Aspect::future:
        future();
        break;
      case Aspect::habit:
        habit();
        break;
      case Aspect::modal:
        modal();
        break;
      default:
        perfect();
    }
    return group_;
  }

 private:
  void set_verb(Form form) { group_.verb = c_.linked(verb_.chinese, inflect(verb_.english, form)); }

  // 没, 不: linked with "not" and with the "do" that the negation requires.
  void negate_with_do(std::string_view chinese, std::string_view english_do) {
    const int link = c_.new_link();
    group_.marker = c_.source_only(chinese, link);
    group_.auxiliary = c_.target_only(english_do, link);
    group_.negation = c_.target_only("not", link);
  }

  void past() {
    if (tense_.negative) {
      negate_with_do(c_.chance(0.7) ? "没" : "没有", "did");
      set_verb(Form::base);
      return;
    }
    group_.suffix = c_.source_only("了");
    if (order_ == Order::question) group_.auxiliary = c_.target_only("did");
    set_verb(order_ == Order::question ? Form::base : Form::past);
  }

  void progressive(std::string_view be) {
    expects(!tense_.negative, "the progressive has no negation");
    const int link = c_.new_link();
    group_.marker = c_.source_only("正在", link);
    group_.auxiliary = c_.target_only(be, link);
    set_verb(Form::gerund);
  }

  void future() {
    auxiliary_modal({"会", "will", /*auxiliary=*/true, /*negatable=*/true});
    set_verb(Form::base);
  }

  void habit() {
    if (tense_.negative) {
      negate_with_do("不", present_do(subject_));
      set_verb(Form::base);
      return;
    }
    if (order_ == Order::question) group_.auxiliary = c_.target_only(present_do(subject_));
    set_verb(order_ == Order::question ? Form::base : present_form(subject_));
  }

  void perfect() {
    const int link = c_.new_link();
    const std::string_view have = present_have(subject_);
    group_.auxiliary = c_.target_only(have, link);
    set_verb(Form::participle);
    switch (tense_.aspect) {
      case Aspect::experience:
        group_.suffix = c_.source_only("过", link);
        if (tense_.negative) mark("没", "not");
        break;
      case Aspect::never:
        group_.suffix = c_.source_only("过", link);
        mark("从来 没", "never");
        break;
      case Aspect::already:
        group_.suffix = c_.source_only("了", link);
        mark("已经", "already");
        break;
      case Aspect::just:
        group_.suffix = c_.source_only("了", link);
        mark("刚刚", "just");
        break;
      default: {  // yet
        negate_with_do("没", have);
        const Phrase yet = c_.linked("还", "yet");
        group_.marker.source.insert(group_.marker.source.begin(), yet.source.front());
        group_.ending.target = yet.target;
      }
    }
  }

  void mark(std::string_view chinese, std::string_view english) {
    const int link = c_.new_link();
    group_.marker = c_.source_only(chinese, link);
    group_.negation = c_.target_only(english, link);
  }

  void modal() {
    const Modal& word = *tense_.modal;
    set_verb(Form::base);
    if (word.auxiliary) {
      auxiliary_modal(word);
      return;
    }
    const int link = c_.new_link();
    if (tense_.negative) negate_with_do("不", present_do(subject_));
    if (order_ == Order::question) group_.auxiliary = c_.target_only(present_do(subject_));
    const bool finite = !tense_.negative && order_ == Order::statement;
    group_.modal =
        c_.target_only(inflect(word.english, finite ? present_form(subject_) : Form::base), link);
    group_.marker.source.push_back({std::string(word.chinese), link});
  }

  void auxiliary_modal(const Modal& word) {
    const int link = c_.new_link();
    const bool cannot = tense_.negative && word.english == "can";
    if (tense_.negative) {
      const int no = cannot ? link : c_.new_link();
      group_.marker = c_.source_only("不", no);
      if (!cannot) group_.negation = c_.target_only("not", no);
    }
    group_.marker.source.push_back({std::string(word.chinese), link});
    group_.auxiliary = c_.target_only(cannot ? "cannot" : word.english, link);
  }

  Composer& c_;
  const Verb& verb_;
  const Tense& tense_;
  Agreement subject_;
  Order order_;
  VerbGroup group_;
};

}  // namespace

const Modal& pick_modal(Composer& c, bool negative) {
  for (;;) {
    const Modal& modal = c.pick(kModals);
    if (!negative || modal.negatable) return modal;
  }
}

const Modal& modal_called(std::string_view chinese) {
  const auto* found = std::ranges::find(kModals, chinese, &Modal::chinese);
  expects(found != std::end(kModals), "the lexicon has this modal");
  return *found;
}

const Modal& pick_question_modal(Composer& c) { return c.pick(std::span(kModals).first(3)); }

VerbGroup verb_group(Composer& c, const Verb& verb, const Tense& tense, Agreement subject,
                     Order order) {
  return Builder(c, verb, tense, subject, order).build();
}

std::string_view present_be(Agreement subject) {
  switch (subject) {
    case Agreement::first_person:
      return "am";
    case Agreement::singular:
      return "is";
    default:
      return "are";
  }
}

std::string_view past_be(Agreement subject) {
  return subject == Agreement::plural ? "were" : "was";
}

}  // namespace eatt::builtin::zh_en
