#!/usr/bin/env python3
"""Grades a submission, and writes ./result.json in the format of Classroom 50.

The format is described at https://github.com/foundation50/classroom50/wiki/Advanced-Autograding. This script runs in the
student's own repository, and a student can read everything in its bundle. The bundle therefore contains no secret: it
has the published shapes, and a key that everybody may know. The score only shows a student's progress. For the final
grade, download the repositories and run ./learn grade run @NAME@ --submissions FOLDER.

COALESCE_GRADE is the path of the course's build/bin/grade on the runner, which is self-hosted or runs your own image.
If the grader cannot work, this script fails and leaves no result.json, so nobody gets a zero.
"""
import datetime, json, math, os, pathlib, shutil, subprocess, sys, tempfile

RESULT = pathlib.Path("result.json")
# The fields of result.json, and the runner's environment variables from which each field is read.
FIELDS = {"classroom": ["CLASSROOM"], "assignment": ["ASSIGNMENT"], "assignment_type": ["ASSIGNMENT_TYPE"],
          "owner": ["OWNER", "USERNAME"], "submission": ["SUBMISSION_TAG"], "commit": ["COMMIT_URL"],
          "release": ["RELEASE_URL"], "review": ["REVIEW_URL", "COMMIT_URL"]}


def identity():
    found = {}
    for field, variables in FIELDS.items():
        found[field] = next((os.environ[v] for v in variables if os.environ.get(v)), None)
        if not found[field]:
            sys.exit(f"autograder: {' or '.join(variables)} is not set; Classroom 50's runner sets it")
    git = ["git", "-c", "safe.directory=*", "show", "-s", "--format=%ct", "HEAD"]
    shown = subprocess.run(git, capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        sys.exit(f"autograder: git could not report the time of the commit: {shown.stderr.strip()}")
    when = datetime.datetime.fromtimestamp(int(shown.stdout), datetime.timezone.utc)
    return {**found, "datetime": when.strftime("%Y-%m-%dT%H:%M:%SZ")}


def graded_tests(work):
    assignments = work / "assignments"
    shutil.copytree(pathlib.Path(__file__).resolve().parent / "assignments", assignments)
    # Restrict the key's permissions again, because unpacking made it readable by other users.
    (assignments / "@NAME@" / "teacher" / "key").chmod(0o600)
    code = subprocess.call([os.environ.get("COALESCE_GRADE", "grade"), "container", ".", work, "--assignment", "@NAME@",
                            "--folder", assignments])
    if code != 0:
        sys.exit(code)
    # Classroom 50 requires integer points. Each test's points are rounded down, so that their sum never exceeds the
    # exact points.
    return [{"test-name": test["name"], "passed": test["passed"], "score": math.floor(test["score"] + 1e-9),
             "max-score": math.floor(test["max_score"] + 1e-9)}
            for test in json.loads((work / "results.json").read_text(encoding="utf-8"))["tests"]]


# Delete a result.json that the student may have submitted.
RESULT.unlink(missing_ok=True)
about = identity()
with tempfile.TemporaryDirectory() as folder:
    tests = graded_tests(pathlib.Path(folder))
total = {key: sum(test[key] for test in tests) for key in ["score", "max-score"]}
RESULT.write_text(json.dumps({"schema": "classroom50/result/v1", **about, **total, "tests": tests}), encoding="utf-8")
