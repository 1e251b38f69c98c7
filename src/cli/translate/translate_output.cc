#include "cli/translate/translate_output.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files/atomic_file.h"
#include "base/files/text_file.h"
#include "base/text/text_layout.h"
#include "cli/program.h"
#include "runtime/api/word_alignment.h"

namespace eatt::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostSoftEntries = size_t{1} << 24;

// What an output line is about.
struct Subject {
  uint64_t number;
  std::string_view source;
  const Translation& translation;
  const OutputOptions& options;

  // On one line, and plain text if asked for.
  std::string text_of(const Hypothesis& hypothesis) const {
    const std::string text = one_line(hypothesis.text);
    return options.detokenizer ? options.detokenizer->detokenize(text) : text;
  }

  bool aligned() const { return options.alignment.kind != AlignmentKind::none; }
};

std::vector<WordLink> links(const Subject& subject, const Hypothesis& hypothesis) {
  const auto& [kind, least] = subject.options.alignment;
  return kind == AlignmentKind::hard
             ? hard_alignment(subject.translation, hypothesis, subject.options.units)
             : threshold_alignment(subject.translation, hypothesis, subject.options.units, least);
}

// Calls use(probability) for each source unit of each target unit, and end_row() after each row.
template <typename Use, typename EndRow>
void for_each_probability(const Subject& subject, const Hypothesis& hypothesis, Use&& use,
                          EndRow&& end_row) {
  const bool words = subject.options.units == AlignmentUnits::word;
  const size_t columns =
      words ? count_words(subject.source) : subject.translation.source_pieces.size();
  const size_t rows = words ? count_words(hypothesis.text) : hypothesis.pieces.size();
  if (rows * columns > kMostSoftEntries) {
    throw Error(
        fmt::format("line {}: a soft alignment of {} source and {} target units is too large; use "
                    "--alignment hard or 0.x, or split the line",
                    subject.number + 1, columns, rows));
  }
  for_each_alignment_row(
      subject.translation, hypothesis, subject.options.units, [&](const AlignmentRow& row) {
        for (size_t i = 0; i < columns; ++i) {
          const bool inside =
              i >= row.first_source && i - row.first_source < row.probabilities.size();
          use(inside ? row.probabilities[i - row.first_source] : 0.0f);
        }
        end_row();
      });
}

std::string alignment_text(const Subject& subject, const Hypothesis& hypothesis) {
  if (subject.options.alignment.kind != AlignmentKind::soft) {
    return print_links(links(subject, hypothesis));
  }
  std::string text;
  bool starts_row = true;
  for_each_probability(
      subject, hypothesis,
      [&](float probability) {
        if (starts_row && !text.empty()) text += ' ';
        if (!starts_row) text += ',';
        text += fmt::format("{:.6g}", probability);
        starts_row = false;
      },
      [&] { starts_row = true; });
  return text;
}

Json alignment_json(const Subject& subject, const Hypothesis& hypothesis) {
  if (subject.options.alignment.kind != AlignmentKind::soft) {
    return print_links(links(subject, hypothesis));
  }
  Json rows = Json::array(), row = Json::array();
  for_each_probability(
      subject, hypothesis, [&](float probability) { row.push_back(probability); },
      [&] {
        rows.push_back(std::move(row));
        row = Json::array();
      });
  return rows;
}

// " ||| 0-0 1-1 ||| WordScores= -0.1 -0.2"
std::string extra_columns(const Subject& subject, const Hypothesis& hypothesis) {
  std::string text;
  if (subject.aligned()) text += " ||| " + alignment_text(subject, hypothesis);
  if (subject.options.word_scores) {
    text += " ||| WordScores=";
    for (const double score : word_scores(hypothesis)) text += fmt::format(" {:.6g}", score);
  }
  return text;
}

std::string nbest_lines(const Subject& subject) {
  std::string text;
  for (const Hypothesis& hypothesis : subject.translation.hypotheses) {
    text += fmt::format("{} ||| {}{} ||| F0= {:.6g} ||| {:.6g}\n", subject.number,
                        subject.text_of(hypothesis), extra_columns(subject, hypothesis),
                        hypothesis.log_probability, hypothesis.score);
  }
  return text;
}

