"""coalesce::transpose and permute for CuPy, and for any array that speaks DLPack, by a small shared library.

    nvcc -I PREFIX/include -Xcompiler -fPIC -shared -o libcoalesce_c.so coalesce_c.cu
    python3 cupy_transpose.py ./libcoalesce_c.so      tries it
"""

import ctypes
import sys

import cupy

library = None


def pointer(array):
    return ctypes.c_void_p(array.data.ptr)


def permuted(x, order):
    """Copies x.transpose(order) in CuPy's current stream. x may be an array of CuPy, PyTorch, JAX, ... (DLPack)."""
    x = cupy.ascontiguousarray(x if isinstance(x, cupy.ndarray) else cupy.from_dlpack(x))
    out = cupy.empty([x.shape[axis] for axis in order], x.dtype)
    sizes, axes = (ctypes.c_int64 * x.ndim)(*x.shape), (ctypes.c_int * x.ndim)(*order)
    stream = ctypes.c_void_p(cupy.cuda.get_current_stream().ptr)
    size = ctypes.c_size_t(x.itemsize)
    error = library.coalesce_permute(pointer(out), pointer(x), size, x.ndim, sizes, axes, stream)
    cupy.cuda.runtime.check_status(error)
    return out


def main():
    global library
    library = ctypes.CDLL(sys.argv[1])
    for shape, order in [((1000, 37), (1, 0)), ((8, 64, 96), (0, 2, 1)), ((3, 0), (1, 0)), ((5, 7, 4, 6), (3, 1, 2, 0))]:
        for dtype in (cupy.int8, cupy.float16, cupy.float32, cupy.complex128):
            x = cupy.arange(cupy.prod(cupy.array(shape))).reshape(shape).astype(dtype)
            assert (permuted(x, order) == x.transpose(order)).all(), (shape, order, dtype)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = cupy.arange(12000, dtype=cupy.float32).reshape(30, 20, 20)
        y = permuted(x, (2, 1, 0))
        stream.synchronize()
        assert (y == x.transpose(2, 1, 0)).all()
    try:
        permuted(cupy.zeros((1,) * 7), tuple(range(7)))
        raise AssertionError("an array with seven axes was accepted")
    except RuntimeError:
        pass
    try:
        import torch

        x = torch.arange(600, dtype=torch.int16, device="cuda").reshape(20, 30)
        assert (permuted(x, (1, 0)) == cupy.from_dlpack(x).T).all()
    except ImportError:
        print("DLPack from PyTorch: skipped, because PyTorch is not installed")
    print("right")


main()
