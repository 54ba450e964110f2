"""PyTorch's transposes of the cases that build/bin/shapes measures.

    python3 torch_shapes.py '[[ELEMENT_SIZE, BATCHES, ROWS, COLS, PITCH, START], ...]'

prints a line of JSON: {"versions": "torch ...", "cases": [{NAME: milliseconds, ...}, ...]}, or
{"absent": why}. The accounting is the harness's: events around one call, the L2 cache filled with
other data before each, one call that is not timed first.
"""

import json
import sys


def main():
    try:
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("it sees no GPU")
    except Exception as problem:
        print(json.dumps({"absent": f"PyTorch is not there: {problem}".splitlines()[0]}))
        return
    types = {1: torch.int8, 2: torch.int16, 4: torch.float32, 8: torch.int64, 16: torch.complex128}
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

    answers = []
    for size, batches, rows, cols, pitch, start in json.loads(sys.argv[1]):
        memory = torch.zeros(start + batches * rows * (pitch or cols), dtype=types[size], device="cuda")
        matrix = memory[start:].view(batches, rows, pitch or cols)[:, :, :cols]
        turned = torch.empty((batches, cols, rows), dtype=types[size], device="cuda")
        whole = torch.empty((batches, rows, cols), dtype=types[size], device="cuda")
        other = torch.empty_like(whole)
        answers.append({
            "copy": milliseconds(lambda: other.copy_(whole)),
            "torch_copy": milliseconds(lambda: turned.copy_(matrix.transpose(1, 2))),
            "torch_contiguous": milliseconds(lambda: matrix.transpose(1, 2).contiguous()),
        })
        del memory, matrix, turned, whole, other
        torch.cuda.empty_cache()
    print(json.dumps({"versions": f"torch {torch.__version__}", "cases": answers}))


main()
