#include "cli/translate/resumable_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/text_file.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "base/text/json.h"
#include "bundle/bundle.h"
#include "runtime/api/option_fields.h"
#include "text/corpus/preparation_folder.h"

namespace eatt::cli {
namespace fs = std::filesystem;

namespace {

constexpr size_t kBlockBytes = size_t{4} << 20;

fs::path part_of(const fs::path& path) { return path.string() + ".part"; }
fs::path record_of(const fs::path& path) { return path.string() + ".part.json"; }

// Size and beginning stand for the content: reading 100 GB to compare it would take minutes.
std::string describe(const TextFile& file) {
  if (is_read_once(file)) return "standard input or a pipe";
  constexpr size_t kBeginning = size_t{1} << 20;
  const MappedFile bytes(file.path);
  return fmt::format("{} bytes that begin with SHA-256 {}", bytes.text().size(),
                     sha256_hex(bytes.text().substr(0, kBeginning)));
}

std::string digest_of(const std::string& file) {
  return file.empty() ? "none" : "SHA-256 " + sha256_of_file(file);
}

// What changes only the speed, or is described elsewhere.
bool is_beside_the_point(std::string_view option) {
  constexpr std::array<std::string_view, 5> kNames = {"cpu-threads", "no-hash", "mini-batch-words",
                                                      "mini-batch", "shortlist"};
  return std::ranges::find(kNames, option) != kNames.end();
}

std::string describe(const OutputOptions& show, const std::string& detokenize) {
  return fmt::format(
      "format {}, alignment {} {} of {}, word scores {}, pieces {}, lists {}, detokenized '{}'",
      static_cast<int>(show.format), static_cast<int>(show.alignment.kind), show.alignment.least,
      static_cast<int>(show.units), show.word_scores, show.pieces, show.lists, detokenize);
}

void expect_same(const fs::path& record, const TranslationIdentity& now) {
  const JsonOrigin origin{record.string(), "remove it and the .part file to start over"};
  const nlohmann::json json = parse_json(read_file(record, 1 << 20), origin);
  const JsonNode root(json, origin);
  for (const auto& [key, value] : now) {
    const std::string old_value = root[key].text();
    if (old_value == value) continue;
    throw Error(
        fmt::format("{}: belongs to a translation with {} '{}', but this command has '{}'; give "
                    "the same again, or remove it and the .part file to start over",
                    record.string(), key, old_value, value));
  }
}

std::string to_json(const TranslationIdentity& identity) {
  auto json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : identity) json[key] = value;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// The number in front of the line "17 ||| …" of an n-best list.
uint64_t number_of_list(std::string_view line, const fs::path& file) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const std::string_view rest(end, static_cast<size_t>(line.data() + line.size() - end));
  if (error == std::errc() && rest.starts_with(" ||| ")) return number;
  throw Error(fmt::format("{}: does not end with a line of an n-best list; remove it to start over",
                          file.string()));
}

struct Kept {
  uint64_t bytes = 0;
  uint64_t lines = 0;
};

// The whole lines of an unfinished output.
Kept whole_lines(const MappedFile& file) {
  Kept kept;
  const std::string_view text = file.text();
  kept.bytes = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
  for (size_t at = 0; at < kept.bytes; at += kBlockBytes) {
    const std::string_view block = text.substr(at, std::min(kBlockBytes, kept.bytes - at));
    kept.lines += static_cast<uint64_t>(std::ranges::count(block, '\n'));
    file.drop(at, block.size());
  }
  return kept;
}

// All n-best lists but the last, whose first input line is number `first`.
Kept whole_lists(const MappedFile& file, const fs::path& path, uint64_t first) {
  std::string_view text = file.text().substr(0, whole_lines(file).bytes);
  std::optional<uint64_t> last;
  while (!text.empty()) {
    const size_t end = text.substr(0, text.size() - 1).rfind('\n');
    const size_t begin = end == text.npos ? 0 : end + 1;
    const uint64_t number = number_of_list(text.substr(begin), path);
    if (last && number != *last) break;
    last = number;
    text = text.substr(0, begin);
  }
  if (last && *last < first) {
    throw Error(
        fmt::format("{}: has a list of line {}, but this translation begins with line {}; "
                    "remove it to start over",
                    path.string(), *last + 1, first + 1));
  }
  return {text.size(), last ? *last - first : 0};
}

}  // namespace

