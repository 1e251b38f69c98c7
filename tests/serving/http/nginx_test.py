"""deploy/nginx.conf with two servers behind it: translations go on while one of them restarts."""

import contextlib
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from server import Server, file_form, skip_all

CONF = os.path.join(os.path.dirname(__file__), "../../../deploy/nginx.conf")
ORDER = {"q": "ab cd ef", "source": "zh", "target": "en"}
NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class NginxTest(unittest.TestCase):
    def start_nginx(self, ports):
        folder = tempfile.mkdtemp(prefix="eatt-nginx-")
        self.addCleanup(shutil.rmtree, folder, True)
        with open(CONF) as file:
            site = file.read()
        listen = free_port()
        for old, new in (("listen 8080;", f"listen 127.0.0.1:{listen};"), ("127.0.0.1:5001", f"127.0.0.1:{ports[0]}"),
                         ("127.0.0.1:5002", f"127.0.0.1:{ports[1]}")):
            self.assertIn(old, site)
            site = site.replace(old, new)
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n"
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(folder + "/nginx.conf", "w") as file:
            file.write(f"pid {folder}/pid; error_log {folder}/error.log; daemon off;\n"
                       f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n")
        nginx = subprocess.Popen([NGINX, "-p", folder, "-c", folder + "/nginx.conf"],
                                 stderr=subprocess.DEVNULL)
        self.addCleanup(nginx.wait)
        self.addCleanup(nginx.terminate)
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", listen)).close()
                return listen
            except OSError:
                time.sleep(0.05)
        self.fail("nginx does not listen")

    def expect_files_on_either_server(self, front):
        status, _, body = front.request("POST", "/translate_file", *file_form("ab cd"))
        self.assertEqual(status, 200, body)
        url = json.loads(body)["translatedFileUrl"]
        for _ in range(4):
            self.assertEqual(front.request("GET", url[url.index("/download_file/"):])[0], 200)

    def expect_error(self, response, status, code=None):
        found, fields, body = response
        self.assertEqual((found, fields["Content-Type"]), (status, "application/json"), body)
        error = json.loads(body)
        self.assertEqual(error.get("code"), code)
        self.assertEqual(set(error) - {"code"}, {"error"})
        self.assertEqual(fields["Retry-After"], "1" if status in (429, 503) else None)

    def raw(self, front, request):
        """(status, headers, body) of bytes that http.client would not send."""
        with socket.create_connection(("127.0.0.1", front.port), 20) as sock:
            sock.sendall(request)
            response = http.client.HTTPResponse(sock)
            response.begin()
            return response.status, response.headers, response.read()

    def test_its_own_errors_are_json_too(self):
        with Server() as first, Server() as second:
            front = Server.__new__(Server)
            front.port = self.start_nginx([first.port, second.port])
            self.expect_error(front.request("POST", "/translate", b"a" * (2 << 20)), 413)
            self.expect_error(front.request("POST", "/v1/translate", b"a" * (2 << 20)), 413, "too_large")
            self.expect_error(front.request("GET", "/metrics"), 403)
            self.expect_error(front.request("TRACE", "/v1/translate"), 405, "method_not_allowed")
            long = b"a" * 40_000
            self.expect_error(self.raw(front, b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + long + b"\r\n\r\n"), 431)
            self.expect_error(self.raw(front, b"GET /" + long + b" HTTP/1.1\r\nHost: a\r\n\r\n"), 431)
            self.expect_error(self.raw(front, b"NONSENSE\r\n\r\n"), 400)
            self.expect_error(self.raw(front, b"GET /health HTTP/1.1\r\n\r\n"), 400)
            answers = (front.request("GET", "/v1/models") for _ in range(1000))
            self.expect_error(next(one for one in answers if one[0] != 200), 429, "rate_limited")
            first.stop()
            second.stop()
            time.sleep(1)  # More requests are allowed again.
            self.expect_error(front.request("GET", "/health"), 503)

    def test_a_busy_server_does_not_count_as_one_that_failed(self):
        class Busy(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def answer(self, status, value):
                self.send_response(status)
                self.send_header("Content-Length", str(len(value)))
                self.end_headers()
                self.wfile.write(value)
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.answer(503, b'{"error": "busy"}')
            def do_GET(self):
                self.answer(200, b'{"status": "ok"}')
            def log_message(self, *_):
                pass
        servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy) for _ in range(2)]
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        front = Server.__new__(Server)
        front.port = self.start_nginx([server.server_port for server in servers])
        for _ in range(3):
            self.assertEqual(front.post("/translate", ORDER)[::2], (503, {"error": "busy"}))
            self.assertEqual(front.request("GET", "/health")[0], 200)

    def test_two_servers_behind_nginx_are_one_that_never_stops(self):
        front = Server.__new__(Server)  # Only its address is used.
        with contextlib.ExitStack() as running:
            servers = [running.enter_context(Server()) for _ in range(2)]
            front.port = self.start_nginx([server.port for server in servers])
            answer = front.post("/translate", ORDER)
            self.assertEqual(answer[0], 200)
            self.assertEqual(front.request("GET", "/metrics")[0], 403)
            self.expect_files_on_either_server(front)
            for server in servers:  # Both restart, one after the other.
                server.stop()
                for _ in range(20):
                    self.assertEqual(front.post("/translate", ORDER)[::2], answer[::2])
                running.enter_context(Server(bundles=server.bundles, port=server.port))


if __name__ == "__main__":
    if NGINX is None:
        skip_all("there is no nginx; `scripts/setup.sh test` installs it")
    unittest.main(verbosity=2)
