#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/progress.h"
#include "base/text_layout.h"
#include "energy/model_report.h"

namespace eatt::energy {
namespace {

using enum TextTable::Align;

constexpr size_t kColumns = 100;
constexpr std::string_view kNothing = "-";

// Four digits, without an exponent.
std::string figure(double value) {
  if (value == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(4 - whole, 0, 9));
}

std::string percent(double value, double base) { return fmt::format("{:.2f}", 100 * value / base); }

double per_sentence(const ModelAccount& account, double value) {
  return value / static_cast<double>(std::max<uint64_t>(1, account.text.sentences));
}

// Joules of the whole text as µJ of a sentence.
std::string microjoules(const ModelAccount& account, double joules) {
  return figure(per_sentence(account, joules) * 1e6);
}

std::string thousands(const ModelAccount& account, uint64_t count) {
  return count == 0 ? "" : figure(per_sentence(account, static_cast<double>(count)) / 1000);
}

// A table whose first `texts` columns are text and all others figures.
TextTable table_of(size_t texts, size_t figures) {
  std::vector<TextTable::Align> columns(texts, left);
  columns.resize(texts + figures, right);
  return TextTable(columns);
}

class ReportText {
 public:
  explicit ReportText(const ModelReport& report) : r_(report), model_(report.model) {}

  std::string introduction() const {
    const TextSize& text = model_.text;
    const Architecture& a = model_.architecture;
    std::string lines =
        fmt::format("{}: {}, {}, {}+{} layers, d {}, {} heads, ffn {}, {} target pieces.\n",
                    model_.name, mechanisms_text(a), precision_name(model_.precision),
                    a.encoder_layers(), a.decoder_layers(), a.model_dim, a.heads, a.ffn_dim,
                    format_count(to_unsigned(a.target_vocab)));
    lines +=
        fmt::format("Translated {} sentences of {} words, {} pieces, to {} pieces; {}.\n",
                    format_count(text.sentences), format_count(text.source_words),
                    format_count(text.source_pieces), format_count(text.target_pieces), r_.search);
    lines +=
        "All figures are counted or computed from counts; nothing here was measured with a meter.\n"
        "Two accountings, never mixed:\n"
        "  exact  every operation of the translation, by the rules of docs/operation-counts.md.\n"
        "  paper  the paper's closed forms at these lengths: attention and feed-forward alone,\n"
        "         additions and multiplications in fp32, no beam, no cache.\n";
    return lines;
  }

