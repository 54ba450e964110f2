"""run_cells.py NOTEBOOK -- runs a notebook's cells one after the other, as Jupyter would, without Jupyter.

With --syntax the cells are only read. Exit code 1 when a cell fails.
"""
import json
import sys


def code_cells(path):
    with open(path) as file:
        notebook = json.load(file)
    if notebook["nbformat"] != 4 or not notebook["cells"]:
        sys.exit(f"{path}: no notebook of format 4")
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] not in ("code", "markdown") or "id" not in cell:
            sys.exit(f"{path}: cell {number} has an unknown type")
        if cell.get("outputs"):
            sys.exit(f"{path}: cell {number} has outputs; clear them before committing")
        if cell["cell_type"] == "code":
            yield number, compile("".join(cell["source"]), f"{path}, cell {number}", "exec")


def main():
    *options, path = sys.argv[1:]
    cells = list(code_cells(path))
    names = {"__name__": "__main__"}
    for number, code in cells:
        if "--syntax" not in options:
            print(f"---- cell {number}", flush=True)
            exec(code, names)
    print(f"ok: {len(cells)} cells")


main()
