#include <fmt/format.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include "base/error.h"
#include "text/pieces/pieces.h"
#include "text/pieces/sentencepiece/library.h"

namespace eatt {
namespace {

class LinkedModel : public SentencePieceModel {
 public:
  LinkedModel(std::string_view bytes, const std::string& name) {
    const auto status = processor_.LoadFromSerializedProto(bytes);
    if (!status.ok()) {
      throw Error(fmt::format("{}: SentencePiece refuses the model: {}", name, status.message()));
    }
  }

  std::vector<int32_t> encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    expects(processor_.Encode(text, &ids).ok(), "a loaded model encodes any text");
    return ids;
  }

  std::string decode(const std::vector<int32_t>& ids) const override {
    std::string text;
    expects(processor_.Decode(ids, &text).ok(), "a loaded model decodes ids of its vocabulary");
    return text;
  }

  std::string decode(const std::vector<std::string_view>& pieces) const override {
    std::string text;
    expects(processor_.Decode(pieces, &text).ok(), "a loaded model decodes any pieces");
    return text;
  }

  int32_t id(std::string_view piece) const override { return processor_.PieceToId(piece); }

 private:
  sentencepiece::SentencePieceProcessor processor_;
};

class OneWord : public sentencepiece::SentenceIterator {
 public:
  bool done() const override { return done_; }
  void Next() override { done_ = true; }
  const std::string& value() const override { return word_; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::string word_ = "a";
  bool done_ = false;
};

}  // namespace

std::unique_ptr<SentencePieceModel> load_sentencepiece_model(std::string_view bytes,
                                                             const std::string& name) {
  return std::make_unique<LinkedModel>(bytes, name);
}

std::string make_sentencepiece_template(bool byte_fallback) {
  OneWord one_word;
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(
      {{"model_type", "bpe"},
       {"vocab_size", "300"},
       {"hard_vocab_limit", "false"},
       {"byte_fallback", byte_fallback ? "true" : "false"},
       {"pad_id", std::to_string(kPadPiece)},
       {"unk_id", std::to_string(kUnknownPiece)},
       {"bos_id", std::to_string(kStartPiece)},
       {"eos_id", std::to_string(kEndPiece)},
       {"minloglevel", "3"}},  // Keeps the library from talking on stderr.
      &one_word, &model);
  if (!status.ok()) {
    throw Error(fmt::format("SentencePiece does not make models: {}", status.message()));
  }
  return model;
}

}  // namespace eatt
