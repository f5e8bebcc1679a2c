from typing import Any

version: str
build: str

class DataSet:
    """Result of `glycine.read`: genotypes, symbols or coordinates with the names of their instances."""

    shape: tuple[int, int]
    kind: str
    names: list[str]
    description: str
    notes: list[str]
    left_out: list[str]
    founders: list[bool]
    def values(self) -> Any: ...

def __getattr__(name: str) -> Any: ...
