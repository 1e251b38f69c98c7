#include <vector>

#include "convert/exchange_formats.h"

namespace eatt::convert {
namespace {

bool is_unit(std::string_view name) { return name == "trans-unit" || name == "segment"; }

// XLIFF 1.2 has the state in <target>, XLIFF 2 in <segment>.
bool is_untranslated(const XmlAttributes& attributes) {
  const auto state = attributes.find("state");
  return state == "new" || state == "needs-translation" || state == "initial";
}

std::string value_of(const XmlAttributes& attributes, std::string_view name) {
  return std::string(attributes.find(name).value_or(""));
}

class XliffReader : public XmlHandler {
 public:
  explicit XliffReader(PairCollector& pairs) : pairs_(pairs) {}

  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (text_.is_open()) return text_.start(name, attributes);
    const bool in_unit = !path_.empty() && is_unit(path_.back());
    if (name == "xliff") {
      set_languages(value_of(attributes, "srcLang"), value_of(attributes, "trgLang"));
    } else if (name == "file" && attributes.find("source-language")) {
      set_languages(value_of(attributes, "source-language"),
                    value_of(attributes, "target-language"));
    } else if (is_unit(name)) {
      source_ = target_ = {};
      untranslated_ = name == "segment" && is_untranslated(attributes);
    } else if (in_unit && name == "source") {
      open(source_, source_language_, attributes);
    } else if (in_unit && name == "target") {
      untranslated_ = untranslated_ || is_untranslated(attributes);
      open(target_, target_language_, attributes);
    }
    if (!text_.is_open()) path_.emplace_back(name);
  }

  void end(std::string_view name) override {
    if (text_.is_open()) {
      if (text_.end()) *side_ = text_.segment();
      return;
    }
    path_.pop_back();
    if (is_unit(name)) finish_unit();
  }

  void text(std::string_view text) override {
    if (text_.is_open()) text_.text(text);
  }

 private:
  void set_languages(std::string source, std::string target) {
    source_language_ = std::move(source);
    target_language_ = std::move(target);
  }

  void open(Segment& side, const std::string& file_language, const XmlAttributes& attributes) {
    const std::string_view language = attributes.find("xml:lang").value_or(file_language);
    pairs_.note_language(language);
    side_ = &side;
    text_.open(language);
  }

  // A file does not have to name the language of its translations.
  static bool fits(std::string_view wanted, const Segment& side) {
    return side.language.empty() || language_matches(wanted, side.language);
  }

  void finish_unit() {
    const bool forward =
        fits(pairs_.source_language(), source_) && fits(pairs_.target_language(), target_);
    const bool backward =
        fits(pairs_.source_language(), target_) && fits(pairs_.target_language(), source_);
    if (untranslated_ && target_.found) return pairs_.skip(Skipped::untranslated);
    if (forward) return pairs_.add(source_, target_);
    if (backward) return pairs_.add(target_, source_);
    const bool has_source =
        fits(pairs_.source_language(), source_) || fits(pairs_.source_language(), target_);
    pairs_.skip(has_source ? Skipped::no_target : Skipped::no_source);
  }

  PairCollector& pairs_;
  SegmentText text_;
  std::vector<std::string> path_;  // The elements around the current position, outside segments.
  std::string source_language_, target_language_;  // Of the file, in the file's direction.
  Segment source_, target_;
  Segment* side_ = nullptr;  // The one that is being read.
  bool untranslated_ = false;
};

}  // namespace

std::unique_ptr<XmlHandler> make_xliff_reader(PairCollector& pairs) {
  return std::make_unique<XliffReader>(pairs);
}

}  // namespace eatt::convert
