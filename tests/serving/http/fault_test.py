"""Clients that misbehave: each must leave the server working."""

import contextlib
import json
import os
import resource
import select
import socket
import subprocess
import time
import unittest

from faults import FaultCase, LONG, ORDER
from server import HEAD, PROGRAMS, Server, raw_post, read_response


class FaultTest(FaultCase):
    def test_the_work_for_a_client_that_vanishes_is_given_up(self):
        with Server("--workers", "1", bundles=[self.slow]) as server:
            for _ in range(5):
                sock = server.connect()
                sock.sendall(raw_post({**LONG, "alternatives": 7}))
                time.sleep(0.05)
                sock.close()
            server.wait_for_log(" 499 ")
            begin = time.monotonic()
            self.expect_alive(server)
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(server.metric("eatt_texts_running"), 0)

    def test_clients_that_dawdle_are_dropped_and_others_are_served_meanwhile(self):
        with Server("--header-timeout", "1", "--body-timeout", "1", "--idle-timeout", "1") as server:
            slow = [server.connect() for _ in range(50)]
            for i, sock in enumerate(slow):
                sock.sendall(HEAD[:20 + i])
            idle, half = server.connect(), server.connect()
            half.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
            self.expect_alive(server)
            for sock in slow + [half]:
                self.assertEqual(read_response(sock)[0], 408)
                sock.close()
            self.assertEqual(idle.recv(1), b"")
            idle.close()

    def test_half_a_body_is_refused(self):
        with Server() as server:
            with server.connect() as sock:
                sock.sendall(HEAD + b'Content-Length: 100\r\n\r\n{"q":')
                sock.shutdown(socket.SHUT_WR)
                status, body = read_response(sock)
                self.assertEqual((status, "error" in json.loads(body)), (400, True))
            for cut in range(0, 200, 7):
                with server.connect() as sock:
                    sock.sendall(raw_post(ORDER)[:cut])
            self.expect_alive(server)

    def test_bodies_of_100_megabytes_are_refused_without_being_kept(self):
        with Server() as server:
            before = server.memory("VmHWM")
            block = b"a" * (1 << 20)
            for head, chunked in ((HEAD + b"Content-Length: 104857600\r\n\r\n", False),
                                  (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", True)):
                with server.connect() as sock:
                    sock.sendall(head)
                    try:
                        for _ in range(100):
                            sock.sendall(b"%x\r\n" % len(block) + block + b"\r\n" if chunked else block)
                    except OSError:
                        pass  # The server has closed.
                    try:
                        self.assertEqual(read_response(sock)[0], 413)
                    except ConnectionError:
                        pass  # It was closed while we were sending.
            self.expect_alive(server)
            self.assertLess(server.memory("VmHWM") - before, 20_000)

    def test_chunks_and_trailers_without_end_are_refused_without_being_kept(self):
        with Server() as server:
            before = server.memory("VmHWM")
            for start in (b"1;", b"0\r\nX: "):
                with server.connect() as sock:
                    sock.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + start)
                    try:
                        for _ in range(50):
                            sock.sendall(b"a" * (1 << 20))
                    except OSError:
                        pass  # The server has closed.
            self.expect_alive(server)
            self.assertLess(server.memory("VmHWM") - before, 20_000)

    def test_a_client_that_does_not_read_its_response_is_dropped(self):
        with Server("--write-timeout", "0.5") as server:
            with socket.socket() as sock:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                sock.connect(("127.0.0.1", server.port))
                request = b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"
                with contextlib.suppress(OSError):  # Reset once the server gives up.
                    for _ in range(2000):
                        sock.settimeout(2)
                        sock.sendall(request)
                self.expect_alive(server)
                self.assertRaises(OSError, self.drain, sock)

    def drain(self, sock):
        """Reads until the connection is reset."""
        while sock.recv(1 << 16):
            pass
        raise ConnectionError("closed")

    def test_many_back_ticks_hold_up_nobody(self):
        with Server() as server:
            begin = time.monotonic()
            self.assertEqual(server.post("/detect", {"q": "`" * 20_000})[0], 200)
            self.assertLess(time.monotonic() - begin, 2)  # Milliseconds, but for a slow machine.

    def test_large_requests_hold_up_nobody(self):
        with Server("--char-limit", "10000000", "--body-limit", "10000000", "--queue-limit", "1000000") as server:
            html = json.dumps({**ORDER, "q": "<p>ab <b>cd</b></p>" * 200_000, "format": "html"}).encode()
            head = HEAD + b"Content-Length: %d\r\n\r\n" % len(html)
            clients = [server.connect() for _ in range(4)]
            for sock in clients:
                sock.sendall(head + html)
            for _ in range(10):
                time.sleep(0.2)
                begin = time.monotonic()
                self.assertEqual(server.request("GET", "/health")[0], 200)
                self.assertLess(time.monotonic() - begin, 1)  # Each of them takes longer.
            for sock in clients:
                sock.close()

    def test_pipelined_requests_are_answered_in_order(self):
        with Server() as server, server.connect() as sock:
            texts = ["ab", "cd ef", "gh", "ij kl mn", "op"] * 10
            sock.sendall(b"".join(raw_post({**ORDER, "q": text}) for text in texts))
            reader = sock.makefile("rb")
            for text in texts:
                self.assertIn(b"200", reader.readline())
                length = 0
                while (line := reader.readline().strip()):
                    if line.lower().startswith(b"content-length"):
                        length = int(line.split()[1])
                answer = json.loads(reader.read(length))
                self.assertEqual(answer, server.post("/translate", {**ORDER, "q": text})[2])

    def test_a_client_that_waits_for_100_continue_gets_it(self):
        with Server() as server, server.connect() as sock:
            body = json.dumps(ORDER).encode()
            sock.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
            self.assertEqual(sock.recv(1000), b"HTTP/1.1 100 Continue\r\n\r\n")
            sock.sendall(body)
            self.assertEqual(read_response(sock)[0], 200)

    def connect_until_refused(self, server, clients):
        """The response to the first connection too many; those before it join the clients."""
        while True:
            sock = server.connect(timeout=5)
            try:
                response = read_response(sock)
                sock.close()
                return response
            except TimeoutError:
                clients.append(sock)
                self.assertLess(len(clients), 10_100)

    def test_ten_thousand_connections_are_held_and_more_are_refused(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 10_000
        if hard != resource.RLIM_INFINITY and hard < wanted + 200:
            wanted = hard - 200
            print(f"only {wanted} connections: the system allows {hard} files", end=" ")
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted + 200, hard) if hard > 0 else wanted + 200, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        with Server("--max-connections", str(wanted)) as server:
            clients = []
            while len(clients) < wanted - 1:
                clients += [server.connect() for _ in range(min(500, wanted - 1 - len(clients)))]
                self.expect_alive(server)  # Also: it has accepted all that came before.
            status, body = self.connect_until_refused(server, clients)
            end = time.monotonic() + 10
            self.assertEqual((status, json.loads(body)), (503, {"error": "This server has too many connections"}))
            if os.environ.get("EATT_SANITIZED") != "1":  # Sanitizers keep what is freed.
                self.assertLess(server.memory("VmRSS"), 200_000)
            for sock in clients:
                sock.close()
            while time.monotonic() < end:
                try:
                    return self.expect_alive(server)
                except (AssertionError, OSError):
                    time.sleep(0.1)
            self.fail("the server does not take clients again")

    def test_a_body_that_could_never_be_received_is_a_mistake_at_the_start(self):
        result = subprocess.run([PROGRAMS + "/eatt-serve", self.slow, "--port", "0", "--body-limit", "300000000"],
                                capture_output=True, text=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--body-limit 300000000 is more than --bodies-limit 268435456", result.stderr)

    def test_clients_that_are_being_refused_take_no_places(self):
        with Server("--max-connections", "2") as server:
            served = [server.connect() for _ in range(2)]
            for sock in served:
                sock.sendall(raw_post(ORDER))
                self.assertEqual(read_response(sock)[0], 200)
            refused = [server.connect() for _ in range(2)]  # They do not close when they are told.
            for sock in refused:
                self.assertEqual(read_response(sock)[0], 503)
            begin = time.monotonic()
            for sock in served:
                sock.close()
            server.wait_until(lambda: server.request("GET", "/health")[0] == 200, what="a free place")
            self.assertLess(time.monotonic() - begin, 1.5)  # The two would linger for 2 seconds.
            for sock in refused:
                sock.close()

    def test_bodies_of_all_clients_are_limited_and_small_requests_go_on(self):
        with Server("--body-limit", "1000000", "--bodies-limit", "1000000") as server:
            half = HEAD + b"Content-Length: 200000\r\n\r\n" + b" " * 100_000
            clients = [server.connect() for _ in range(20)]
            for sock in clients:
                sock.sendall(half)
            def refused():
                return select.select(clients, [], [], 0)[0]
            # Ten of the bodies fit at most: those of the others are refused.
            server.wait_until(lambda: len(refused()) >= 10, what="ten refusals")
            self.assertLess(len(refused()), len(clients))
            for sock in refused():
                status, body = read_response(sock)
                self.assertEqual((status, json.loads(body)["error"]),
                                 (503, "The server is receiving too much data; try again later"))
            self.expect_alive(server)
            with server.connect() as sock:  # Refused before it is asked for its body.
                sock.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n")
                self.assertEqual(read_response(sock)[0], 503)
            for sock in clients:
                sock.close()
            large = {**ORDER, "q": ["ab"] * 2, "unused": "a" * 900_000}
            server.wait_until(lambda: server.post("/translate", large)[0] == 200,
                              what="room for another body")

    def test_clients_that_announce_bodies_and_send_none_hold_up_nobody(self):
        with Server("--body-limit", "1000000", "--bodies-limit", "4000000") as server:
            clients = [server.connect() for _ in range(50)]
            for i, sock in enumerate(clients):
                sock.sendall(HEAD + (b"Expect: 100-continue\r\n" if i % 2 else b"") +
                             b"Content-Length: 1000000\r\n\r\n")
            for sock in clients[1::2]:
                self.assertEqual(sock.recv(25), b"HTTP/1.1 100 Continue\r\n\r\n")
            status, _, answer = server.post("/translate", {**ORDER, "unused": "a" * 900_000})
            self.assertEqual(status, 200, answer)
            self.assertEqual(select.select(clients, [], [], 0)[0], [])  # Nobody was refused.
            for sock in clients:
                sock.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
