"""coalesce::transpose for PyTorch: out = transposed(x), for batches of matrices of any type.

    COALESCE_INCLUDE=PREFIX/include/coalesce python3 torch_transpose.py     builds it and tries it
"""

import os

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include <coalesce/transpose.cuh>

// (..., rows, cols) to (..., cols, rows), in PyTorch's current stream.
torch::Tensor transposed(const torch::Tensor& x) {
    TORCH_CHECK(x.is_cuda() && x.dim() >= 2, "a matrix, or a batch of them, on the GPU");
    const c10::cuda::CUDAGuard guard(x.device());
    const torch::Tensor in = x.contiguous();
    auto sizes = in.sizes().vec();
    const int64_t cols = sizes[sizes.size() - 1], rows = sizes[sizes.size() - 2];
    std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
    torch::Tensor out = torch::empty(sizes, in.options());
    coalesce::TransposeOptions options;
    options.batches = rows * cols == 0 ? 0 : in.numel() / (rows * cols);
    C10_CUDA_CHECK(coalesce::transpose_elements(out.data_ptr(), in.data_ptr(), in.element_size(),
                                                rows, cols, options,
                                                at::cuda::getCurrentCUDAStream()));
    return out;
}
"""

extension = load_inline(
    name="coalesce_transpose",
    cpp_sources="torch::Tensor transposed(const torch::Tensor& x);",
    cuda_sources=SOURCE,
    functions=["transposed"],
    extra_include_paths=[os.environ["COALESCE_INCLUDE"]],
)

if __name__ == "__main__":
    for shape in [(1000, 37), (8, 64, 96), (3, 0), (5, 7, 11, 13)]:
        x = torch.randint(0, 100, shape, dtype=torch.int16, device="cuda")
        assert torch.equal(extension.transposed(x), x.transpose(-1, -2)), shape
    print("right")
