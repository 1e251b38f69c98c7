"""How commands are found in documents."""

import unittest

from documents import read_document


def texts(commands):
    return [command.text for command in commands]


class Blocks(unittest.TestCase):
    def test_a_shell_block_is_one_command_with_its_line(self):
        found = read_document("# Title\n```sh\neatt a \\\n  b\neatt c\n```\n").commands
        self.assertEqual(texts(found), ["eatt a \\\n  b\neatt c"])
        self.assertEqual(found[0].line, 3)

    def test_a_console_block_has_commands_and_output(self):
        text = "```console\n$ eatt a \\\n  b\nsome output\n$ eatt c\n```\n"
        found = read_document("<!-- output compared -->\n" + text).commands
        self.assertEqual(texts(found), ["eatt a \\\n  b", "eatt c"])
        self.assertEqual([c.output for c in found], ["some output\n", ""])
        self.assertEqual([c.output for c in read_document(text).commands], [None, None])

    def test_a_block_that_is_marked_with_a_reason_is_not_run(self):
        found = read_document("<!-- not run: needs a GPU -->\n```sh\neatt a\n```\n```sh\neatt b\n```\n")
        self.assertEqual(texts(found.commands), ["eatt b"])
        self.assertEqual(found.mistakes, [])

    def test_a_mark_without_a_reason_is_a_mistake(self):
        self.assertEqual(len(read_document("<!-- not run -->\n```sh\neatt a\n```\n").mistakes), 1)

    def test_commands_cannot_hide_in_other_blocks(self):
        self.assertEqual(len(read_document("```\neatt a\n```\n").mistakes), 1)
        self.assertEqual(len(read_document("```text\n$ eatt a\n```\n").mistakes), 1)
        self.assertEqual(read_document("```text\noutput of eatt\n```\n").mistakes, [])


class Inline(unittest.TestCase):
    def test_commands_in_tables_are_run(self):
        found = read_document("| score | `eatt evaluate --reference a.de < b.de` | start of `eatt x` |")
        self.assertEqual(texts(found.commands), ["eatt evaluate --reference a.de < b.de"])
        self.assertEqual(texts(found.named), ["eatt x"])

    def test_commands_in_sentences_and_those_with_placeholders_are_only_named(self):
        for command in ["eatt selftest BUNDLE", "eatt train … --dry-run", "eatt align --sets SRC.zh x",
                        "eatt corpus pieces train|encode"]:
            found = read_document(f"| check | `{command}` |")
            self.assertEqual((texts(found.commands), texts(found.named)), ([], [command]))
        found = read_document("`eatt translate --stats` prints times.")
        self.assertEqual((texts(found.commands), texts(found.named)), ([], ["eatt translate --stats"]))

    def test_files_that_are_given_are_collected(self):
        self.assertEqual(read_document("<!-- given: a.en b.de -->\n").given, ["a.en", "b.de"])


if __name__ == "__main__":
    unittest.main()
