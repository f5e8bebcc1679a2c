#!/usr/bin/env python3
"""Checks reports of `glycine study` against docs/study-report.schema.json.

Usage: scripts/check_study_report.py REPORT.json[.gz]...

Prints violations of the schema, and fails if there are any. Needs python3-jsonschema.
"""

import gzip
import json
import os
import sys

import jsonschema

SCHEMA = os.path.join(os.path.dirname(__file__), "..", "docs", "study-report.schema.json")


def main(paths):
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    faults = 0
    for path in paths:
        with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
            report = json.load(file)
        for error in kind(schema).iter_errors(report):
            faults += 1
            print(f"{path}: /{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
