#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/progress.h"
#include "base/text/text_layout.h"
#include "energy_report/model_report.h"

namespace eatt::energy {
namespace {

using enum TextTable::Align;

constexpr size_t kColumns = 100;
const std::string kNothing = "-";

// Four digits, without an exponent.
std::string figure(double value) {
  if (value == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  if (whole > 3) return format_count(static_cast<uint64_t>(std::llround(value)));
  return fmt::format("{:.{}f}", value, std::clamp(4 - whole, 0, 9));
}

std::string percent(double value, double base) {
  return base == 0 ? kNothing : fmt::format("{:.2f}", 100 * value / base);
}

std::string over(double value, uint64_t count) {
  return count == 0 ? kNothing : figure(value / static_cast<double>(count));
}

// "1 line", "2 lines"
std::string counted(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

// Joules of the whole text as µJ of a sentence.
std::string microjoules(const ModelAccount& account, double joules) {
  return over(joules * 1e6, account.activity.sentences);
}

std::string thousands(const ModelAccount& account, uint64_t count) {
  return count == 0 ? "" : over(static_cast<double>(count) / 1000, account.activity.sentences);
}

// A table whose first `texts` columns are text; all others are figures.
TextTable table_of(size_t texts, size_t figures) {
  std::vector<TextTable::Align> columns(texts, left);
  columns.resize(texts + figures, right);
  return TextTable(columns);
}

// "encoder 1 self", "decoder"
std::string place_text(const Place& place) {
  constexpr std::array<std::string_view, 4> kShort = {"", " self", " cross", " ffn"};
  return fmt::format("{}{}{}", name_of(place.stack),
                     place.layer > 0 ? fmt::format(" {}", place.layer) : "",
                     kShort[static_cast<size_t>(place.sub_layer)]);
}

class ReportText {
 public:
  explicit ReportText(const ModelReport& report) : report_(report), model_(report.model()) {}

  std::string introduction() const {
    const TextSize& text = model_.text;
    const Architecture& a = model_.architecture;
    const std::string codes =
        has_signed_codes(a) ? fmt::format(", signed codes up to {}", a.code_levels) : "";
    return wrap_text(
               fmt::format("{}: {}{}, {}, {}+{} layers, d {}, {} heads, ffn {}, {} target "
                           "pieces.",
                           model_.name, mechanisms_text(a), codes, precision_name(model_.precision),
                           a.encoder_layers(), a.decoder_layers(), a.model_dim, a.heads, a.ffn_dim,
                           format_count(a.target_vocab)),
               kColumns) +
           wrap_text(
               fmt::format("Translated {} of {} and {} to {}; {}. {}", counted(text.lines, "line"),
                           counted(text.source_words, "word"), counted(text.source_pieces, "piece"),
                           counted(text.target_pieces, "piece"), search_text(report_.search),
                           splitting_note()),
               kColumns) +
           "All figures are counted or computed from counts; nothing here was measured with a "
           "meter.\n"
           "  exact  every operation of the translation, by the rules of "
           "docs/operation-counts.md.\n"
           "  paper  the paper's closed forms at these lengths: attention and feed-forward alone,\n"
           "         additions and multiplications in fp32, no beam, no cache.\n";
  }

  std::string table(ModelTable which) const {
    switch (which) {
      case ModelTable::levels:
        return levels();
      case ModelTable::models:
        return models();
      case ModelTable::duties:
        return duties();
      case ModelTable::bytes:
        return bytes();
      case ModelTable::classes:
        return classes();
      case ModelTable::densities:
        return densities();
      case ModelTable::layers:
        break;
    }
    return layers();
  }

 private:
  // What a sentence of the figures is.
  std::string splitting_note() const {
    const uint64_t sentences = model_.activity.sentences;
    if (sentences <= model_.text.lines) {
      return "Lines stay whole; `eatt translate` would split those of several sentences.";
    }
    return fmt::format(
        "Lines that are longer than --max-input-length were split, which makes {} in all; figures "
        "per sentence are per part.",
        counted(sentences, "part"));
  }

  std::string levels() const {
    TextTable table = table_of(2, 6);
    const bool has_memory = !std::ranges::all_of(
        report_.chips, [](const Chip& chip) { return chip.leaves_out_memory(); });
    table.add_row({"chip", "level", "exact", "% of vanilla", has_memory ? "with memory" : "",
                   has_memory ? "% of vanilla" : "", "paper (fp32)", "% of vanilla"});
    for (const Chip& chip : report_.chips) {
      for (const Level level : kLevels) {
        std::vector<std::string> row = {level == Level::alignment ? chip.name : "",
                                        std::string(name_of(level))};
        append_exact(chip, work_of(model_.ledger, level), work_of(twin().ledger, level), row);
        const double paper = paper_joules(chip, model_, level);
        row.push_back(microjoules(model_, paper));
        row.push_back(percent(paper, paper_joules(chip, twin(), level)));
        table.add_row(row);
      }
      std::vector<std::string> row = {"", "whole model"};
      append_exact(chip, model_.ledger.total(), twin().ledger.total(), row);
      row.insert(row.end(), {kNothing, kNothing});
      table.add_row(row);
    }
    return "LEVELS: µJ per sentence; vanilla is its twin on the same pieces\n" + table.text() +
           codes_note();
  }

  // The paper has no formulas for signed codes.
  std::string codes_note() const {
    if (!has_signed_codes(model_.architecture)) return "";
    return wrap_text(
        "The paper's formulas are for binary codes: one addition for each element of queries and "
        "keys, however many rows are summed. 'paper' is therefore too low for the signed codes of "
        "this model; 'exact' counts their additions.",
        kColumns, "  ");
  }

  // Arithmetic and with memory, each beside the percentage of vanilla.
  void append_exact(const Chip& chip, const Work& own, const Work& vanilla,
                    std::vector<std::string>& row) const {
    const double arithmetic = arithmetic_joules(chip, own, model_);
    row.push_back(microjoules(model_, arithmetic));
    row.push_back(percent(arithmetic, arithmetic_joules(chip, vanilla, twin())));
    const auto whole = joules_with_memory(chip, own, model_);
    row.push_back(whole ? microjoules(model_, *whole) : "");
    row.push_back(whole ? percent(*whole, *joules_with_memory(chip, vanilla, twin())) : "");
  }

  std::string models() const {
    std::string text = "MODELS: whole models, exact, per sentence\n";
    for (const Chip& chip : report_.chips) text += models_on(chip) + "\n";
    return text +
           wrap_text(
               fmt::format("A twin translates the same pieces, step by step; only its attention "
                           "mechanism or its precision differs. '% vanilla' is relative to '{}' "
                           "of {}; '% v. int8' to vanilla int8 with integer scores, the cheapest "
                           "form of vanilla attention.{}",
                           twin().name, model_.name, comparison_note()),
               kColumns);
  }

  // What the percentages of other models that ran mean.
  std::string comparison_note() const {
    std::string names;
    for (const ModelAccount& account : report_.accounts) {
      if (account.kind != AccountKind::compared) continue;
      names += (names.empty() ? "" : " and ") + account.name;
    }
    if (names.empty()) return "";
    return fmt::format(
        " So are the figures of {} (--compare), per sentence of {} own translations, which may "
        "have "
        "other lengths.",
        names, names.find(" and ") == names.npos ? "its" : "their");
  }

  // The prices that the operations of the model, and of those it is compared with, have on a chip.
  std::string prices(const Chip& chip) const {
    std::string text, left_out;
    for (const Operation operation : kOperations) {
      for (const Number number : kNumbers) {
        const bool is_used = std::ranges::any_of(report_.accounts, [&](const ModelAccount& one) {
          return one.ledger.total().operations.at(operation, number) > 0;
        });
        if (!is_used) continue;
        const auto price = chip.price(operation, number);
        if (price) {
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", class_name(operation, number),
                              *price);
        } else if (chip.leaves_out(operation, number)) {
          (left_out += left_out.empty() ? "" : ", ") += class_name(operation, number);
        }
      }
    }
    std::string line = fmt::format("Prices in pJ: {}.", text);
    if (!left_out.empty()) line += fmt::format(" Left out: {}.", left_out);
    return wrap_text(line, kColumns, "  ");
  }

  std::string models_on(const Chip& chip) const {
    const bool has_memory = !chip.leaves_out_memory();
    const bool knows_int8 = unpriced(chip, report_.vanilla_int8().ledger.total()).empty();
    const std::string of_int8 = knows_int8 ? "% v. int8" : "";
    TextTable table = table_of(1, 6);
    std::vector<std::string> head = {chip.name, "µJ", "% vanilla", of_int8};
    if (has_memory) head.insert(head.end(), {"with memory µJ", "% vanilla", of_int8});
    table.add_row(head);
    std::string unknown;
    for (const ModelAccount& account : report_.accounts) {
      if (unpriced(chip, account.ledger.total()).empty()) {
        table.add_row(models_row(chip, account));
      } else {
        unknown += fmt::format("{}{}", unknown.empty() ? "" : "; ", account.name);
      }
    }
    std::string text = table.text();
    if (!unknown.empty()) {
      text += wrap_text(fmt::format("{} has no prices for the numbers of: {}.", chip.name, unknown),
                        kColumns, "  ");
    }
    text += rates(chip) + prices(chip);
    for (const ModelAccount& account : report_.accounts) {
      const bool has_figures = unpriced(chip, account.ledger.total()).empty();
      if (account.ran() && has_figures) text += memory_note(chip, account);
    }
    return text;
  }

  // Joules per sentence, piece and 1,000 words.
  std::string rates(const Chip& chip) const {
    const auto text = [&](double joules) {
      return fmt::format("{} µJ per sentence, {} nJ per target piece, {} µJ per 1,000 source words",
                         microjoules(model_, joules), over(joules * 1e9, model_.text.target_pieces),
                         over(joules * 1e9, model_.text.source_words));
    };
    const Work work = model_.ledger.total();
    std::string line =
        fmt::format("{}: {}", model_.name, text(arithmetic_joules(chip, work, model_)));
    if (const auto whole = joules_with_memory(chip, work, model_))
      line += fmt::format("; with memory {}", text(*whole));
    return wrap_text(line + ".", kColumns, "  ");
  }

  std::vector<std::string> models_row(const Chip& chip, const ModelAccount& account) const {
    const double joules = arithmetic_joules(chip, account.ledger.total(), account);
    std::vector<std::string> row = {account.name, microjoules(account, joules)};
    append_shares(chip, account, row, [&](const ModelAccount& one) {
      return arithmetic_joules(chip, one.ledger.total(), one);
    });
    if (chip.leaves_out_memory()) return row;
    row.push_back(microjoules(account, *joules_with_memory(chip, account.ledger.total(), account)));
    append_shares(chip, account, row, [&](const ModelAccount& one) {
      return *joules_with_memory(chip, one.ledger.total(), one);
    });
    return row;
  }

  // Per cent of vanilla at the model's precision, and in int8; of sentences, whose translations may
  // have other lengths.
  void append_shares(const Chip& chip, const ModelAccount& account, std::vector<std::string>& row,
                     const auto& joules) const {
    for (const ModelAccount* base : {&twin(), &report_.vanilla_int8()}) {
      const bool known = unpriced(chip, base->ledger.total()).empty();
      row.push_back(known ? percent(joules(account), joules(*base)) : "");
    }
  }

  std::string memory_note(const Chip& chip, const ModelAccount& account) const {
    const Price all = price(chip, account.ledger.total(), account.footprint);
    if (!all.memory) return "";
    std::string text;
    for (const Data data : kData) {
      text += fmt::format("{}{} ({:.1f} kB) in {}", text.empty() ? "" : ", ", name_of(data),
                          static_cast<double>(account.footprint.of(data)) / 1000,
                          all.moved(data).memory);
    }
    return wrap_text(fmt::format("Data of {}: {}.", account.name, text), kColumns, "  ");
  }

  std::vector<std::string> operations_head(std::vector<std::string> head) const {
    for (const Operation operation : kOperations) head.emplace_back(name_of(operation));
    for (const Chip& chip : report_.chips) head.push_back(fmt::format("{} µJ", chip.name));
    return head;
  }

  std::vector<std::string> operations_row(std::vector<std::string> row, const Work& work) const {
    for (const Operation operation : kOperations)
      row.push_back(thousands(model_, work.operations.total(operation)));
    for (const Chip& chip : report_.chips)
      row.push_back(microjoules(model_, arithmetic_joules(chip, work, model_)));
    return row;
  }

  std::string duties() const {
    TextTable table = table_of(1, kOperations.size() + report_.chips.size());
    table.add_row(operations_head({""}));
    for (const DutyRow& duty : kDutyRows) {
      const Work work = model_.ledger.of(duty);
      if (work != Work{}) table.add_row(operations_row({std::string(name_of(duty))}, work));
    }
    table.add_row(operations_row({"all"}, model_.ledger.total()));
    return "DUTIES: exact, thousands of operations and µJ of arithmetic per sentence\n" +
           table.text();
  }

  std::string layers() const {
    TextTable table = table_of(2, kOperations.size() + report_.chips.size());
    table.add_row(operations_head({"", ""}));
    for (const auto& [place, duty, work] : model_.ledger.rows()) {
      table.add_row(operations_row({place_text(place), std::string(duty->name)}, work));
    }
    return "LAYERS: exact, thousands of operations and µJ of arithmetic per sentence\n" +
           table.text();
  }

  std::string bytes() const {
    TextTable table = table_of(1, 2 * kData.size() + report_.chips.size());
    std::vector<std::string> head = {""};
    for (const Data data : kData) {
      head.push_back(fmt::format("{} read", name_of(data)));
      head.emplace_back("written");
    }
    for (const Chip& chip : report_.chips)
      head.push_back(chip.leaves_out_memory() ? "" : fmt::format("{} µJ", chip.name));
    table.add_row(head);
    for (const DutyRow& duty : kDutyRows) {
      const Work work = model_.ledger.of(duty);
      if (work != Work{}) table.add_row(bytes_row(std::string(name_of(duty)), work));
    }
    table.add_row(bytes_row("all", model_.ledger.total()));
    return "BYTES: exact, kB and µJ of moving them per sentence\n" + table.text();
  }

  std::vector<std::string> bytes_row(std::string name, const Work& work) const {
    std::vector<std::string> row = {std::move(name)};
    for (const Data data : kData) {
      row.push_back(thousands(model_, work.moved(data).read));
      row.push_back(thousands(model_, work.moved(data).written));
    }
    for (const Chip& chip : report_.chips) {
      const auto memory = price(chip, work, model_.footprint).memory_picojoules();
      row.push_back(memory ? microjoules(model_, *memory * kPicojoule) : "");
    }
    return row;
  }

  std::string classes() const {
    const Work work = model_.ledger.total();
    TextTable table = table_of(1, 1 + report_.chips.size());
    std::vector<std::string> head = {"", "per sentence"};
    for (const Chip& chip : report_.chips) head.push_back(fmt::format("{} pJ each", chip.name));
    table.add_row(head);
    for (const Operation operation : kOperations) {
      for (const Number number : kNumbers) {
        const uint64_t count = work.operations.at(operation, number);
        if (count == 0) continue;
        std::vector<std::string> row = {
            class_name(operation, number),
            over(static_cast<double>(count), model_.activity.sentences)};
        for (const Chip& chip : report_.chips) {
          const auto each = chip.price(operation, number);
          row.push_back(each ? fmt::format("{}", *each) : "left out");
        }
        table.add_row(row);
      }
    }
    return "CLASSES: exact, operations per sentence and their prices\n" + table.text();
  }

  std::string densities() const {
    const Activity& activity = model_.activity;
    const size_t layers = std::max(
        {activity.encoder_self.size(), activity.decoder_self.size(), activity.cross_query.size()});
    if (layers == 0) return "DENSITIES: no layer binarizes its input\n";
    TextTable table = table_of(1, layers + 1);
    std::vector<std::string> head = {""};
    for (size_t i = 0; i < layers; ++i) head.push_back(fmt::format("layer {}", i + 1));
    head.emplace_back("mean");
    table.add_row(head);
    add_densities("enc-self", activity.encoder_self, layers, table);
    add_densities("dec-self", activity.decoder_self, layers, table);
    add_densities("cross-query", activity.cross_query, layers, table);
    if (activity.cross_key.rows > 0)
      add_densities("cross-key (once for all)", {activity.cross_key}, layers, table);
    return "DENSITIES: rows added per feature by the codes of this text, %\n" + table.text();
  }

  void add_densities(std::string name, const std::vector<CodeActivity>& of_layers, size_t layers,
                     TextTable& table) const {
    if (of_layers.empty()) return;
    std::vector<std::string> row = {std::move(name)};
    CodeActivity sum;
    for (const CodeActivity& codes : of_layers) {
      row.push_back(density(codes));
      sum += codes;
    }
    row.resize(layers + 1);
    row.push_back(density(sum));
    table.add_row(row);
  }

  std::string density(const CodeActivity& codes) const {
    if (codes.rows == 0) return kNothing;
    return fmt::format("{:.2f}", 100 * density_of(codes, model_.architecture));
  }

  const ModelAccount& twin() const { return report_.vanilla(); }

  const ModelReport& report_;
  const ModelAccount& model_;
};

}  // namespace

std::string model_report_text(const ModelReport& report, const std::vector<ModelTable>& tables) {
  const ReportText text(report);
  std::string result = text.introduction();
  for (const ModelTable table : tables) result += "\n" + text.table(table);
  return result;
}

}  // namespace eatt::energy
