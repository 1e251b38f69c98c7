"""The text and the picture that scripts/results/quality.py writes."""
import json
import statistics
from collections import namedtuple

from common import ROOT, figure, shown, table
from quality_runs import (AVERAGED, AVERAGING_PAYS, BEST, BINARY, CODES, ENERGY_LINES, LONG, PAPER,
                          SETTINGS, SHORT, TESTED, VANILLA, WORDS)
from scatter import Panel, Point, picture

NOISE = 0.01  # Of dev cross-entropy between seeds, in nats.
TONES = {VANILLA: "vanilla", PAPER: "eatt", BEST: "best"}  # In the picture.
RULES = {"last": "last weights", "averaged": f"mean of the last {AVERAGED} checkpoints"}
ENERGIES = ["alignment, paper", "alignment, exact", "model, exact"]
SCREENING = ROOT / "docs/results/quality-screening.json"
# The finished runs of a setting and a number of updates; `scores` has a list by name, a value per run.
Row = namedtuple("Row", "setting updates runs scores")


def spread(values):
    return statistics.stdev(values) if len(values) > 1 else 0


def mean_and_spread(values, digits):
    text = f"{statistics.mean(values):.{digits}f}"
    return text + (f" ± {spread(values):.{digits}f}" if len(values) > 1 else "")


def densities(scores):
    """Mean density over layers and runs in %, by role: enc-self / dec-self / cross-query / cross-key."""
    cells = []
    for role in ("enc-self", "dec-self", "cross-query", "cross-key"):
        found = [(one or {}).get(role) for one in scores["densities"]]
        found = [statistics.mean(one) if isinstance(one, list) else one for one in found if one]
        cells.append(f"{100 * statistics.mean(found):.0f}" if found else "–")
    return " / ".join(cells) if any(cell != "–" for cell in cells) else "–"


def score(runs, rule):
    energies = [one.energy(rule) for one in runs]
    scores = {"cross-entropy": [list(one.curve()[1].values())[-1] for one in runs],
              "greedy": [one.bleu(rule, "val", False) for one in runs],
              "beam": [one.bleu(rule, "val", True) for one in runs],
              "densities": [one["densities"] for one in energies],
              "additions": [one["additions"] for one in energies]}
    for name in ENERGIES:
        scores[name] = [one[name][0] for one in energies]
        scores[name + " %"] = [100 * one[name][0] / one[name][1] for one in energies]
    return scores


def screening_rows():
    """Rows of quality-screening.json with the differences to vanilla and to the base of a lever."""
    rows = json.loads(SCREENING.read_text())["rows"]
    known = {(row["setting"], row["at"]): row["cross_entropy"] for row in rows}
    for row in rows:
        row["over_vanilla"] = row["cross_entropy"] - known["vanilla", row["at"]]
        if "base" in row:
            row["over_base"] = row["cross_entropy"] - known[row["base"], row["at"]]
    return rows


