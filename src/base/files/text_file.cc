#include "base/files/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/open_file.h"
#include "base/files/text_check.h"
#include "base/log.h"

namespace eatt {
namespace {

constexpr size_t kPackedBytes = 1 << 18;
constexpr unsigned char kGzipMagic[] = {0x1f, 0x8b};

bool starts_like_gzip(std::span<const char> bytes) {
  return bytes.size() >= sizeof kGzipMagic &&
         std::memcmp(bytes.data(), kGzipMagic, sizeof kGzipMagic) == 0;
}

// Whether a file that begins with these bytes can still turn out to be gzip.
bool could_be_gzip(std::span<const char> bytes) {
  return bytes.size() < sizeof kGzipMagic &&
         std::memcmp(bytes.data(), kGzipMagic, bytes.size()) == 0;
}

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(const TextFile& text) : name_(text.name) {
    const int fd = text.path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : ::open(text.path.c_str(), O_RDONLY | O_CLOEXEC);
    file_ = FileDescriptor(fd);
    if (!file_.is_open()) fail(errno);
    if (text.path == "-" && ::isatty(fd) == 1) {
      spdlog::info("reading from the terminal; end with Ctrl-D");
    }
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    // The first bytes are needed early, to see what the file is. A pipe may deliver them one
    // by one: read no more than needed, so as not to wait for more input.
    front_.resize(kPackedBytes);
    while (could_be_gzip(front()) || may_become_archive({front_.data(), front_size_})) {
      const size_t got = read_file(std::span(front_).subspan(front_size_));
      if (got == 0) break;
      front_size_ += got;
    }
    refuse_archive(name_, {front_.data(), front_size_});
  }

  std::span<const char> front() const { return {front_.data(), front_size_}; }

  size_t read(std::span<char> room) override {
    if (given_ == front_size_) return read_file(room);
    const size_t size = std::min(room.size(), front_size_ - given_);
    std::memcpy(room.data(), front_.data() + given_, size);
    given_ += size;
    if (given_ == front_size_) std::vector<char>().swap(front_);
    return size;
  }

  uint64_t taken() const override { return taken_; }
  const std::string& name() const { return name_; }

 private:
  size_t read_file(std::span<char> room) {
    while (!ended_) {  // A terminal would wait for another Ctrl-D.
      const ssize_t got = ::read(file_.get(), room.data(), room.size());
      if (got >= 0) {
        ended_ = got == 0 && !room.empty();
        taken_ += static_cast<uint64_t>(got);
        return static_cast<size_t>(got);
      }
      if (errno != EINTR) fail(errno);
    }
    return 0;
  }

  [[noreturn]] void fail(int error_number) const {
    if (error_number == EISDIR) throw Error(name_ + ": is a folder, expected a text file");
    throw Error(fmt::format("{}: cannot be read: {}", name_, system_message(error_number)));
  }

  std::string name_;
  FileDescriptor file_;
  std::vector<char> front_;
  size_t front_size_ = 0;
  size_t given_ = 0;
  uint64_t taken_ = 0;
  bool ended_ = false;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<PlainSource> packed)
      : packed_(std::move(packed)), buffer_(kPackedBytes) {
    constexpr int kGzipOnly = 15 + 16;  // The largest window; gzip's header, not zlib's.
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  size_t read(std::span<char> room) override {
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(room.size(), 1u << 30));
    const uInt wanted = stream_.avail_out;
    while (!ended_ && stream_.avail_out == wanted) step();
    return wanted - stream_.avail_out;
  }

  uint64_t taken() const override { return packed_->taken(); }

 private:
  // Decompresses some bytes, moves on to the next member, or reaches the end.
  void step() {
    if (stream_.avail_in == 0) refill();
    if (between_members_) return start_next_member();
    if (stream_.avail_in == 0) {
      throw Error(fmt::format(
          "{}: the gzip data ends early, after {} packed and {} unpacked bytes; the file was cut "
          "off: get it again",
          packed_->name(), taken(), unpacked()));
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_members_ = true;
      earlier_members_ += stream_.total_out;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw Error(
          fmt::format("{}: the gzip data is damaged after {} unpacked bytes ({}); get it again",
                      packed_->name(), unpacked(),
                      stream_.msg != nullptr ? stream_.msg : "zlib gave no reason"));
    }
  }

  // After a member: the end, zeros (tape padding, which gzip allows too), or another member.
  void start_next_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in > 0) {
      inflateReset(&stream_);
      between_members_ = false;
    } else if (at_end_) {
      ended_ = true;
    }
  }

  void refill() {
    const size_t got = packed_->read(buffer_);
    at_end_ = got == 0;
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(got);
  }

  uint64_t unpacked() const {
    return earlier_members_ + (between_members_ ? 0 : stream_.total_out);
  }

  std::unique_ptr<PlainSource> packed_;
  std::vector<char> buffer_;
  z_stream stream_{};
  uint64_t earlier_members_ = 0;
  bool between_members_ = false;
  bool at_end_ = false;
  bool ended_ = false;
};

}  // namespace

TextFile::TextFile(std::string file_path)
    : path(std::move(file_path)), name(path == "-" ? "standard input" : path) {}

std::unique_ptr<ByteSource> open_bytes(const TextFile& file) {
  auto plain = std::make_unique<PlainSource>(file);
  if (!starts_like_gzip(plain->front())) return plain;
  return std::make_unique<GzipSource>(std::move(plain));
}

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
