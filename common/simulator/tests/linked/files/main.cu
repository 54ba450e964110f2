// A program of two files with relocatable device code. Each file uses definitions from the other.
// not built by clang: it has no -rdc=true
// expect: printed by main.cu
// expect: function and variable of the other file: 142
// expect: constant of the other file: 3
// expect: static names of this file: 5
// expect: pointer to a static function of the other file: -9
// expect: virtual function of the other file: 4
// expect: template of both files: 32
// expect: printed by kernels.cu
// expect: static names of the other file: 7
// expect: template and dynamic memory there: 33
// expect: function of this file, called there: 11
// expect: after copies to symbols of the other file: 1042 30
#include "../../programs/api_check.h"
#include "shared.h"

// kernels.cu also defines a static function and a static variable with these names.
static __device__ int own = 5;
static __device__ __noinline__ int get_own(const int* unused) {
    return unused ? own : 0;
}

__device__ int host_value() {
    return 11;
}

__global__ void compute(int* out) {
    const int sum = add_block_sum(1);
    if (threadIdx.x != 0) return;
    out[0] = multiply(6, 7) + offset_of_both;
    out[1] = table[2];
    out[2] = get_own(out);
    out[3] = chosen_operation(9);
    const Shape* shape = make_square();
    out[4] = shape->corners();
    delete shape;
    out[5] = sum;
    if (offset_of_both == 100) printf("printed by main.cu\n");
}

int main() {
    int *out, host[9] = {};
    need(cudaMalloc(&out, sizeof host));
    compute<<<1, 32>>>(out);
    need(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("function and variable of the other file: %d\n", host[0]);
    std::printf("constant of the other file: %d\n", host[1]);
    std::printf("static names of this file: %d\n", host[2]);
    std::printf("pointer to a static function of the other file: %d\n", host[3]);
    std::printf("virtual function of the other file: %d\n", host[4]);
    std::printf("template of both files: %d\n", host[5]);
    std::fflush(stdout);

    write_from_other_file<<<1, 32, 32 * sizeof(int)>>>(out + 6);
    need(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("static names of the other file: %d\n", host[6]);
    std::printf("template and dynamic memory there: %d\n", host[7]);
    std::printf("function of this file, called there: %d\n", host[8]);

    const int offset = 1000, numbers[4] = {10, 20, 30, 40};
    need(cudaMemcpyToSymbol(offset_of_both, &offset, sizeof offset));
    need(cudaMemcpyToSymbol(table, numbers, sizeof numbers));
    compute<<<1, 32>>>(out);
    need(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("after copies to symbols of the other file: %d %d\n", host[0], host[1]);
    need(cudaFree(out));
}
