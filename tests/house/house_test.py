"""The house's rules: checked against small made-up sources that keep or break them."""

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/house"))
import arrows  # noqa: E402
import measures  # noqa: E402


class Sources(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class Functions(Sources):
    def found(self, text):
        return list(measures.functions(self.write("src/a/a.cc", text)))

    def test_a_function_is_measured_from_its_head_to_its_last_brace(self):
        body = "".join(f"  call({i});\n" for i in range(70))
        self.assertEqual(self.found(f"void long_one(int a,\n              int b) {{\n{body}}}\n"),
                         [("long_one", 1, 73, 2)])

    def test_parameters_of_templates_and_callbacks_count_once(self):
        head = "int f(std::map<int, int> a, std::function<void(int, int)> b, const X* c) {\n}\n"
        self.assertEqual(self.found(head), [("f", 1, 2, 3)])

    def test_blocks_that_are_no_functions_are_passed_over(self):
        text = "namespace a {\nstruct B {\n  int x = 0;\n};\nint c[] = {\n    1,\n};\n}  // namespace a\n"
        self.assertEqual(self.found(text), [])

    def test_members_and_constructors_are_found(self):
        text = "class A {\n  A(int x) : x_(x) {\n    go();\n  }\n  int get() const {\n    return x_;\n  }\n};\n"
        self.assertEqual([name for name, *_ in self.found(text)], ["A", "get"])


class Mechanisms(Sources):
    def test_names_and_weights_of_mechanisms_count_and_comments_do_not(self):
        self.write("src/a/enum.cc", "bool f() { return m == Mechanism::eatt; }\n")
        self.write("src/a/weight.cc", 'auto w = tensors("self_attn.q_proj.weight");\n')
        self.write("src/a/comment.cc", "// as Mechanism::eatt does\n")
        self.assertEqual([path.name for path in measures.mechanism_files(self.root)],
                         ["enum.cc", "weight.cc"])


class Types(Sources):
    def test_a_type_that_two_headers_define_is_named(self):
        self.write("src/a/a.h", "namespace eatt {\nstruct Layer {\n};\nstruct Own {\n};\n}\n")
        self.write("src/b/b.h", "namespace eatt {\nTORCH_MODULE(Layer);\n}\n")
        self.write("src/c/c.h", "namespace eatt::cli {\nstruct Layer {\n};\n}\n")
        self.assertEqual(list(measures.types_defined_twice(self.root)), [("eatt", "Layer")])


class Arrows(Sources):
    def setUp(self):
        super().setUp()
        self.write("src/layers.toml", '[low]\nwhat = "x"\nlinks = []\n'
                                      '[high]\nwhat = "y"\nlinks = ["low"]\n')
        self.write("src/low/CMakeLists.txt", "eatt_library(low SOURCES low.cc)\n")
        self.write("src/low/low.cc", "#include <vector>\n")
        self.write("src/high/CMakeLists.txt", "eatt_library(high SOURCES high.cc LINKS eatt::low)\n")
        self.write("src/high/high.cc", '#include "low/low.h"\n')

    def test_a_tree_that_keeps_its_arrows_has_no_problem(self):
        self.assertEqual(arrows.arrow_problems(self.root), [])

    def test_an_include_against_the_arrows_is_named(self):
        self.write("src/low/deep/low.cc", '#include "high/high.h"\n')
        self.assertIn("src/low/deep/low.cc includes high/", arrows.arrow_problems(self.root)[0])

    def test_a_link_line_against_the_arrows_is_named(self):
        self.write("src/low/CMakeLists.txt", "eatt_library(low SOURCES low.cc LINKS eatt::high)\n")
        self.assertIn("src/low/CMakeLists.txt links high", arrows.arrow_problems(self.root)[0])

    def test_an_arrow_that_nothing_uses_is_named(self):
        self.write("src/high/high.cc", "#include <vector>\n")
        self.assertIn("includes nothing of it", arrows.arrow_problems(self.root)[0])

    def test_a_folder_without_a_section_is_named(self):
        self.write("src/new/CMakeLists.txt", "eatt_library(new SOURCES new.cc)\n")
        self.assertIn("new must be a folder", arrows.arrow_problems(self.root)[0])

    def test_the_picture_leaves_out_arrows_that_another_path_implies(self):
        layers = {"a": {"what": "", "links": []}, "b": {"what": "", "links": ["a"]},
                  "c": {"what": "", "links": ["a", "b"]}}
        self.assertIn("  c --> b\n", arrows.picture(layers))


if __name__ == "__main__":
    unittest.main()
