#!/usr/bin/env python3
"""Trains and scores E-ATT with different codes, thresholds and other levers on Multi30k, and writes
docs/results/quality.md and quality.svg: what quality costs in additions and in energy. Some settings are
also compared at width 256, on Multi30k and on IWSLT'15 English-Vietnamese.

  scripts/results/quality.py --runs DIR [--data ../shared/data/multi30k-en-de] [--train [NAME...]]
                             [--score-test] [--cpu-threads 2] [--program build/release/bin/eatt]

Settings whose runs are not finished are listed as not run. What the page says of a run is kept in
docs/results/runs/NAME.json: its command, curves, scores and the checksums of its weights. So the second
call takes seconds, and a run whose folder is gone still counts; delete its file if it should not. A run of
6,000 updates takes about half an hour on two cores, and all runs about nine hours.
"""
import pathlib

import common
from common import EATT, ROOT
from quality_runs import (LONG, SEEDS, SETTINGS, SHORT, TESTED, WIDE_SETTINGS, Run, choose_rule,
                          train_missing)
from quality_text import Report
from quality_width import width_text


def main(words=None):
    parser = common.parser(__doc__, None)
    parser.add_argument("--train", nargs="*", metavar="NAME",
                        help="train what is missing, of these settings or of all")
    parser.add_argument("--score-test", action="store_true",
                        help=f"score test_2016_flickr for {', '.join(TESTED)}")
    parser.add_argument("--cpu-threads", default="2")
    parser.add_argument("--program", type=pathlib.Path, default=EATT)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs/results",
                        help="folder for quality.md and quality.svg")
    arguments = common.parse(parser, words)
    runs = [Run(arguments, one, updates, seed)
            for one in SETTINGS for updates in (LONG, SHORT) for seed in SEEDS]
    runs = [one for one in runs if one.planned() or one.finished()]
    wide = [Run(arguments, one, SHORT, SEEDS[0]) for one in WIDE_SETTINGS]
    if arguments.train is not None:
        train_missing(runs + wide, arguments.train)
    for one in runs + wide:
        if one.trained():
            one.check_options()
            one.update_record()
    finished = [one for one in runs if one.finished()]
    report = Report(arguments, runs, finished, choose_rule(finished))
    if finished:
        (arguments.output / "quality.svg").write_text(report.picture())
    (arguments.output / "quality.md").write_text(report.text(width_text(runs, wide, report.rule)))
    print(f"{arguments.output}/quality.md: {len(finished)} of {len(runs)} runs are finished")


if __name__ == "__main__":
    main()
