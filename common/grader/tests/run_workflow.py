#!/usr/bin/env python3
"""Runs the workflow for GitHub Actions as far as that can be done without GitHub.

Usage: run_workflow.py GRADE REPOSITORY

Each job gets a folder of its own with what the teacher's repository has, and artifacts are copied from
job to job. Building and installing is left out: the grader is there. What comes out must be the
grades that one computer gives. Ends with 77 where a YAML reader is missing.
"""

import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print("skipped: there is no YAML reader (Debian's python3-yaml)")
    sys.exit(77)

STUDENTS = {"ada": "solutions", "bob": "exercises", "zoe": "solutions"}
EXERCISES = ("02_naive", "03_tiled")


def run(command, **options):
    subprocess.run(command, check=True, **options)


class Teacher:
    """The teacher's computer: an assignment, a class, and the repository that GitHub gets."""

    def __init__(self, grade, repository, folder):
        self.grade, self.folder = grade, folder
        self.build = grade.parent.parent
        self.github = folder / "repository"
        self.github.mkdir()
        run([grade, "assignment", "new", "hw1", "--exercises", "02,03", "--folder",
             folder / "assignments"], stdout=subprocess.DEVNULL)
        for student, where in STUDENTS.items():
            for exercise in EXERCISES:
                to = self.github / "submissions" / student / exercise
                to.mkdir(parents=True)
                text = (repository / where / exercise / "kernel.cu").read_text()
                lines = [line for line in text.splitlines() if not line.lstrip().startswith("//!")]
                (to / "kernel.cu").write_text("\n".join(lines + ["// " + student, ""]))
        shutil.copytree(folder / "assignments", self.github / "assignments")
        key = self.github / "assignments/hw1/teacher/key"
        self.key = key.read_text().strip()
        key.unlink()
        for part in ("common", "course.toml", "solutions", "steps"):
            (self.github / part).symlink_to(repository / part)
        # Replaces ./learn with a script that copies the built programs instead of building them.
        learn = self.github / "learn"
        learn.write_text('#!/bin/sh\nset -eu\n[ "$*" = "grade doctor" ]\nmkdir -p build/bin\n'
                         f"cp {self.build}/bin/grade build/bin\n"
                         f"cp -r {self.build}/bin/grader build/bin\n"
                         f"cp -rP {self.build}/lib build/lib\n")
        learn.chmod(0o755)

    def workflow(self):
        file = self.folder / "grade.yml"
        run([self.grade, "export", "hw1", "--github", "--to", file, "--folder",
             self.folder / "assignments"], stdout=subprocess.DEVNULL)
        return yaml.safe_load(file.read_text())

    def grades(self):
        """As this computer gives them, without GitHub."""
        run([self.grade, "run", "hw1", "--submissions", self.github / "submissions", "--quiet",
             "--folder", self.folder / "assignments"], stdout=subprocess.DEVNULL)
        return self.folder / "assignments/hw1/teacher/results"


class Runner:
    """Runs jobs, each in a fresh folder, one after the other in the same place."""

    def __init__(self, teacher):
        self.teacher = teacher
        self.artifacts = teacher.folder / "artifacts"
        self.place = teacher.folder / "runner"
        self.tools = teacher.folder / "tools"
        self.tools.mkdir()
        # Replaces apt-get, because nothing needs to be installed.
        (self.tools / "apt-get").write_text("#!/bin/sh\nexit 0\n")
        (self.tools / "apt-get").chmod(0o755)

    def job(self, job, values):
        """Runs the steps, and returns the job's outputs."""
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        values = dict(values)
        for step in job["steps"]:
            self.step(step, values)
        outputs = job.get("outputs", {})
        return {name: self.filled(text, values) for name, text in outputs.items()}

    def step(self, step, values):
        if "run" in step:
            return self.script(step, values)
        options = {name: self.filled(str(value), values)
                   for name, value in step.get("with", {}).items()}
        action = step["uses"].split("@")[0]
        if action == "actions/checkout":
            shutil.copytree(self.teacher.github, self.place, symlinks=True, dirs_exist_ok=True)
        elif action == "actions/upload-artifact":
            self.upload(options["name"], self.place / options["path"])
        elif action == "actions/download-artifact":
            self.download(options)
        else:
            raise ValueError("an action that nobody knows: " + action)

    def script(self, step, values):
        environment = {name: self.filled(text, values)
                       for name, text in step.get("env", {}).items()}
        output = self.place / "github_output"
        # On GitHub, the runner would have checked out the course into this folder.
        environment.update(GITHUB_OUTPUT=str(output), COALESCE_COURSE=str(self.place),
                           PATH=f"{self.tools}:{os.environ['PATH']}")
        run(["sh", "-e", "-c", self.filled(step["run"], values)], cwd=self.place,
            env={**os.environ, **environment}, stdout=subprocess.DEVNULL)
        if "id" in step and output.exists():
            for line in output.read_text().splitlines():
                name, _, value = line.partition("=")
                values[f"steps.{step['id']}.outputs.{name}"] = value

    def upload(self, name, path):
        to = self.artifacts / name
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        for file in path.iterdir() if path.is_dir() else [path]:
            (shutil.copytree if file.is_dir() else shutil.copy)(file, to / file.name)

    def download(self, options):
        to = self.place / options.get("path", ".")
        pattern = options.get("pattern", options.get("name"))
        for artifact in self.artifacts.glob(pattern):
            shutil.copytree(artifact, to, dirs_exist_ok=True)

    @staticmethod
    def filled(text, values):
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda found: values[found.group(1)], text)


def main():
    grade, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="coalesce-workflow-") as folder:
        teacher = Teacher(grade, repository, pathlib.Path(folder))
        jobs = teacher.workflow()["jobs"]
        runner = Runner(teacher)
        # Ask for three chunks, because such a small class would otherwise be a single chunk.
        plan = next(step for step in jobs["plan"]["steps"] if step.get("name") == "Plan")
        plan["run"] += " --chunks 3"
        values = {"secrets.COALESCE_KEY": teacher.key, "inputs.submissions": "submissions"}
        outputs = runner.job(jobs["plan"], values)
        chunks = json.loads(outputs["matrix"])["chunk"]
        assert chunks == [1, 2, 3], chunks
        assert jobs["chunk"]["strategy"]["matrix"] == "${{ fromJSON(needs.plan.outputs.matrix) }}"
        # A merge must fail if no chunk has run.
        try:
            runner.job(jobs["merge"], values)
        except subprocess.CalledProcessError as error:
            assert error.returncode == 3, error
        else:
            raise AssertionError("merged without any result")
        for chunk in chunks:
            runner.job(jobs["chunk"], {**values, "matrix.chunk": str(chunk)})
        runner.job(jobs["merge"], values)
        there, here = runner.artifacts / "grades", teacher.grades()
        for name in ("grades.csv", "grades.json", "junit.xml", "similarity.md"):
            assert filecmp.cmp(there / name, here / name, shallow=False), name + " is another"
        print(f"{len(chunks)} chunks; the grades are those that one computer gives")


if __name__ == "__main__":
    main()
