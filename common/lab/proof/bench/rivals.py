"""What a user of Python would pick for a transpose: PyTorch, CuPy, Triton.

Talks with build/bin/bench, a line of JSON for each line of JSON:

    {"do": "begin", "rows": R, "cols": C}   makes a matrix, verifies everybody: {NAME: {}} or, for
                                            who is absent, {NAME: {"skipped": why}}
    {"do": "round", "launches": N}          {NAME: [milliseconds, ...]}

The accounting is the harness's: events around one call, the L2 cache filled with other data before
each, one call that is not timed first. By hand: echo '{"do": "begin", ...}' | python3 rivals.py
"""

import json
import sys

SKIPPED = {}  # maps a rival's name to the reason why it cannot take part

try:
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("PyTorch sees no GPU")
except Exception as problem:
    torch = None
    NO_TORCH = f"PyTorch cannot be imported: {problem}".splitlines()[0]
    SKIPPED["torch_copy"] = SKIPPED["torch_contiguous"] = NO_TORCH

try:
    import cupy

    cupy.cuda.runtime.getDeviceCount()
except Exception as problem:
    cupy = None
    SKIPPED["cupy_copyto"] = f"CuPy cannot be imported: {problem}".splitlines()[0]

try:
    import triton
    import triton.language as tl
except Exception as problem:
    triton = None
    SKIPPED["triton"] = f"Triton cannot be imported: {problem}".splitlines()[0]

if torch is None:
    # CuPy and Triton use PyTorch's matrices, so they need PyTorch.
    SKIPPED.setdefault("cupy_copyto", NO_TORCH)
    SKIPPED.setdefault("triton", NO_TORCH)

if triton is not None:

    @triton.jit
    def transpose_tile(out, matrix, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
        """Transposes a tile of ROWS x COLS. Consecutive programs move down a column."""
        row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
        col = tl.program_id(1) * COLS + tl.arange(0, COLS)
        inside = (row[:, None] < rows) & (col[None, :] < cols)
        tile = tl.load(matrix + row[:, None] * cols + col[None, :], mask=inside)
        turned = (col[:, None] < cols) & (row[None, :] < rows)
        tl.store(out + col[:, None] * rows + row[None, :], tl.trans(tile), mask=turned)


class Rivals:
    """The matrices of one size, and the libraries that transpose them."""

    # Tile sizes and warp counts to try. The fastest combination is used in the benchmark.
    TRITON_TILES = [(32, 32, 4), (64, 32, 4), (64, 64, 4), (64, 64, 8), (128, 64, 8), (64, 128, 8)]
    POISON = 0xA7A7A7A7 - (1 << 32)

    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols
        self.calls, self.states = {}, {name: {"skipped": why} for name, why in SKIPPED.items()}
        if torch is None:
            return
        bits = torch.randint(-(1 << 31), (1 << 31) - 1, (rows, cols), dtype=torch.int32, device="cuda")
        self.matrix = bits.view(torch.float32)
        self.out = torch.empty((cols, rows), dtype=torch.float32, device="cuda")
        l2 = getattr(torch.cuda.get_device_properties(0), "L2_cache_size", 64 << 20)
        self.other_data = torch.zeros(max(2 * l2, 64 << 20) // 4, device="cuda")
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        self.invite("torch_copy", lambda: (lambda: self.out.copy_(self.matrix.t())))
        self.invite("torch_contiguous", lambda: (lambda: self.matrix.t().contiguous()))
        self.invite("cupy_copyto", self.cupy_call)
        self.invite("triton", self.triton_call)

    def invite(self, name, make_call):
        """Adds a rival if it is available and its output is right."""
        if name in SKIPPED:
            return
        try:
            call = make_call()
            right = self.is_right(call)
        except Exception as problem:
            self.states[name] = {"skipped": f"{type(problem).__name__}: {problem}".splitlines()[0]}
            return
        self.states[name] = {} if right else {"wrong": "its output is not the transpose"}
        if right:
            self.calls[name] = call

    def cupy_call(self):
        source, goal = cupy.from_dlpack(self.matrix), cupy.from_dlpack(self.out)
        # PyTorch and CuPy both use the null stream by default.
        return lambda: cupy.copyto(goal, source.T)

    def triton_call(self):
        def call_of(tile_rows, tile_cols, warps):
            grid = (triton.cdiv(self.rows, tile_rows), triton.cdiv(self.cols, tile_cols))
            if grid[1] > 65535:
                return None
            return lambda: transpose_tile[grid](
                self.out,
                self.matrix,
                self.rows,
                self.cols,
                ROWS=tile_rows,
                COLS=tile_cols,
                num_warps=warps,
            )

        calls = [call for call in (call_of(*tile) for tile in self.TRITON_TILES) if call]
        return min(calls, key=lambda call: sorted(self.time(call, 5))[2])

    def is_right(self, call):
        """Compares bits: NaNs must keep their payloads."""
        self.out.view(torch.int32).fill_(self.POISON)
        result = call()
        out = result if torch.is_tensor(result) else self.out
        wanted = self.matrix.view(torch.int32)
        got = out.view(torch.int32)
        # Compare in strips of rows, to avoid a temporary matrix as large as the original.
        strip = 4096
        for row in range(0, self.rows, strip):
            if not torch.equal(got[:, row : row + strip], wanted[row : row + strip].t()):
                return False
        return True

    def time(self, call, launches):
        call()
        times = []
        for _ in range(launches):
            self.other_data.sum()
            self.events[0].record()
            call()
            self.events[1].record()
            self.events[1].synchronize()
            times.append(self.events[0].elapsed_time(self.events[1]))
        return times

    def round(self, launches):
        return {name: self.time(call, launches) for name, call in self.calls.items()}


def versions():
    there = [("torch", torch), ("cupy", cupy), ("triton", triton)]
    return ", ".join(f"{name} {module.__version__}" for name, module in there if module)


def main():
    rivals = None
    # Redirect other output, so that it does not get mixed up with the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        question = json.loads(line)
        if question["do"] == "begin":
            # Free the matrices of the previous size first.
            rivals = None
            if torch is not None:
                torch.cuda.empty_cache()
            rivals = Rivals(question["rows"], question["cols"])
            answer = dict(rivals.states, versions=versions())
        else:
            answer = rivals.round(question["launches"])
        if torch is not None:
            torch.cuda.synchronize()
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
