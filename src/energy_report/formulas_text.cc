#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/progress.h"
#include "base/text/text_layout.h"
#include "energy/chip.h"
#include "energy/closed_forms.h"
#include "energy_report/formulas_report.h"

namespace eatt::energy {
namespace {

using enum TextTable::Align;

constexpr size_t kColumns = 100;

const Chip& asic() { return paper_chips()[0]; }
const Chip& fpga() { return paper_chips()[1]; }
double add_price(const Chip& chip) { return chip.price(Operation::add, Number::fp32).value(); }
double mul_price(const Chip& chip) { return chip.price(Operation::mul, Number::fp32).value(); }

// A cell at the request's shape and mean density.
Setting setting_of(const FormulasRequest& request, Mechanism mechanism, Level level,
                   Accounting accounting) {
  return {mechanism, level, accounting, request.shape, request.densities.mean};
}

std::string percent(double value) { return fmt::format("{:.3f}", value); }

// "0.44[d] 0.45"; adds the notes of the letters to `slips`.
std::string printed_cell(const auto& printed, std::vector<Slip>& slips) {
  std::string text;
  for (const auto& figure : printed) {
    if (!text.empty()) text += ' ';
    text += figure.digits;
    if (figure.slip == Slip::none) continue;
    text += fmt::format("[{}]", note_on(figure.slip).letter);
    if (std::ranges::find(slips, figure.slip) == slips.end()) slips.push_back(figure.slip);
  }
  return text;
}

std::string notes(const std::vector<Slip>& slips) {
  std::string lines;
  for (const Slip slip : slips) {
    const SlipNote& note = note_on(slip);
    lines += wrap_text(fmt::format("{}: {}.", note.where, note.text), kColumns,
                       fmt::format("[{}] ", note.letter));
  }
  return lines;
}

// Calls row(label, accounting's name, accounting) for each accounting in which the mechanism has
// forms of its own: once, as "both", where they agree. Only the first row has a label.
void for_each_accounting(Mechanism mechanism, const auto& row) {
  const bool same = forms_of(mechanism, Level::block, Accounting::paper) ==
                    forms_of(mechanism, Level::block, Accounting::exact);
  const std::string label(name_of(mechanism));
  if (same) {
    row(label, "both", Accounting::paper);
  } else {
    row(label, "paper", Accounting::paper);
    row("", "exact", Accounting::exact);
  }
}

std::string introduction(const FormulasRequest& request) {
  const Shape& shape = request.shape;
  const Density& density = request.densities.mean;
  const std::string source =
      request.densities.source == Densities::Source::paper
          ? fmt::format("the paper's, mean of the roles: query {:.3f}, key {:.3f}", density.query,
                        density.key)
          : "as given";
  return fmt::format(
      "Attention by closed forms: length l = {}, model width d = {}, attention width k = {}.\n"
      "pJ per fp32 operation: asic add {}, mul {}; fpga add {}, mul {}. Activations are left out.\n"
      "100 % is vanilla with k = d at the same level. Two accountings, never mixed:\n"
      "  paper  the paper's forms: a selection costs lk additions, an L1 score k additions.\n"
      "  exact  what has to be done: a selection costs ρldk additions, an L1 score 2k additions;\n"
      "         ρ = {:.3f} ({}).\n{}",
      shape.length(), shape.width(), shape.attention_width(), add_price(asic()), mul_price(asic()),
      add_price(fpga()), mul_price(fpga()), density.mean(), source,
      has_printed_figures(request) ? "printed: as in the paper; letters mark its errors.\n" : "");
}

std::string parts_table(const FormulasRequest& request) {
  const Widths widths = widths_of(request.shape);
  const auto cell = [&](Mechanism mechanism, Duty duty, Accounting accounting) {
    const OperationForms forms = forms_of(mechanism, duty, accounting);
    if (forms == OperationForms{}) return std::string("-");
    return to_text(forms.additions, widths) + " / " + to_text(forms.multiplications, widths);
  };
  TextTable table({left, left, left, left, left});
  table.add_row({"", "", "query", "key", "scores"});
  for (const Mechanism mechanism : kMechanisms) {
    for_each_accounting(mechanism, [&](auto label, auto name, Accounting accounting) {
      table.add_row({label, name, cell(mechanism, Duty::query, accounting),
                     cell(mechanism, Duty::key, accounting),
                     cell(mechanism, Duty::scores, accounting)});
    });
  }
  const auto common = [&](Duty duty) {
    return fmt::format("{} {}", name_of(duty), cell(kReferenceMechanism, duty, Accounting::paper));
  };
  return fmt::format(
      "PARTS: additions / multiplications\n{}"
      "All mechanisms add {} and {} for attention,\n"
      "and {} and {} for a block.\n{}",
      table.text(), common(Duty::value), common(Duty::context), common(Duty::output),
      common(Duty::ffn),
      has_printed_figures(request) ? notes({Slip::selection_form, Slip::bias_multiplications})
                                   : "");
}

// Exact for integer forms, else rounded to the nearest operation.
std::string count_cell(const Form& form, const FormulasRequest& request) {
  if (is_integer(form)) return format_count(integer_value(form, request.shape));
  const double expected = expected_value(form, request.shape, request.densities.mean);
  return format_count(static_cast<uint64_t>(std::round(expected)));
}

// "eatt saves by paper: asic 65.905 % (printed 65.90[h] 65.91 66), fpga …" and the same by exact.
std::string savings_lines(const FormulasRequest& request, Level level, std::vector<Slip>& slips) {
  std::string lines;
  for (const Accounting accounting : kAccountings) {
    const Setting setting = setting_of(request, kPaperMechanism, level, accounting);
    const bool first = accounting == Accounting::paper;
    lines += fmt::format("{:10} by {}:", first ? "eatt saves" : "", name_of(accounting));
    std::string_view separator = " ";
    for (const Chip& chip : paper_chips()) {
      lines += fmt::format("{}{} {:.3f} %", std::exchange(separator, ", "), chip.name,
                           100 - percent_of_vanilla(setting, chip));
      if (accounting == Accounting::exact) continue;
      const auto printed =
          printed_beside(request, level, kPaperMechanism, chip.name, Quantity::saving);
      if (!printed.empty()) lines += fmt::format(" (printed {})", printed_cell(printed, slips));
    }
    lines += "\n";
  }
  return lines;
}

// "ALIGNMENT: query, key, scores"
std::string level_title(Level level) {
  std::string title(name_of(level));
  for (char& letter : title) letter = static_cast<char>(letter - 'a' + 'A');
  std::string_view separator = ": ";
  for (const Duty duty : kBlockDuties) {
    if (level_of(duty) > level) continue;
    title += fmt::format("{}{}", std::exchange(separator, ", "), name_of(duty));
  }
  return title + "\n";
}

std::string level_table(const FormulasRequest& request, Level level) {
  const EnergyUnit unit = unit_for(
      picojoules(setting_of(request, kReferenceMechanism, level, Accounting::paper), asic()));
  TextTable table({left, left, right, right, right, right, left, right, left});
  const std::string printed_head = has_printed_figures(request) ? "printed" : "";
  table.add_row({"", "", "additions", "multiplications", fmt::format("asic {}", unit.name),
                 "asic %", printed_head, "fpga %", printed_head});
  std::vector<Slip> slips;
  for (const Mechanism mechanism : kMechanisms) {
    for_each_accounting(mechanism, [&](auto label, auto name, Accounting accounting) {
      const OperationForms forms = forms_of(mechanism, level, accounting);
      const Setting setting = setting_of(request, mechanism, level, accounting);
      const auto printed = [&](const Chip& chip) {
        if (accounting == Accounting::exact) return std::string();
        return printed_cell(
            printed_beside(request, level, mechanism, chip.name, Quantity::consumption), slips);
      };
      table.add_row({label, name, count_cell(forms.additions, request),
                     count_cell(forms.multiplications, request),
                     fmt::format("{:.3f}", picojoules(setting, asic()) / unit.picojoules),
                     percent(percent_of_vanilla(setting, asic())), printed(asic()),
                     percent(percent_of_vanilla(setting, fpga())), printed(fpga())});
    });
  }
  const std::string savings = savings_lines(request, level, slips);
  return level_title(level) + table.text() + savings + notes(slips);
}

// The mechanisms whose exact energy depends on density, by role.
std::string roles_table(const FormulasRequest& request) {
  TextTable table({left, left, right, right, right, right, right, right, right, right});
  table.add_row({"", "", "", "", "asic %", "", "", "fpga %", "", ""});
  table.add_row({"", "", "ρ query", "ρ key", "alignment", "attention", "block", "alignment",
                 "attention", "block"});
  const auto add_row = [&](std::string label, Mechanism mechanism, std::string_view role,
                           const Density& density) {
    std::vector<std::string> row = {std::move(label), std::string(role), percent(density.query),
                                    percent(density.key)};
    for (const Chip& chip : paper_chips()) {
      for (const Level level : kLevels) {
        row.push_back(percent(percent_of_vanilla(
            {mechanism, level, Accounting::exact, request.shape, density}, chip)));
      }
    }
    table.add_row(std::move(row));
  };
  const bool by_role = request.densities.source == Densities::Source::paper;
  for (const Mechanism mechanism : kMechanisms) {
    if (!depends_on_density(mechanism)) continue;
    std::string label(name_of(mechanism));
    for (const auto& role : request.densities.roles) {
      if (by_role) add_row(std::exchange(label, ""), mechanism, name_of(role.role), role.mean);
    }
    add_row(std::exchange(label, ""), mechanism, by_role ? "mean" : "all", request.densities.mean);
  }
  return fmt::format("ROLES, exact accounting: {}\n{}",
                     by_role ? "densities are means over the six layers of the paper's figure"
                             : "one density for all",
                     table.text());
}

std::string distillation_table(const FormulasRequest& request) {
  const auto rows = distillation_rows(request);
  const bool has_printed =
      std::ranges::any_of(rows, [](const auto& row) { return !row.printed.empty(); });
  std::vector<Slip> slips;
  if (has_printed) slips.push_back(Slip::distillation_width);
  TextTable table({left, right, left, right, right, right, right});
  table.add_row(
      {"", "width", has_printed ? "printed" : "", "k: paper", "k: exact", "d: paper", "d: exact"});
  std::string_view last_label;
  for (const DistillationRow& row : rows) {
    const std::string_view label = name_of(row.mechanism);
    table.add_row({label == last_label ? "" : std::string(label), fmt::to_string(row.width),
                   printed_cell(row.printed, slips), percent(row.attention_width.paper),
                   percent(row.attention_width.exact), percent(row.model_width.paper),
                   percent(row.model_width.exact)});
    last_label = label;
  }
  return fmt::format(
      "DISTILLATION: attention level, asic, % of vanilla at width {0}\n"
      "k: only the attention width is narrowed, d = {0}. d: the whole model is, k = d.\n"
      "exact: at the density above, though a narrower model may have another.\n{1}{2}",
      request.shape.width(), table.text(), notes(slips));
}

std::string closing(const FormulasRequest& request) {
  if (has_printed_figures(request)) return notes({Slip::hybrid_caption});
  const Shape shape = paper_shape();
  return fmt::format("The paper prints its tables for --length {} --width {} with k = d only.\n",
                     shape.length(), shape.width());
}

}  // namespace

std::string formulas_text(const FormulasRequest& request,
                          const std::vector<FormulasTable>& tables) {
  using enum FormulasTable;
  std::string text = introduction(request);
  const auto add = [&](FormulasTable one, const auto& make) {
    const auto is_chosen = [&](FormulasTable table) { return table == one || table == all; };
    if (std::ranges::none_of(tables, is_chosen)) return;
    text += '\n';
    text += make();
  };
  add(parts, [&] { return parts_table(request); });
  add(alignment, [&] { return level_table(request, Level::alignment); });
  add(attention, [&] { return level_table(request, Level::attention); });
  add(block, [&] { return level_table(request, Level::block); });
  add(roles, [&] { return roles_table(request); });
  add(distillation, [&] { return distillation_table(request); });
  add(all, [&] { return closing(request); });
  return text;
}

}  // namespace eatt::energy
