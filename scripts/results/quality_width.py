"""Whether the loss of E-ATT shrinks with width, and on other text: a part of docs/results/quality.md."""
from common import table
from quality_runs import BEST, HELD_OUT, IWSLT, MULTI30K, PAPER, SHORT, VANILLA

KINDS = (VANILLA, PAPER, BEST)


def groups(runs, wide):
    """(corpus, width, runs by kind), those that are finished; the narrow runs are the first seed's."""
    narrow = {one.setting.name: one for one in runs if one.updates == SHORT and one.seed == 1}
    found = [(MULTI30K, 128, {name: narrow[name] for name in KINDS})]
    for corpus in (MULTI30K, IWSLT):
        kinds = dict(zip(KINDS, (one for one in wide if one.setting.corpus is corpus)))
        found.append((corpus, 256, kinds))
    return [(corpus, width, {kind: one for kind, one in kinds.items() if one.finished()})
            for corpus, width, kinds in found]


def figures(one, rule):
    """Dev cross-entropy, dev BLEU with greedy search and with a beam, test BLEU of both or None."""
    dev, test = one.setting.corpus.dev, one.setting.corpus.test
    return [list(one.curve()[1].values())[-1],
            *(one.bleu(rule, dev, beam) for beam in (False, True)),
            *(one.bleu(rule, test, beam, compute=scores_test(one)) for beam in (False, True))]


def scores_test(one):
    """The test set of Multi30k is for finished models; the one of IWSLT is scored for these."""
    return one.arguments.score_test and one.setting.corpus is IWSLT


def cell(value, reference, digits):
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text if reference is None else f"{text} ({value - reference:+.{digits}f})"


def rows(found, rule):
    for corpus, width, kinds in found:
        vanilla = figures(kinds[VANILLA], rule) if VANILLA in kinds else [None] * 5
        for kind, one in kinds.items():
            own = figures(one, rule)
            reference = [None] * 5 if kind == VANILLA else vanilla
            yield [corpus.title, str(width), one.setting.title,
                   *(cell(value, other, 4 if i == 0 else 2)
                     for i, (value, other) in enumerate(zip(own, reference)))]


def width_text(runs, wide, rule):
    cells = list(rows(groups(runs, wide), rule))
    text = (f"## Width and text\n\n{SHORT:,} updates, one seed, the recipe of this page, at d 256 with "
            "`--model-dim 256 --ffn-dim 512 --learn-rate 0.002`, because vanilla of this width learns badly at "
            "the recipe's 0.004 (dev cross-entropy 2.50 on Multi30k); in brackets the difference from vanilla of the same width and "
            f"text. IWSLT'15 is the first 30,000 pairs of its training text, of which the last {HELD_OUT:,} "
            "are the dev set; the paper trained on all 133,317. The teacher at d 256 is the vanilla model of "
            "the table, at d 128 the one of 6,000 updates.\n\n")
    if not cells:
        return text + "Not run yet.\n\n"
    return text + table(["text", "d", "setting", "dev cross-entropy", "dev BLEU, greedy", "beam 4",
                         "test BLEU, greedy", "beam 4"], cells)
