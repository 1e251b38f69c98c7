"""The settings that scripts/results/quality.py compares, their training runs and scores."""
import hashlib
import json
import os
import sys
import tempfile
import tomllib
from collections import namedtuple

import common
from common import BEAM, exact, model_of, paper, run

LONG, SHORT = 6000, 3000  # Updates.
SEEDS = (1, 2, 3)
AVERAGED = 8
AVERAGING_PAYS = 0.2  # BLEU by which a mean of checkpoints must be better than the last weights.
ENERGY_LINES = 100
VANILLA, PAPER = "vanilla", "paper"
CODES = "signed6-t0.25"  # `--preset best`, trained on the text alone.
WORDS = "best-teacher"   # The same with a vanilla model as teacher of words,
BEST = "best-maps"       # and of words and attention.
BINARY = "paper-all"     # The paper's codes with every lever that adds nothing to a translation.
TESTED = [VANILLA, PAPER, WORDS, BEST]

# Parallel text: the options that the recipe needs for it, and its parts in the folder with the given name.
Corpus = namedtuple("Corpus", "name title languages options dev test")
MULTI30K = Corpus("multi30k-en-de", "Multi30k En→De", ("en", "de"), [], "val", "test_2016_flickr")
IWSLT = Corpus("iwslt15-en-vi", "IWSLT'15 En→Vi", ("en", "vi"), ["--target-language", "vi"], "dev", "tst2012")
HELD_OUT = 1000  # The last pairs of IWSLT's train30k are its dev set.

# `seeds` are those to train, by number of updates; other runs count if they are there. `base` is the
# setting that a lever is added to: the lever failed if it is not better than that.
Setting = namedtuple("Setting", "name title options seeds base corpus")


def setting(name, title, *options, long=(), base=None, corpus=MULTI30K):
    return Setting(name, title, list(options), {LONG: list(long), SHORT: [1]}, base, corpus)


def codes(levels, threshold, long=()):
    name = f"ternary-t{threshold}" if levels == 1 else f"signed{levels}-t{threshold}"
    title = "ternary" if levels == 1 else f"{levels} levels"
    return setting(name, f"{title}, t {threshold}", "--code-levels", str(levels),
                   "--threshold", threshold, long=long)


PAPER_OPTIONS = ["--code-levels", "0", "--threshold", "1.0"]
CODES_OPTIONS = ["--code-levels", "6", "--threshold", "0.25"]
TEACHER = ["--teacher", "{runs}/vanilla-s{seed}/last"]
BEST_TEACHER = ["--teacher", "{runs}/vanilla-s{seed}/best"]  # As best-distilled in `eatt study` has it.
MAPS = ["--distill-maps", "1"]
WARM = ["--init-from", "{runs}/vanilla-s{seed}/last"]
# Levers that a run made before they existed does not mention.
LEVER_DEFAULTS = {"--code-gradient": 1, "--soft-codes": 0, "--distill-maps": 0, "--code-lr": 1,
                  "--freeze-codes": 0, "--code-density": 0.1, "--code-density-weight": 0,
                  "--codes-without-dropout": "false"}
