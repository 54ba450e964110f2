"""PyTorch's and CuPy's times of the cases that build/bin/shapes measures.

    python3 torch_shapes.py '{"shapes": [[ELEMENT_SIZE, BATCHES, ROWS, COLS, PITCH, START], ...],
                              "permutes": [[ELEMENT_SIZE, SIZES, ORDER], ...]}'

prints a line of JSON: {"versions": "torch ...", "shapes": [{NAME: [milliseconds, those of a copy], ...}, ...],
"permutes": ...}, or {"absent": why}. The accounting is the harness's: events around one call, the L2 cache filled
with other data before each, one call that is not timed first.
"""

import json
import math
import sys

try:
    import torch
except ImportError as problem:
    print(json.dumps({"absent": f"PyTorch cannot be imported: {problem}"}))
    sys.exit()

TYPES = {1: torch.int8, 2: torch.int16, 4: torch.float32, 8: torch.int64, 16: torch.complex128}


def stopwatch():
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")

    def milliseconds(work):
        times = []
        for turn in range(13):
            flush.fill_(turn)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            work()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return sorted(times[1:])[6]

    return milliseconds


def shape_times(milliseconds, size, batches, rows, cols, pitch, start):
    memory = torch.zeros(start + batches * rows * (pitch or cols), dtype=TYPES[size], device="cuda")
    matrix = memory[start:].view(batches, rows, pitch or cols)[:, :, :cols]
    turned = torch.empty((batches, cols, rows), dtype=TYPES[size], device="cuda")
    whole = torch.empty((batches, rows, cols), dtype=TYPES[size], device="cuda")
    other = torch.empty_like(whole)
    copy = milliseconds(lambda: other.copy_(whole))
    return {
        "torch_copy": [milliseconds(lambda: turned.copy_(matrix.transpose(1, 2))), copy],
        "torch_contiguous": [milliseconds(lambda: matrix.transpose(1, 2).contiguous()), copy],
    }


def compiled_ms(milliseconds, x, order):
    """Returns the time of the Triton kernel that torch.compile generates for this shape, or None."""
    try:
        torch._dynamo.reset()  # otherwise PyTorch would stop compiling after a few shapes
        permute = torch.compile(lambda tensor: tensor.permute(order).contiguous(), dynamic=False)
        return milliseconds(lambda: permute(x))
    except Exception as problem:  # any error, because Triton may lack a compiler or not support the type
        print(f"torch.compile: {problem}", file=sys.stderr)
        return None


def permute_times(milliseconds, cupy, size, sizes, order):
    # An element size without a matching PyTorch type becomes an extra axis, which stays last.
    unit = math.gcd(size, 16)
    if unit != size:
        sizes, order = sizes + [size // unit], order + [len(sizes)]
    x = torch.zeros(sizes, dtype=TYPES[unit], device="cuda")
    other, turned = torch.empty_like(x), torch.empty([sizes[k] for k in order], dtype=TYPES[unit], device="cuda")
    times = {
        "torch_copy": [
            milliseconds(lambda: turned.copy_(x.permute(order))),
            milliseconds(lambda: other.copy_(x)),
        ]
    }
    compiled = compiled_ms(milliseconds, x, order)
    if compiled:
        times["torch_compiled"] = [compiled, times["torch_copy"][1]]
    if cupy:
        a, b, c = (cupy.from_dlpack(tensor) for tensor in (x, other, turned))
        with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
            times["cupy_copy"] = [
                milliseconds(lambda: cupy.copyto(c, a.transpose(order))),
                milliseconds(lambda: cupy.copyto(b, a)),
            ]
    return times


def main():
    if not torch.cuda.is_available():
        raise RuntimeError("it sees no GPU")
    versions = f"torch {torch.__version__}"
    try:
        import cupy

        versions += f", cupy {cupy.__version__}"
    except ImportError:
        cupy = None
    question = json.loads(sys.argv[1])
    milliseconds = stopwatch()
    answer = {"versions": versions, "shapes": [], "permutes": []}
    for case in question["shapes"]:
        answer["shapes"].append(shape_times(milliseconds, *case))
        torch.cuda.empty_cache()
    for case in question["permutes"]:
        answer["permutes"].append(permute_times(milliseconds, cupy, *case))
        torch.cuda.empty_cache()
    print(json.dumps(answer))


main()
