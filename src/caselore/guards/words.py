"""Lists the words that tell prose from values: units, number words, prefixes of hyphenated words.

Must not hold a word that names a product, a setting or a quantity of its own.
"""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Units of measure: leaving one out changes what a number says.
MEASURES: frozenset[str] = _words(
    """ns µs us ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day
    days week weeks month months year years b kb mb gb tb pb B kB KB MB GB TB PB KiB MiB GiB TiB
    Ki Mi Gi Ti bit bits byte bytes kbit Mbit Gbit Mbps Gbps kbps Hz kHz MHz GHz % percent pct
    point points px pt em rem °C °F C F W kW V A rpm rps qps tps ops/s req/s MB/s KB/s GB/s
    millisecond milliseconds microsecond microseconds nanosecond nanoseconds kilobyte kilobytes
    megabyte megabytes gigabyte gigabytes terabyte terabytes millicores hundred thousand million
    billion k K M dollars euros cents USD EUR GBP"""
)

# Things counted: a number keeps its meaning where the thing is named elsewhere in the sentence.
COUNTS: frozenset[str] = _words(
    """record records row rows item items entry entries file files line lines column columns table
    tables batch batches chunk chunks page pages retry retries attempt attempts try tries time
    times run runs worker workers replica replicas thread threads process processes connection
    connections pool pools socket sockets pod pods node nodes container containers instance
    instances host hosts job jobs task tasks request requests call calls response responses user
    users message messages event events test tests case cases failure failures error errors
    warning warnings commit commits build builds stage stages step steps shard shards partition
    partitions core cores cpu cpus gpu gpus slot slots layer layers image images package
    packages dependency dependencies version versions key keys token tokens character characters
    char chars digit digits word words object objects service services migration migrations
    transaction transactions query queries index indexes indices lock locks deployment
    deployments release releases incident incidents precedent precedents person people"""
)

NUMBER_WORDS: frozenset[str] = _words(
    """zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
    hundred thousand million billion dozen half several few couple"""
)

# A hyphenated word with one of these is prose ("re-run"); any other is an identifier.
AFFIXES: frozenset[str] = _words(
    """re pre post non un anti multi single self long short high low well read write built co sub
    over under in out up down off on first last half full open end follow back so to by free
    based running wide like ready safe ever cross fine hard soft day old new no all mid semi
    third second one two three time """
)

PLAIN_DOTTED: frozenset[str] = frozenset(
    {"e.g", "i.e", "etc", "cf", "vs", "a.m", "p.m", "no", "approx"}
)
PLAIN_SLASHED: frozenset[str] = frozenset(
    {
        "and/or",
        "either/or",
        "he/she",
        "his/her",
        "input/output",
        "read/write",
        "n/a",
        "yes/no",
        "on/off",
    }
)
PLAIN_ACRONYMS: frozenset[str] = frozenset({"CI", "ID", "OK", "I", "A", "UTC", "PR", "MR"})
