#include "evaluation/text_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/error.h"
#include "base/files/file_descriptor.h"
#include "base/progress.h"
#include "evaluation/unicode.h"

namespace eatt::evaluation {
namespace {

struct GzipCloser {
  void operator()(gzFile_s* file) const { ::gzclose(file); }
};

// zlib passes plain bytes through, so one way of reading serves both.
std::vector<char> read_all(int fd, const std::string& name) {
  const int own = ::dup(fd);
  const std::unique_ptr<gzFile_s, GzipCloser> file(own < 0 ? nullptr : ::gzdopen(own, "rb"));
  if (!file) {
    const int error = errno;
    if (own >= 0) ::close(own);
    throw Error(fmt::format("{}: cannot be read: {}", name, system_message(error)));
  }
  constexpr unsigned kChunk = 1 << 20;  // So much that zlib hands plain bytes on uncopied.
  std::vector<char> bytes;
  for (size_t size = 0;;) {
    if (bytes.size() < size + kChunk) bytes.resize(std::max<size_t>(size + kChunk, size * 2));
    const int got = ::gzread(file.get(), bytes.data() + size, kChunk);
    int code = Z_OK;
    const char* message = ::gzerror(file.get(), &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
      throw Error(fmt::format("{}: cannot be read: {}", name,
                              code == Z_ERRNO ? system_message(errno) : message));
    }
    size += static_cast<size_t>(got);
    if (got == 0) {
      bytes.resize(size);
      return bytes;
    }
  }
}

void expect_utf8(std::string_view text, const std::string& name) {
  const size_t bad = find_invalid_utf8(text);
  if (bad == std::string_view::npos) return;
  const std::string_view before = text.substr(0, bad);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0.
  throw Error(
      fmt::format("{}: line {}, byte {}: found 0x{:02x}, expected UTF-8 text; convert it with "
                  "`iconv -t utf-8`",
                  name, line, bad - line_begin + 1, static_cast<unsigned char>(text[bad])));
}

}  // namespace

TextLines TextLines::read_file(const std::filesystem::path& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd.is_open() || ::fstat(fd.get(), &info) != 0) {
    throw Error(fmt::format("{}: cannot be read: {}", path.string(), system_message(errno)));
  }
  if (S_ISDIR(info.st_mode)) throw Error(path.string() + ": is a folder, expected a text file");
  return read_descriptor(fd.get(), path.string());
}

TextLines TextLines::read_descriptor(int fd, std::string name) {
  TextLines text;
  text.name_ = std::move(name);
  text.bytes_ = read_all(fd, text.name_);
  if (text.bytes_.empty()) {
    throw Error(fmt::format("{}: is empty, expected one sentence per line", text.name_));
  }
  expect_utf8({text.bytes_.data(), text.bytes_.size()}, text.name_);
  text.split();
  return text;
}

void TextLines::split() {
  constexpr size_t kLongestLine = size_t{1} << 26;  // Bytes; sentences are shorter.
  std::string_view rest(bytes_.data(), bytes_.size());
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (line.size() > kLongestLine) {
      throw Error(fmt::format("{}: line {} has {} bytes, expected one sentence per line", name_,
                              lines_.size() + 1, format_count(line.size())));
    }
    lines_.push_back(strip_right(line));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

void expect_same_length(const TextLines& hypothesis, const TextLines& reference) {
  if (hypothesis.lines().size() == reference.lines().size()) return;
  throw Error(fmt::format("{} has {} lines, but {} has {}; expected as many in both",
                          hypothesis.name(), format_count(hypothesis.lines().size()),
                          reference.name(), format_count(reference.lines().size())));
}

}  // namespace eatt::evaluation
