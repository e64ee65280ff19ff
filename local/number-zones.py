"""Writes shared/domain/number-zone-data.ts and the fixture that its test compares it with.

    pip install --target /tmp/phonenumbers phonenumbers tzdata
    PYTHONPATH=/tmp/phonenumbers python3 local/number-zones.py

The data is that of libphonenumber, as the package `phonenumbers` brings it, with two changes. A number that belongs to no
place, as a mobile one in most countries, gets all zones of its country, which libphonenumber decides by tables of its own.
And where libphonenumber names a zone whose clock is not that of the country, the country's own zones stand (`meant`,
`places`); zone.tab of the package `tzdata` says which those are, and this ends with an error when a country has a clock
that its numbers do not.

The fixture holds what the package itself answers for every area code of the United States and Canada and for numbers of
other countries with several clocks, and how the clocks of American zones stand, which Python knows from its own zone table.
"""

import json
import pathlib
import random
import zoneinfo
from collections import defaultdict
from datetime import datetime, timedelta, timezone as fixed
from zoneinfo import ZoneInfo

import phonenumbers
import tzdata
from phonenumbers import timezone
from phonenumbers.tzdata import TIMEZONE_DATA as given

root = pathlib.Path(__file__).parent.parent
tables = pathlib.Path(tzdata.__file__).parent / "zoneinfo"
zoneinfo.reset_tzpath(to=[str(tables)])
random.seed(0)

# By the code of the country: a zone that libphonenumber names, and those that its numbers are in. Africa/El_Aaiun and
# Asia/Gaza have the clocks of Africa/Casablanca and Asia/Hebron.
meant = {
    "7": {"Europe/Bucharest": ("Europe/Kaliningrad",)},
    "61": {"Australia/Adelaide": ("Australia/Adelaide", "Australia/Darwin")},
    "211": {"Africa/Nairobi": ("Africa/Juba",)},
    "212": {"Atlantic/Canary": ("Africa/Casablanca",)},
    "213": {"Europe/Paris": ("Africa/Algiers",)},
    "218": {"Europe/Bucharest": ("Africa/Tripoli",)},
    "505": {"America/Chicago": ("America/Managua",)},
    "675": {"Pacific/Port_Moresby": ("Pacific/Bougainville", "Pacific/Port_Moresby")},
    "970": {"Europe/Bucharest": ("Asia/Hebron",)},
}

# Places that libphonenumber does not tell from the rest of their country, and Chile's mobile numbers. America/Coyhaique,
# whose clock is that of America/Punta_Arenas, is a name that older runtimes do not know.
places = {
    "56": ("America/Punta_Arenas", "America/Santiago", "Pacific/Easter"),
    "5632": ("America/Santiago", "Pacific/Easter"),
    "5661": ("America/Punta_Arenas", "America/Santiago"),
    "5667": ("America/Punta_Arenas", "America/Santiago"),
    "569": ("America/Punta_Arenas", "America/Santiago", "Pacific/Easter"),
}

# Kazakhstan shares its code with Russia, and its numbers begin so.
KAZAKHSTAN = "77"

# Clocks of zone.tab that no number has: one beside the lawful one, a weather station, and a place where no number of its country is in use.
left_out = {"Asia/Urumqi", "America/Danmarkshavn", "Europe/Simferopol"}

countries = {str(code): regions for code, regions in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()}


def country_of(prefix):
    return next((prefix[:length] for length in (1, 2, 3) if prefix[:length] in countries), "")


def corrected(prefix, zones):
    instead = meant.get(country_of(prefix), {})
    return tuple(sorted({zone for one in zones for zone in instead.get(one, (one,))}))


def numbers_of(prefix, count):
    """Valid numbers that begin so, at random."""
    lengths = {
        length
        for region in countries[country_of(prefix)] if region != "001"
        for length in phonenumbers.PhoneMetadata.metadata_for_region(region).general_desc.possible_length
    }
    found = []
    for _ in range(count):
        missing = random.choice(sorted(lengths)) + len(country_of(prefix)) - len(prefix)
        digits = prefix + "".join(random.choice("0123456789") for _ in range(missing))
        number = phonenumbers.PhoneNumber(int(country_of(prefix)), int(digits[len(country_of(prefix)):] or "0"))
        if missing >= 0 and phonenumbers.is_valid_number(number) and phonenumbers.format_number(number, 0) == f"+{digits}":
            found.append(number)
    return found


