
#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "base/threads.h"
#include "text/corpus/line_reader.h"
#include "text/corpus/pair_problem.h"
#include "text/pieces/piece_encoder.h"

namespace eatt {
namespace {

constexpr size_t kMaxLineBytes = 1 << 20;
constexpr size_t kChunkBytes = 1 << 18;

// Some lines, and their conversion.
struct LineChunk {
  std::string text;
  std::vector<uint32_t> sizes;  // Of the lines in `text`, which has no line ends.
  uint64_t first_line = 0;
  std::string out;
  std::string error;  // What is wrong with the first bad line, if there is one.
};

bool read_chunk(LineReader& reader, LineChunk& chunk) {
  chunk.text.clear();
  chunk.sizes.clear();
  chunk.first_line = reader.number() + 1;
  LineReader::Line line;
  while (chunk.text.size() + chunk.sizes.size() < kChunkBytes && reader.next(line)) {
    if (line.too_long) {
      throw Error(fmt::format("{}: line {} has {} bytes, the most is {}", reader.name(),
                              reader.number(), line.size, kMaxLineBytes));
    }
    chunk.text += line.text;
    chunk.sizes.push_back(static_cast<uint32_t>(line.text.size()));
  }
  return !chunk.sizes.empty();
}

// Runs convert(line, line number, out) on every line. An Error that it throws is kept until the
// chunks before have been written, so the first bad line is the one reported, whatever the number
// of threads.
template <typename Convert>
void convert_chunk(LineChunk& chunk, Convert&& convert) {
  chunk.out.clear();
  chunk.error.clear();
  size_t at = 0;
  for (size_t i = 0; i < chunk.sizes.size(); ++i) {
    try {
      convert(std::string_view(chunk.text).substr(at, chunk.sizes[i]), chunk.first_line + i,
              chunk.out);
    } catch (const Error& error) {
      chunk.error = fmt::format("line {} {}", chunk.first_line + i, error.what());
      return;
    }
    chunk.out += '\n';
    at += chunk.sizes[i];
  }
}

template <typename Work>
void convert_lines(const TextFile& text, Work&& work,
                   const std::function<void(std::string_view)>& write) {
  LineReader reader(text, kMaxLineBytes);
  ordered_pipeline<LineChunk>([&](LineChunk& chunk) { return read_chunk(reader, chunk); }, work,
                              [&](LineChunk& chunk) {
                                write(chunk.out);
                                if (!chunk.error.empty()) {
                                  throw Error(reader.name() + ": " + chunk.error);
                                }
                              });
}

// Each piece with the space behind it, as it is written.
std::vector<std::string> written_pieces(const Pieces& pieces, PieceFormat format) {
  std::vector<std::string> written;
  for (int32_t id = 0; id < pieces.size(); ++id) {
    written.push_back(format == PieceFormat::id ? fmt::format("{} ", id) : pieces.piece(id) + " ");
  }
  return written;
}

void check_text(std::string_view line) {
  const PairProblem problem = find_text_problem(line, ".");
  if (problem != PairProblem::none && problem != PairProblem::empty) {
    throw Error(fmt::format("has {}", description(problem)));
  }
}

int32_t parse_id(std::string_view word, int vocab_size) {
  int32_t id = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error != std::errc() || end != word.data() + word.size() || id < 0 || id >= vocab_size) {
    throw Error(fmt::format("has '{}', expected an id from 0 to {}", word, vocab_size - 1));
  }
  return id;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

}  // namespace

void encode_lines(const Pieces& pieces, const TextFile& text, const EncodeLinesOptions& options,
                  const std::function<void(std::string_view)>& write) {
  const auto written = written_pieces(pieces, options.format);
  Pool<PieceEncoder> encoders([&] { return std::make_unique<PieceEncoder>(pieces); });
  const auto encode_chunk = [&](LineChunk& chunk) {
    const Pool<PieceEncoder>::Lease encoder(encoders);
    std::vector<int32_t> ids;
    convert_chunk(chunk, [&](std::string_view line, uint64_t number, std::string& out) {
      check_text(line);
      ids.clear();
      encoder->append(line, ids);
      if (options.dropout > 0) {
        Random random = Random::stream(options.seed, number);
        ids = pieces.sample(ids, options.dropout, random);
      }
      for (const int32_t id : ids) out += written[static_cast<size_t>(id)];
      if (!ids.empty()) out.pop_back();
    });
  };
  convert_lines(text, encode_chunk, write);
}

void decode_lines(const Pieces& pieces, const TextFile& text, PieceFormat format,
                  const std::function<void(std::string_view)>& write) {
  const auto decode_chunk = [&](LineChunk& chunk) {
    std::vector<int32_t> ids;
    convert_chunk(chunk, [&](std::string_view line, uint64_t, std::string& out) {
      const auto words = split_words(line);
      if (format == PieceFormat::piece) {
        out += pieces.decode_pieces(words);
        return;
      }
      ids.clear();
      for (const std::string_view word : words) ids.push_back(parse_id(word, pieces.size()));
      out += pieces.decode(ids);
    });
  };
  convert_lines(text, decode_chunk, write);
}

}  // namespace eatt
