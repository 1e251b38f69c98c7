#include <fmt/format.h>

#include <algorithm>

#include "report/document.h"

namespace eatt::report {
namespace {

using chart::escape_markup;

constexpr double kWideChart = 760, kHalfChart = 470, kNarrowChart = 340;

// Whether a cell of a table is a number, perhaps with a deviation or a unit: "36.99 ± 0.12".
bool is_number(std::string_view text) {
  if (text.starts_with("−")) text.remove_prefix(std::string_view("−").size());
  if (text.empty() || text.size() > 24 || text.front() < '0' || text.front() > '9') return false;
  const size_t end = text.find_first_not_of("0123456789.,");
  return end == text.npos || text.substr(end).starts_with(" ±") ||
         text.substr(end).starts_with(" %");
}

// A column is one of numbers if all that is known in it are.
std::vector<bool> number_columns(const std::vector<std::vector<std::string>>& rows,
                                 size_t columns) {
  std::vector<bool> result(columns, true);
  for (const auto& row : rows) {
    for (size_t c = 0; c < columns && c < row.size(); ++c)
      result[c] = result[c] && (row[c].empty() || is_number(row[c]));
  }
  return result;
}

// One or several of SHA-256, with spaces between.
bool is_checksum(std::string_view text) {
  for (size_t at = 0; at + 64 <= text.size(); at += 65) {
    if (text.substr(at, 64).find_first_not_of("0123456789abcdef") != text.npos) return false;
    if (at + 64 == text.size()) return true;
    if (text[at + 64] != ' ') return false;
  }
  return false;
}

std::string_view class_of(bool is_number, bool is_theirs) {
  if (is_theirs) return is_number ? " class=\"number theirs\"" : " class=\"words theirs\"";
  return is_number ? " class=\"number\"" : " class=\"words\"";
}

// `label` names the box for screen readers: it can be scrolled with the keyboard.
std::string table_html(const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows,
                       const std::string& label) {
  const std::vector<bool> numbers = number_columns(rows, columns.size());
  const auto is_theirs = [&](size_t c) { return columns[c].starts_with("paper"); };
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\n"
      "<table aria-label=\"{0}\">\n<thead><tr>",
      escape_markup(label));
  for (size_t c = 0; c < columns.size(); ++c) {
    // A header may not be empty for screen readers.
    html += fmt::format("<th scope=\"col\"{}>{}</th>", class_of(numbers[c], is_theirs(c)),
                        columns[c].empty() ? "name" : escape_markup(columns[c]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) {
      const std::string cell = row[c].empty() ? "–" : escape_markup(row[c]);
      const std::string_view look =
          is_checksum(cell) ? " class=\"checksum\"" : class_of(numbers[c], is_theirs(c));
      html += c == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", look, cell)
                     : fmt::format("<td{}>{}</td>", look, cell);
    }
    html += "</tr>\n";
  }
  return html + "</tbody>\n</table>\n</div>\n";
}

class Page {
 public:
  explicit Page(const Document& document) : document_(document) {}

  std::string text() {
    html_ += kPageMark;
    html_ += "\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    html_ += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    html_ += "<meta name=\"color-scheme\" content=\"light dark\">\n";
    html_ +=
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n";
    html_ += fmt::format("<title>{}</title>\n<style>\n{}body,text{{font-family:{}}}{}</style>\n",
                         escape_markup(document_.title), chart::style_sheet(), chart::kTypeface,
                         kPageStyle);
    html_ += "</head>\n<body>\n";
    add_header();
    add_contents();
    html_ += "<main>\n";
    for (size_t i = 0; i < document_.sections.size(); ++i) add_section(i);
    html_ += fmt::format("</main>\n<footer><p>{}</p></footer>\n</body>\n</html>\n",
                         escape_markup(document_.made_by));
    return std::move(html_);
  }