TranslationIdentity identity_of(const TranslateOptions& options, const TextFile& input) {
  TranslationIdentity identity = {{"input", describe(input)},
                                  {"--shard", print_shard(options.shard)}};
  for (size_t i = 0; i < options.bundles.size(); ++i) {
    identity.emplace_back(fmt::format("model {}", i + 1),
                          digest_of((fs::path(options.bundles[i]) / kManifestFile).string()));
  }
  std::string weights;
  for (const double weight : options.weights) weights += fmt::format("{} ", weight);
  identity.emplace_back("--weights", weights);
  for (const auto& field : search_fields()) {
    identity.emplace_back("--" + field.name, field.get(options.search));
  }
  for (const auto& field : translator_fields()) {
    if (is_beside_the_point(field.name)) continue;
    identity.emplace_back("--" + field.name, field.get(options.translator));
  }
  identity.emplace_back("--shortlist", digest_of(options.translator.shortlist));
  identity.emplace_back("--prefix", digest_of(options.prefixes));
  identity.emplace_back("--score", digest_of(options.targets));
  identity.emplace_back("--glossary", digest_of(options.glossary));
  identity.emplace_back("--keep-placeholders", options.keep_placeholders ? "true" : "false");
  identity.emplace_back("output", describe(options.show, options.detokenize));
  return identity;
}

bool ResumableOutput::is_complete(const std::string& path, OutputFormat format,
                                  const LineRange& lines) {
  if (!fs::exists(path)) return false;
  if (format != OutputFormat::nbest && lines.is_counted()) {
    const uint64_t found =
        LineReader(TextFile(path), /*max_line_bytes=*/0).skip(std::numeric_limits<uint64_t>::max());
    if (found != lines.size()) {
      throw Error(fmt::format(
          "{}: exists and has {}, but there are {} to translate; remove it, or choose another -o",
          path, format_count(found, "line"), format_count(lines.size())));
    }
  }
  std::error_code none;
  fs::remove(part_of(path), none);
  fs::remove(record_of(path), none);
  return true;
}

ResumableOutput::ResumableOutput(const std::string& path, OutputFormat format,
                                 const TranslationIdentity& identity, const LineRange& lines)
    : path_(path), part_(part_of(path)), record_(record_of(path)) {
  open();
  if (fs::exists(record_)) {
    expect_same(record_, identity);
    continue_after_last_line(format, lines);
  } else if (fs::file_size(part_) > 0) {
    throw Error(fmt::format(
        "{}: has text, but {} is missing, which says of what it is the translation; remove {} to "
        "start over",
        part_.string(), record_.string(), part_.string()));
  } else {
    write_file_atomically(record_, to_json(identity));
  }
}

void ResumableOutput::open() {
  if (path_.has_parent_path()) make_folder(path_.parent_path());
  FileDescriptor file(::open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.is_open()) fail("opened", errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Error(fmt::format("{}: another process is writing it; wait for it, or choose another -o",
                            part_.string()));
  }
  file_ = FileWriter(std::move(file));
}

void ResumableOutput::continue_after_last_line(OutputFormat format, const LineRange& lines) {
  Kept kept;
  if (fs::file_size(part_) > 0) {
    const MappedFile file(part_);
    kept =
        format == OutputFormat::nbest ? whole_lists(file, part_, lines.begin) : whole_lines(file);
  }
  if (kept.lines > lines.size()) {
    throw Error(fmt::format("{}: has {}, but there are {} to translate; remove it to start over",
                            part_.string(), format_count(kept.lines, "line"),
                            format_count(lines.size())));
  }
  const int fd = ::dup(file_.descriptor());
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(kept.bytes)) != 0) fail("cut", errno);
  file_ =
      FileWriter(FileDescriptor(fd), kept.bytes);  // The lock is that of the open file: it stays.
  lines_done_ = kept.lines;
}

void ResumableOutput::fail(const char* action, int error_number) const {
  throw Error(
      fmt::format("{}: cannot be {}: {}", part_.string(), action, system_message(error_number)));
}

void ResumableOutput::write(std::string_view lines) {
  int error = file_.write(lines);
  if (error == 0) error = file_.flush();  // So that killing the process loses none of them.
  if (error != 0) fail("written", error);
}

void ResumableOutput::finish() {
  if (::fsync(file_.descriptor()) != 0) fail("written", errno);
  if (path_.extension() == ".gz") {
    const MappedFile text(part_);
    TextOutput packed(path_);
    for (size_t at = 0; at < text.text().size(); at += kBlockBytes) {
      packed.write(text.text().substr(at, kBlockBytes));
      text.drop(at, kBlockBytes);
    }
    packed.commit();
    fs::remove(part_);
  } else {
    if (::rename(part_.c_str(), path_.c_str()) != 0) fail("renamed", errno);
  }
  sync_folder(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
  fs::remove(record_);
}

}  // namespace eatt::cli
