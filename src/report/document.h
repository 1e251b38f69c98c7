#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chart/chart.h"
#include "study/tables.h"

// A report as it is read, whatever it is printed as: a page, Markdown, JSON or CSV.
namespace eatt::report {

// A figure to see first: "36.99 | BLEU on the dev set | vanilla".
struct Tile {
  std::string name;   // "E-ATT (best)"
  std::string value;  // "36.80 ± 0.12"
  std::string unit;   // "BLEU, dev set"
  std::string note;   // "47.0 % of vanilla's energy of attention"
  chart::Tone tone = chart::Tone::first_other;
};

struct Paragraph {
  std::string text;
};
// Charts that stand beside each other where the page is wide enough.
struct Charts {
  std::vector<chart::Chart> charts;
};
// Lines for a shell, folded away.
struct Commands {
  std::string title;
  std::vector<std::string> lines;
};
using Block = std::variant<Paragraph, study::ResultTable, Charts, Commands>;

struct Section {
  std::string title;
  std::vector<Block> blocks;
  std::string study = {};  // Before the names of its tables, where there are several studies.
};

struct Document {
  std::string title;
  std::vector<std::string> summary;  // A few plain sentences, a paragraph each.
  std::vector<Tile> tiles;
  std::vector<Section> sections;
  std::string made_by;  // Program and version, for the foot.
};

enum class Format { html, markdown, json, csv, svg };
inline constexpr std::array<std::string_view, 5> kFormatNames = {"html", "markdown", "json", "csv",
                                                                 "svg"};

// The document as text. The page is self-contained: it loads nothing and links to nothing outside.
std::string print(const Document& document, Format format);

// The parts of print().
std::string html_of(const Document& document);
std::string markdown_of(const Document& document);
std::string json_of(const Document& document);
std::string csv_of(const Document& document);
// The charts alone, below each other.
std::string svg_of(const Document& document);

// Keeps only charts whose titles contain `text`, whatever the case of letters. Throws a UsageError
// with all titles if there is none.
void keep_charts(std::string_view text, Document& document);

// By these we know our own files again: how a page begins, and a line of the Markdown.
inline constexpr std::string_view kPageMark = "<!doctype html><!-- eatt report -->";
inline constexpr std::string_view kMarkdownMark = "<!-- eatt report -->";

// Whether a text is a report in one of our formats.
bool is_report(std::string_view text);

// The style sheet of the page, without that of charts.
extern const char kPageStyle[];

}  // namespace eatt::report
