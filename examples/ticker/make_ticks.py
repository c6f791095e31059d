#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: the slotwise authors
"""Writes ticks.csv, always the same bytes: usage: make_ticks.py [FILE] (default: ticks.csv beside this script)

Half an hour of a made-up exchange: listings, quotes, trades, halts, a delisting, several events in a millisecond, some of which undo
each other. In between stand lines that are wrong, each in its own way.
"""

import random
import sys
from pathlib import Path

OPEN = 9 * 3600 * 1000
EVENTS = 290
# Name, first price and step in units of the last digit, digits after the point.
INSTRUMENTS = [
    ("BUND", 13121, 1, 2), ("BOBL", 11730, 1, 2), ("SCHATZ", 105645, 5, 3), ("BUXL", 13352, 2, 2), ("OAT", 12588, 1, 2),
    ("BTP", 11894, 1, 2), ("DAX", 184920, 5, 1), ("ESTX50", 5021, 1, 0), ("EURUSD", 108450, 5, 5), ("USDJPY", 156120, 5, 3),
    ("BRENT", 8214, 1, 2), ("TTF", 34105, 5, 3),
]
# What is written instead of the event with this number; {t} is a time that would be right.
WRONG = {
    31: "{t},trade,BUND",                        # fields are missing
    52: "{t},quote,BOBL,117,35,",                # a comma for the decimal point
    70: "",                                      # nothing
    88: "{t},amend,BUND,131.20,5",               # no such event
    103: "{t},trade,GILT,98.12,20",              # was never listed
    119: "{t},quote,DAX,nan,",                   # a price that is none
    127: "{t},trade,DAX,-18492.5,1",             # below zero
    141: "09:15:02,trade,OAT,125.88,3",          # a time in another form
    158: "{t},trade,BTP,118.95,1O",              # a letter O for a zero
    176: "{back},quote,EURUSD,1.08455,",         # back in time
    194: "{t},quote,EURUSD_SPOT_T_PLUS_2,1.0845,",  # a field that is too long
    215: "{t},trade,BRENT,,12",                  # no price
    233: "{t},list,BUND,131.00,",                # is listed already
    246: "99999999999999999999,halt,BTP,,",      # a time beyond all bounds
    259: "{t},trade,ESTX50,5021,0",              # nothing was traded
    274: "{t},quote,bund,131.20,",               # another name
}


class Feed:
    def __init__(self, seed):
        # random() is the only method whose results are the same in every version of Python.
        self.random = random.Random(seed).random
        self.wrong = dict(WRONG)
        self.time, self.lines = OPEN, ["time_ms,event,instrument,price,size"]
        self.prices = {name: price for name, price, _, _ in INSTRUMENTS}
        self.scale = {name: (step, places) for name, _, step, places in INSTRUMENTS}

    def below(self, limit):
        return int(self.random() * limit)

    def wait(self, most):
        self.time += 1 + self.below(most)

    def event(self, kind, name, price="", size=""):
        wrong = self.wrong.pop(len(self.lines), None)
        if wrong is not None:
            self.lines.append(wrong.format(t=self.time, back=self.time - 60000))
        self.lines.append(f"{self.time},{kind},{name},{price},{size}")

    def price(self, name):
        step, places = self.scale[name]
        self.prices[name] += (self.below(5) - 2) * step
        text = str(self.prices[name]).rjust(places + 1, "0")
        return f"{text[:-places]}.{text[-places:]}" if places else text

    def some(self, names):
        """A quote, a trade, or a trade and the quote after it in the same millisecond."""
        name = names[self.below(len(names))]
        kind = self.random()
        if kind < 0.5:
            self.event("trade", name, self.price(name), 1 + self.below(60))
        if kind < 0.2 or kind >= 0.5:
            self.event("quote", name, self.price(name))


def half_an_hour():
    feed = Feed(20)
    names = [name for name, *_ in INSTRUMENTS if name != "EURUSD"]
    for at, name in enumerate(names):
        feed.event("list", name, feed.price(name) if name not in ("BRENT", "TTF") else "")
        if at % 4 == 3:
            feed.wait(900)
    trading = list(names)
    planned = [
        (40, lambda: (feed.event("halt", "DAX"), trading.remove("DAX"))),
        (58, lambda: (feed.event("list", "EURUSD", "1.08450"), trading.append("EURUSD"))),
        (80, lambda: (feed.event("resume", "DAX"), feed.event("quote", "DAX", feed.price("DAX")), trading.append("DAX"))),
        (95, lambda: (feed.event("halt", "BTP"), feed.event("resume", "BTP"))),  # all in all nothing
        (110, lambda: (feed.event("trade", "BUXL", feed.price("BUXL"), 7), feed.event("delist", "BUXL"), trading.remove("BUXL"))),
        (130, lambda: (feed.event("list", "RIGHTS"), feed.event("delist", "RIGHTS"))),  # nothing again
        (150, lambda: (feed.event("delist", "TTF"), feed.event("list", "TTF"))),  # a new contract without a price
        (170, lambda: (feed.event("delist", "OAT"), feed.event("list", "OAT", "126.00"))),  # one with a price
        (190, lambda: (feed.event("halt", "SCHATZ"), feed.event("halt", "BOBL"), trading.remove("SCHATZ"), trading.remove("BOBL"))),
        (205, lambda: (feed.event("delist", "SCHATZ"),)),
        (225, lambda: (feed.event("resume", "BOBL"), trading.append("BOBL"))),
        (240, lambda: (feed.event("list", "BUXL"),)),
        (262, lambda: (feed.event("halt", "BRENT"), trading.remove("BRENT"))),
        (280, lambda: (feed.event("delist", "ESTX50"), trading.remove("ESTX50"))),
    ]
    while len(feed.lines) <= EVENTS:
        if planned and len(feed.lines) >= planned[0][0]:
            planned.pop(0)[1]()
        else:
            for _ in range(1 + (feed.random() < 0.25)):
                feed.some(trading)
        feed.wait(21000)
    assert not planned and not feed.wrong, "everything planned has happened"
    return feed.lines


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return 0
    if len(sys.argv) > 2:
        print("usage: make_ticks.py [FILE]", file=sys.stderr)
        return 2
    path = Path(sys.argv[1]) if len(sys.argv) == 2 else Path(__file__).resolve().parent / "ticks.csv"
    path.write_bytes("".join(line + "\n" for line in half_an_hour()).encode("ascii"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
