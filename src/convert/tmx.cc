#include "convert/exchange_formats.h"

namespace eatt::convert {
namespace {

class TmxReader : public XmlHandler {
 public:
  explicit TmxReader(PairCollector& pairs) : pairs_(pairs) {}

  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (text_.is_open()) {
      text_.start(name, attributes);
    } else if (name == "tu") {
      source_ = target_ = {};
    } else if (name == "tuv") {
      language_ = attributes.find("xml:lang").value_or(attributes.find("lang").value_or(""));
      pairs_.note_language(language_);
    } else if (name == "seg" && (wants(source_, pairs_.source_language()) ||
                                 wants(target_, pairs_.target_language()))) {
      text_.open(language_);
    }
  }

  void end(std::string_view name) override {
    if (text_.is_open()) {
      if (text_.end()) keep();
    } else if (name == "tu") {
      pairs_.add(source_, target_);
    }
  }

  void text(std::string_view text) override {
    if (text_.is_open()) text_.text(text);
  }

 private:
  // Whether the current <tuv> matches better than what the side already has.
  bool wants(const Segment& side, std::string_view language) const {
    if (!language_matches(language, language_)) return false;
    return !side.found ||
           (same_language(language, language_) && !same_language(language, side.language));
  }

  void keep() {
    if (wants(source_, pairs_.source_language())) source_ = text_.segment();
    if (wants(target_, pairs_.target_language())) target_ = text_.segment();
  }

  PairCollector& pairs_;
  SegmentText text_;
  std::string language_;  // Of the <tuv> that is being read.
  Segment source_, target_;
};

}  // namespace

std::unique_ptr<XmlHandler> make_tmx_reader(PairCollector& pairs) {
  return std::make_unique<TmxReader>(pairs);
}

}  // namespace eatt::convert
