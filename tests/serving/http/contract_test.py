"""Every route and every error of /openapi.json, produced by a running server and compared with it."""

import http.client
import json
import os
import re
import shutil
import socket
import tempfile
import time
import unittest

from server import CODES, Contract, Server, file_form, make_bundle, raw_post, read_response

JSON = {"Content-Type": "application/json"}
TEXT = "ab cd ef"
JSON_ORDER = {"q": TEXT, "source": "zh", "target": "en"}


class ContractTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.__exit__)
        cls.contract = Contract(json.loads(cls.server.request("GET", "/openapi.json")[2]))

    def check(self, expected, method, path, body=None, headers=None, server=None):
        """Sends a request, checks the response, and returns its JSON."""
        if body is not None and not isinstance(body, (bytes, str)):
            body, headers = json.dumps(body).encode(), {**JSON, **(headers or {})}
        status, fields, answer = (server or self.server).request(method, path, body, headers)
        self.assertEqual(status, expected, answer)
        self.contract.check(method, path, status, fields, answer)
        return json.loads(answer) if fields.get("Content-Type") == "application/json" else answer

    def check_raw(self, expected, path, request, server):
        """The same of bytes that are no proper request to `path`."""
        with server.connect() as sock:
            sock.sendall(request)
            status, body = read_response(sock)
        self.assertEqual(status, expected, body)
        self.contract.check("POST", path, status, JSON, body)

    def test_what_operators_and_clients_read_is_as_documented(self):
        for path in ("/health", "/languages", "/frontend/settings", "/v1/models", "/metrics",
                     "/openapi.json", "/spec", "/"):
            self.check(200, "GET", path)
        status, fields, body = self.server.request("HEAD", "/health")
        self.assertEqual((status, body, fields["Content-Length"]), (200, b"", "15"))

    def test_pages_are_not_sent_twice_and_may_load_nothing_from_elsewhere(self):
        status, fields, _ = self.server.request("GET", "/")
        self.assertIn("default-src 'self'", fields["Content-Security-Policy"])
        again = self.server.request("GET", "/", headers={"If-None-Match": fields["ETag"]})
        self.assertEqual((again[0], again[2]), (304, b""))

    def test_libretranslate_requests_in_json_and_forms_give_the_same(self):
        order = {"q": TEXT, "source": "zh", "target": "en"}
        answer = self.check(200, "POST", "/translate", order)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        self.assertEqual(
            self.check(200, "POST", "/translate", "q=ab+cd%20ef&source=zh&target=en", form), answer)
        parts = "".join(f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
                        for name, value in order.items()) + "--x--\r\n"
        multipart = {"Content-Type": "multipart/form-data; boundary=x"}
        self.assertEqual(self.check(200, "POST", "/translate", parts, multipart), answer)

    def test_a_list_of_texts_gives_lists(self):
        answer = self.check(200, "POST", "/translate", {
            "q": [TEXT, "gh"], "source": "auto", "target": "en", "alternatives": 2})
        self.assertEqual(len(answer["translatedText"]), 2)
        self.assertEqual(len(answer["alternatives"]), 2)
        self.assertEqual(len(answer["detectedLanguage"]), 2)
        one = self.check(200, "POST", "/translate", {
            "q": "gh", "source": "zh", "target": "en", "alternatives": 2})
        self.assertEqual(one["translatedText"], answer["translatedText"][1])
        self.assertEqual(self.check(200, "POST", "/translate", {
            "q": [], "source": "zh", "target": "en"}), {"translatedText": []})

    def test_a_text_in_its_own_language_stays_as_it_is(self):
        answer = self.check(200, "POST", "/translate", {"q": TEXT, "source": "en", "target": "en"})
        self.assertEqual(answer, {"translatedText": TEXT})

    def test_languages_are_detected(self):
        answer = self.check(200, "POST", "/detect", {"q": "他喜欢书"})
        self.assertEqual(answer[0]["language"], "zh")
        self.assertEqual(answer[0]["confidence"], 50, "by its script alone it might be Japanese")

    def test_languages_are_detected_by_the_profiles_of_models_that_have_them(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        bundles = [make_bundle(os.path.join(folder, "zh-en")),
                   make_bundle(os.path.join(folder, "en-de"), "languages")]
        with Server(bundles=bundles) as server:
            for text, language in (("the lazy dog", "en"), ("der faule Hund", "de"), ("他喜欢书", "zh")):
                answer = self.check(200, "POST", "/detect", {"q": text}, server=server)
                self.assertEqual(answer[0]["language"], language, answer)
                if language == "zh":  # That model has no profile, and its script is Japanese, too.
                    self.assertEqual(answer[0]["confidence"], 50)
                else:
                    self.assertGreater(answer[0]["confidence"], 50)
                self.assertEqual({guess["language"] for guess in answer}, {"en", "de", "zh"})
            for guess in self.check(200, "POST", "/detect", {"q": "42 !"}, server=server):
                self.assertEqual(guess["confidence"], 0)
            # Tags and addresses are no words of the text; a text that is in German already stays.
            page = "<div class='the-quick-brown-fox'>Hund <a href='http://the.dog'>http://the.lazy.dog</a></div>"
            order = {"q": page, "source": "auto", "target": "de", "format": "html"}
            answer = self.check(200, "POST", "/translate", order, server=server)
            self.assertEqual(answer["translatedText"], page)
            self.assertEqual(answer["detectedLanguage"]["language"], "de")
            for target, model in (("de", "en-de"), ("en", "zh-en")):
                answer = self.check(200, "POST", "/v1/translate", {
                    "text": "the lazy dog", "source": "auto", "target": target}, server=server)
                self.assertEqual(answer["model"], model)

    def test_terms_of_a_request_come_before_those_of_the_server(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as terms:
            terms.write("ab\tfirst\ncd\tsecond\n")
            terms.flush()
            with Server("--glossary", terms.name) as server:
                answer = self.check(200, "POST", "/translate", {
                    "q": ["ab", "cd"], "source": "zh", "target": "en"}, server=server)
                self.assertEqual(answer["translatedText"], ["first", "second"])
                answer = self.check(200, "POST", "/v1/translate", {
                    "text": ["ab", "cd"], "glossary": [{"source": "ab", "target": "third"}]}, server=server)
                self.assertEqual([t["text"] for t in answer["translations"]], ["third", "second"])

    def test_html_keeps_its_tags_and_what_is_not_text(self):
        page = '<!DOCTYPE html><p class="x">ab <b>cd</b> ef &amp; gh<br></p><script>if (a < b) c();</script><img src="ij.png">'
        tags = re.findall(r"<[^>]*>", page.replace("a < b", ""))
        for path, body in (("/translate", {"q": page, "source": "zh", "target": "en", "format": "html"}),
                           ("/v1/translate", {"text": page, "format": "html"})):
            answer = self.check(200, "POST", path, body)
            text = answer.get("translatedText") or answer["translations"][0]["text"]
            self.assertIn("<script>if (a < b) c();</script>", text)
            self.assertEqual(sorted(re.findall(r"<[^>]*>", text.replace("a < b", ""))), sorted(tags))
            self.assertTrue(text.endswith('</p><script>if (a < b) c();</script><img src="ij.png">'), text)
            self.assertNotEqual(text, page)
        plain = self.check(200, "POST", "/translate", {**JSON_ORDER, "q": "http://a.b/c?d=e"})
        self.assertEqual(plain["translatedText"], "http://a.b/c?d=e")

    def test_metrics_count_batches_pieces_and_the_cache(self):
        def metrics(server):
            lines = self.check(200, "GET", "/metrics", server=server).decode().splitlines()
            return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}
        for megabytes, hits in (("1", 2), ("0", 0)):
            with Server("--cache", megabytes) as server:
                answers = [self.check(200, "POST", "/translate", JSON_ORDER, server=server) for _ in range(3)]
                self.assertEqual(answers, answers[:1] * 3)
                now = metrics(server)
                self.assertEqual(now["eatt_cache_hits_total"], hits)
                self.assertGreater(now["eatt_batch_size_count"], 0)
                self.assertGreaterEqual(now["eatt_batch_size_sum"], now["eatt_batch_size_count"])
                self.assertGreater(now['eatt_tokens_total{side="source"}'], 0)
                self.assertEqual(now['eatt_requests_total{code="200"}'], 3)
                self.assertEqual((now["eatt_queue_depth"], now["eatt_texts_running"]), (0, 0))

    def test_requests_that_name_no_beam_size_get_that_of_the_server(self):
        def answer(server, **more):
            found = self.check(200, "POST", "/v1/translate", {"text": "ab cd ef gh ij", **more}, server=server)
            return found["translations"][0]["score"]
        with Server("--beam-size", "5") as server:
            wide, greedy = answer(server), answer(server, beam_size=1)
        self.assertEqual((greedy, wide), (answer(None), answer(None, beam_size=5)))
        self.assertNotEqual(greedy, wide)

    def test_a_file_is_translated_and_can_be_fetched(self):
        answer = self.check(200, "POST", "/translate_file", *file_form(TEXT + "\n\n" + TEXT))
        url = answer["translatedFileUrl"]
        self.assertTrue(url.startswith(f"http://127.0.0.1:{self.server.port}/download_file/"), url)
        self.assertTrue(url.endswith("a_b_en.txt"), url)
        text = self.check(200, "GET", url[url.index("/download_file/"):]).decode()
        self.assertEqual(text.count("\n\n"), 1)
        self.check(404, "GET", "/download_file/nothing.txt")

    def test_v1_tells_everything_that_was_asked_for(self):
        answer = self.check(200, "POST", "/v1/translate", {
            "text": [TEXT, "gh ij"], "source": "auto", "target": "en", "n_best": 3, "beam_size": 4,
            "alignment": True, "word_scores": True, "attention": True, "energy": {"chip": "asic"}})
        self.assertEqual(len(answer["translations"]), 2)
        first = answer["translations"][0]
        self.assertEqual(first["sentences"][0]["source_words"], TEXT.split())
        self.assertEqual(len(first["alternatives"]), 2)
        maps = first["attention"]
        self.assertEqual(len(maps["weights"]), maps["layers"])
        self.assertEqual(len(maps["weights"][0]), maps["heads"])
        for row in maps["weights"][0][0]:
            self.assertEqual(len(row), len(maps["source_pieces"]))
            self.assertAlmostEqual(sum(row), 1, delta=1e-3)
        self.assertEqual(len(maps["weights"][0][0]), len(maps["target_pieces"]))
        self.assertEqual(answer["energy"]["chip"], "asic")
        self.assertIsNone(answer["energy"]["models"][0]["memory"])
        self.assertLess(answer["energy"]["accountings"]["paper"]["alignment_percent"], 100)
        self.assertGreater(answer["energy"]["operations"]["add"], 0)
        self.assertIn('eatt_energy_joules_total{source="model",chip="asic"}',
                      self.check(200, "GET", "/metrics").decode())

    def test_metrics_have_the_measured_energy_of_machines_with_a_meter(self):
        def write(name, text):
            with open(os.path.join(zone, name), "w") as file:
                file.write(text)
        with tempfile.TemporaryDirectory() as powercap:
            zone = os.path.join(powercap, "intel-rapl:0")
            os.mkdir(zone)
            for name, text in (("name", "package-0"), ("energy_uj", "1000000"),
                               ("max_energy_range_uj", "200000000000")):
                write(name, text)
            with Server(env={**os.environ, "EATT_POWERCAP": powercap}) as server:
                name = 'eatt_energy_joules_total{source="rapl",domain="package"}'
                self.assertEqual(server.metric(name), 0)
                for microjoules, joules in (("3000000", 2), ("3500000", 2.5)):
                    time.sleep(1.1)  # It reads the counters once a second at most.
                    write("energy_uj", microjoules)
                    self.assertEqual(server.metric(name), joules)
        with Server(env={**os.environ, "EATT_POWERCAP": "/nowhere"}) as server:
            self.assertIsNone(server.metric(name))

    def test_wrong_requests_get_400_and_a_sentence_that_names_what_is_wrong(self):
        right = {"q": TEXT, "source": "zh", "target": "en"}
        for change, sentence in (
                ({"q": None}, "missing q parameter"), ({"q": 5}, "q parameter is not a string"),
                ({"source": None}, "missing source parameter"), ({"target": "zz"}, "zz is not supported"),
                ({"source": "en", "target": "zh"}, "is not available as a target language"),
                ({"format": "pdf"}, "pdf format is not supported"),
                ({"alternatives": 99}, "exceeds the limit"), ({"alternatives": -1}, "not a number"),
                ({"q": ["a"] * 200}, "exceeds batch limit"), ({"q": "a" * 30000}, "exceeds text limit")):
            self.assertIn(sentence, self.check(400, "POST", "/translate", {**right, **change})["error"])
        for body, sentence in (
                ({}, "text"), ({"text": TEXT, "colour": 1}, "colour"), ({"text": 1}, "text: found 1"),
                ({"text": TEXT, "beam_size": 1000}, "beam_size"), ({"text": TEXT, "model": "x"}, "no model x"),
                ({"text": TEXT, "energy": {"chip": "z80"}}, "no chip z80"),
                ({"text": TEXT, "target": "fr"}, "No model translates"),
                ({"text": TEXT, "length_penalty": -1}, "length_penalty"),
                ({"text": TEXT, "glossary": [{"source": "a"}]}, "target"),
                ({"text": TEXT, "glossary": [{"source": " ", "target": "b"}]}, "entry 1 has no term"),
                ({"text": TEXT, "glossary": [{"source": "a", "target": "b\nc"}]}, "line break")):
            self.assertIn(sentence, self.check(400, "POST", "/v1/translate", body)["error"])
        for body in (b"{", b"[]", b'{"q": "\xff"}', b"", b'{"q":"a","q":"b"}', b"[" * 1000 + b"]" * 1000,
                     b'{"q":' * 1000):
            for path in ("/translate", "/detect", "/v1/translate"):
                self.check(400, "POST", path, body, JSON)
        self.check(400, "POST", "/detect", {})
        self.check(400, "POST", "/translate_file", "a=b",
                   {"Content-Type": "application/x-www-form-urlencoded"})

    def test_other_addresses_methods_and_media_types_get_json_errors_too(self):
        self.check(404, "GET", "/nothing")
        self.check(404, "GET", "/v1/nothing")
        self.check(404, "GET", "/../etc/passwd")
        status, fields, _ = self.server.request("GET", "/translate")
        self.assertEqual((status, fields["Allow"]), (405, "OPTIONS, POST"))
        self.check(405, "GET", "/translate")
        self.check(405, "DELETE", "/v1/models")
        self.check(405, "POST", "/")
        for path in ("/translate", "/detect", "/suggest", "/translate_file", "/v1/translate"):
            self.check(415, "POST", path, b"<q/>", {"Content-Type": "application/xml"})
        self.check(415, "POST", "/v1/translate", json.dumps({"text": TEXT}))
        self.check(403, "POST", "/suggest", {"q": "a", "s": "b"})
        self.check(400, "POST", "/suggest", b"{", JSON)

    def test_keys_are_needed_where_they_are_given_and_never_logged(self):
        with tempfile.NamedTemporaryFile("w", suffix=".keys") as keys:
            keys.write("# for the tests\nsecret-1\n\nsecret-2\n")
            keys.flush()
            with Server("--api-keys", keys.name) as server:
                order = {"q": TEXT, "source": "zh", "target": "en"}
                self.check(403, "POST", "/translate", order, server=server)
                self.check(403, "POST", "/translate", {**order, "api_key": "secret-3"}, server=server)
                self.check(200, "POST", "/translate", {**order, "api_key": "secret-2"}, server=server)
                bearer = {"Authorization": "Bearer secret-1"}
                for path, body in (("/v1/translate", {"text": TEXT}), ("/detect", {"q": TEXT}),
                                   ("/translate_file", {})):
                    self.check(403, "POST", path, body, server=server)
                self.check(200, "POST", "/v1/translate", {"text": TEXT}, bearer, server)
                self.check(403, "GET", "/metrics", server=server)
                self.check(200, "GET", "/metrics", headers=bearer, server=server)
                self.check(200, "GET", "/v1/models", server=server)
                self.assertNotIn("secret", server.log())
                self.assertNotIn(TEXT, server.log())

    def test_texts_are_logged_only_if_asked(self):
        with Server("--log-text", "--log-format", "json") as server:
            server.post("/translate", {"q": [TEXT, "gh ij"], "source": "zh", "target": "en"})
            server.wait_for_log(f" text: {TEXT} | gh ij")
            server.post("/v1/translate", {"text": ["ab", "cd"]})
            server.wait_for_log(" text: ab | cd")
            server.post("/detect", {"q": "ef gh"})
            server.wait_for_log(" text: ef gh")
            for line in server.lines:
                self.assertEqual(set(json.loads(line)), {"time", "level", "message"})

    def test_clients_that_ask_too_often_are_slowed_down(self):
        with Server("--req-limit", "2") as server:
            for expected in (200, 200, 429):
                self.check(expected, "POST", "/detect", {"q": TEXT}, server=server)
            for path in ("/translate", "/translate_file", "/suggest"):
                self.check(429, "POST", path, {"q": TEXT}, server=server) if path != "/translate_file" \
                    else self.check(429, "POST", path, "", server=server)
            self.check(429, "POST", "/v1/translate", {"text": TEXT}, server=server)
            for path in ("/metrics", "/health", "/languages", "/v1/models", "/frontend/settings", "/"):
                self.check(200, "GET", path, server=server)  # Prometheus, too, is not slowed down.

    def test_keys_cannot_be_tried_faster_than_requests_are_allowed(self):
        with tempfile.NamedTemporaryFile("w", suffix=".keys") as keys:
            keys.write("right\n")
            keys.flush()
            with Server("--api-keys", keys.name, "--req-limit", "2") as server:
                self.check(403, "POST", "/detect", {"q": TEXT, "api_key": "wrong"}, server=server)
                self.check(403, "GET", "/metrics", headers={"Authorization": "Bearer wrong"}, server=server)
                self.check(429, "POST", "/detect", {"q": TEXT, "api_key": "another"}, server=server)
                self.check(429, "GET", "/metrics", headers={"Authorization": "Bearer another"}, server=server)
                bearer = {"Authorization": "Bearer right"}  # Of its own account.
                self.check(200, "POST", "/detect", {"q": TEXT}, bearer, server)

    def test_other_sites_may_use_it_only_if_asked(self):
        status, fields, _ = self.server.request("OPTIONS", "/translate", headers={"Origin": "https://a.b"})
        self.assertEqual((status, fields["Allow"]), (204, "OPTIONS, POST"))
        self.assertIsNone(fields["Access-Control-Allow-Origin"])
        with Server("--cors", "https://a.b") as server:
            _, fields, _ = server.request("OPTIONS", "/translate")
            self.assertEqual(fields["Access-Control-Allow-Origin"], "https://a.b")
            self.assertIn("POST", fields["Access-Control-Allow-Methods"])
            self.assertEqual(server.request("GET", "/health")[1]["Access-Control-Allow-Origin"],
                             "https://a.b")
            # What never becomes a request, too: pages could not read why it was refused.
            status, fields, _ = server.request("POST", "/translate", b"a" * (2 << 20))
            self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (413, "https://a.b"))

    def test_requests_that_are_too_large_or_too_slow_are_refused(self):
        with Server("--body-limit", "2000", "--header-timeout", "0.3", "--body-timeout", "0.3") as server:
            chunked = b"Transfer-Encoding: chunked\r\n\r\n"
            long = b"a" * 20000
            for path in ("/translate", "/detect", "/suggest", "/translate_file", "/v1/translate"):
                head = b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" % path.encode()
                for expected, rest in (
                        (413, b"Content-Length: 2001\r\n\r\n"),
                        (413, b"Expect: 100-continue\r\nContent-Length: 100000000\r\n\r\n"),
                        (413, chunked + b"200\r\n" + b"a" * 512 + b"\r\n7d0\r\n" + b"a" * 2000 + b"\r\n"),
                        (431, b"X: " + long + b"\r\n\r\n"),
                        (431, chunked + b"1;" + long), (431, chunked + b"0\r\nX: " + long),
                        (408, b""), (408, b"Content-Length: 10\r\n\r\nabc"),
                        (400, b"Content-Length: 5\r\n" + chunked),
                        (400, b"Transfer-Encoding: gzip\r\n\r\n")):
                    self.check_raw(expected, path, head + rest, server)
            self.check_raw(400, "/translate", b"NONSENSE\r\n\r\n", server)
            server.wait_for_log("POST /v1/translate 413")

    def slow_bundle(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder, True)
        return make_bundle(os.path.join(folder, "slow"), "64")

    def test_work_that_takes_too_long_is_refused(self):
        with Server("--timeout", "0.001", bundles=[self.slow_bundle()]) as server:
            long_text = "ab cd ef gh. " * 500
            self.check(504, "POST", "/translate", {**JSON_ORDER, "q": long_text}, server=server)
            self.check(504, "POST", "/v1/translate", {"text": long_text}, server=server)
            self.check(504, "POST", "/translate_file", *file_form(long_text), server=server)

    def test_large_requests_that_wait_too_long_for_their_turn_are_refused(self):
        html = {**JSON_ORDER, "q": "<p>ab <b>cd</b></p>" * 50_000, "format": "html"}
        with Server("--timeout", "0.001", "--char-limit", "10000000", "--queue-limit", "1000000") as server:
            for path in ("/detect", "/suggest"):
                def refused():
                    with server.connect() as sock:
                        sock.sendall(raw_post(html))  # Takes its time on the thread of large requests.
                        time.sleep(0.05)
                        status, fields, body = server.request("POST", path, json.dumps({"q": "ab " * 2000}), JSON)
                    if status == 504:
                        self.contract.check("POST", path, status, fields, body)
                    return status == 504
                server.wait_until(refused, what=f"504 of {path}")

    def test_bodies_for_which_there_is_no_room_are_refused(self):
        with Server("--body-limit", "100000", "--bodies-limit", "100000") as server, server.connect() as holder:
            holder.sendall(b"POST /translate HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n" + b" " * 50_000)
            for path in ("/translate", "/detect", "/suggest", "/translate_file", "/v1/translate"):
                head = b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" % path.encode()
                def refused():
                    with server.connect() as sock:
                        sock.sendall(head + b"Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n")
                        response = http.client.HTTPResponse(sock)
                        if sock.recv(12, socket.MSG_PEEK) != b"HTTP/1.1 503":
                            return False
                        response.begin()
                        self.contract.check("POST", path, response.status, response.headers, response.read())
                        return True
                server.wait_until(refused, what=f"503 of {path}")

    def test_work_that_does_not_fit_is_refused_while_other_work_waits(self):
        with Server("--workers", "1", "--batch-rows", "1", "--queue-limit", "3", "--cache", "0",
                    bundles=[self.slow_bundle()]) as server:
            # More than fit, but nothing else waits: it would never fit.
            with server.connect() as sock:
                sock.sendall(raw_post({**JSON_ORDER, "q": ["ab cd ef gh ij. " * 50] * 20}))
                server.wait_until(lambda: server.metric("eatt_queue_depth") > 3)
                status, fields, _ = server.post("/translate", {**JSON_ORDER, "q": ["ab"] * 4})
                self.assertEqual((status, fields["Retry-After"]), (503, "1"))
                self.check(503, "POST", "/translate", {**JSON_ORDER, "q": ["ab"] * 4}, server=server)
                self.check(503, "POST", "/v1/translate", {"text": ["ab"] * 4}, server=server)
                self.check(503, "POST", "/translate_file", *file_form("ab\n\ncd\n\nef\n\ngh"), server=server)

    def test_a_text_of_more_lines_than_the_queue_holds_is_translated(self):
        with Server("--queue-limit", "5") as server:
            answer = self.check(200, "POST", "/translate", {**JSON_ORDER, "q": "ab\n" * 30}, server=server)
            self.assertEqual(answer["translatedText"].count("\n"), 30)

    def test_attention_is_limited_over_all_texts_of_a_request(self):
        with Server() as server:
            body = {"text": ["ab cd ef gh ij kl mn op " * 6] * 128, "attention": True}
            self.assertIn("more than", self.check(400, "POST", "/v1/translate", body, server=server)["error"])

    def test_a_glossary_makes_no_large_answer_of_a_small_request(self):
        text = "ab " * 6000
        def order(target, **more):
            return {"text": text, "glossary": [{"source": "ab", "target": target}], **more}
        with Server("--body-limit", "100000") as server:
            answer = self.check(400, "POST", "/v1/translate", order("x" * 200), server=server)
            self.assertEqual(answer["code"], "limit")
            self.assertIn("the glossary would add 1200000 bytes to the answer, more than 400000", answer["error"])
            for lines, n_best, expected in ((1500, 1, 200), (1500, 2, 400)):  # Lines that are terms only.
                body = order("x" * 200, n_best=n_best)
                self.check(expected, "POST", "/v1/translate", {**body, "text": "ab\n" * lines}, server=server)
        for entry, sentence in (({"source": "ab", "target": "x" * 201}, "at most 200 bytes"),
                                ({"source": "a" * 101, "target": "x"}, "at most 100 characters")):
            answer = self.check(400, "POST", "/v1/translate", {"text": TEXT, "glossary": [entry]})
            self.assertIn(sentence, answer["error"])

    def test_a_model_that_is_named_must_translate_into_the_target(self):
        order = {"text": TEXT, "model": "model", "source": "auto"}
        for target in ("en", "", "en-GB"):
            self.check(200, "POST", "/v1/translate", {**order, "target": target})
        answer = self.check(400, "POST", "/v1/translate", {**order, "target": "fr"})
        self.assertEqual((answer["code"], answer["error"]),
                         ("unsupported_languages", "The model model translates from zh to en"))

    def test_what_is_told_of_a_model_is_that_of_the_model_that_translated(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder, True)
        bundle = make_bundle(os.path.join(folder, "model"))
        body = {"text": TEXT, "attention": True, "energy": {"chip": "asic"}}
        with Server(bundles=[bundle]) as server:
            os.rename(bundle, bundle + ".gone")
            answer = self.check(200, "POST", "/v1/translate", body, server=server)
            self.assertGreater(answer["energy"]["operations"]["add"], 0)

    def test_a_model_that_fails_gives_500_and_the_server_goes_on(self):
        with Server(bundles=[make_bundle(os.path.join(tempfile.mkdtemp(), "brittle"), "brittle")]) as server:
            for _ in range(2):
                answer = self.check(500, "POST", "/translate", {"q": TEXT, "source": "zh", "target": "en"},
                                    server=server)
                self.assertEqual(answer["error"], "The server failed; its log says why")
                self.check(500, "POST", "/v1/translate", {"text": TEXT}, server=server)
                self.check(500, "POST", "/translate_file", *file_form(TEXT), server=server)
            server.wait_for_log("/translate: text 1: the model computed")

    def test_zzz_every_documented_error_was_produced(self):
        documented = {(path, int(status)) for path, operations in self.contract.document["paths"].items()
                      for operation in operations.values() for status in operation["responses"]}
        self.assertEqual(documented - self.contract.seen, set())
        everywhere = {int(status) for status in self.contract.document["x-everywhere"]["responses"]}
        self.assertEqual(everywhere - {status for _, status in self.contract.seen}, set())
        codes = set(self.contract.document["components"]["schemas"]["Error"]["properties"]["code"]["enum"])
        self.assertEqual((codes, self.contract.codes), (set.union(*CODES.values()),) * 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
