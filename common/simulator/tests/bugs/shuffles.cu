// Shuffles that read from lanes that do not execute the shuffle.
#include "../cases.h"

__global__ void reads_upper_half(int* out) {
    int value = threadIdx.x * 3;
    if (threadIdx.x < 16) {
        value = __shfl_sync(0x0000ffff, value, threadIdx.x + 16);  // bug upper_half: synccheck: shuffle from outside
        out[threadIdx.x] = value;  // other upper_half
    }
}
static void upper_half() {
    reads_upper_half<<<1, 32>>>(device_zeros<int>(32));
}

// A butterfly sum needs a power-of-two number of lanes, but only 24 lanes take part.
__global__ void adds_24(int* out) {
    int sum = threadIdx.x;
    if (threadIdx.x < 24) {
        for (int distance = 16; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(0x00ffffff, sum, distance);  // bug butterfly_of_24: synccheck: shuffle from outside
        out[threadIdx.x] = sum;  // other butterfly_of_24
    }
}
static void butterfly_of_24() {
    adds_24<<<1, 32>>>(device_zeros<int>(32));
}

// Only lane 0 has the complete sum, but each lane adds its partial sum to the result.
__global__ void adds_results(int* out) {
    if (threadIdx.x < 16) {
        int sum = threadIdx.x;
        for (int distance = 8; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0x0000ffff, sum, distance);  // bug result_of_every_lane: synccheck: shuffle from outside
        atomicAdd(&out[threadIdx.x & 1], sum);  // other result_of_every_lane
    }
}
static void result_of_every_lane() {
    adds_results<<<1, 32>>>(device_zeros<int>(2));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"upper_half", upper_half},
                        {"butterfly_of_24", butterfly_of_24},
                        {"result_of_every_lane", result_of_every_lane},
                    });
}
