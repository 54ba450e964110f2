// Shuffles read undefined values from lanes that do not execute them, but these are never used.
#include "../cases.h"

// clean sum_of_half_a_warp
__global__ void adds_half(int* out) {
    if (threadIdx.x < 16) {
        int sum = threadIdx.x;
        for (int distance = 8; distance > 0; distance /= 2)
            sum += __shfl_down_sync(0x0000ffff, sum, distance);
        if (threadIdx.x == 0) out[0] = sum;
    }
}
static void sum_of_half_a_warp() {
    int* out = device_zeros<int>(1);
    adds_half<<<1, 32>>>(out);
    expect(to_host(out, 1)[0] == 120, "sum");
}

// clean sum_of_any_count
__global__ void adds_some(int* out, int count) {
    const unsigned mask = __ballot_sync(~0u, threadIdx.x < count);
    if (threadIdx.x < count) {
        int sum = threadIdx.x;
        for (int distance = 16; distance > 0; distance /= 2) {
            const int other = __shfl_down_sync(mask, sum, distance);
            if (threadIdx.x + distance < count) sum += other;
        }
        out[threadIdx.x] = sum;
    }
}
static void sum_of_any_count() {
    int* out = device_zeros<int>(32);
    adds_some<<<1, 32>>>(out, 21);
    expect(to_host(out, 32)[0] == 210, "sum");
}

// clean position_of_the_largest
__global__ void finds_largest(int* out, const float* in, int n) {
    float best = -1;
    int place = -1;
    for (int i = threadIdx.x; i < n; i += 16)
        if (in[i] > best) {
            best = in[i];
            place = i;
        }
    for (int distance = 8; distance > 0; distance /= 2) {
        const float other = __shfl_down_sync(0x0000ffff, best, distance);
        const int other_place = __shfl_down_sync(0x0000ffff, place, distance);
        if (other > best) {
            best = other;
            place = other_place;
        }
    }
    if (threadIdx.x == 0) out[0] = place;
}
static void position_of_the_largest() {
    int* out = device_zeros<int>(1);
    finds_largest<<<1, 16>>>(out, device_iota<float>(100), 100);
    expect(to_host(out, 1)[0] == 99, "position");
}

// clean butterfly_of_all
__global__ void adds_all(int* out) {
    int sum = threadIdx.x;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
    out[threadIdx.x] = sum;
}
static void butterfly_of_all() {
    int* out = device_zeros<int>(32);
    adds_all<<<1, 32>>>(out);
    expect(to_host(out, 32)[31] == 496, "sum");
}

// clean written_again
__global__ void reuses_register(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x < 16) {
        value = __shfl_down_sync(0x0000ffff, value, 8);
        if (threadIdx.x >= 8) value = -1;
        out[threadIdx.x] = value;
    }
}
static void written_again() {
    int* out = device_zeros<int>(32);
    reuses_register<<<1, 32>>>(out);
    const auto all = to_host(out, 32);
    expect(all[0] == 8 && all[8] == -1, "values");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"sum_of_half_a_warp", sum_of_half_a_warp},
                        {"sum_of_any_count", sum_of_any_count},
                        {"position_of_the_largest", position_of_the_largest},
                        {"butterfly_of_all", butterfly_of_all},
                        {"written_again", written_again},
                    });
}
