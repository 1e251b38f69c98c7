#include "base/files/text_output.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "base/error.h"

namespace eatt {

class TextOutput::File {
 public:
  File(const std::filesystem::path& path, Existing existing) : file_(path, existing) {}
  virtual ~File() = default;

  virtual void write(std::string_view text) { file_.write(text); }
  virtual void end_text() { file_.expect_same_size(); }
  void commit() { file_.commit(); }

 private:
  AtomicFile file_;
};

// zlib's header for gzip carries no time and no name, so the same text gives the same bytes.
class TextOutput::GzipFile : public File {
 public:
  GzipFile(const std::filesystem::path& path, Existing existing)
      : File(path, existing), packed_(kPackedBytes) {
    constexpr int kGzipFormat = 15 + 16;  // The largest window; gzip's header, not zlib's.
    constexpr int kMemoryLevel = 8;       // zlib's default.
    // The default level, 6, as in the program gzip: on 7 MB of English text level 9 takes 1.5 times
    // as long and saves 0.6 %.
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat, kMemoryLevel,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipFile(const GzipFile&) = delete;
  GzipFile& operator=(const GzipFile&) = delete;
  ~GzipFile() override { deflateEnd(&stream_); }

  void write(std::string_view text) override {
    while (!text.empty()) {
      const size_t part = std::min<size_t>(text.size(), std::numeric_limits<uInt>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
      stream_.avail_in = static_cast<uInt>(part);
      while (stream_.avail_in > 0) step(Z_NO_FLUSH);
      text.remove_prefix(part);
    }
  }

  void end_text() override {
    stream_.avail_in = 0;
    while (!ended_) ended_ = step(Z_FINISH) == Z_STREAM_END;
    File::end_text();
  }

 private:
  static constexpr size_t kPackedBytes = 1 << 16;

  // Compresses some bytes and writes the result.
  int step(int flush) {
    stream_.next_out = packed_.data();
    stream_.avail_out = static_cast<uInt>(packed_.size());
    const int result = deflate(&stream_, flush);
    expects(result == Z_OK || result == Z_STREAM_END, "zlib can go on compressing");
    File::write(
        {reinterpret_cast<const char*>(packed_.data()), packed_.size() - stream_.avail_out});
    return result;
  }

  z_stream stream_{};
  std::vector<Bytef> packed_;
  bool ended_ = false;
};

TextOutput::TextOutput(const std::filesystem::path& path, Existing existing) {
  if (path.extension() == ".gz" || path.extension() == ".GZ") {
    file_ = std::make_unique<GzipFile>(path, existing);
  } else {
    file_ = std::make_unique<File>(path, existing);
  }
}

TextOutput::~TextOutput() = default;

void TextOutput::write(std::string_view text) { file_->write(text); }
void TextOutput::end_text() { file_->end_text(); }
void TextOutput::commit() {
  end_text();
  file_->commit();
}

}  // namespace eatt
