#!/usr/bin/env python3
"""Grades a submission, and writes ./result.json as Classroom 50 wants it.

It runs in the student's own repository, and whatever is in its bundle, a student can read. So there is
no secret in here: the shapes are the published ones, and the key beside this file is for everybody. The
score says how far a student is. What counts is graded by you: download the repositories, and
./learn grade run @NAME@ --submissions FOLDER.

COALESCE_GRADE is the course's build/bin/grade on the runner: a self-hosted one, or an image of yours.
When the grader cannot work this ends with an error and leaves no result.json: nobody gets a zero.
"""

import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ASSIGNMENT = "@NAME@"
RESULT = pathlib.Path("result.json")
HERE = pathlib.Path(__file__).resolve().parent
# The fields of result.json, and the runner's variable for each.
FIELDS = {
    "classroom": ["CLASSROOM"],
    "assignment": ["ASSIGNMENT"],
    "assignment_type": ["ASSIGNMENT_TYPE"],
    "owner": ["OWNER", "USERNAME"],
    "submission": ["SUBMISSION_TAG"],
    "commit": ["COMMIT_URL"],
    "release": ["RELEASE_URL"],
    "review": ["REVIEW_URL", "COMMIT_URL"],
}


def identity():
    """Whose submission this is, as the runner says; ends the program when it does not."""
    found = {}
    for field, variables in FIELDS.items():
        found[field] = next((os.environ[v] for v in variables if os.environ.get(v)), None)
        if not found[field]:
            sys.exit(f"autograder: {' or '.join(variables)} is not set; Classroom 50's runner does it")
    return found


def handed_in_at():
    """When the commit was made: grading it again later does not make it late."""
    git = ["git", "-c", "safe.directory=*", "show", "-s", "--format=%ct", "HEAD"]
    shown = subprocess.run(git, capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        sys.exit(f"autograder: git does not tell when the commit was made: {shown.stderr.strip()}")
    when = datetime.datetime.fromtimestamp(int(shown.stdout), datetime.timezone.utc)
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def judged(work):
    """Scores and tests."""
    assignments = work / "assignments"
    shutil.copytree(HERE / "assignments", assignments)
    # Restrict the key again, because unpacking made it readable by others.
    (assignments / ASSIGNMENT / "teacher" / "key").chmod(0o600)
    grade = os.environ.get("COALESCE_GRADE", "grade")
    to = work / "judged.json"
    command = [grade, "student", ".", "--folder", assignments, "--assignment", ASSIGNMENT]
    code = subprocess.call(command + ["--format", "classroom50", "--to", to])
    if code != 0:
        sys.exit(code)
    return json.loads(to.read_text(encoding="utf-8"))


def main():
    # Delete a result.json that the student may have submitted.
    RESULT.unlink(missing_ok=True)
    about = identity()
    about["datetime"] = handed_in_at()
    with tempfile.TemporaryDirectory() as work:
        result = judged(pathlib.Path(work))
    RESULT.write_text(json.dumps({"schema": result.pop("schema"), **about, **result}, indent=2) + "\n",
                      encoding="utf-8")


if __name__ == "__main__":
    main()
