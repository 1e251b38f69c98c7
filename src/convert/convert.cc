#include "convert/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/files/text_file.h"
#include "base/text/utf8.h"
#include "convert/exchange_formats.h"
#include "convert/xml_reader.h"

namespace eatt::convert {
namespace {

// The files that pairs are written to.
class PairOutput {
 public:
  explicit PairOutput(const ConvertOptions& options) {
    const auto existing = options.overwrite ? Existing::replaced : Existing::kept;
    if (!options.tsv_output.empty()) {
      tsv_ = std::make_unique<TextOutput>(options.tsv_output, existing);
    } else {
      source_ = std::make_unique<TextOutput>(options.source_output, existing);
      target_ = std::make_unique<TextOutput>(options.target_output, existing);
    }
  }

  void write(std::string_view source, std::string_view target) {
    TextOutput& second = tsv_ ? *tsv_ : *target_;
    TextOutput& first = tsv_ ? *tsv_ : *source_;
    first.write(source);
    first.write(tsv_ ? "\t" : "\n");
    second.write(target);
    second.write("\n");
  }

  void commit() {
    const auto files = {tsv_.get(), source_.get(), target_.get()};
    for (TextOutput* file : files) {
      if (file != nullptr) file->end_text();
    }
    for (TextOutput* file : files) {
      if (file != nullptr) file->commit();
    }
  }

 private:
  std::unique_ptr<TextOutput> tsv_;
  std::unique_ptr<TextOutput> source_, target_;
};

bool is_tsv(const TextFile& file, const std::optional<Format>& format) {
  if (format) return *format == Format::tsv;
  return file.path.ends_with(".tsv") || file.path.ends_with(".tsv.gz");
}

// Looks at the root element and passes everything on to the reader of that format.
class RootReader : public XmlHandler {
 public:
  RootReader(const TextFile& file, std::optional<Format> expected, PairCollector& pairs)
      : name_(file.name), expected_(expected), pairs_(pairs) {}

  void start(std::string_view name, const XmlAttributes& attributes) override {
    if (reader_ == nullptr) reader_ = make_reader(name);
    reader_->start(name, attributes);
  }
  void end(std::string_view name) override { reader_->end(name); }
  void text(std::string_view text) override { reader_->text(text); }

 private:
  std::unique_ptr<XmlHandler> make_reader(std::string_view root) const {
    if (root == "tmx" && expected_ != Format::xliff) return make_tmx_reader(pairs_);
    if (root == "xliff" && expected_ != Format::tmx) return make_xliff_reader(pairs_);
    const char* const wanted = !expected_                 ? "tmx or xliff"
                               : expected_ == Format::tmx ? "tmx"
                                                          : "xliff";
    throw Error(
        fmt::format("{}: the first element is {}; expected {}", name_, in_quotes(root), wanted));
  }

  std::string name_;
  std::optional<Format> expected_;
  PairCollector& pairs_;
  std::unique_ptr<XmlHandler> reader_;
};

void add_tsv_line(const RawPair& pair, PairCollector& pairs) {
  if (pair.problem == PairProblem::columns) return pairs.skip(Skipped::columns);
  if (pair.problem == PairProblem::long_line) return pairs.skip(Skipped::too_long);
  const PairProblem problem = find_text_problem(pair.source, pair.target);
  if (problem == PairProblem::nul_byte || problem == PairProblem::invalid_utf8) {
    return pairs.skip(Skipped::bad_text);
  }
  const auto segment = [](std::string_view text, const std::string& language) {
    Segment result{.text = {}, .language = language, .found = true};
    append_on_one_line(text, result.text);
    if (result.text.ends_with(' ')) result.text.pop_back();
    return result;
  };
  pairs.add(segment(pair.source, pairs.source_language()),
            segment(pair.target, pairs.target_language()));
}

// Calls progress(bytes taken from the file so far).
void read_tsv(const TextFile& file, const TsvColumns& columns, PairCollector& pairs,
              const std::function<void(uint64_t)>& progress) {
  PairReader reader({{.source = file, .target = {}, .columns = columns}}, kMaxSegmentBytes);
  for (RawPair pair; reader.next(pair); progress(reader.bytes_taken())) add_tsv_line(pair, pairs);
}

[[noreturn]] void fail_without_pairs(const ConvertOptions& options, const ConvertCounts& counts) {
  const std::string found =
      counts.languages.empty()
          ? "no text in any language was found"
          : fmt::format("the languages found are {}", fmt::join(counts.languages, ", "));
  throw Error(fmt::format("{}: no pair of {} and {} to write; {}", options.inputs.front().name,
                          options.source_language, options.target_language, found));
}

}  // namespace

ConvertCounts convert_corpus(const ConvertOptions& options) {
  PairOutput output(options);
  PairCollector pairs(
      options.source_language, options.target_language,
      [&](std::string_view source, std::string_view target) { output.write(source, target); });
  uint64_t bytes_before = 0, bytes = 0;
  const auto progress = [&](uint64_t taken) { options.progress(bytes = bytes_before + taken); };
  for (const TextFile& input : options.inputs) {
    bytes_before = bytes;
    if (is_tsv(input, options.format)) {
      read_tsv(input, options.tsv_columns, pairs, progress);
    } else {
      RootReader reader(input, options.format, pairs);
      read_xml(input, reader, progress);
    }
  }
  if (pairs.counts().pairs == 0) fail_without_pairs(options, pairs.counts());
  output.commit();
  return pairs.counts();
}

}  // namespace eatt::convert
