"""Signals, certificates and the end of the server: whatever it had accepted is answered."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

from faults import FaultCase, LONG, ORDER
from server import PROGRAMS, Server, make_bundle, raw_post, read_response


class SignalsTest(FaultCase):
    def test_after_kill_9_it_starts_again_on_the_same_port(self):
        with Server() as server:
            port = server.port
            self.expect_alive(server)
            server.stop(signal.SIGKILL)
            with Server("--port", str(port)) as again:
                self.assertEqual(again.port, port)
                self.expect_alive(again)

    def send_many(self, server, stop_after):
        """Sends requests from several threads, stops the server meanwhile, and returns what became
        of those that it had accepted: a list of status codes."""
        def send(number):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            try:
                connection.connect()
                connection.request("POST", "/translate", json.dumps({**ORDER, "q": "ab cd. " * (20 + number)}),
                                   {"Content-Type": "application/json"})
            except OSError:
                return None  # Refused: it was not accepted.
            with contextlib.closing(connection):
                return connection.getresponse().status
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            running = [pool.submit(send, i) for i in range(64)]
            time.sleep(stop_after)
            server.process.send_signal(signal.SIGTERM)
            return [status for status in (one.result() for one in running) if status is not None]

    def test_sigterm_under_load_loses_no_accepted_request(self):
        for stop_after in (0.05, 0.2, 0.5):
            with Server("--workers", "1", bundles=[self.slow]) as server:
                codes = self.send_many(server, stop_after)
                self.assertEqual(set(codes), {200})
                self.assertEqual(server.process.wait(30), 0)
                server.reader.join()
                self.assertIn("stopped", server.log())

    def test_what_is_not_finished_in_time_is_cut_off_and_said(self):
        with Server("--workers", "1", "--stop-timeout", "0.2", bundles=[self.slow]) as server:
            with server.connect() as sock:
                sock.sendall(raw_post({**LONG, "alternatives": 7}))
                time.sleep(0.2)
                self.assertEqual(server.stop(), 1)
            server.reader.join()
            self.assertIn("1 request unanswered", server.log())

    def test_sighup_takes_a_new_model_without_losing_a_request(self):
        bundle = make_bundle(os.path.join(self.folder, "reloaded"))
        with Server(bundles=[bundle]) as server:
            before = json.loads(server.request("GET", "/v1/models")[2])
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                running = [pool.submit(server.post, "/translate", ORDER) for _ in range(100)]
                make_bundle(bundle, "16")
                server.process.send_signal(signal.SIGHUP)
                self.assertEqual({one.result()[0] for one in running}, {200})
            server.wait_for_log("reloaded 1 model")
            after = json.loads(server.request("GET", "/v1/models")[2])
            self.assertEqual((before["models"][0]["width"], after["models"][0]["width"]), (8, 16))

    def test_sighup_reads_the_glossary_again_unless_it_is_broken(self):
        terms = os.path.join(self.folder, "terms.tsv")
        def write(text):
            with open(terms, "w") as file:
                file.write(text)
        def translated():
            return server.post("/translate", {**ORDER, "q": "ab"})[2]["translatedText"]
        write("ab\tone\n")
        with Server("--glossary", terms) as server:
            self.assertEqual(translated().lower(), "one")
            write("ab\ttwo\n")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_log("reloaded 1 model")
            self.assertEqual(translated().lower(), "two")
            write("no tab\n")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_log("not reloaded")
            self.assertIn("line 1 has no tab", server.log())
            self.assertEqual(translated().lower(), "two")

    def test_sighup_with_a_broken_model_keeps_the_old_one_and_says_why(self):
        bundle = make_bundle(os.path.join(self.folder, "damaged"))
        with Server(bundles=[bundle]) as server:
            answer = server.post("/translate", ORDER)[2]
            with open(os.path.join(bundle, "config.json"), "w") as file:
                file.write("{")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_log("not reloaded")
            self.assertIn("config.json", server.log())
            self.assertEqual(server.post("/translate", ORDER)[2], answer)

    def test_sighup_with_a_model_that_cannot_translate_keeps_the_old_one_and_says_why(self):
        bundle = make_bundle(os.path.join(self.folder, "spoiled"))
        with Server(bundles=[bundle]) as server:
            answer = server.post("/translate", ORDER)[2]
            make_bundle(bundle, "broken")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_log("not reloaded")
            self.assertIn("the model computed", server.log())
            self.assertEqual(server.post("/translate", ORDER)[2], answer)

    def test_systemd_is_told_when_requests_are_taken(self):
        with tempfile.TemporaryDirectory() as folder, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(folder + "/notify")
            manager.settimeout(30)
            with Server(env={**os.environ, "NOTIFY_SOCKET": folder + "/notify"}) as server:
                self.assertEqual(manager.recv(100), b"READY=1")
                self.assertEqual(server.post("/translate", ORDER)[0], 200)

    def test_sigterm_right_after_sighup_ends_it_cleanly(self):
        terms = os.path.join(self.folder, "few.tsv")
        with open(terms, "w") as file:
            file.write("ab\tone\n")
        for wait in (0, 0, 0, 0.01, 0.05):
            with Server("--glossary", terms, bundles=[self.slow]) as server:
                server.process.send_signal(signal.SIGHUP)
                time.sleep(wait)
                self.assertEqual(server.stop(), 0, server.log())

    def test_sighup_while_the_models_are_opened_does_not_end_it(self):
        process = subprocess.Popen([PROGRAMS + "/eatt-serve", *[self.slow] * 8, "--port", "0"],
                                   stderr=subprocess.PIPE, text=True)
        try:
            def ignores_sighup():
                with open(f"/proc/{process.pid}/status") as file:
                    mask = next(int(line.split()[1], 16) for line in file if line.startswith("SigIgn"))
                return mask >> (signal.SIGHUP - 1) & 1
            while process.poll() is None and not ignores_sighup():
                pass
            process.send_signal(signal.SIGHUP)
            self.assertTrue(ignores_sighup(), "the models were open already")
            line = process.stderr.readline()
            self.assertIn("serving 8 models at", line)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(30), 0)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()

    def make_certificate(self, name, subject):
        """(key, certificate, a context that trusts it)"""
        if shutil.which("openssl") is None:
            self.skipTest("there is no openssl to make a certificate")
        key, certificate = (os.path.join(self.folder, name + end) for end in (".key", ".cert"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                        "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", f"/CN={subject}",
                        "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        return key, certificate, ssl.create_default_context(cafile=certificate)

    def subject_of(self, server, context):
        with context.wrap_socket(server.connect(), server_hostname="127.0.0.1") as sock:
            return dict(pair[0] for pair in sock.getpeercert()["subject"])["commonName"]

    def test_sighup_reads_the_certificate_again_unless_it_is_broken(self):
        key, certificate, old = self.make_certificate("renewed", "old")
        with Server("--tls-cert", certificate, "--tls-key", key) as server:
            self.assertEqual(self.subject_of(server, old), "old")
            with old.wrap_socket(server.connect(), server_hostname="127.0.0.1") as before:
                _, _, new = self.make_certificate("renewed", "new")
                server.process.send_signal(signal.SIGHUP)
                server.wait_for_log("reloaded " + certificate)
                self.assertEqual(self.subject_of(server, new), "new")
                before.sendall(raw_post(ORDER))  # Goes on as it began.
                self.assertEqual(read_response(before)[0], 200)
            with open(certificate, "w") as file:
                file.write("damaged")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for_log("the certificate from before stays")
            self.assertEqual(self.subject_of(server, new), "new")

    def test_connections_beyond_the_limit_are_refused_in_tls_too(self):
        key, certificate, context = self.make_certificate("refusing", "localhost")
        with Server("--tls-cert", certificate, "--tls-key", key, "--max-connections", "2") as server:
            def connect():
                return context.wrap_socket(server.connect(), server_hostname="127.0.0.1")
            with connect(), connect():
                for _ in range(3):
                    with connect() as sock:
                        status, body = read_response(sock)
                        self.assertEqual((status, json.loads(body)),
                                         (503, {"error": "This server has too many connections"}))
                        self.assertEqual(sock.recv(1), b"")  # Closed as TLS says.
                with server.connect() as sock:  # One that never shakes hands is closed soon.
                    begin = time.monotonic()
                    self.assertEqual(sock.recv(1), b"")
                    self.assertLess(time.monotonic() - begin, 8)

    def test_tls_serves_the_same(self):
        key, certificate, context = self.make_certificate("served", "localhost")
        with Server("--tls-cert", certificate, "--tls-key", key) as server:
            connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=20)
            for _ in range(3):
                connection.request("POST", "/translate", json.dumps(ORDER), {"Content-Type": "application/json"})
                self.assertEqual(connection.getresponse().read()[:1], b"{")
            connection.request("GET", "/health", headers={"Connection": "close"})
            self.assertEqual(json.loads(connection.getresponse().read()), {"status": "ok"})
            with server.connect() as sock:  # Not TLS at all.
                sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
                sock.recv(1000)
            self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
