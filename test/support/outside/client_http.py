"""HTTP and tokens for the clients in Python, with nothing but its standard library."""

import base64
import hashlib
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

SCOPES = "system/Patient.r system/Appointment.cruds system/Slot.rs system/Schedule.rs system/DocumentReference.c"


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.etag, self.body = status, headers.get("etag", ""), body
        self.retry_after = float(headers.get("retry-after", 0))


def once(method, url, headers, data):
    """One try: what came back, or None where the connection ended. The body is `...` where it is no JSON."""
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        try:
            response = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as refused:
            response = refused
        text = response.read()
    except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError):
        return None
    try:
        return Reply(response.status, response.headers, json.loads(text) if text else None)
    except ValueError:
        return Reply(response.status, response.headers, ...)


def encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def number_in(text):
    return int.from_bytes(base64.urlsafe_b64decode(text + "=="), "big")


def token_of(access):
    return backend_token(access) if access["isStrict"] else session_token(access)


def session_token(access):
    base = access["baseUrl"]
    body = json.dumps({"email": access["email"], "password": access["password"]}).encode()
    return once("POST", f"{base}/auth/sign-in/email", {"content-type": "application/json"}, body).body["token"]


def backend_token(access):
    """SMART Backend Services with RS384: PKCS #1 v1.5 is one power, so that no package is needed."""
    base, client, key = access["baseUrl"], access["smart"]["clientId"], access["smart"]["key"]
    endpoint = once("GET", f"{base}/.well-known/smart-configuration", {}, None).body["token_endpoint"]
    head = {"alg": "RS384", "kid": key["kid"], "typ": "JWT"}
    claims = {"iss": client, "sub": client, "aud": endpoint, "exp": int(time.time()) + 240, "jti": str(uuid.uuid4())}
    signed = f"{encoded(json.dumps(head).encode())}.{encoded(json.dumps(claims).encode())}"
    modulus = number_in(key["n"])
    size = (modulus.bit_length() + 7) // 8
    told = bytes.fromhex("3041300d060960864801650304020205000430") + hashlib.sha384(signed.encode()).digest()
    padded = b"\x00\x01" + b"\xff" * (size - len(told) - 3) + b"\x00" + told
    signature = pow(int.from_bytes(padded, "big"), number_in(key["d"]), modulus).to_bytes(size, "big")
    form = {
        "grant_type": "client_credentials",
        "scope": SCOPES,
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        "client_assertion": f"{signed}.{encoded(signature)}",
    }
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return once("POST", endpoint, headers, urllib.parse.urlencode(form).encode()).body["access_token"]
