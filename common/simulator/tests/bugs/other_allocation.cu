// Indices that run past the end of one allocation into another.
#include "../cases.h"

__global__ void stores(int* out, long index) {
    out[index + threadIdx.x] = 7;  // bug row_of_stores: memcheck: out of bounds // bug row_of_stores: globalrace: not checked
}
static void row_of_stores() {
    int* first = device_zeros<int>(1024);
    int* second = device_zeros<int>(1024);
    stores<<<1, 32>>>(first, second - first);
}

__global__ void gathers(int* out, const int* in, const int* indices) {
    out[threadIdx.x] = in[indices[threadIdx.x]];  // bug one_lane: memcheck: out of bounds
}
static void one_lane() {
    const int* in = device_zeros<int>(1024);
    int* out = device_zeros<int>(1024);
    std::vector<int> indices(32, 3);
    indices[5] = static_cast<int>(out - in) + 9;
    gathers<<<1, 32>>>(out, in, to_device(indices));
}

// Each thread uses one of two valid pointers, and then an index runs past a third allocation.
__global__ void chooses(int* first, int* second, int* third, long index) {
    int* chosen = threadIdx.x < 16 ? first : second;
    chosen[threadIdx.x & 15] = 1;
    third[index] = 2;  // bug by_another_pointer: memcheck: out of bounds
}
static void by_another_pointer() {
    int* first = device_zeros<int>(1024);
    int* second = device_zeros<int>(1024);
    int* third = device_zeros<int>(1024);
    chooses<<<1, 32>>>(first, second, third, first - third);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"row_of_stores", row_of_stores},
                        {"one_lane", one_lane},
                        {"by_another_pointer", by_another_pointer},
                    });
}
