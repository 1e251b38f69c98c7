#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/unicode.h"
#include "base/text/utf8.h"
#include "report/document.h"

namespace eatt::report {
namespace {

using Json = nlohmann::ordered_json;
using study::ResultTable;

// The first line of our CSV: see csv_of().
constexpr std::string_view kCsvHeader = "table,title,made by\n";

// A chart's numbers as a table of its name.
ResultTable table_of(const chart::Chart& one) {
  const chart::Caption& caption = chart::caption_of(one);
  chart::Table data = chart::data_of(one);
  return {.name = caption.title,
          .title = caption.title,
          .columns = std::move(data.columns),
          .rows = std::move(data.rows),
          .note = caption.description};
}

ResultTable table_of(const std::vector<Tile>& tiles) {
  ResultTable table{.name = "summary",
                    .title = "At a glance",
                    .columns = {"model", "result", "unit", "note"},
                    .rows = {},
                    .note = {}};
  for (const Tile& tile : tiles)
    table.rows.push_back({tile.name, tile.value, tile.unit, tile.note});
  return table;
}

// The tables of a block: its own, or those of its charts.
std::vector<ResultTable> tables_of(const Block& block) {
  std::vector<ResultTable> tables;
  if (const auto* table = std::get_if<ResultTable>(&block)) tables.push_back(*table);
  if (const auto* charts = std::get_if<Charts>(&block)) {
    for (const chart::Chart& one : charts->charts) tables.push_back(table_of(one));
  }
  return tables;
}

Json to_json(const ResultTable& table) {
  return {{"name", table.name},
          {"title", table.title},
          {"columns", table.columns},
          {"rows", table.rows},
          {"note", table.note}};
}

Json to_json(const Section& section) {
  Json object = {{"title", section.title},
                 {"paragraphs", Json::array()},
                 {"tables", Json::array()},
                 {"charts", Json::array()},
                 {"commands", Json::array()}};
  for (const Block& block : section.blocks) {
    const char* kind = std::holds_alternative<Charts>(block) ? "charts" : "tables";
    for (const ResultTable& table : tables_of(block)) object[kind].push_back(to_json(table));
    if (const auto* paragraph = std::get_if<Paragraph>(&block))
      object["paragraphs"].push_back(paragraph->text);
    if (const auto* commands = std::get_if<Commands>(&block)) {
      for (const std::string& line : commands->lines) object["commands"].push_back(line);
    }
  }
  return object;
}

}  // namespace

std::string markdown_of(const Document& document) {
  std::string text = fmt::format("# {}\n\n{}\n\n", document.title, kMarkdownMark);
  for (const std::string& paragraph : document.summary) text += paragraph + "\n\n";
  if (!document.tiles.empty()) text += study::markdown_of({table_of(document.tiles)});
  for (const Section& section : document.sections) {
    text += fmt::format("## {}\n\n", section.title);
    for (const Block& block : section.blocks) {
      text += study::markdown_of(tables_of(block), "###");
      if (const auto* paragraph = std::get_if<Paragraph>(&block)) text += paragraph->text + "\n\n";
      if (const auto* commands = std::get_if<Commands>(&block)) {
        text += fmt::format("### {}\n\n```sh\n", commands->title);
        for (const std::string& line : commands->lines) text += line + "\n";
        text += "```\n\n";
      }
    }
  }
  return text + document.made_by + "\n";
}

std::string csv_of(const Document& document) {
  std::vector<ResultTable> tables = {{.name = "report",
                                      .title = {},
                                      .columns = {"title", "made by"},
                                      .rows = {{document.title, document.made_by}},
                                      .note = {}}};
  if (!document.tiles.empty()) tables.push_back(table_of(document.tiles));
  for (const Section& section : document.sections) {
    for (const Block& block : section.blocks) {
      for (ResultTable& table : tables_of(block)) {
        if (!table.name.starts_with(section.study)) table.name = section.study + table.name;
        tables.push_back(std::move(table));
      }
    }
  }
  return study::csv_of(tables);
}

std::string json_of(const Document& document) {
  Json object = {{"title", document.title},
                 {"summary", document.summary},
                 {"at_a_glance", Json::array()},
                 {"sections", Json::array()},
                 {"made_by", document.made_by}};
  for (const Tile& tile : document.tiles) {
    object["at_a_glance"].push_back(
        {{"model", tile.name}, {"result", tile.value}, {"unit", tile.unit}, {"note", tile.note}});
  }
  for (const Section& section : document.sections) object["sections"].push_back(to_json(section));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string svg_of(const Document& document) {
  std::vector<chart::Chart> all;
  for (const Section& section : document.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* charts = std::get_if<Charts>(&block))
        all.insert(all.end(), charts->charts.begin(), charts->charts.end());
    }
  }
  if (all.size() == 1) return chart::svg_file(all.front());
  return chart::svg_file({.title = document.title, .description = {}}, all);
}

void keep_charts(std::string_view text, Document& document) {
  std::string titles;
  bool any = false;
  for (Section& section : document.sections) {
    std::vector<Block> kept;
    for (Block& block : section.blocks) {
      auto* charts = std::get_if<Charts>(&block);
      if (charts == nullptr) continue;
      for (const auto& one : charts->charts)
        titles += fmt::format("{}'{}'", titles.empty() ? "" : ", ", chart::caption_of(one).title);
      std::erase_if(charts->charts, [&](const chart::Chart& one) {
        return lower_case(chart::caption_of(one).title).find(lower_case(text)) == std::string::npos;
      });
      any = any || !charts->charts.empty();
      if (!charts->charts.empty()) kept.push_back(std::move(block));
    }
    section.blocks = std::move(kept);
  }
  if (any) return;
  if (titles.empty()) throw UsageError("--chart: these folders have nothing to draw yet");
  throw UsageError(
      fmt::format("--chart '{}': no chart has that in its title; there are {}", text, titles));
}

bool is_report(std::string_view text) {
  const auto marked_after = [&](std::string_view heading) {
    const size_t end = text.find('\n');
    return text.starts_with(heading) && end != text.npos &&
           text.substr(end).starts_with("\n\n" + std::string(kMarkdownMark));
  };
  return text.starts_with(kPageMark) || marked_after("# ") || text.starts_with("{\n \"title\":") ||
         text.starts_with(kCsvHeader);
}

std::string print(const Document& document, Format format) {
  switch (format) {
    case Format::html:
      return html_of(document);
    case Format::markdown:
      return replace_invalid_utf8(markdown_of(document));
    case Format::json:
      return json_of(document);
    case Format::csv:
      return replace_invalid_utf8(csv_of(document));
    case Format::svg:
      return svg_of(document);
  }
  throw InternalError("every format can be printed");
}

}  // namespace eatt::report
