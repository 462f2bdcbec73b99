"""Credentials are masked wherever they stand; hashes and placeholders are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caselore.guards import secrets

A, N = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0", "0123456789abcdef"
# Each is put together here so that no scanner takes this file for a leak.
FORMATS = {
    "github-token": "ghp" + "_" + A + A[:6],
    "gitlab-token": "glpat" + "-" + A[:20],
    "aws-access-key": "AKIA" + "J7QK2ZP4X6WN3VB5",
    "gcp-key": "AIza" + A + A[:5],
    "slack-token": "xoxb" + "-123456789012-" + A[:24],
    "stripe-key": "sk_live" + "_" + A[:24],
    "registry-token": "npm" + "_" + A + A[:6],
    "anthropic-key": "sk-ant" + "-api03-" + A + A + A,
    "openai-key": "sk-proj" + "-" + A + A,
    "model-key": "gsk" + "_" + A + A[:22],
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0In0." + A,
    "cloud-token": "dop_v1" + "_" + N * 4,
    "service-token": "shpat" + "_" + N * 2,
    "mail-key": "SG" + "." + A[:22] + "." + A + A[:13],
}
WRAPPERS = [
    "{}",
    "export TOKEN={}",
    "  deploy: using '{}' for login",
    '{{"value": "{}"}}',
    "line {} end",
]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("rule", FORMATS)
def test_a_known_format_is_masked_in_any_wrapper(rule: str, wrapper: str) -> None:
    secret = FORMATS[rule]
    masked = secrets.redact(wrapper.format(secret))
    assert secret not in masked.text
    assert secret[8:] not in masked.text
    assert [one.rule for one in masked.findings] == [rule]


BESIDE = [
    ("password=hunter2", "hunter2"),
    ("DB_PASSWORD: 'S3cure!pass'", "S3cure!pass"),
    ('"password": "correcthorse"', "correcthorse"),
    ("psql postgresql://app:t0psecret@db.internal:5432/pay", "t0psecret"),
    ("git clone https://oauth2:abcdefgh1234@git.example/pay.git", "abcdefgh1234"),
    ("Authorization: Bearer abc123.def456-ghi789_jkl", "abc123.def456-ghi789_jkl"),
    ("sent Bearer abcDEF123456ghiJKL789", "abcDEF123456ghiJKL789"),
    ("password: \x1b[32mhunter2-prod\x1b[0m", "hunter2-prod"),
    ("curl -u deploy:s3cr3t-w0rd https://a.example", "s3cr3t-w0rd"),
    ("PRIVATE-TOKEN: x1y2z3a4b5c6d7e8f9", "x1y2z3a4b5c6d7e8f9"),
    ("Server=db;User Id=sa;Password=P4ss;Encrypt=no", "P4ss"),
    ("API_SECRET=k8Jd02mzQpX7vN3tRw5y", "k8Jd02mzQpX7vN3tRw5y"),
    ("mysqldump --password=Ab12cd34 pay", "Ab12cd34"),
    ("AWS_SECRET_ACCESS_KEY=" + A + "/+aB3dE5gH", A + "/+aB3dE5gH"),
    ("password: correcthorse", "correcthorse"),
    ("db:\n  user: app\n  db_password: correcthorse\n  port: 5432", "correcthorse"),
    ("- passphrase: 'battery-staple'", "battery-staple"),
    ("mysql -uroot -pS3cretPw9 pay", "S3cretPw9"),
    ("+ mysqldump -h db -u root -phunterhunter pay", "hunterhunter"),
    ("mariadb -p'two words' < x.sql && mysql -p\"S3cretPw9\"", "S3cretPw9"),
    ("sshpass -p hunterhunter ssh deploy@web", "hunterhunter"),
    ("redis-cli -h cache -a hunterhunter ping", "hunterhunter"),
    ("docker login -u ci -p hunterhunter registry.example", "hunterhunter"),
    ("//registry.example/:_authToken=0a1b2c3d4e5f6a7b8c9d", "0a1b2c3d4e5f6a7b8c9d"),
]


@pytest.mark.parametrize(("line", "secret"), BESIDE)
def test_a_value_is_masked_by_what_stands_beside_it(line: str, secret: str) -> None:
    masked = secrets.redact(line)
    assert secret not in masked.text
    assert len(masked.findings) == 1


CLEAN = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    "integrity sha512-9NjVtHUVZGMKRYmY2WW8q1Cz7fXe1LwPvQ3JpkS8x1lV0eWqkVYbC1Y7tHn4m5mY7m0bKpFhQy1o3Jr4w==",
    "request id 123e4567-e89b-12d3-a456-426614174000",
    "password: ********",
    "password=${DB_PASSWORD}",
    "token: $CI_JOB_TOKEN",
    "Enter password: ",
    "PASSWORD=<your password>",
    "password is required",
    "token: string",
    "cache key: 9e107d9d372bb6826bd81d3542a419d6",
    "Basic authentication is enabled",
    "https://example.com:8443/path@2x.png",
    "npm install left-pad@1.3.0",
    "docker run -d --name mysql -p3306:3306 mysql:8",
    "docker run -d mysql -p 3306:3306",
    "mysql -u root -p $MYSQL_PASSWORD",
    "mysql -u root -p pay",
    "mysql --protocol=tcp -P3306 pay",
    "password: required",
    "Password: authentication",
    "password: incorrect for user ana",
    "password: ${{ secrets.PASSWORD }}",
    "docker login -u ci -p $CI_JOB_TOKEN registry.example",
    "docker login -u ci --password-stdin registry.example",
    "secret_key_base is not set",
    "key=value",
    "Authorization: Bearer ${TOKEN}",
    "tokenizer = WordTokenizer(model)",
    "DEBUG tokenfilter: tokenfilter.go:59 allowing connection",
    "works with tab-local pwd: \x1b[2m0.68 ms\x1b[0m",
    "docker run --name texlive-basic godbyk/texlive-basic",
]


@pytest.mark.parametrize("line", CLEAN)
def test_hashes_placeholders_and_prose_are_left_alone(line: str) -> None:
    assert secrets.redact(line) == secrets.Masked(line, ())


# Wrong, and known: a passphrase of plain words has no form of its own, and half a token looks like any word.
KNOWN_WRONG = [
    ("the password is correct horse battery staple", False),
    ("token abcdefghijkl", False),
]


@pytest.mark.parametrize(("line", "found"), KNOWN_WRONG)
def test_known_misses_stay_known(line: str, found: bool) -> None:
    assert bool(secrets.redact(line).findings) is found


def test_a_private_key_is_masked_line_by_line() -> None:
    body = "\n".join((A + A)[:60] for _ in range(5))
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nafter"
    masked = secrets.redact(text)
    assert A not in masked.text
    assert [one.line for one in masked.findings] == [2, 3, 4, 5, 6]
    assert masked.text.endswith("-----END RSA PRIVATE KEY-----\nafter")


def test_a_private_key_without_an_end_is_masked_too() -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{A}\n{A}\nnot part of it"
    masked = secrets.redact(text)
    assert A not in masked.text
    assert masked.text.endswith("\nnot part of it")


def test_a_value_split_by_colours_is_found() -> None:
    secret = FORMATS["github-token"]
    split = f"using {secret[:9]}\x1b[32m{secret[9:20]}\x1b[0m{secret[20:]} now"
    masked = secrets.redact(f"\x1b[1mfirst\x1b[0m\n{split}\nlast")
    assert secret[20:] not in masked.text
    assert [one.line for one in masked.findings] == [2]
    assert masked.text.startswith("\x1b[1mfirst\x1b[0m\n")


def test_a_value_split_by_invisible_characters_is_found() -> None:
    secret = "\u200b".join(FORMATS["gitlab-token"])
    assert [one.rule for one in secrets.redact(secret).findings] == ["gitlab-token"]


def test_a_value_that_was_overwritten_on_the_screen_is_masked() -> None:
    secret = FORMATS["github-token"]
    masked = secrets.redact(f"{secret}\rok")
    assert secret not in masked.text


def test_named_values_are_masked_wherever_they_stand() -> None:
    masked = secrets.redact("host is blue-whale-7 today", exact=["blue-whale-7", "to"])
    assert masked.text == "host is [masked:named-value:16] today"


def test_the_mask_keeps_the_length_class() -> None:
    assert secrets.redact("password=" + "aB1" * 7).text == "password=[masked:password:32]"


def test_a_value_longer_than_the_window_is_masked_to_its_end() -> None:
    masked = secrets.redact("token " + FORMATS["jwt"] + A * 100 + " after")
    assert masked.text == "token [masked:jwt:4096] after"


@given(
    st.lists(
        st.sampled_from([*FORMATS.values(), "plain", "\n", " ", "\x1b[31m", "password=", "é"])
    )
)
def test_masking_keeps_the_lines_and_is_stable(parts: list[str]) -> None:
    text = "".join(parts)
    once = secrets.redact(text)
    assert once.text.count("\n") == text.count("\n")
    assert secrets.redact(once.text) == secrets.Masked(once.text, ())


@given(st.sampled_from(sorted(FORMATS)), st.text(alphabet=" \n\t=:\"',;()[]", max_size=20))
def test_no_secret_survives_between_separators(rule: str, around: str) -> None:
    assert FORMATS[rule] not in secrets.redact(around + FORMATS[rule] + around).text


HOSTILE = [
    "://",
    "eyJ",
    "password=",
    "-----BEGIN PRIVATE KEY-----" + "A" * 20 + "\n",
    "a@b:",
    "token: ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_masking_hostile_text_stays_linear(unit: str) -> None:
    secrets.redact(unit)
    began = time.process_time()
    secrets.redact(unit * (500_000 // len(unit)))
    assert time.process_time() - began < 5
