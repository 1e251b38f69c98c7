#include "text/sentencepiece_library.h"

#include <sentencepiece_trainer.h>

#include <stdexcept>

namespace eatt::testing {
namespace {

void check(const sentencepiece::util::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(const std::vector<std::string>& lines) : lines_(lines) {}
  bool done() const override { return at_ == lines_.size(); }
  void Next() override { ++at_; }
  const std::string& value() const override { return lines_[at_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  const std::vector<std::string>& lines_;
  size_t at_ = 0;
};

}  // namespace

SentencePieceLibrary::SentencePieceLibrary(std::string_view model) {
  check(processor_.LoadFromSerializedProto(model));
}

std::vector<int32_t> SentencePieceLibrary::encode(std::string_view text) const {
  std::vector<int32_t> ids;
  check(processor_.Encode(text, &ids));
  return ids;
}

std::string SentencePieceLibrary::decode(const std::vector<int32_t>& ids) const {
  std::string text;
  check(processor_.Decode(ids, &text));
  return text;
}

std::string SentencePieceLibrary::decode(const std::vector<std::string_view>& pieces) const {
  std::string text;
  check(processor_.Decode(pieces, &text));
  return text;
}

std::string train_with_library(const std::vector<std::string>& lines,
                               std::unordered_map<std::string, std::string> settings) {
  settings.insert({{"pad_id", "0"},
                   {"unk_id", "1"},
                   {"bos_id", "2"},
                   {"eos_id", "3"},
                   {"minloglevel", "3"},
                   {"hard_vocab_limit", "false"}});
  Lines iterator(lines);
  std::string model;
  check(sentencepiece::SentencePieceTrainer::Train(settings, &iterator, &model));
  return model;
}

}  // namespace eatt::testing
