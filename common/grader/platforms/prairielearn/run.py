#!/usr/bin/env python3
"""Grades a submission for PrairieLearn, as the entrypoint of an external grader.

It reads /grade/student and writes /grade/results/results.json, whose format is described at
https://prairielearn.readthedocs.io/en/latest/externalGrading/. The image must contain the built course;
COALESCE_GRADE is the path of its program `grade`. PrairieLearn starts the container without a network.
If the grader cannot work, this script fails and writes no results, so nobody gets a zero.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

GRADE = os.environ.get("COALESCE_GRADE", "/course/build/bin/grade")
ROOT = pathlib.Path(os.environ.get("PRAIRIELEARN_ROOT", "/grade"))
# PrairieLearn accepts results of at most 1 MB.
MOST_CHARACTERS = 20000


def main():
    results = ROOT / "results" / "results.json"
    results.unlink(missing_ok=True)
    assignments = ROOT / "tests" / "assignments"
    # The key may have become world-readable when the question was copied.
    (assignments / "@NAME@" / "teacher" / "key").chmod(0o600)
    with tempfile.TemporaryDirectory() as folder:
        command = [GRADE, "container", ROOT / "student", folder, "--assignment", "@NAME@", "--folder", assignments]
        code = subprocess.call(command)
        if code != 0:
            sys.exit(code)
        graded = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))
    tests = [
        {
            "name": test["name"],
            "points": test["score"],
            "max_points": test["max_score"],
            "message": test["headline"],
            "output": test["output"][:MOST_CHARACTERS],
        }
        for test in graded["tests"]
    ]
    score = graded["score"] / graded["max_score"]
    results.parent.mkdir(exist_ok=True)
    results.write_text(json.dumps({"gradable": True, "score": score, "tests": tests}), encoding="utf-8")


main()
