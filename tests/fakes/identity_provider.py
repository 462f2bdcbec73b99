"""An identity provider on loopback that really signs, keeps to the protocol, and misbehaves on order."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from fakes.loopback import answering

CLIENT, SECRET = "caselore", "a secret of the client"

# what a claim is instead of what it should be, by the name of the misbehaviour
WRONG_CLAIMS = {
    "wrong nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "wrong audience": {"aud": "another"},
    "several audiences": {"aud": [CLIENT, "another"], "azp": "another"},
    "wrong issuer": {"iss": "https://elsewhere.example"},
    "expired": {"exp": int(time.time()) - 3_600},
    "no expiry": {"exp": None},
    "issued tomorrow": {"iat": int(time.time()) + 86_400},
    "no subject": {"sub": None},
    "unverified e-mail": {"email_verified": False},
    "unsaid e-mail": {"email_verified": None},
    "no e-mail": {"email": None},
    "a bot's e-mail": {"email": "dependabot[bot]"},
}
WRONG_KEYS = ("alg none", "another key", "the secret as a key", "the public key as a secret")
WRONG = (*WRONG_CLAIMS, *WRONG_KEYS)


class Provider:
    """Who signs in next, and how it misbehaves."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.key = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"})
        self.person = {"sub": "u-1", "email": "ana@example.com", "email_verified": True}
        self.groups: list[str] = []
        self.wrong = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.asked: list[dict[str, str]] = []
        self.issuer = url

    def metadata(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"],
        }

    def authorize(self, asked):
        """Let the person in at once, and send the browser back with a code."""
        self.asked.append(asked)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form, client):
        """Give a token for a code, once, to whoever began with the challenge."""
        asked = self.codes.pop(form.get("code", ""), None)
        proof = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(proof).decode().rstrip("=")
        fits = (
            asked
            and client == f"{CLIENT}:{SECRET}"
            and form["redirect_uri"] == asked["redirect_uri"]
            and (asked["code_challenge"], asked["code_challenge_method"]) == (challenge, "S256")
        )
        if not fits:
            return 400, {"error": "invalid_grant"}
        token = {"access_token": secrets.token_urlsafe(8), "token_type": "Bearer"}
        return 200, {**token, "id_token": self.signed(asked["nonce"])}

    def signed(self, nonce):
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            "groups": self.groups,
            **self.person,
            **WRONG_CLAIMS.get(self.wrong, {}),
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        header = {"alg": "RS256", "kid": "k1"}
        if self.wrong == "alg none":
            parts = [{"alg": "none"}, claims]
            return ".".join(_b64(json.dumps(one).encode()) for one in parts) + "."
        if self.wrong == "another key":
            return jwt.encode(header, claims, RSAKey.generate_key(2048))
        if self.wrong == "the secret as a key":
            return jwt.encode({"alg": "HS256", "kid": "k1"}, claims, OctKey.import_key(SECRET * 2))
        if self.wrong == "the public key as a secret":
            pem = self.key.as_pem(private=False)
            mark = f"{_b64(json.dumps({'alg': 'HS256', 'kid': 'k1'}).encode())}.{_b64(json.dumps(claims).encode())}"
            import hmac

            return f"{mark}.{_b64(hmac.new(pem, mark.encode(), hashlib.sha256).digest())}"
        return jwt.encode(header, claims, self.key)

    def keys(self):
        other = ECKey.generate_key("P-256", {"kid": "k0", "use": "sig"})
        return {"keys": [other.as_dict(private=False), self.key.as_dict(private=False)]}


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _handler(provider):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            parts = urlsplit(self.path)
            if parts.path == "/.well-known/openid-configuration":
                self._json(200, provider.metadata())
            elif parts.path == "/keys":
                self._json(200, provider.keys())
            elif parts.path == "/authorize":
                asked = {name: one[0] for name, one in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorize(asked))
                self.end_headers()
            else:
                self._json(404, {})

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: one[0] for name, one in parse_qs(body).items()}
            kind, _, said = self.headers.get("Authorization", "").partition(" ")
            client = unquote(base64.b64decode(said).decode()) if kind == "Basic" else ""
            self._json(*provider.token(form, client))

        def _json(self, status, document):
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    return Handler


@contextmanager
def standing():
    """Give a provider that answers on loopback until the block ends."""
    with answering(BaseHTTPRequestHandler) as server:
        provider = Provider(server.url)
        server.RequestHandlerClass = _handler(provider)
        yield provider