SETTINGS = [
    setting(VANILLA, "vanilla", "--attention", "vanilla", long=SEEDS),
    setting("l1", "l1", "--attention", "l1"),
    setting("selection", "selection", "--attention", "selection"),
    setting(PAPER, "paper's E-ATT", "--attention", "eatt", long=SEEDS),
    *(codes(1, threshold) for threshold in ("0.3", "0.6", "1.0", "1.4")),
    codes(2, "0.5"),
    codes(3, "0.3"),
    codes(3, "0.4"),
    codes(3, "0.5"),
    codes(3, "0.6"),
    codes(4, "0.2"),
    codes(6, "0.25", long=SEEDS),
    setting("paper-learned", "binary, learned t", "--learn-threshold", base=PAPER),
    setting("best-learned", "6 levels, learned t", *CODES_OPTIONS, "--learn-threshold", base=CODES),
    setting("eatt-self", "E-ATT self, vanilla cross", "--attention", "eatt", "--cross", "vanilla"),
    setting("eatt-cross", "vanilla self, E-ATT cross", "--attention", "vanilla", "--cross", "eatt"),
    setting("paper-width0.5", "binary, surrogate width 0.5", "--surrogate-width", "0.5", base=PAPER),
    setting("paper-width2", "binary, surrogate width 2", "--surrogate-width", "2", base=PAPER),
    setting("best-width0.5", "6 levels, surrogate width 0.5", *CODES_OPTIONS, "--surrogate-width", "0.5",
            base=CODES),
    setting("paper-soft0.5", "binary, soft at first", "--soft-codes", "0.5", base=PAPER),
    setting("paper-gradient0.3", "binary, gradient × 0.3", "--code-gradient", "0.3", base=PAPER),
    setting("paper-undropped", "binary, codes without dropout", "--codes-without-dropout", base=PAPER),
    setting("paper-codelr0.5", "binary, learning rate of codes × 0.5", "--code-lr", "0.5", base=PAPER),
    setting("paper-density0.1", "binary, density 0.1", "--code-density", "0.1",
            "--code-density-weight", "10", base=PAPER),
    setting("paper-freeze0.2", "binary, frozen at the end", "--freeze-codes", "0.2", base=PAPER),
    setting("paper-warm", "binary, from vanilla", *WARM, base=PAPER),
    setting("paper-warm-learned", "binary, from vanilla, learned t", *WARM, "--learn-threshold",
            base=PAPER),
    setting("paper-teacher", "binary, vanilla teacher", *TEACHER, base=PAPER),
    setting("paper-maps", "binary, teacher's words and attention", *TEACHER, *MAPS, long=[1], base=PAPER),
    setting(BINARY, "binary, from vanilla, learned t, vanilla teacher", *WARM, "--learn-threshold",
            *TEACHER, long=SEEDS, base=PAPER),
    setting("paper-all-maps", "binary, from vanilla, learned t, teacher's words and attention", *WARM,
            "--learn-threshold", *TEACHER, *MAPS, long=[1], base=BINARY),
    setting("ternary-maps", "ternary, t 0.6, teacher's words and attention", "--code-levels", "1",
            "--threshold", "0.6", *TEACHER, *MAPS, long=[1], base="ternary-t0.6"),
    setting(WORDS, "6 levels, vanilla teacher", *CODES_OPTIONS, *TEACHER, long=SEEDS, base=CODES),
    setting(BEST, "6 levels, teacher's words and attention", *CODES_OPTIONS, *BEST_TEACHER, *MAPS,
            long=SEEDS, base=WORDS),
    setting("vanilla-teacher", "vanilla, vanilla teacher", "--attention", "vanilla", *TEACHER,
            base=VANILLA),
    setting("vanilla-maps", "vanilla, teacher's words and attention", "--attention", "vanilla", *TEACHER,
            *MAPS, long=[1], base=VANILLA),
]

# At the recipe's learning rate of 0.004, vanilla of this width learns badly: dev cross-entropy 2.50
# after 3,000 updates on Multi30k, where it is 1.99 at d 128.
WIDE = ["--model-dim", "256", "--ffn-dim", "512", "--learn-rate", "0.002"]


def wide(prefix, corpus):
    """Vanilla, the paper's E-ATT and best at d 256, compared with each other alone."""
    teacher = ["--teacher", f"{{runs}}/{prefix}-vanilla-{SHORT // 1000}k-s{{seed}}/last"]
    options = {"vanilla": ["--attention", "vanilla"], "paper": ["--attention", "eatt"],
               "best": [*CODES_OPTIONS, *teacher, *MAPS]}
    titles = {"vanilla": "vanilla", "paper": "paper's E-ATT",
              "best": "6 levels, teacher's words and attention"}
    return [setting(f"{prefix}-{name}", titles[name], *options[name], *WIDE, corpus=corpus)
            for name in options]


WIDE_SETTINGS = [*wide("d256", MULTI30K), *wide("iwslt-d256", IWSLT)]


def options_by_name(words):
    """{option: value}; an option without a value is true."""
    result, option = {}, None
    for word in words:
        if word.startswith("--"):
            option, result[word] = word, "true"
        else:
            result[option] = word
    return result


