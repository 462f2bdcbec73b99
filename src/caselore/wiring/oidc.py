"""Lets an identity provider name a person: OpenID Connect, authorization code with PKCE.

Must not trust what is not proven: state, nonce, signature, issuer, audience and time are checked,
and only a name that the provider vouches for counts.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from caselore.errors import Unavailable, Unidentified, WrongUse

if TYPE_CHECKING:
    from httpx import Client

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
LEEWAY = 60  # seconds that clocks may differ
TIMEOUT = 10  # seconds that the provider may take
KNOWN = {
    "issuer": "",
    "client_id": "",
    "scopes": "openid email profile",
    "name": "email",
    "groups": "groups",
    "url": "",
}
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Terms:
    """What is agreed with a provider: [sign_in.oidc] and the secret."""

    issuer: str
    client_id: str
    scopes: str
    name: str
    """The claim that names a person."""
    groups: str
    """The claim that lists a person's groups; dots go into it."""
    url: str
    """Where browsers reach this server; empty where they ask it by its own address."""
    secret: str

    @classmethod
    def parse(cls, table: Mapping[str, Any], secret: str) -> Terms:
        """Read the table. Raises: WrongUse."""
        for key, value in table.items():
            if key not in KNOWN or not isinstance(value, str):
                raise WrongUse(
                    f"[sign_in.oidc] {key!r} is not known, or no text.",
                    hint=f"Known are: {', '.join(KNOWN)}.",
                )
        given = {**KNOWN, **table}
        if not given["issuer"] or not given["client_id"]:
            raise WrongUse(
                "[sign_in.oidc] needs issuer and client_id.", hint="Mend caselore.toml."
            )
        _must_be_safe(given["issuer"])
        return cls(**given, secret=secret)


@dataclass(frozen=True, slots=True)
class Begun:
    """A sign-in that is under way: where the browser goes, and what it must come back with."""

    address: str
    state: str
    nonce: str
    verifier: str


@dataclass(frozen=True, slots=True)
class Named:
    """Whom the provider named."""

    name: str
    groups: tuple[str, ...]


class Provider:
    """An identity provider, asked over HTTP."""

    def __init__(self, terms: Terms) -> None:
        """Ask a provider under these terms; nothing is fetched yet."""
        self.terms = terms
        self._told: dict[str, Any] = {}

    @property
    def host(self) -> str:
        """Name the provider to a person."""
        return urlsplit(self.terms.issuer).hostname or self.terms.issuer

    def begin(self, back: str) -> Begun:
        """Give where to send a browser that shall come back to an address. Raises: Unavailable."""
        prepare_grant_uri, challenge = _protocol()
        nonce, verifier, state = (secrets.token_urlsafe(48) for _ in range(3))
        with self._asking() as client:
            where = self._metadata(client)["authorization_endpoint"]
        address = prepare_grant_uri(
            where,
            self.terms.client_id,
            "code",
            redirect_uri=back,
            scope=self.terms.scopes,
            state=state,
            nonce=nonce,
            code_challenge=challenge(verifier),
            code_challenge_method="S256",
        )
        return Begun(address, state, nonce, verifier)

    def finish(self, begun: Begun, back: str, told: Mapping[str, str], now: datetime) -> Named:
        """Give whom the provider named in what the browser came back with.

        Raises: Unidentified for anything that is not proven; Unavailable.
        """
        if not secrets.compare_digest(told.get("state", "").encode(), begun.state.encode()):
            raise _refused("This sign-in was not begun in this browser, or was finished before.")
        if told.get("iss", self.terms.issuer) != self.terms.issuer:
            raise _refused("Another identity provider answered than was asked.")
        if "code" not in told:
            raise _refused(f"{self.host} did not let you in: {told.get('error', 'no reason')}.")
        form = {
            "grant_type": "authorization_code",
            "code": told["code"],
            "redirect_uri": back,
            "code_verifier": begun.verifier,
        }
        with self._asking() as client:
            token = self._exchanged(client, form)
            keys = _fetched(client, self._metadata(client)["jwks_uri"])
        return self._named(_claims(token, keys, self._rules(begun), now))

    @contextmanager
    def _asking(self) -> Iterator[Client]:
        """Give a client that follows nothing. Raises: Unavailable where the provider fails."""
        from httpx import Client, HTTPError  # noqa: PLC0415 - only where people sign in so

        try:
            with Client(timeout=TIMEOUT, follow_redirects=False) as client:
                yield client
        except (HTTPError, KeyError, ValueError) as error:
            raise Unavailable(
                f"The identity provider does not answer as it should ({type(error).__name__}).",
                hint="Sign in with a token meanwhile, and look at [sign_in.oidc].",
            ) from None

    def _metadata(self, client: Client) -> dict[str, Any]:
        if not self._told:
            where = f"{self.terms.issuer.rstrip('/')}/.well-known/openid-configuration"
            told = _fetched(client, where)
            if told.get("issuer") != self.terms.issuer:
                raise Unavailable(
                    f"{where} speaks for another issuer than the one in [sign_in.oidc].",
                    hint="The two must be equal, to the last slash.",
                )
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                _must_be_safe(told[name])
            self._told = told
        return self._told

    def _exchanged(self, client: Client, form: Mapping[str, str]) -> str:
        """Give the signed token for a code. Raises: Unidentified where the code is not taken."""
        where, secret = self._metadata(client)["token_endpoint"], self.terms.secret
        if secret:
            pair = (quote(self.terms.client_id, safe=""), quote(secret, safe=""))
            answer = client.post(where, data=form, auth=pair)
        else:
            answer = client.post(where, data={**form, "client_id": self.terms.client_id})
        if answer.is_client_error:
            raise _refused(f"{self.host} does not take this sign-in, or took it before.")
        return str(answer.raise_for_status().json()["id_token"])

    def _rules(self, begun: Begun) -> dict[str, Any]:
        return {
            "issuer": self.terms.issuer,
            "client_id": self.terms.client_id,
            "nonce": begun.nonce,
        }

    def _named(self, claims: Mapping[str, Any]) -> Named:
        claim = self.terms.name
        name = claims.get(claim)
        if not isinstance(name, str) or not name:
            raise _refused(f"{self.host} gave no claim {claim!r}, by which people are named here.")
        if claim == "email" and claims.get("email_verified") is not True:
            raise _refused(f"{self.host} does not vouch for your e-mail address.")
        return Named(name, _groups(claims, self.terms.groups))