Json hypothesis_json(const Subject& subject, const Hypothesis& hypothesis) {
  Json object;
  object["translation"] =
      subject.options.detokenizer ? subject.text_of(hypothesis) : hypothesis.text;
  object["score"] = hypothesis.score;
  object["log_probability"] = hypothesis.log_probability;
  object["finished"] = hypothesis.finished;
  if (subject.aligned()) object["alignment"] = alignment_json(subject, hypothesis);
  if (subject.options.word_scores) object["word_scores"] = word_scores(hypothesis);
  if (subject.options.pieces) {
    object["pieces"] = hypothesis.pieces;
    object["piece_scores"] = hypothesis.piece_scores;
  }
  return object;
}

std::string json_line(const Subject& subject) {
  const auto& hypotheses = subject.translation.hypotheses;
  Json object = hypothesis_json(subject, hypotheses.front());
  if (subject.options.pieces) object["source_pieces"] = subject.translation.source_pieces;
  if (subject.options.lists) {
    for (const Hypothesis& hypothesis : hypotheses) {
      object["hypotheses"].push_back(hypothesis_json(subject, hypothesis));
    }
  }
  // A model that writes single bytes can write what is no UTF-8.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

class StandardOutput : public LineOutput {
 public:
  StandardOutput() { std::signal(SIGPIPE, SIG_IGN); }

  void write(std::string_view lines) override {
    std::string_view rest = lines;
    while (!rest.empty()) {
      const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) {
        wait_for_room();
        continue;
      }
      if (written < 0) {
        const int error_number = errno;
        if (error_number == EPIPE) throw ExitCode{kClosedPipe, ""};
        take_back_part_of_line(lines.substr(0, lines.size() - rest.size()));
        throw Error(
            fmt::format("standard output: cannot be written: {}", system_message(error_number)));
      }
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }

  void finish() override {}

 private:
  // Whoever gave us the output may have made it non-blocking.
  static void wait_for_room() {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    ::poll(&output, 1, -1);
  }

  // A pipe or terminal keeps what it got; a file can be cut where its last whole line ends.
  static void take_back_part_of_line(std::string_view written) {
    const size_t last_end = written.rfind('\n');
    const size_t whole = last_end == written.npos ? 0 : last_end + 1;
    struct stat status {};
    if (whole == written.size() || ::fstat(STDOUT_FILENO, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
      return;
    }
    const auto part = static_cast<off_t>(written.size() - whole);
    if (::lseek(STDOUT_FILENO, 0, SEEK_CUR) != status.st_size) return;  // Others write there too.
    if (::ftruncate(STDOUT_FILENO, status.st_size - part) == 0) ::lseek(STDOUT_FILENO, 0, SEEK_END);
  }
};

class FileOutput : public LineOutput {
 public:
  explicit FileOutput(const std::string& path) : file_(path) {}
  void write(std::string_view lines) override { file_.write(lines); }
  void finish() override { file_.commit(); }

 private:
  TextOutput file_;
};

}  // namespace

std::optional<AlignmentChoice> parse_alignment(std::string_view text) {
  if (text == "hard") return AlignmentChoice{AlignmentKind::hard};
  if (text == "soft") return AlignmentChoice{AlignmentKind::soft};
  float least = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), least);
  if (error != std::errc() || end != text.data() + text.size() || !(least > 0 && least <= 1)) {
    return std::nullopt;
  }
  return AlignmentChoice{AlignmentKind::threshold, least};
}

std::string print_translation(uint64_t number, std::string_view source,
                              const Translation& translation, const OutputOptions& options) {
  const Subject subject{number, source, translation, options};
  if (options.format == OutputFormat::json) return json_line(subject);
  if (options.format == OutputFormat::nbest) return nbest_lines(subject);
  const Hypothesis& best = translation.hypotheses.front();
  return subject.text_of(best) + extra_columns(subject, best) + "\n";
}

std::string print_score(uint64_t number, std::string_view source, const Translation& scored,
                        const OutputOptions& options) {
  const Subject subject{number, source, scored, options};
  if (options.format == OutputFormat::json) return json_line(subject);
  if (options.format == OutputFormat::nbest) return nbest_lines(subject);
  const Hypothesis& given = scored.hypotheses.front();
  return fmt::format("{:.6g}{}\n", given.log_probability, extra_columns(subject, given));
}

std::unique_ptr<LineOutput> open_line_output(const std::string& path) {
  if (path.empty() || is_standard_output(path)) return std::make_unique<StandardOutput>();
  return std::make_unique<FileOutput>(path);
}

}  // namespace eatt::cli