class Run:
    """A training run, finished or not, and the scores of its weights."""

    def __init__(self, arguments, chosen, updates, seed):
        self.arguments, self.setting, self.updates, self.seed = arguments, chosen, updates, seed
        length = "" if updates == LONG else f"-{updates // 1000}k"
        self.name = f"{chosen.name}{length}-s{seed}"
        self.folder = arguments.runs / self.name
        self.record_file = arguments.output / "runs" / f"{self.name}.json"

    def planned(self):
        return self.seed in self.setting.seeds[self.updates]

    def text(self, part):
        """The two files of a part of the corpus: train, its dev or its test set."""
        corpus, data = self.setting.corpus, self.arguments.data
        if corpus is IWSLT:
            made = self.arguments.runs / corpus.name
            data = data.parent / corpus.name if part == corpus.test else made
        return [data / f"{part}.{language}" for language in corpus.languages]

    def split_text(self):
        """Writes the parts of a corpus that comes without a dev set."""
        if self.setting.corpus is not IWSLT or all(file.exists() for file in self.text("dev")):
            return
        for language, train, dev in zip(IWSLT.languages, self.text("train"), self.text("dev")):
            given = self.arguments.data.parent / IWSLT.name / f"train30k.{language}"
            lines = given.read_bytes().splitlines(keepends=True)
            train.parent.mkdir(exist_ok=True)
            train.write_bytes(b"".join(lines[:-HELD_OUT]))
            dev.write_bytes(b"".join(lines[-HELD_OUT:]))

    def train_words(self):
        options = [option.format(runs=self.arguments.runs, seed=self.seed)
                   for option in [*self.setting.corpus.options, *self.setting.options]]
        return common.train_words(self.arguments, self.folder, [
            *options, "--seed", self.seed, "--after", f"{self.updates}u",
            "--valid-metric", "cross-entropy"], self.text("train"), self.text(self.setting.corpus.dev))

    def check_options(self):
        """Stops if the run was trained with other options than its name says."""
        with open(self.folder / "training.toml", "rb") as file:
            trained = tomllib.load(file)
        preset = options_by_name(CODES_OPTIONS if trained.get("preset") == "best" else PAPER_OPTIONS)
        expected = {**LEVER_DEFAULTS, **options_by_name(PAPER_OPTIONS), "--attention": "eatt", "--cross": "",
                    "--learn-threshold": "false", "--surrogate-width": 1, "--seed": self.seed,
                    "--after": f"{self.updates}u", **options_by_name(self.setting.options)}
        for file in ("--teacher", "--init-from"):  # training.toml does not name files.
            expected.pop(file, None)
        for option, value in expected.items():
            found = trained.get(option[2:], LEVER_DEFAULTS.get(option, "preset"))
            found = preset.get(option) if found == "preset" else found
            if str(found).lower() != str(value):
                sys.exit(f"{self.folder}: trained with {option} {found}, not {value}; move the folder "
                         "away to train this setting")

    def trained(self):
        """Whether the run folder is there and its training is finished."""
        if not (self.folder / "log.jsonl").exists() or not (self.folder / "last").exists():
            return False
        return any(event["event"] == "finished" and event["update"] >= self.updates
                   for event in common.events(self.folder))

    def finished(self):
        return self.trained() or "energy" in self.record()["scores"].get("last", {})

    def record(self):
        """Everything that the page needs of this run. It stays when the run folder is gone."""
        if self.record_file.exists():
            return json.loads(self.record_file.read_text())
        return {"weights": {}, "scores": {}}

    def write_record(self, record):
        self.record_file.parent.mkdir(exist_ok=True)
        temporary = self.record_file.with_suffix(".new")
        temporary.write_text(json.dumps(record, indent=1) + "\n")
        os.replace(temporary, self.record_file)

    def update_record(self):
        """Takes the command, the curves and the machine from the run folder, if it is there."""
        if not self.trained():
            return
        history = common.events(self.folder)
        record = self.record()
        record["command"] = common.shown(self.arguments, self.train_words())
        record["training"] = {str(event["update"]): event["loss"] for event in history
                              if event["event"] == "progress"}
        record["dev"] = {str(event["update"]): event["cross_entropy"] for event in history
                         if event["event"] == "validation"}
        record["machine"] = next(({key: event[key] for key in ("program", "cpu", "threads") if key in event}
                                  for event in history if event["event"] == "started"), {})
        self.write_record(record)

    def curve(self):
        """Training loss and dev cross-entropy by update."""
        record = self.record()
        return tuple({int(update): value for update, value in record[name].items()}
                     for name in ("training", "dev"))

    def bundle(self, rule):
        """`last` weights, or `averaged`: the mean of the last checkpoints, made if it is missing."""
        if rule == "last":
            return self.folder / "last"
        result = self.arguments.runs / f"{self.name}-averaged"
        weights = result / "model.safetensors"
        if not weights.exists() or (weights.stat().st_mtime
                                    < (self.folder / "last/model.safetensors").stat().st_mtime):
            run(self.arguments.program, "average", self.folder, "--last", AVERAGED, "--output", result)
        return result

    def recall(self, rule, key, compute):
        """A score of these weights from the record, computed if it is not there."""
        record = self.record()
        if not self.trained():
            return record["scores"].get(rule, {}).get(key)
        bundle = self.bundle(rule)
        weights = hashlib.sha256((bundle / "model.safetensors").read_bytes()).hexdigest()
        if record["weights"].get(rule) != weights:
            record["weights"][rule] = weights
            record["scores"][rule] = {}
        found = record["scores"][rule]
        if key not in found and compute:
            found[key] = compute(bundle)
            self.write_record(record)
        return found.get(key)

    def bleu(self, rule, text, beam, precision="float32", compute=True):
        """BLEU on the dev or test set `text`; None if it is not known and not to be computed."""
        options = ["--cpu-threads", self.arguments.cpu_threads, *(BEAM if beam else [])]

        def score(bundle):
            if precision == "int8":
                bundle = self.int8(bundle)
            return common.bleu(bundle, *self.text(text), options, self.arguments.program)
        key = f"{text} {'beam 4' if beam else 'greedy'} {precision}"
        return self.recall(rule, key, score if compute else None)

    def int8(self, bundle):
        result = self.arguments.runs / f"{self.name}-int8"
        run(self.arguments.program, "quantize", bundle, result)
        return result

    def energy(self, rule):
        def count(bundle):
            with tempfile.NamedTemporaryFile("w", suffix=".en") as text:
                source = self.text(self.setting.corpus.dev)[0]
                lines = source.read_text().split("\n")[:ENERGY_LINES]
                text.write("\n".join(lines) + "\n")
                text.flush()
                return energy_figures(json.loads(run(
                    self.arguments.program, "--quiet", "energy", "model", bundle, "-i", text.name,
                    "--json", "--cpu-threads", self.arguments.cpu_threads)))
        return self.recall(rule, "energy", count)