def _protocol() -> tuple[Callable[..., str], Callable[[str], str]]:
    """Give what writes a request's address, and a verifier's challenge. Raises: Unavailable."""
    try:
        from authlib.oauth2.rfc6749.parameters import prepare_grant_uri  # noqa: PLC0415
        from authlib.oauth2.rfc7636 import create_s256_code_challenge  # noqa: PLC0415
    except ImportError:
        raise Unavailable(
            "[sign_in.oidc] is set, and its extra is not installed.",
            hint="pip install 'caselore[oidc]', or remove the table.",
        ) from None
    return prepare_grant_uri, create_s256_code_challenge


def _fetched(client: Client, where: str) -> dict[str, Any]:
    told = client.get(where).raise_for_status().json()
    if not isinstance(told, dict):
        raise ValueError(where)
    return told


def _claims(token: str, keys: Any, rules: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Give what a token says once its signature and its claims hold. Raises: Unidentified."""
    from authlib.oidc.core import CodeIDToken  # noqa: PLC0415
    from joserfc import jwt  # noqa: PLC0415
    from joserfc.errors import JoseError  # noqa: PLC0415
    from joserfc.jwk import KeySet  # noqa: PLC0415
    from joserfc.jws import JWSRegistry  # noqa: PLC0415

    registry = JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)
    wanted = {
        "iss": {"essential": True, "value": rules["issuer"]},
        "aud": {"essential": True, "value": rules["client_id"]},
        "nonce": {"essential": True},
    }
    about = {"nonce": rules["nonce"], "client_id": rules["client_id"]}
    try:
        read = jwt.decode(token, KeySet.import_key_set(keys), registry=registry)
        claims = CodeIDToken(read.claims, read.header, wanted, about)
        claims.validate(int(now.timestamp()), LEEWAY)
    except (JoseError, ValueError, TypeError, KeyError) as error:
        words = getattr(error, "error", "") or type(error).__name__
        raise _refused(f"What the identity provider signed does not hold: {words}.") from None
    return dict(claims)


def _groups(claims: Mapping[str, Any], claim: str) -> tuple[str, ...]:
    found: Any = claims.get(claim)
    if found is None:
        found = claims
        for part in claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
    rows = [found] if isinstance(found, str) else found
    return tuple(one for one in rows if isinstance(one, str)) if isinstance(rows, list) else ()


def _must_be_safe(address: object) -> None:
    parts = urlsplit(str(address))
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK):
        return
    raise WrongUse(
        f"{address} is no https address; over plain HTTP anybody could name anybody.",
        hint="Give the issuer's https address in [sign_in.oidc].",
    )


def _refused(message: str) -> Unidentified:
    return Unidentified(message, hint="Begin again at /sign-in.")
