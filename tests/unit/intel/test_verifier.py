"""A claim is held against its quote: one changed thing is caught, a faithful one passes, labelled pairs are told apart."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from caselore.errors import BadInput
from caselore.intel.claims import Evidence, check
from caselore.intel.labelled import Labelled, judged, macro_f1, read_pair, scores
from caselore.settings import load
from caselore.wiring import build

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fakes"))
import told_pairs

CASELORE = str(Path(sys.executable).parent / "caselore")
NUMBERS = {"digits", "words", "percent", "money", "scale", "range", "year", "day", "currency"}
HARD = {"roles": 0.8, "modality": 0.9, "direction": 0.9}  # kinds that are caught less surely


def held(pair):
    return judged(Labelled(pair.claim, pair.evidence, pair.label, pair.title))


def test_one_changed_thing_is_caught_whatever_its_kind():
    asked, caught = Counter(), Counter()
    for pair in told_pairs.changed_pairs(3, seed=5):
        asked[pair.kind] += 1
        caught[pair.kind] += held(pair).verdict != "verified"

    assert sum(asked.values()) > 500
    assert set(asked) >= NUMBERS | {"name", "person", "place", "polarity", "roles", "modality"}
    missed = {
        kind: (caught[kind], asked[kind])
        for kind in asked
        if caught[kind] < HARD.get(kind, 0.95) * asked[kind]
    }
    assert missed == {}


def test_faithful_claims_are_refused_at_most_once_in_twenty():
    pairs = list(told_pairs.true_pairs(6, seed=5))
    refused = [one for one in pairs if held(one).verdict != "verified"]

    assert len(pairs) > 250
    assert len(refused) <= 0.05 * len(pairs)
    assert {held(one).verdict for one in refused} <= {"partial"}  # none is called wrong


@pytest.mark.parametrize("half", ["open", "held out"])
def test_labelled_pairs_of_other_fields_are_told_apart(half):
    pairs = told_pairs.written(half)
    told = scores([(Labelled(one.claim, one.evidence, one.label), held(one)) for one in pairs])

    assert len(pairs) > 150
    assert told["macro_f1"] >= 0.80


@pytest.mark.parametrize(("name", "count"), [("styles", 120), ("fresh", 42)])
def test_pairs_in_the_manner_of_public_sets_are_told_apart(name, count):
    pairs = told_pairs.styled(name)
    told = scores([(Labelled(one.claim, one.evidence, one.label), held(one)) for one in pairs])

    assert told["n"] == len(pairs) == count
    assert told["macro_f1"] >= 0.80
    assert told["macro_f1_of_three"] >= 0.75
    assert told["verified_and_supported"] >= 0.90


def test_a_claim_is_no_better_for_being_longer():
    """A verifier that accepts all, or nothing, would have a macro-F1 of about a third."""
    pairs = told_pairs.written()
    everything = [("s" if one.label == "supported" else "n", "s") for one in pairs]

    assert macro_f1(everything) < 0.4


@pytest.mark.parametrize(
    ("claim", "quote", "verdict"),
    [
        ("Velora bought Oakline", "It is untrue that Velora bought Oakline.", "contradicted"),
        ("Velora bought Oakline", "Reports that Velora bought Oakline are false.", "contradicted"),
        ("Velora kauft Oakline", "Velora dementiert, dass es Oakline kauft.", "contradicted"),
        ("Velora bought Oakline", "Did Velora buy Oakline?", "partial"),
        ("Velora bought Oakline", "Velora bought Oakline, although its founders had ruled out a sale.", "verified"),
        ("Velora hires 15 engineers", "Velora hires 15 engineers; it has no plans to raise prices.", "verified"),
        ("Velora raises prices", "Velora hires 15 engineers; it has no plans to raise prices.", "contradicted"),
        ("Oakline bought Velora", "Velora bought Oakline.", "contradicted"),
        ("Oakline was bought by Velora", "Velora has acquired Oakline.", "verified"),
        ("Velora sold Oakline", "Velora has acquired Oakline.", "contradicted"),
        ("Velora raised its Growth plan price by 15%", "Velora cut the price of its Growth plan by 15 percent.", "contradicted"),
        ("The trial lasted three years", "The trial lasted three weeks.", "contradicted"),
        ("The line closed in 1963", "The line was electrified in 1963 and closed in 1981.", "contradicted"),
        ("The church is from the 18th century", "The church is from the 13th century.", "contradicted"),
        ("More than 170 cases were confirmed", "By Monday more than 180 cases were confirmed.", "verified"),
        ("More than 200 cases were confirmed", "By Monday more than 180 cases were confirmed.", "contradicted"),
        ("It opened in May 1987", "It opened on 4 May 1987.", "verified"),
        ("It opened in June 1987", "It opened on 4 May 1987.", "contradicted"),
        ("L'Oréal launched Verger", "L’Oréal launched Verger on Monday.", "verified"),
        ("Brindle launched Verger", "L’Oréal launched Verger on Monday.", "partial"),
        # a bound, a share, a rank
        ("More than 160 people died", "At least 164 people had died by Monday.", "verified"),
        ("Fewer than 20 people died", "By Monday 27 people had died.", "contradicted"),
        ("About 160 people died", "By Monday 164 people had died.", "verified"),
        ("About 160 people died", "By Monday 264 people had died.", "contradicted"),
        ("More than 11,000 jobs went", "Over 11,000 jobs went on Monday.", "verified"),
        ("Adams won more than half of the vote", "Adams won 52.6% of the vote.", "verified"),
        ("Adams won more than half of the vote", "Adams won 47.4% of the vote.", "contradicted"),
        ("Esk is the largest city of Marrin", "Esk is the third largest city of Marrin.", "contradicted"),
        ("Esk is the third largest city of Marrin", "Esk is the third largest city of Marrin, on a lake.", "verified"),
        # a number of something else refutes nothing
        ("The floods caused damage of over two billion euros", "The floods left 164 people dead and 1,300 missing.", "unverified"),
        ("Low Water was released in 1998", "Low Water, its third album, was released on 2 February 1999.", "contradicted"),
        # what introduces a claim, and marks of citation
        ("However, it can be concluded that Velora bought Oakline [1, 3].", "[1] Velora bought Oakline.", "verified"),
        ("Yes, Velora bought 3 firms [2]", "[4] Velora bought 3 firms.", "verified"),
        ("Velora bought 3 firms", "[3] Velora bought several firms.", "unverified"),
        # a question states nothing, but says whom an answer is of
        ("Lemon water cures it", "Does lemon water cure it? No evidence shows that lemon water cures it.", "contradicted"),
        ("Velora bought Oakline", "Did Velora buy Oakline? Its founders keep all shares.", "partial"),
        # one of a kind in the place of another
        ("Mira Dun is a Welsh actress", "Mira Dun (born 1962) is an Irish stage actress.", "contradicted"),
        ("Karl Dole belongs to the Conservative Party", "Karl Dole belongs to the Progressive Party.", "contradicted"),
        ("Mira Dun was born in Cardiff", "Mira Dun was born in Dublin to two teachers.", "contradicted"),
        ("Ruth Amadi was minister of finance", "Ruth Amadi was minister of health.", "contradicted"),
        ("Mira Dun visited Cardiff", "Mira Dun visited Dublin in May.", "unverified"),
        # a name by its last word; a pronoun by the name before it
        ("Mira Dun directed Salt Harbour", "Salt Harbour was directed by Dun in 1984.", "verified"),
        ("Mira Dun directed Salt Harbour", "Salt Harbour was directed by Leo Dun in 1984.", "partial"),
        ("Mira Dun kept her seat in 2013", "Mira Dun left the party in 2012. She lost her seat in 2013.", "contradicted"),
        # who did it to whom
        ("Ashe beat Colt", "Sheriff Colt was defeated by challenger Ashe.", "verified"),
        ("Ashe won the vote against Colt", "Colt defeated Ashe in the vote.", "contradicted"),
        # what is denied, and what is no more
        ("5,000 soldiers were sent", "It sent 1,200 soldiers; it denied reports that 5,000 had been sent.", "contradicted"),
        ("Quill no longer supports it", "Quill still supports it.", "contradicted"),
        ("Quill dropped the old format in version 4", "As of version 4, Quill no longer supports the old format.", "partial"),
        ("Salt Harbour was directed by Anya Reuben", "Salt Harbour was directed by Leo Hale and written by Anya Reuben.", "contradicted"),
        ("Salt Harbour was written by Anya Reuben", "Salt Harbour was directed by Leo Hale and written by Anya Reuben.", "verified"),
        ("Salt Harbour was directed by Mia Orr", "Salt Harbour was directed by Leo Hale, Ida Voss and Mia Orr.", "verified"),
        ("The senator voted against the act", "The senator voted in favour of the act.", "contradicted"),
        ("It was her second song to pass a million", "It became her first song to pass a million.", "contradicted"),
        ("The bill failed in May", "Parliament rejected the bill in May.", "verified"),
        ("The lake is 214 metres deep at its deepest point", "It is 214 metres deep, the second deepest lake of Oun, at the lake's deepest point.", "verified"),
        ("He died in Scotland's capital, Edinburgh", "He died in Edinburgh after a short illness.", "unverified"),
        # turned by what stands before a word, and the two spellings of English
        ("The sale of stoves is illegal", "The sale of stoves remains legal.", "contradicted"),
        ("The gene is downregulated", "The gene is upregulated in mice.", "contradicted"),
        ("It sensitises tumours", "It sensitizes tumors.", "verified"),
        ("The drug raises calcium", "The drug did not reduce the frequency of infections.", "unverified"),
    ],
)  # fmt: skip
def test_what_a_quote_says_and_what_it_does_not(claim, quote, verdict):
    assert check(claim, Evidence(quote, quote, 0, len(quote))).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Velora cut its prices in 2026 and not in 2025.", "verified"),
        ("Velora news Velora cut its prices in 2026 and not in 2025.", "verified"),
        ("Velora cut its prices in 2025.", "contradicted"),
    ],
)
def test_whole_lines_of_a_quote_say_what_they_say(claim, verdict):
    quote = "Velora news\n5 October 2026\nVelora cut its prices in 2026 and not in 2025."
    assert check(claim, Evidence(quote, quote, 0, len(quote))).verdict == verdict


ROWS = [
    ({"claim": "Velora bought Oakline.", "evidence": "Velora bought Oakline.", "label": "SUPPORTS"}, "supported"),
    ({"claim": "Velora bought Oakline.", "evidence": [["B", "Velora sold Oakline."]], "label": "REFUTES"}, "refuted"),
    ({"claim": "Velora bought Oakline.", "evidence": "C.", "label": "NOT ENOUGH INFO"}, "not enough"),
    ({"premise": "Velora bought Oakline.", "hypothesis": "Velora bought Oakline.", "gold_label": "entailment"}, "supported"),
    ({"claim": "Velora bought Oakline.", "references": ["Velora bought Oakline.", "C."], "attribution_label": "not attributable"}, "not enough"),
    ({"claim": "Velora bought Oakline.", "evidence": [{"evidence": "Velora bought Oakline."}], "claim_label": "SUPPORTS"}, "supported"),
    ({"claim": "Velora bought Oakline.", "abstract": ["Velora bought Oakline."], "label": "CONTRADICT"}, "refuted"),
    ({"claim": "Velora bought Oakline.", "evidence": "C.", "label": "partially_supported"}, "not enough"),
    ({"claim": "Velora bought Oakline.", "quote": "Velora bought Oakline."}, ""),
    ({"claim": "Velora bought Oakline.", "questions": [{"question": "Who?", "answers": [{"answer": "Velora."}]}], "label": "Not Enough Evidence"}, "not enough"),
    ({"claim": "Velora bought Oakline.", "questions": [{"question": "Who?", "answers": [{"answer": "Velora."}]}], "label": "Conflicting Evidence/Cherrypicking"}, "not enough"),
    ({"claim": "Velora bought Oakline.", "evidences": [{"evidence": "Velora sold it."}], "claim_label": "REFUTES"}, "refuted"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "label"), ROWS)
def test_pairs_are_read_as_public_sets_write_them(row, label):
    one = read_pair(row)

    assert (one.claim, one.label) == ("Velora bought Oakline.", label)
    assert one.evidence


@pytest.mark.parametrize(
    "row", [{}, [], {"claim": "x"}, {"evidence": "x"}, {"claim": "x", "evidence": [[[9, 1, "Some_Page", 7]]], "label": "SUPPORTS"}, {"claim": "x", "evidence": "y", "label": "blue"}]
)  # fmt: skip
def test_what_is_no_pair_is_refused(row):
    with pytest.raises(BadInput):
        read_pair(row)


def test_macro_f1_is_that_of_the_definition():
    # two labels: F1 of a = 2·2/(2·2+1+1) = 2/3, of b = 2·1/(2·1+1+1) = 1/2
    pairs = [("a", "a"), ("a", "a"), ("a", "b"), ("b", "b"), ("b", "a")]

    assert macro_f1(pairs) == round((2 / 3 + 1 / 2) / 2, 4)
    assert macro_f1([]) == 0.0


def verify(home, rows):
    return subprocess.run(
        [CASELORE, "intel", "verify", "-", "--json"],
        env={"CASELORE_HOME": str(home), "PATH": ""},
        input=rows, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_the_command_gives_verdicts_and_scores(tmp_path):
    done = verify(tmp_path, "\n".join(json.dumps(row) for row, _ in ROWS))
    told = json.loads(done.stdout)

    assert done.returncode == 1
    assert [one["verdict"] for one in told["claims"]][:2] == ["verified", "contradicted"]
    assert told["scores"]["n"] == len(ROWS) - 1
    with build(load(tmp_path, environment={})) as app:
        assert (
            app.intel.verify(
                [{"claim": "Velora bought Oakline.", "quote": "Velora bought Oakline."}]
            )["scores"]
            is None
        )


GOOD = '{"claim": "Velora bought Oakline.", "evidence": "Velora bought Oakline."}'


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (f'{GOOD}\n{{"claim": "x"}}', "Pair 2: a pair needs a claim and its evidence"),
        (f"{GOOD}\n{{'claim'}}", "no JSON in line 2"),
        ("[" * 5_000 + "]" * 5_000, "nested too deep"),
        (f"{GOOD}\n" + "[" * 5_000 + "]" * 5_000, "nested too deep in line 2"),
        ('{"claim": "x", "evidence": ' + "[" * 900 + '"y"' + "]" * 900 + "}", "Pair 1 is nested too deep"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_is_refused_with_the_place(tmp_path, rows, told):
    done = verify(tmp_path, rows)

    assert (done.returncode, done.stdout) == (2, "")
    assert told in " ".join(done.stderr.split())


def test_a_separator_of_unicode_within_a_text_ends_no_line(tmp_path):
    odd = '{"claim": "Velora bought\u2028Oakline.", "evidence": "Velora bought Oakline."}'
    done = verify(tmp_path, f"{odd}\r\n{GOOD}\n")

    assert [one["verdict"] for one in json.loads(done.stdout)["claims"]] == ["verified"] * 2


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [("x" + " " * 50_000 + "y", "x" + " " * 50_000 + "z"), ("not " * 8_000, "not, " * 8_000)],
)
def test_a_text_made_to_be_slow_is_judged_all_the_same(tmp_path, claim, evidence):
    done = verify(tmp_path, json.dumps({"claim": claim, "evidence": evidence}))

    assert done.returncode in {0, 1}, done.stderr


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The repair took fifteen days.", "contradicted"),
        ("The repair took 15 days.", "contradicted"),
        ("The repair took fifteen weeks.", "verified"),
        ("The repair took 15 weeks.", "verified"),
    ],
)
def test_a_span_of_time_in_words_is_held_to_its_unit_as_one_in_digits(claim, verdict):
    assert judged(Labelled(claim, "The repair took 15 weeks.", "")).verdict == verdict
