"""Writes shared/domain/number-zone-data.ts and the fixture that its test compares it with.

    pip install --target /tmp/phonenumbers phonenumbers
    PYTHONPATH=/tmp/phonenumbers python3 local/number-zones.py

The data is that of libphonenumber, as the package `phonenumbers` brings it. The module takes the table alone; the fixture
holds what the package itself answers for every area code of the United States and Canada, and how the clocks of those
zones stand, which Python knows from its own zone table.
"""

import json
import pathlib
from collections import defaultdict
from datetime import datetime, timedelta, timezone as fixed
from zoneinfo import ZoneInfo

import phonenumbers
from phonenumbers import timezone
from phonenumbers.tzdata import TIMEZONE_DATA as zones_by_prefix

root = pathlib.Path(__file__).parent.parent


def inherited(prefix):
    for length in range(len(prefix) - 1, 0, -1):
        if prefix[:length] in zones_by_prefix:
            return zones_by_prefix[prefix[:length]]
    return None


def module():
    by_zones = defaultdict(list)
    for prefix, zones in sorted(zones_by_prefix.items()):
        if inherited(prefix) != zones:
            by_zones[zones].append(prefix)
    lines = [f"  '{'&'.join(zones)}|{' '.join(prefixes)}'," for zones, prefixes in sorted(by_zones.items())]
    return "\n".join([
        f"// Written by local/number-zones.py from libphonenumber's data (phonenumbers {phonenumbers.__version__}). Not edited by hand.",
        "// Copyright (C) 2011-2026 The Libphonenumber Authors. Licensed under the Apache License, Version 2.0;",
        "// http://www.apache.org/licenses/LICENSE-2.0",
        "",
        "/** The time zones in which numbers are used, by the digits that they begin with: `zone&zone|prefix prefix`. */",
        "// oxfmt-ignore",
        "export const numberZoneData: readonly string[] = [",
        *lines,
        "];",
        "",
    ])


def answers():
    """Of every area code that is in use, by the number of a subscriber in it whose exchange has no zone of its own."""
    answer = {}
    for code in range(200, 1000):
        for exchange in ("200", "234", "999"):
            number = phonenumbers.parse(f"+1{code}{exchange}2345")
            if phonenumbers.region_code_for_number(number) not in ("US", "CA"):
                continue
            answer[f"+1{code}{exchange}2345"] = "&".join(sorted(timezone.time_zones_for_number(number)))
    return answer


def clocks(zones):
    """The seconds that are added to UTC, from each instant on, over the years that the test looks at."""
    table = {}
    for zone in sorted(zones):
        at = datetime(2025, 12, 31, tzinfo=fixed.utc)
        changes = []
        while at.year < 2029:
            offset = int(at.astimezone(ZoneInfo(zone)).utcoffset().total_seconds())
            if not changes or changes[-1][1] != offset:
                changes.append([int(at.timestamp()), offset])
            at += timedelta(minutes=15)
        table[zone] = changes
    return table


zones_of_numbers = answers()
(root / "shared/domain/number-zone-data.ts").write_text(module())
(root / "test/shared/domain/number-zones.json").write_text(json.dumps({
    "madeBy": f"phonenumbers {phonenumbers.__version__}",
    "numbers": zones_of_numbers,
    "clocks": clocks({zone for zones in zones_of_numbers.values() for zone in zones.split("&")}),
}, indent=0) + "\n")
