#!/usr/bin/env python3
"""Grades a submission for Autolab. The last line of the output assigns the points.

The format of the last line is described at https://docs.autolabproject.com/lab/, and that of the line before it at
https://docs.autolabproject.com/features/formatted-feedback/. The problems of the assessment must have the
names of the exercises. The image must contain the built course; COALESCE_GRADE is the path of its program
`grade`. If the grader cannot work, there is no last line with points, so nobody gets a zero.

    driver.py HANDIN      HANDIN is the submitted archive, as the assessment names it
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

GRADE = os.environ.get("COALESCE_GRADE", "/course/build/bin/grade")
ASSIGNMENTS = pathlib.Path(__file__).resolve().parent / "assignments"


def main():
    # The key may have become world-readable when the archive was unpacked.
    (ASSIGNMENTS / "@NAME@" / "teacher" / "key").chmod(0o600)
    with tempfile.TemporaryDirectory() as folder:
        command = [GRADE, "container", sys.argv[1], folder, "--assignment", "@NAME@", "--folder", ASSIGNMENTS]
        code = subprocess.call(command, stdout=subprocess.DEVNULL)
        if code != 0:
            sys.exit(code)
        graded = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))
    for test in graded["tests"]:
        print(f"{test['name']}\n{test['output']}")
    cases = {
        test["name"]: {"passed": test["passed"], **({} if test["passed"] else {"hint": test["headline"]})}
        for test in graded["tests"]
    }
    print(json.dumps({"_presentation": "semantic", "stages": ["Exercises"], "Exercises": cases}))
    print(json.dumps({"scores": {test["name"]: test["score"] for test in graded["tests"]}}))


main()