def has_several_clocks(country):
    return country in table and len({tuple(offsets(zone)) for zone in table[country]}) > 1


def offsets(zone):
    """Of two years, in seconds from UTC, every six hours."""
    if zone not in offsets.known:
        start = datetime(2027, 1, 1, tzinfo=fixed.utc)
        hours = (start + timedelta(hours=6 * n) for n in range(2 * 365 * 4))
        offsets.known[zone] = [int(at.astimezone(ZoneInfo(zone)).utcoffset().total_seconds()) for at in hours]
    return offsets.known[zone]


offsets.known = {}


def widened(country):
    """The table of a country in which numbers of no place have all its zones."""
    result = {}

    def visit(prefix, zones):
        zones = table.get(prefix, zones)
        zones_of_country = table[KAZAKHSTAN if prefix.startswith(KAZAKHSTAN) else country]
        is_divided = any(other.startswith(prefix) and other != prefix for other in table)
        kinds = {phonenumbers.is_number_geographical(number) for number in numbers_of(prefix, 300)}
        result[prefix] = zones_of_country if kinds == {False} else zones
        if is_divided or (len(kinds) == 2 and len(prefix) - len(country) < 4):
            for digit in "0123456789":
                visit(prefix + digit, zones)
        elif len(kinds) == 2:
            # Numbers of a place and others side by side.
            result[prefix] = zones_of_country

    visit(country, table[country])
    return result


table = {prefix: corrected(prefix, zones) for prefix, zones in given.items()} | places
zones_by_prefix = {prefix: zones for prefix, zones in table.items()}
# Every area code of the North American plan is of one country.
several = [country for country in countries if country != "1" and has_several_clocks(country)]
for country in several:
    for prefix in [prefix for prefix in zones_by_prefix if country_of(prefix) == country]:
        del zones_by_prefix[prefix]
    zones_by_prefix.update(widened(country))


def uncovered():
    """Zones in which a number of their country may be rung at a wrong hour."""
    for line in (tables / "zone.tab").read_text().splitlines():
        if line.startswith("#"):
            continue
        region, _, zone = line.split("\t")[:3]
        code = str(phonenumbers.country_code_for_region(region))
        if code == "1" or code not in zones_by_prefix or zone in left_out:
            continue
        clocks = [offsets(one) for one in zones_by_prefix[code]]
        if any(all(clock[n] != offset for clock in clocks) for n, offset in enumerate(offsets(zone))):
            yield f"+{code}: {zone}"


missing = list(uncovered())
if missing:
    raise SystemExit(f"Numbers lack the clock of: {missing}. See `meant` and `places`.")


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


def answers_elsewhere():
    """Of numbers in countries with several clocks, mobile ones among them: the zones that may not be missing."""
    answer = {}
    for country in several:
        prefixes = [prefix for prefix in zones_by_prefix if country_of(prefix) == country]
        some = [number for prefix in random.sample(prefixes, min(len(prefixes), 60)) for number in numbers_of(prefix, 20)]
        for number in random.sample(some, min(len(some), 40)):
            phone = phonenumbers.format_number(number, 0)
            zones = corrected(country, timezone.time_zones_for_number(number))
            is_kazakh = phone.startswith(f"+{KAZAKHSTAN}")
            answer[phone] = "&".join(zone for zone in zones if not is_kazakh or zone in table[KAZAKHSTAN])
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
(root / "shared/domain/outreach/number-zone-data.ts").write_text(module())
(root / "test/shared/domain/outreach/number-zones.json").write_text(json.dumps({
    "madeBy": f"phonenumbers {phonenumbers.__version__}",
    "numbers": zones_of_numbers,
    "elsewhere": answers_elsewhere(),
    "clocks": clocks({zone for zones in zones_of_numbers.values() for zone in zones.split("&")}),
}, separators=(",", ":")) + "\n")
