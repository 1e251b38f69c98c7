#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace eatt {

// The SentencePiece library behind a wall. Debian's libsentencepiece exports an old protobuf of its
// own, which crashes the newer one of libtorch when both are in one program's global scope. So
// programs without libtorch link the library (linked.cc), and those with it load it at run time
// into a scope of its own (loaded.cc, and the module libeatt-sentencepiece.so). CMake chooses.
class SentencePieceModel {
 public:
  virtual ~SentencePieceModel() = default;
  virtual std::vector<int32_t> encode(std::string_view text) const = 0;
  virtual std::string decode(const std::vector<int32_t>& ids) const = 0;
  virtual std::string decode(const std::vector<std::string_view>& pieces) const = 0;
  virtual int32_t id(std::string_view piece) const = 0;
};

// Throws an Error that begins with `name` if the library refuses the bytes.
std::unique_ptr<SentencePieceModel> load_sentencepiece_model(std::string_view bytes,
                                                             const std::string& name);

// A model of next to nothing, made by the library: what every model of ours shares, that is the
// markers, the settings and the compiled normalisation.
std::string make_sentencepiece_template(bool byte_fallback);

// The same two functions, as the module hands them out under this name.
struct SentencePieceEntry {
  std::unique_ptr<SentencePieceModel> (*load)(std::string_view bytes, const std::string& name);
  std::string (*make_template)(bool byte_fallback);
};
inline constexpr char kSentencePieceEntry[] = "eatt_sentencepiece_entry";
inline constexpr char kSentencePieceModule[] = "libeatt-sentencepiece.so";

}  // namespace eatt
