#!/usr/bin/env python3
"""Grades a submission, and writes result.json for Classroom 50.

Usage: autograder.py [SUBMISSION]        otherwise the working folder

COALESCE_GRADE is the course's build/bin/grade; COALESCE_ASSIGNMENTS the folder that has the
assignment. Keep both where students cannot read: they hold the key. When the grader cannot work this
ends with an error and leaves no result.json, so that nobody gets a zero.
"""

import os
import pathlib
import subprocess
import sys

ASSIGNMENT = "@NAME@"
RESULT = "result.json"
HERE = pathlib.Path(__file__).resolve().parent


def main():
    grade = os.environ.get("COALESCE_GRADE", "grade")
    folder = os.environ.get("COALESCE_ASSIGNMENTS", str(HERE / "assignments"))
    submission = sys.argv[1] if len(sys.argv) > 1 else "."
    # One that was handed in would be taken for ours.
    pathlib.Path(RESULT).unlink(missing_ok=True)
    command = [grade, "student", submission, "--folder", folder, "--assignment", ASSIGNMENT]
    return subprocess.call(command + ["--format", "classroom50", "--to", RESULT])


if __name__ == "__main__":
    sys.exit(main())
