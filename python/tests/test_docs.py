"""Runs the examples of docs/python.md in order, and checks that every public function is documented."""

import inspect
import re

import glycine
from conftest import ROOT


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/python.md").read_text()
    scope = {}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert len(blocks) >= 4
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), scope)


def test_the_page_names_every_function_and_each_has_a_docstring():
    text = (ROOT / "docs/python.md").read_text()
    for name in glycine.__all__:
        one = getattr(glycine, name)
        assert inspect.getdoc(one), name
        if inspect.isfunction(one):
            assert f"`{name}" in text, name
            sections = re.findall(r"^(Parameters|Returns|Raises)\n-+$", inspect.getdoc(one), re.M)
            expected = ["Parameters", "Returns", "Raises"]
            assert sections == (expected if inspect.signature(one).parameters else ["Returns"]), name
            computes = one.__module__.endswith("_functions") and name not in ("backends", "bench", "nearest", "validate")
            assert not computes or re.search(r"^Sources?: ", inspect.getdoc(one), re.M), name
            for option in inspect.signature(one).parameters:
                shared = (glycine.distances, glycine.mutual_information, glycine.cross_apen, glycine.pairwise)
                described = "".join(inspect.getdoc(other) for other in (one, *shared))
                assert option in ("options", "more", "path") or re.search(rf"\b{option}\b", described), (name, option)