  std::string table(ModelTable which) const {
    switch (which) {
      case ModelTable::levels:
        return levels();
      case ModelTable::models:
        return models();
      case ModelTable::duties:
        return duties();
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
  static uint64_t to_unsigned(int value) { return static_cast<uint64_t>(value); }

  std::string levels() const {
    TextTable table = table_of(2, 4);
    table.add_row({"chip", "level", "exact", "% of vanilla", "paper", "% of vanilla"});
    for (const Chip& chip : r_.chips) {
      std::string label = chip.name;
      for (const Level level : kLevels) {
        const double exact = joules(chip, model_, work_of(model_.ledger, level));
        const double twin = joules(chip, r_.vanilla, work_of(r_.vanilla.ledger, level));
        const double paper = paper_joules(chip, model_, level);
        table.add_row({label, std::string(name_of(level)), microjoules(model_, exact),
                       percent(exact, twin), microjoules(model_, paper),
                       percent(paper, paper_joules(chip, r_.vanilla, level))});
        label.clear();
      }
      const double exact = joules(chip, model_, model_.ledger.total());
      table.add_row({label, "whole model", microjoules(model_, exact),
                     percent(exact, joules(chip, r_.vanilla, r_.vanilla.ledger.total())),
                     std::string(kNothing), std::string(kNothing)});
    }
    return "LEVELS: arithmetic, µJ per sentence; vanilla is its twin on the same text\n" +
           table.text();
  }

  std::string models() const {
    TextTable table = table_of(1, 2 * r_.chips.size() + 2);
    std::vector<std::string> head = {"arithmetic, with memory"};
    for (const Chip& chip : r_.chips) {
      head.push_back(chip.name);
      head.push_back(chip.leaves_out_memory() ? "" : "with memory");
    }
    table.add_row(head);
    for (const ModelAccount* account : r_.accounts()) {
      std::vector<std::string> row = {account->name};
      for (const Chip& chip : r_.chips) append_models_cells(chip, *account, row);
      table.add_row(row);
    }
    return "MODELS: the whole model, µJ per sentence and % of the vanilla twin\n" + table.text() +
           models_notes();
  }

  void append_models_cells(const Chip& chip, const ModelAccount& account,
                           std::vector<std::string>& row) const {
    const Work work = account.ledger.total();
    if (!knows(chip, work)) {
      row.insert(row.end(), {std::string(kNothing), chip.leaves_out_memory() ? "" : "-"});
      return;
    }
    const auto cell = [&](double own, double twin) {
      return fmt::format("{} ({} %)", microjoules(account, own),
                         percent(per_sentence(account, own), per_sentence(r_.vanilla, twin)));
    };
    const Work twin = r_.vanilla.ledger.total();
    row.push_back(cell(joules(chip, account, work), joules(chip, r_.vanilla, twin)));
    const auto whole = joules_with_memory(chip, work, account.footprint);
    row.push_back(whole ? cell(*whole, *joules_with_memory(chip, twin, r_.vanilla.footprint)) : "");
  }

  std::string models_notes() const {
    std::string notes =
        "A twin is counted on the same pieces, step by step: only its mechanism or precision is "
        "another.\n";
    for (const Chip& chip : r_.chips) notes += per_unit(chip) + memory_note(chip);
    return notes;
  }

  // Joules per sentence, piece and 1,000 words.
  std::string per_unit(const Chip& chip) const {
    const Work work = model_.ledger.total();
    const auto rates = [&](double joules) {
      const auto over = [&](uint64_t count) {
        return figure(joules * 1e6 / static_cast<double>(std::max<uint64_t>(1, count)));
      };
      return fmt::format("{} µJ per sentence, {} per target piece, {} mJ per 1,000 source words",
                         over(model_.text.sentences), over(model_.text.target_pieces),
                         over(model_.text.source_words));
    };
    std::string text =
        fmt::format("{}: arithmetic {}", chip.name, rates(joules(chip, model_, work)));
    if (const auto whole = joules_with_memory(chip, work, model_.footprint))
      text += fmt::format("; with memory {}", rates(*whole));
    return wrap_text(text + ".", kColumns);
  }

  std::string memory_note(const Chip& chip) const {
    const Price all = price(chip, model_.ledger.total(), model_.footprint);
    if (!all.memory) return "";
    std::string text;
    for (const Data data : kData) {
      text += fmt::format("{}{} ({:.1f} kB) in {}", text.empty() ? "" : ", ", name_of(data),
                          static_cast<double>(model_.footprint.of(data)) / 1000,
                          all.moved(data).memory);
    }
    return wrap_text(text + ".", kColumns, "  ");
  }

  std::vector<std::string> work_head(std::vector<std::string> head) const {
    for (const Operation operation : kOperations) head.emplace_back(name_of(operation));
    for (const Data data : kData) head.push_back(fmt::format("kB {}", name_of(data)));
    for (const Chip& chip : r_.chips) head.push_back(fmt::format("{} µJ", chip.name));
    return head;
  }

  void append_work(const Work& work, std::vector<std::string>& row) const {
    for (const Operation operation : kOperations)
      row.push_back(thousands(model_, work.operations.total(operation)));
    for (const Data data : kData) row.push_back(thousands(model_, work.moved(data).total()));
    for (const Chip& chip : r_.chips)
      row.push_back(microjoules(model_, joules(chip, model_, work)));
  }

  size_t work_columns() const { return kOperations.size() + kData.size() + r_.chips.size(); }

  std::string duties() const {
    TextTable table = table_of(1, work_columns());
    table.add_row(work_head({""}));
    for (const Duty duty : kDuties) {
      const Work work = model_.ledger.of(duty);
      if (work == Work{}) continue;
      std::vector<std::string> row = {std::string(name_of(duty))};
      append_work(work, row);
      table.add_row(row);
    }
    std::vector<std::string> row = {"all"};
    append_work(model_.ledger.total(), row);
    table.add_row(row);
    return "DUTIES: exact, thousands of operations, kB and µJ (arithmetic) per sentence\n" +
           table.text();
  }

  std::string layers() const {
    TextTable table = table_of(1, work_columns());
    table.add_row(work_head({""}));
    for (const auto& [line, work] : model_.ledger.lines()) {
      std::vector<std::string> row = {to_text(line)};
      append_work(work, row);
      table.add_row(row);
    }
    return "LAYERS: exact, thousands of operations, kB and µJ (arithmetic) per sentence\n" +
           table.text();
  }

  std::string classes() const {
    const Work work = model_.ledger.total();
    TextTable table = table_of(1, 1 + r_.chips.size());
    std::vector<std::string> head = {"", "per sentence"};
    for (const Chip& chip : r_.chips) head.push_back(fmt::format("{} pJ each", chip.name));
    table.add_row(head);
    for (const Operation operation : kOperations) {
      for (const Number number : kNumbers) {
        const uint64_t count = work.operations.at(operation, number);
        if (count == 0) continue;
        std::vector<std::string> row = {class_name(operation, number),
                                        figure(per_sentence(model_, static_cast<double>(count)))};
        for (const Chip& chip : r_.chips) {
          const auto each = chip.price(operation, number);
          row.push_back(each ? fmt::format("{}", *each) : "left out");
        }
        table.add_row(row);
      }
    }
    return "CLASSES: exact, operations per sentence and their prices\n" + table.text();
  }

  std::string densities() const {
    const Activity& x = model_.activity;
    const size_t layers =
        std::max(x.encoder_self.size(), std::max(x.decoder_self.size(), x.cross_query.size()));
    if (layers == 0) return "DENSITIES: no layer binarises\n";
    TextTable table = table_of(1, layers + 1);
    std::vector<std::string> head = {""};
    for (size_t i = 0; i < layers; ++i) head.push_back(fmt::format("layer {}", i + 1));
    head.emplace_back("mean");
    table.add_row(head);
    const auto add = [&](std::string name, const std::vector<CodeActivity>& of_layers) {
      if (of_layers.empty()) return;
      std::vector<std::string> row = {std::move(name)};
      CodeActivity sum;
      for (const CodeActivity& codes : of_layers) {
        row.push_back(codes.rows == 0 ? std::string(kNothing) : density(codes));
        sum += codes;
      }
      row.resize(layers + 1);
      row.push_back(density(sum));
      table.add_row(row);
    };
    add("enc-self", x.encoder_self);
    add("dec-self", x.decoder_self);
    add("cross-query", x.cross_query);
    if (x.cross_key.rows > 0) add("cross-key (once for all)", {x.cross_key});
    return "DENSITIES: ones in binary codes, % (measured on this text)\n" + table.text();
  }

  std::string density(const CodeActivity& codes) const {
    return fmt::format("{:.2f}", 100 * density_of(codes, model_.architecture));
  }

  static double joules(const Chip& chip, const ModelAccount& account, const Work& work) {
    return arithmetic_joules(chip, work, account.footprint);
  }

  const ModelReport& r_;
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