def energy_figures(report):
    """Densities, additions per feature and µJ per sentence on the ASIC, as [own, vanilla's]."""
    model = model_of(report)
    twin = next((one for one in report["models"] if one["kind"] == "vanilla"), model)

    def additions(one):
        """Additions that compute queries and keys."""
        return sum(one["duties"][duty]["operations"].get("add", {}).get("fp32", 0)
                   for duty in ("enc-self", "dec-self", "cross-query", "cross-key")
                   if duty in one["duties"])

    return {"densities": model.get("densities"),
            "additions": additions(model) / additions(twin),
            "alignment, paper": [paper(one, "alignment", "asic") for one in (model, twin)],
            "alignment, exact": [exact(one, "alignment", "asic") for one in (model, twin)],
            "model, exact": [exact(one, "model", "asic") for one in (model, twin)]}


def train_missing(runs, names):
    unknown = set(names) - {one.setting.name for one in runs}
    if unknown:
        sys.exit(f"--train: no setting {', '.join(sorted(unknown))}; there are "
                 + ", ".join(one.name for one in SETTINGS))
    for one in runs:
        if not one.trained() and (not names or one.setting.name in names):
            one.split_text()
            run(one.arguments.program, *one.train_words())


def choose_rule(runs):
    """The rule of averaging, chosen by the greedy dev BLEU of vanilla, and its mean with both rules."""
    for updates in (LONG, SHORT):
        found = [one for one in runs if one.setting.name == VANILLA and one.updates == updates]
        if found:
            means = {rule: sum(one.bleu(rule, "val", False) for one in found) / len(found)
                     for rule in ("last", "averaged")}
            pays = means["averaged"] - means["last"] > AVERAGING_PAYS
            return "averaged" if pays else "last", means
    return "last", {}
