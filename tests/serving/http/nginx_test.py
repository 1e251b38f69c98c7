"""deploy/nginx.conf with two servers behind it: translations go on while one of them restarts."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
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

    def test_its_own_errors_are_json_too(self):
        with Server() as first, Server() as second:
            front = Server.__new__(Server)
            front.port = self.start_nginx([first.port, second.port])
            status, fields, body = front.request("POST", "/translate", b"a" * (2 << 20))
            self.assertEqual((status, fields["Content-Type"]), (413, "application/json"))
            self.assertIn("error", json.loads(body))
            first.stop()
            second.stop()
            status, _, body = front.request("GET", "/health")
            self.assertEqual((status, "error" in json.loads(body)), (503, True))

    def test_two_servers_behind_nginx_are_one_that_never_stops(self):
        with Server() as first, Server() as second:
            front = Server.__new__(Server)  # Only its address is used.
            front.port = self.start_nginx([first.port, second.port])
            answer = front.post("/translate", ORDER)
            self.assertEqual(answer[0], 200)
            self.assertEqual(front.request("GET", "/metrics")[0], 403)
            self.expect_files_on_either_server(front)
            for i in range(60):
                if i == 20:
                    first.stop()
                self.assertEqual(front.post("/translate", ORDER)[::2], answer[::2])


if __name__ == "__main__":
    if NGINX is None:
        skip_all("there is no nginx; `scripts/setup.sh test` installs it")
    unittest.main(verbosity=2)