class Report:
    def __init__(self, arguments, runs, finished, choice):
        """`choice` is what choose_rule returns."""
        self.arguments, self.runs, self.finished = arguments, runs, finished
        self.rule, self.means = choice
        self.titles = {one.name: one.title for one in SETTINGS}
        self.rows = {}
        for one in self.finished:
            self.rows.setdefault((one.setting.name, one.updates), []).append(one)
        for (name, updates), found in self.rows.items():
            self.rows[name, updates] = Row(found[0].setting, updates, found, score(found, self.rule))

    def mean(self, name, updates, key):
        row = self.rows.get((name, updates))
        return statistics.mean(row.scores[key]) if row else None

    def difference(self, row, other, key):
        """The row's mean less that of `other` after as many updates, over the seeds that both have;
        None if there is no such seed."""
        reference = self.rows.get((other, row.updates))
        if reference is None:
            return None
        mine, theirs = (dict(zip((run.seed for run in one.runs), one.scores[key]))
                        for one in (row, reference))
        both = [mine[seed] - theirs[seed] for seed in mine if seed in theirs]
        return statistics.mean(both) if both else None

    def planned(self):
        """(setting, updates, row or None) in the order of the table, the longer runs first."""
        return [(one, updates, self.rows.get((one.name, updates)))
                for updates in (LONG, SHORT) for one in SETTINGS
                if one.seeds[updates] or (one.name, updates) in self.rows]

    def quality_table(self):
        rows, missing = [], []
        for one, updates, row in self.planned():
            cells = [one.title, f"{updates:,}"]
            if row:
                over = self.difference(row, VANILLA, "cross-entropy")
                cells += [" ".join(str(run.seed) for run in row.runs),
                          mean_and_spread(row.scores["cross-entropy"], 4),
                          "–" if over is None else f"{over:+.4f}",
                          mean_and_spread(row.scores["greedy"], 2),
                          mean_and_spread(row.scores["beam"], 2), densities(row.scores),
                          mean_and_spread(row.scores["additions"], 3)]
                rows.append(cells)
            else:
                missing.append(f"{one.title} ({updates:,})")
        found = table(["setting", "updates", "seeds", "dev cross-entropy", "over vanilla",
                       "dev BLEU, greedy", "beam 4", "ρ in %", "additions per feature"], rows)
        if missing:
            found += f"Planned and not run yet (updates): {'; '.join(missing)}.\n\n"
        return found

    def energy_table(self):
        rows = []
        for one, updates, row in self.planned():
            if not row:
                continue
            cells = [one.title, f"{updates:,}"]
            for name in ENERGIES:
                cells += [figure(statistics.mean(row.scores[name])),
                          mean_and_spread(row.scores[name + " %"], 2)]
            cells.append(self.over_paper(row))
            rows.append(cells)
        return table(["setting", "updates", "alignment, paper's formulas: µJ", "% of vanilla",
                      "alignment, exact: µJ", "% of vanilla", "whole model, exact: µJ",
                      "% of vanilla", "whole model over the paper's E-ATT, %"], rows)

    def over_paper(self, row):
        reference = self.mean(PAPER, row.updates, "model, exact %")
        if reference is None:
            return "–"
        return f"{100 * (statistics.mean(row.scores['model, exact %']) / reference - 1):+.2f}"

    def conclusion(self):
        missing = [name for name in (VANILLA, BEST) if (name, LONG) not in self.rows]
        if missing:
            return (f"Not known yet: at {LONG:,} updates no run is finished of "
                    + "; ".join(self.titles[name] for name in missing) + ".\n\n")
        text = (f"On dev after {LONG:,} updates, `--preset best` with a vanilla model as `--teacher` of "
                "words and attention (`--distill-maps 1`) is " + self.from_vanilla(BEST))
        text += self.price(BEST)
        for name, title in ((WORDS, "With a teacher of words alone it is"),
                            (CODES, "Without a teacher it is"), (PAPER, "The paper's E-ATT is"),
                            ("paper-maps", "The paper's E-ATT with the same teacher is"),
                            (BINARY, "Binary codes with learned thresholds, a start from the vanilla model "
                                     "and a teacher of words are"),
                            ("paper-all-maps", "The same with a teacher of words and attention are"),
                            ("vanilla-maps", "A vanilla model with the same teacher is")):
            if (name, LONG) in self.rows:
                text += f". {title} " + self.from_vanilla(name) + self.price(name)
        return text + ".\n\n" + self.choice()

    def price(self, name):
        """", for +2.34 % of whole-model energy over the paper's E-ATT (exact accounting, ASIC)"."""
        if name == PAPER or (PAPER, LONG) not in self.rows:
            return ""
        return (f", for {self.over_paper(self.rows[name, LONG])} % of whole-model energy over the paper's "
                "E-ATT (exact accounting, ASIC)")

    def from_vanilla(self, name):
        """"-0.12 BLEU from vanilla with greedy search and +0.20 with a beam of 4"."""
        greedy, beam = (self.difference(self.rows[name, LONG], VANILLA, key) for key in ("greedy", "beam"))
        if greedy is None:
            return "not comparable with vanilla yet, because they share no seed"
        return f"{greedy:+.2f} BLEU from vanilla with greedy search and {beam:+.2f} with a beam of 4"

    def choice(self):
        """Which setting dev would choose, among those that use codes everywhere."""
        without = (VANILLA, "vanilla-teacher", "vanilla-maps", "l1", "eatt-self", "eatt-cross")
        text = ""
        for updates in (LONG, SHORT):
            found = [row for row in self.rows.values()
                     if row.updates == updates and row.setting.name not in without]
            if len(found) > 1:
                first = min(found, key=lambda row: statistics.mean(row.scores["cross-entropy"]))
                text += (f"Of the {len(found)} settings with codes in all attention layers that ran "
                         f"for {updates:,} updates, {first.setting.title} has the lowest dev "
                         "cross-entropy. ")
        return text + "\n\n" if text else ""

    def rule_text(self):
        if not self.means:
            return ("No vanilla run is finished that could decide the rule of averaging, so all "
                    "scores are of the last weights.\n\n")
        both = ", ".join(f"{RULES[rule]} {bleu:.2f}" for rule, bleu in self.means.items())
        return (f"Greedy dev BLEU of vanilla: {both}. A mean is used if it gains more than "
                f"{AVERAGING_PAYS}, so all BLEU and energies are of the {RULES[self.rule]}; "
                "cross-entropy is always of the last weights.\n\n")

    def rule_table(self):
        rows = []
        for name in TESTED:
            for updates in (LONG, SHORT):
                row = self.rows.get((name, updates))
                if row:
                    scores = [[run.bleu(rule, "val", beam) for run in row.runs]
                              for beam in (False, True) for rule in RULES]
                    rows.append([row.setting.title, f"{updates:,}"] + [
                        "–" if None in found else mean_and_spread(found, 2) for found in scores])
        header = ["setting", "updates"] + [f"{search}, {RULES[rule]}"
                                           for search in ("greedy", "beam 4") for rule in RULES]
        return table(header, rows) if rows else ""

    def failed(self):
        """Levers that gained less than the noise over the setting that they were added to."""
        lines = []
        for row in self.rows.values():
            over = self.difference(row, row.setting.base, "cross-entropy") if row.setting.base else None
            if over is not None and over > -NOISE:
                lines.append(f"- {row.setting.title}: {over:+.4f} against {self.titles[row.setting.base]} "
                             f"after {row.updates:,} updates")
        for row in screening_rows():
            if row.get("over_base", -1) > -NOISE:
                lines.append(f"- {row['setting']}: {row['over_base']:+.4f} against {row['base']} at "
                             f"{row['at']} updates (earlier screening)")
        return ("\n".join(lines) or "None so far.") + "\n\n"

    def curves(self):
        """Training loss and dev cross-entropy at equal updates, of the first seed."""
        updates = next((updates for updates in (LONG, SHORT) if (VANILLA, updates) in self.rows), LONG)
        found = [self.rows[name, updates] for name in TESTED if (name, updates) in self.rows]
        if not found:
            return "No run of vanilla, the paper's E-ATT or best is finished.\n\n"
        curves = [row.runs[0].curve() for row in found]
        steps = [step for step in curves[0][1] if all(step in both for one in curves for both in one)]
        rows = [[f"{step:,}"] + [f"{one[0][step]:.4f} / {one[1][step]:.4f}" for one in curves]
                for step in steps]
        text = table(["updates", *(f"{row.setting.title}, seed {row.runs[0].seed}" for row in found)],
                     rows)
        if found[0].setting.name == VANILLA and steps:
            for row, one in list(zip(found, curves))[1:]:
                train, dev = (one[i][steps[-1]] - curves[0][i][steps[-1]] for i in (0, 1))
                verdict = ("it underfits: it is behind on the text it was trained on too"
                           if train > NOISE else "it is not behind on the text it was trained on")
                text += (f"At the end {row.setting.title} has {train:+.4f} in training loss and "
                         f"{dev:+.4f} on dev against vanilla; {verdict}. ")
            text += "\n\n"
        return text

    def test_table(self):
        rows = []
        for name in TESTED:
            row = self.rows.get((name, LONG))
            for precision in ("float32", "int8") if name == BEST else ("float32",):
                scores = self.test_scores(name, precision) if row else {}
                if scores:
                    columns = [mean_and_spread(found, 2) for found in zip(*scores.values())]
                    rows.append([row.setting.title, precision, " ".join(map(str, scores)), *columns,
                                 *(["–", "–"] if name == VANILLA else self.over_vanilla_on_test(scores))])
        header = ["setting", "numbers", "seeds", "BLEU, greedy", "beam 4", "greedy, over vanilla",
                  "beam 4, over vanilla"]
        return table(header, rows) if rows else "Not scored yet (`--score-test`).\n\n"

    def test_scores(self, name, precision="float32"):
        """{seed: (BLEU of greedy search, of a beam of 4)} of the runs of this setting that are scored."""
        found = {run.seed: tuple(run.bleu(self.rule, "test_2016_flickr", beam, precision,
                                          self.arguments.score_test) for beam in (False, True))
                 for run in self.rows[name, LONG].runs}
        return {seed: both for seed, both in found.items() if None not in both}

    def over_vanilla_on_test(self, scores):
        """Mean differences, greedy and beam, over the seeds that vanilla has too."""
        vanilla = self.test_scores(VANILLA) if (VANILLA, LONG) in self.rows else {}
        both = [seed for seed in scores if seed in vanilla]
        if not both:
            return ["–", "–"]
        return [f"{statistics.mean(scores[seed][i] - vanilla[seed][i] for seed in both):+.2f}"
                for i in (0, 1)]

    def screening_table(self):
        rows = []
        for row in screening_rows():
            rows.append([row["setting"], row["at"], str(row["cross_entropy"]),
                         f"{row['over_vanilla']:+.3f}",
                         f"{row['bleu']:.2f}" if "bleu" in row else "–"])
        return table(["setting", "at update", "dev cross-entropy", "over vanilla", "dev BLEU"], rows)

    def commands(self):
        lines = ["scripts/results/quality.py --runs $RUNS --data $DATA --train --score-test"]
        lines += [shown(self.arguments, run.train_words()) for run in self.finished]
        lines += [f"eatt average $RUNS/RUN --last {AVERAGED} --output $RUNS/RUN-averaged",
                  "eatt translate BUNDLE [--beam-size 4 --length-penalty 0.6] < $DATA/val.en "
                  "| eatt evaluate --reference $DATA/val.de",
                  f"head -n {ENERGY_LINES} $DATA/val.en | eatt energy model BUNDLE --json"]
        return ("The first command trains, scores and writes everything; the others are what it "
                "calls for the runs above.\n\n```\n" + "\n".join(lines) + "\n```\n")

    def text(self, width_text):
        """The page; `width_text` is the part that compares widths and corpora."""
        single = [f"{row.setting.title} ({row.updates:,})" for row in self.rows.values()
                  if len(row.runs) == 1]
        count = f"Finished runs: {len(self.finished)} of {len(self.runs)}. "
        return (
            "# What quality costs: additions and energy\n\n"
            "Made by `scripts/results/quality.py --runs $RUNS`, on Multi30k English-German with the "
            "recipe `multi30k-en-de` (4+4 layers, d 128), whose learning rate falls to 0 at the last "
            f"update of each run. {count}"
            + (f"One seed only: {'; '.join(single)}. " if single else "")
            + f"The cross-entropy of two seeds differs by about {NOISE} nat. ± is the standard "
            "deviation over seeds; differences are over the seeds that both settings have.\n\n"
            "**What to conclude.** " + self.conclusion()
            + ("![dev BLEU against additions and against energy](quality.svg)\n\n" if self.rows else "")
            + "## Settings\n\nDev set: val. Codes of one level are ternary; [training.md](../training.md) says "
            f"what more levels are. `--preset best` has {self.titles[CODES]}. A teacher is the vanilla run of "
            "6,000 updates and the same seed: of words with `--teacher`, of words and attention with "
            "`--teacher` and `--distill-maps 1`. ρ is how many rows are added up for each feature in encoder "
            "self-attention / decoder self-attention / queries / keys of cross-attention, mean over "
            "layers. *Additions per feature* are the additions that compute queries and keys, divided "
            "by those of linear layers (which also multiply as often): the mean density of the codes, "
            "weighted by how often they are computed; with two or more levels some codes take several "
            "additions, and sums are doubled.\n\n"
            + self.quality_table()
            + "## Energy on the ASIC\n\nµJ of arithmetic per sentence for the first "
            f"{ENERGY_LINES} lines of the dev set, greedy search, float32, by the rules of "
            "[operation-counts.md](../operation-counts.md). The shares are of a vanilla model of the "
            "same shape on the same pieces. The paper's formulas do not cover the whole model, and "
            "they count one addition per element of queries and keys, however many rows are summed, so "
            "they give all codes the same energy; compare codes by the exact figures.\n\n"
            + self.energy_table()
            + "## Last weights or an average?\n\n" + self.rule_text() + self.rule_table()
            + "## Test set\n\ntest_2016_flickr, for settings chosen on dev.\n\n"
            + self.test_table()
            + "## Does it underfit?\n\nTraining loss (with label smoothing and dropout, mean of 100 "
            "updates) / dev cross-entropy. The batches of one seed are the same for all.\n\n"
            + self.curves()
            + "Why the paper's codes get thinner: [densities, gains and biases during a training]"
            "(code-history.md).\n\n"
            + width_text
            + "## Levers that failed\n\nDev cross-entropy against the setting without the lever is not "
            f"lower by more than the noise of {NOISE}.\n\n" + self.failed()
            + "## Earlier screening\n\n" + json.loads(SCREENING.read_text())["about"] + "\n\n"
            + self.screening_table() + "## Commands\n\n" + self.commands())

    def picture(self):
        panels = []
        for key, title, label in (
                ("additions", "Against additions", "additions per feature of queries and keys"),
                ("model, exact %", "Against energy",
                 "energy of the whole model in % of vanilla (ASIC, exact)")):
            points = [Point(statistics.mean(row.scores[key]), spread(row.scores[key]),
                            statistics.mean(row.scores["greedy"]), spread(row.scores["greedy"]),
                            row.setting.title, f"{row.updates:,} updates",
                            TONES.get(row.setting.name))
                      for row in self.rows.values()]
            panels.append(Panel(title, label, "dev BLEU, greedy search", points))
        return picture("What quality costs", "Multi30k English-German, d 128; bars: standard deviation "
                       "over seeds; dashed: no cheaper setting is better", panels)
