#!/usr/bin/env python3
"""Grades one exercise of a submission for Submitty, as a custom validator.

The validator prints one JSON object, which is described under "Python Custom Validation" at
https://submitty.org/instructor/autograding/validation. Submitty's image must contain the built course;
COALESCE_GRADE is the path of its program `grade`. If the grader cannot work, the object has the status
"failure", which Submitty treats as an error of the validator and not as a zero.

    grader.py --exercise 02_naive
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

GRADE = os.environ.get("COALESCE_GRADE", "/course/build/bin/grade")
ASSIGNMENTS = pathlib.Path(__file__).resolve().parent / "assignments"


def graded_test(exercise):
    """The result of one exercise, or a reason why there is none."""
    validation = json.loads(pathlib.Path("custom_validator_input.json").read_text(encoding="utf-8"))
    (ASSIGNMENTS / "@NAME@" / "teacher" / "key").chmod(0o600)
    with tempfile.TemporaryDirectory() as folder:
        command = [GRADE, "container", validation["testcase_prefix"], folder]
        command += ["--assignment", "@NAME@", "--folder", ASSIGNMENTS]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            return None, ended.stderr.strip()
        graded = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))
    return next(test for test in graded["tests"] if test["name"] == exercise), ""


def main():
    test, problem = graded_test(sys.argv[sys.argv.index("--exercise") + 1])
    if test is None:
        result = {"status": "failure", "message": problem}
    else:
        status = "success" if test["passed"] else "failure"
        data = {"score": test["score"] / test["max_score"], "message": test["output"], "status": status}
        result = {"status": "success", "data": data}
    print(json.dumps(result))


main()
