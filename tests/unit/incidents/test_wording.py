"""Acts that no source names, whatever form they stand in; and the words that are let through."""

from __future__ import annotations

import pytest

from caselore.incidents import wording

RESOLUTION = "Reduced the batch size of the migration to 500 records and re-ran it. Do not restart the database."


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("reduce", "reduced"),
        ("reduce", "reducing"),
        ("split", "splitting"),
        ("retry", "retried"),
        ("migrate", "migration"),
        ("apply", "applies"),
        ("set", "setting"),
        ("install", "installed"),
        ("batch", "batches"),
        ("restart", "restarts"),
    ],
)
def test_forms_of_one_word_have_one_stem(word, other):
    assert wording.stem(word) == wording.stem(other)


@pytest.mark.parametrize(
    ("word", "other"), [("rest", "restart"), ("add", "address"), ("drop", "dropdown")]
)
def test_other_words_have_another(word, other):
    assert wording.stem(word) != wording.stem(other)


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("Reduce the batch size to 500 records.", ""),
        ("Reducing the batch size, as for #1017, worked.", ""),
        ("Restart the database.", "Restart"),
        ("Drop the table and run the migration again.", "Drop"),
        ("Increase the batch size to 500 records.", "Increase"),
        ("Do not restart the database.", ""),
        ("Never drop the table.", ""),
        ("Roll back, then reduce the batch size.", "Roll"),
        ("The batch size decided it.", ""),
    ],
)
def test_an_act_must_stand_in_a_source_and_not_under_a_negation(text, act):
    assert wording.invented_act(text, [RESOLUTION]) == act


@pytest.mark.parametrize(
    ("text", "unlike"),
    [
        ("Use a batch size of 500 records for the migration.", False),
        ("Hire a consultant for the kubernetes ingress certificates.", True),
        ("Do the same as before.", False),
    ],
)
def test_most_words_of_a_fix_come_from_its_records(text, unlike):
    assert wording.unlike_sources(text, [RESOLUTION]) is unlike


KNOWN_WRONG = [
    # an act whose verb is not in the list passes; its values and most of its words still must stand
    ("Truncheon the batch size of the migration.", ""),
    # a negation further away than four words is not seen: the source counts as naming the act
    ("Restart it.", ""),
]


@pytest.mark.parametrize(("text", "found"), KNOWN_WRONG)
def test_known_wrong_answers_stay_known(text, found):
    far = "It is not at all, by anyone here, wise to restart it"
    assert wording.invented_act(text, [RESOLUTION, far]) == found
