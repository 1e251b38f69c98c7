"""Starts eatt-serve for a test, talks to it, and checks what it answers against /openapi.json."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROGRAMS = os.environ["EATT_BIN_DIR"]
MAKE_BUNDLE = os.environ["EATT_SERVING_BUNDLE"]


# A request without its length and body.
HEAD = b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"


def raw_post(value, *fields):
    body = json.dumps(value).encode()
    extra = b"".join(field + b"\r\n" for field in fields)
    return HEAD + extra + b"Content-Length: %d\r\n\r\n" % len(body) + body


def file_form(text):
    """Body and header of a file to translate."""
    fields = (("source", "", "zh"), ("target", "", "en"), ("file", '; filename="a b.txt"', text))
    parts = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"{extra}\r\n\r\n{value}\r\n'
                    for name, extra, value in fields)
    return parts + "--x--\r\n", {"Content-Type": "multipart/form-data; boundary=x"}


def make_bundle(folder, kind="8"):
    subprocess.run([MAKE_BUNDLE, folder, kind], check=True)
    return folder


class Server:
    """A running eatt-serve. Use it in a `with`; it is killed at the end if it still runs."""

    def __init__(self, *arguments, bundles=None, port=0, **popen):
        self.folder = tempfile.mkdtemp(prefix="eatt-serve-test-")
        self.bundles = bundles or [make_bundle(os.path.join(self.folder, "model"))]
        self.process = subprocess.Popen(
            [os.path.join(PROGRAMS, "eatt-serve"), *self.bundles, "--port", str(port), *arguments],
            stderr=subprocess.PIPE, text=True, **popen)
        self.lines = []
        self.port = None
        self.ready = threading.Event()
        self.reader = threading.Thread(target=self._read_log, daemon=True)
        self.reader.start()
        if not self.ready.wait(30) or self.port is None:
            self.process.kill()
            raise AssertionError("the server did not start: " + "".join(self.lines))

    def _read_log(self):
        for line in self.process.stderr:
            self.lines.append(line)
            if match := re.search(r"at https?://[^ ]*:(\d+)", line):
                self.port = int(match[1])
                self.ready.set()
        self.ready.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return "".join(self.lines)

    def wait_until(self, holds, seconds=20, what="what was waited for"):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come:\n{self.log()}")
            time.sleep(0.02)

    def wait_for_log(self, text):
        self.wait_until(lambda: text in self.log(), what=f"{text!r} in the log")

    def metric(self, name):
        for line in self.request("GET", "/metrics")[2].decode().splitlines():
            if line.startswith(name + " "):
                return float(line.split()[1])
        return None

    def memory(self, name):
        """Kilobytes: VmRSS now, VmHWM at most so far."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name))

    def connect(self, timeout=20):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def request(self, method, path, body=None, headers=None, timeout=30):
        """(status, headers, body bytes)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def post(self, path, value, headers=None, timeout=30):
        """The same with a JSON body, which comes back as a value."""
        status, fields, body = self.request(
            "POST", path, json.dumps(value).encode(),
            {"Content-Type": "application/json", **(headers or {})}, timeout)
        return status, fields, json.loads(body)

    def stop(self, number=signal.SIGTERM, seconds=30):
        """The exit code."""
        self.process.send_signal(number)
        return self.process.wait(seconds)


def read_response(sock):
    """(status, body) of one response on a socket."""
    response = http.client.HTTPResponse(sock)
    response.begin()
    return response.status, response.read()


# What `code` may be under /v1.
CODES = {400: {"bad_request", "limit", "unknown_model", "unsupported_languages", "unknown_chip"},
         403: {"forbidden"}, 404: {"not_found"}, 405: {"method_not_allowed"}, 408: {"request_timeout"},
         413: {"too_large"}, 415: {"unsupported_media_type"}, 429: {"rate_limited"},
         431: {"header_too_large"}, 500: {"internal"}, 503: {"queue_full", "unavailable"},
         504: {"deadline_exceeded"}}


class Contract:
    """/openapi.json: says what is wrong with a response."""

    def __init__(self, document):
        self.document = document
        self.seen = set()  # (path, status)
        self.codes = set()

    def resolve(self, node):
        while "$ref" in node:
            target = self.document
            for key in node["$ref"].removeprefix("#/").split("/"):
                target = target[key]
            node = target
        return node

    def path_of(self, path):
        if path.startswith("/download_file/"):
            return "/download_file/{name}"
        return path

    def check(self, method, path, status, headers, body):
        path = self.path_of(path)
        operation = self.document["paths"].get(path, {}).get(method.lower())
        documented = operation["responses"] if operation else {}
        # A route that takes a body documents all its errors.
        if "requestBody" not in (operation or {}):
            documented = {**self.document["x-everywhere"]["responses"], **documented}
        response = documented.get(str(status))
        assert response, f"{method} {path} gave {status}, which is not documented: {body[:200]}"
        response = self.resolve(response)
        for name in response.get("headers", {}):
            assert headers.get(name), f"{method} {path} {status} has no {name}"
        kind = headers.get("Content-Type", "").split(";")[0]
        assert kind in response["content"], f"{method} {path} {status} is {kind}"
        if kind == "application/json":
            self.validate(json.loads(body), response["content"][kind]["schema"], f"{path} {status}")
        if status >= 400:
            code = json.loads(body).get("code")
            if path.startswith("/v1/"):
                assert code in CODES[status], f"{path} {status} has the code {code}"
                self.codes.add(code)
            else:
                assert code is None, body
        self.seen.add((path, status))

    def validate(self, value, schema, where):
        schema = self.resolve(schema)
        if value is None:
            assert schema.get("nullable"), f"{where} is null"
            return
        for part in schema.get("allOf", []):
            self.validate(value, part, where)
        if "oneOf" in schema:
            fitting = 0
            for part in schema["oneOf"]:
                with contextlib.suppress(AssertionError):
                    self.validate(value, part, where)
                    fitting += 1
            # An empty list is a list of anything.
            assert fitting == 1 or value == [], f"{where}: {value!r} fits {fitting} of oneOf"
        kinds = {"object": dict, "array": list, "string": str, "boolean": bool,
                 "integer": int, "number": (int, float)}
        if kind := schema.get("type"):
            right = isinstance(value, kinds[kind]) and (kind == "boolean" or not isinstance(value, bool))
            assert right, f"{where}: {value!r} is no {kind}"
        if "enum" in schema:
            assert value in schema["enum"], f"{where}: {value!r}"
        if "pattern" in schema:
            assert re.search(schema["pattern"], value), f"{where}: {value!r}"
        if isinstance(value, dict):
            self.validate_object(value, schema, where)
        if isinstance(value, list):
            assert len(value) >= schema.get("minItems", 0), f"{where}: {value!r}"
            assert len(value) <= schema.get("maxItems", len(value)), f"{where}: {value!r}"
            for i, item in enumerate(value):
                self.validate(item, schema.get("items", {}), f"{where}[{i}]")

    def validate_object(self, value, schema, where):
        for key in schema.get("required", []):
            assert key in value, f"{where} has no {key}"
        properties = schema.get("properties", {})
        for key, item in value.items():
            if key in properties:
                self.validate(item, properties[key], f"{where}.{key}")
            else:
                assert schema.get("additionalProperties") is not False, f"{where} has {key}"


def skip_all(reason):
    print("skipped:", reason)
    sys.exit(77)
