// Transposes a small matrix, and prints "right" or "wrong". The other file of this program also
// includes the header.
#include <coalesce/transpose.cuh>
#include <cstdio>

#if COALESCE_VERSION < 2
#    error "older than this program knows"
#endif

cudaError_t transpose_elsewhere(short* out, const short* in, int rows, int cols);

int main() {
    constexpr int rows = 3, cols = 5;
    short in[rows * cols], out[rows * cols], *once, *twice;
    for (int i = 0; i < rows * cols; ++i) in[i] = static_cast<short>(i);
    cudaMalloc(&once, sizeof in);
    cudaMalloc(&twice, sizeof out);
    cudaMemcpy(twice, in, sizeof in, cudaMemcpyHostToDevice);
    bool is_right = coalesce::transpose(once, twice, rows, cols) == cudaSuccess;
    cudaMemcpy(out, once, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < rows * cols; ++i) {
        is_right = is_right && out[i % cols * rows + i / cols] == in[i];
    }
    is_right = transpose_elsewhere(twice, once, cols, rows) == cudaSuccess && is_right;
    cudaMemcpy(out, twice, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < rows * cols; ++i) is_right = is_right && out[i] == in[i];
    cudaFree(once);
    cudaFree(twice);
    std::puts(is_right ? "right" : "wrong");
    return is_right ? 0 : 1;
}