 private:
  void add_header() {
    html_ += fmt::format("<header>\n<p class=\"eyebrow\">eatt report</p>\n<h1>{}</h1>\n",
                         escape_markup(document_.title));
    for (const std::string& paragraph : document_.summary)
      html_ += fmt::format("<p>{}</p>\n", escape_markup(paragraph));
    if (!document_.tiles.empty()) {
      html_ += "<ul class=\"tiles\">\n";
      for (const Tile& tile : document_.tiles) {
        html_ += fmt::format(
            "<li style=\"--tone:var(--{})\"><div class=\"name\">{}</div><div class=\"value\">{}"
            "</div><p class=\"unit\">{}</p><p class=\"note\">{}</p></li>\n",
            chart::name_of(tile.tone), escape_markup(tile.name), escape_markup(tile.value),
            escape_markup(tile.unit), escape_markup(tile.note));
      }
      html_ += "</ul>\n";
    }
    html_ += "</header>\n";
  }

  void add_contents() {
    if (document_.sections.size() < 2) return;
    html_ += "<nav aria-label=\"Contents\"><ul>\n";
    for (size_t i = 0; i < document_.sections.size(); ++i)
      html_ += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", i + 1,
                           escape_markup(document_.sections[i].title));
    html_ += "</ul></nav>\n";
  }

  void add_section(size_t index) {
    const Section& section = document_.sections[index];
    html_ += fmt::format(
        "<section id=\"section-{0}\" aria-labelledby=\"heading-{0}\">\n"
        "<h2 id=\"heading-{0}\">{1}</h2>\n",
        index + 1, escape_markup(section.title));
    for (const Block& block : section.blocks) {
      html_ += "<div class=\"block\">\n";
      std::visit([this](const auto& one) { add(one); }, block);
      html_ += "</div>\n";
    }
    html_ += "</section>\n";
  }

  void add(const Paragraph& paragraph) {
    html_ += fmt::format("<p>{}</p>\n", escape_markup(paragraph.text));
  }

  void add(const study::ResultTable& table) {
    html_ += fmt::format("<h3>{}</h3>\n", escape_markup(table.title));
    html_ += table_html(table.columns, table.rows, table.title);
    if (!table.note.empty())
      html_ += fmt::format("<p class=\"note\">{}</p>\n", escape_markup(table.note));
  }

  void add(const Commands& commands) {
    html_ += fmt::format("<details><summary>{}</summary>\n<pre tabindex=\"0\">",
                         escape_markup(commands.title));
    for (const std::string& line : commands.lines) html_ += escape_markup(line) + "\n";
    html_ += "</pre></details>\n";
  }

  void add(const Charts& charts) {
    const bool several = charts.charts.size() > 1;
    html_ += fmt::format("<div class=\"charts{}\">\n", several ? " several" : "");
    for (const chart::Chart& one : charts.charts) add(one, several ? kHalfChart : kWideChart);
    html_ += "</div>\n";
  }

  void add(const chart::Chart& one, double width) {
    const chart::Caption& caption = chart::caption_of(one);
    const bool is_map = std::holds_alternative<chart::HeatMap>(one);
    html_ += fmt::format("<figure{}>\n<figcaption><h3>{}</h3>", is_map ? " class=\"map\"" : "",
                         escape_markup(caption.title));
    if (!caption.description.empty())
      html_ += fmt::format("<p>{}</p>", escape_markup(caption.description));
    html_ += "</figcaption>\n";
    add_drawing(one, {"wide", width});
    add_drawing(one, {"narrow", kNarrowChart});
    const chart::Table data = chart::data_of(one);
    html_ += "<details><summary>Data as a table</summary>\n";
    html_ += table_html(data.columns, data.rows, "Data: " + caption.title);
    html_ += "</details>\n</figure>\n";
  }

  struct Variant {
    const char* name;
    double width;
  };
  void add_drawing(const chart::Chart& one, const Variant& variant) {
    const std::string id = fmt::format("chart-{}", ++charts_);
    // A map of many words is wider than the page: then it is scrolled.
    const bool scrolls = std::holds_alternative<chart::HeatMap>(one);
    html_ += fmt::format(
        "<div class=\"{}{}\"{}>\n{}</div>\n", variant.name, scrolls ? " scroll" : "",
        scrolls ? fmt::format(" tabindex=\"0\" role=\"region\" aria-label=\"Chart: {}\"",
                              escape_markup(chart::caption_of(one).title))
                : "",
        chart::svg_for_page(one, {.id = id, .width = variant.width}));
  }

  const Document& document_;
  std::string html_;
  size_t charts_ = 0;
};

}  // namespace

std::string html_of(const Document& document) { return Page(document).text(); }

}  // namespace eatt::report
