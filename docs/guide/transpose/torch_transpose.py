"""coalesce::transpose and permute as operators of PyTorch.

    COALESCE_INCLUDE=PREFIX/include python3 torch_transpose.py     builds them and tries them

After `import torch_transpose` there are torch.ops.coalesce.transpose(x), which is x.transpose(-1, -2), and
torch.ops.coalesce.permute(x, order), both copied, in PyTorch's current stream. They have fake tensors and
gradients, and torch.compile keeps them in its graph.
"""

import os

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <coalesce/permute.cuh>

at::Tensor transpose(const at::Tensor& x) {
    TORCH_CHECK(x.dim() >= 2, "expected a matrix or a batch of matrices");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor in = x.contiguous();
    auto sizes = in.sizes().vec();
    const int64_t cols = sizes[sizes.size() - 1], rows = sizes[sizes.size() - 2];
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
    at::Tensor out = at::empty(sizes, in.options());
    coalesce::TransposeOptions options;
    options.batches = rows * cols == 0 ? 0 : in.numel() / (rows * cols);
    C10_CUDA_CHECK(coalesce::transpose_elements(out.data_ptr(), in.data_ptr(), in.element_size(),
                                                rows, cols, options,
                                                at::cuda::getCurrentCUDAStream()));
    return out;
}

at::Tensor permute(const at::Tensor& x, at::IntArrayRef order) {
    TORCH_CHECK(x.dim() == static_cast<int64_t>(order.size()), "the order must have one entry per axis");
    const c10::cuda::CUDAGuard guard(x.device());
    const at::Tensor in = x.contiguous();
    std::vector<int64_t> sizes;
    std::vector<int> axes;
    for (const int64_t axis : order) {
        axes.push_back(static_cast<int>(axis < 0 ? axis + x.dim() : axis));
        sizes.push_back(in.size(axis));
    }
    at::Tensor out = at::empty(sizes, in.options());
    C10_CUDA_CHECK(coalesce::permute_elements(out.data_ptr(), in.data_ptr(), in.element_size(),
                                              static_cast<int>(x.dim()), in.sizes().data(),
                                              axes.data(), at::cuda::getCurrentCUDAStream()));
    return out;
}

TORCH_LIBRARY(coalesce, library) {
    library.def("transpose(Tensor x) -> Tensor");
    library.def("permute(Tensor x, int[] order) -> Tensor");
}
TORCH_LIBRARY_IMPL(coalesce, CUDA, library) {
    library.impl("transpose", transpose);
    library.impl("permute", permute);
}
"""

load_inline(
    name="coalesce_operators",
    cpp_sources="",
    cuda_sources=SOURCE,
    extra_include_paths=[os.environ["COALESCE_INCLUDE"]],
    is_python_module=False,
)


@torch.library.register_fake("coalesce::transpose")
def _(x):
    return x.new_empty((*x.shape[:-2], x.shape[-1], x.shape[-2]))


@torch.library.register_fake("coalesce::permute")
def _(x, order):
    return x.new_empty([x.shape[axis] for axis in order])


def remember(ctx, inputs, output):
    order = inputs[1]
    ctx.back = sorted(range(len(order)), key=lambda k: order[k] % len(order))


torch.library.register_autograd("coalesce::transpose", lambda ctx, gradient: torch.ops.coalesce.transpose(gradient))
torch.library.register_autograd(
    "coalesce::permute",
    lambda ctx, gradient: (torch.ops.coalesce.permute(gradient, ctx.back), None),
    setup_context=remember,
)


def main():
    transpose, permute = torch.ops.coalesce.transpose, torch.ops.coalesce.permute
    for shape in [(1000, 37), (8, 64, 96), (3, 0), (5, 7, 11, 13)]:
        x = torch.randint(0, 100, shape, dtype=torch.int16, device="cuda")
        assert torch.equal(transpose(x), x.transpose(-1, -2)), shape
    for dtype in [torch.bool, torch.bfloat16, torch.float32, torch.complex128]:
        x = torch.randn(6, 5, 4, 8, device="cuda").to(dtype)
        for order in [(0, 2, 1, 3), (3, 2, 1, 0), (0, 2, 3, 1), (0, -1, 1, 2)]:
            assert torch.equal(permute(x, order), x.permute(order)), (dtype, order)
    assert torch.equal(transpose(x[:, :, 1:, ::2]), x[:, :, 1:, ::2].transpose(-1, -2))  # not a dense tensor

    x = torch.randn(4, 33, 20, device="cuda", dtype=torch.float64, requires_grad=True)
    torch.library.opcheck(transpose, (x,))
    torch.library.opcheck(permute, (x, [2, 0, 1]))
    small = torch.randn(2, 3, 4, device="cuda", dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda x: permute(transpose(x), [1, 2, 0]), (small,))

    def scores(q, k):
        return permute(q, [0, 2, 1, 3]) @ transpose(permute(k, [0, 2, 1, 3]))

    q, k = torch.randn(2, 2, 64, 4, 32, device="cuda")
    compiled = torch.compile(scores, fullgraph=True)(q, k)
    assert torch.allclose(compiled, q.permute(0, 2, 1, 3) @ k.permute(0, 2, 3, 1), atol=1e-4)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = transpose(q)
    side.synchronize()
    assert torch.equal(y, q.transpose(-1, -2))
    for wrong in [lambda: transpose(q[0, 0, 0]), lambda: permute(q, [0, 1]), lambda: permute(q, [0, 1, 2, 2])]:
        try:
            wrong()
        except RuntimeError:
            continue
        raise AssertionError("invalid arguments were accepted")
    print("right")


if __name__ == "__main__":
    main()
