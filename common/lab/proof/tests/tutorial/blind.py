#!/usr/bin/env python3
"""Predicts the times of a held-back set of tutorial kernels, and compares them with those that blind.sh measured.

    blind.py predict SET --programs FOLDER --simulate build/bin/simulate
    blind.py record SET --times FOLDER --device "NVIDIA H200, driver 580.159.04"
    blind.py compare SET...

SET is a folder beside this file, such as second. docs/results/tutorial/SET holds predicted.json and measured.json. `predict` comes first, and its
file is committed before anybody measures: docs/guide/proof.md has the order of steps.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent
RESULTS = SOURCES.parents[4] / "docs/results/tutorial"
FACTS = ("memory_bytes", "run_bytes_read", "run_bytes_written", "resident_blocks", "rounds", "shared_bytes")


def themes(of_set):
    return sorted(source.stem for source in (SOURCES / of_set).glob("*.cu"))


def write_lines(path, objects):
    """Writes a JSON array with one object in each line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[\n" + ",\n".join(json.dumps(one) for one in objects) + "\n]\n")


def rounded(value):
    return float(f"{value:.4g}")


def predict_kernel(simulate, program, theme, name):
    """Runs one kernel at full size on the simulator and returns its prediction."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        command = [simulate, "--quiet", "--check", "none", "--threads", "1", "--time", "H200", "--json", out, program,
                   "--no-check", "--only", name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        kernels = json.loads(out.read_text())["kernels"]
    if len(kernels) != 1 or kernels[0]["launches"] != 1:
        raise RuntimeError(f"{name} is not one launch of one kernel")
    predicted = kernels[0]["predicted"]
    line = {"theme": theme, "name": name, "ms": rounded(predicted["ms"]),
            "error_band": rounded(predicted["error_band"]), "unknown": predicted["unknown"]}
    if "longest" in predicted:
        longest = predicted["longest"]
        line["binds"] = predicted["binds"]
        line["busy"] = {key: rounded(value) for key, value in longest["busy"].items()}
        line.update({fact: rounded(longest[fact]) for fact in FACTS})
    return line


def predict(words):
    """Writes predicted.json of a set."""
    jobs = []
    for theme in themes(words.set[0]):
        program = pathlib.Path(words.programs) / words.set[0] / theme
        env = os.environ | {"LD_LIBRARY_PATH": str(pathlib.Path(words.simulate).resolve().parents[1] / "lib")}
        listed = subprocess.run([program, "--list"], check=True, capture_output=True, text=True, env=env).stdout
        jobs += [(words.simulate, program, theme, name) for name in listed.split()]
    with concurrent.futures.ThreadPoolExecutor(words.parallel) as pool:
        lines = list(pool.map(lambda job: predict_kernel(*job), jobs))
    write_lines(RESULTS / words.set[0] / "predicted.json", lines)
    print(f"{len(lines)} kernels are predicted")


def record(words):
    """Writes measured.json of a set from what `blind.sh time` wrote."""
    lines = []
    for theme in themes(words.set[0]):
        for line in (pathlib.Path(words.times) / words.set[0] / f"{theme}.times").read_text().splitlines():
            if line.startswith("#"):
                continue
            name, ms, unit = line.split()
            if unit != "ms":
                raise RuntimeError(f"{theme}: {line}")
            lines.append({"theme": theme, "name": name, "ms": float(ms), "device": words.device})
    write_lines(RESULTS / words.set[0] / "measured.json", lines)
    print(f"{len(lines)} kernels are recorded")


def is_within(prediction, ms):
    return abs(prediction["ms"] / ms - 1) <= prediction["error_band"]


def compare(words):
    """Prints each kernel, and how many of a set's known kernels lie within their bands."""
    for of_set in words.set:
        measured = {(one["theme"], one["name"]): one["ms"]
                    for one in json.loads((RESULTS / of_set / "measured.json").read_text())}
        known = []
        predictions = json.loads((RESULTS / of_set / "predicted.json").read_text())
        if {(one["theme"], one["name"]) for one in predictions} != set(measured):
            sys.exit(f"{of_set}: other kernels were predicted than measured")
        for one in predictions:
            ms = measured[one["theme"], one["name"]]
            text = f"{one['theme']:11}{one['name']:30}{ms:9.5f}{one['ms']:9.5f}{one['ms'] / ms:7.2f}"
            text += f"{100 * one['error_band']:6.0f} %  {one.get('binds', ''):10}"
            if one["unknown"] or one["ms"] <= 0:
                print(text, "not known:", ", ".join(one["unknown"]))
                continue
            known.append((one, ms))
            print(text, "within" if is_within(one, ms) else "BEYOND")
        within = sum(is_within(one, ms) for one, ms in known)
        print(f"\n{of_set}: {len(measured)} kernels, {len(known)} known, {within} within their bands "
              f"({100 * within / len(known):.1f} %), median band "
              f"{100 * statistics.median(one['error_band'] for one, _ in known):.0f} %\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["predict", "record", "compare"])
    parser.add_argument("set", nargs="+")
    parser.add_argument("--programs", help="the folder that `blind.sh build` filled")
    parser.add_argument("--simulate", default="build/bin/simulate")
    parser.add_argument("--parallel", type=int, default=2, help="kernels that are predicted at a time")
    parser.add_argument("--times", help="the folder that `blind.sh time` filled")
    parser.add_argument("--device", help="the GPU, and its driver")
    words = parser.parse_args()
    {"predict": predict, "record": record, "compare": compare}[words.step](words)


if __name__ == "__main__":
    main()
