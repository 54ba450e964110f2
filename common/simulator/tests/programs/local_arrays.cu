// Tests arrays in local memory.
// expect: indexed by data: ok
// expect: every element size: ok
// expect: an array of structs: ok
// expect: two dimensions: ok
// expect: pointers to elements: ok
// expect: insertion sort: ok
// expect: a large array: ok
// expect: an initialised array: ok
#include "check.h"

__host__ __device__ int indexed(int i) {
    int values[16];
    for (int k = 0; k < 16; ++k) values[(k * 5 + i) % 16] = k * i;
    return values[i % 16] * 100 + values[(i * 3) % 16];
}

__host__ __device__ int sizes(int i) {
    char bytes[8];
    short shorts[8];
    long long wides[8];
    double doubles[8];
    for (int k = 0; k < 8; ++k) {
        bytes[(k + i) % 8] = static_cast<char>(k * i);
        shorts[(k + i) % 8] = static_cast<short>(k * i * 100);
        wides[(k + i) % 8] = static_cast<long long>(k * i) << 30;
        doubles[(k + i) % 8] = k * i * 0.5;
    }
    const int at = i * 7 % 8;
    return bytes[at] + shorts[at] + static_cast<int>(wides[at] >> 25) +
           static_cast<int>(doubles[at] * 2);
}

struct Item {
    short key;
    double weight;
    char tag;
};
__host__ __device__ int structs(int i) {
    Item items[6];
    for (int k = 0; k < 6; ++k) items[(k * i + k) % 6] = {static_cast<short>(k), 0, 'z'};
    for (int k = 0; k < 6; ++k)
        items[k] = {static_cast<short>(k + i), k * 0.5, static_cast<char>('a' + k)};
    const Item chosen = items[i % 6];
    return chosen.key * 1000 + static_cast<int>(chosen.weight * 10) + chosen.tag;
}

__host__ __device__ int matrix(int i) {
    int cells[5][7];
    for (int row = 0; row < 5; ++row)
        for (int col = 0; col < 7; ++col) cells[row][col] = row * 10 + col + i;
    return cells[i % 5][i % 7] * 1000 + cells[(i + 1) % 5][(i + 2) % 7];
}

__host__ __device__ __noinline__ void bump(int* value, int by) {
    *value += by;
}
__host__ __device__ int pointers(int i) {
    int values[4] = {1, 2, 3, 4};
    int* chosen = &values[i % 4];
    bump(chosen, i);
    bump(i % 2 ? &values[0] : &values[3], 100);
    return values[0] + values[1] * 3 + values[2] * 5 + values[3] * 7;
}

__host__ __device__ int sorted(int i) {
    int values[12];
    for (int k = 0; k < 12; ++k) values[k] = (k * 7 + i * 5) % 13;
    for (int k = 1; k < 12; ++k) {
        const int value = values[k];
        int at = k;
        for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
        values[at] = value;
    }
    int sum = 0;
    for (int k = 0; k < 12; ++k) sum = sum * 3 + values[k];
    return sum;
}

__host__ __device__ int large(int i) {
    int values[2000];
    for (int k = 0; k < 2000; ++k) values[k] = k ^ i;
    int at = i;
    for (int k = 0; k < 50; ++k) at = (values[at % 2000] * 5 + k) % 2000;
    return at;
}

__host__ __device__ int initialised(int i) {
    const int table[] = {31, 41, 59, 26, 53, 58, 97, 93};
    int zeros[9] = {};
    zeros[i % 9] = table[i % 8];
    return zeros[i % 9] * 10 + zeros[(i + 1) % 9];
}

template <int (*Function)(int)>
__global__ void apply(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = Function(blockIdx.x * blockDim.x + threadIdx.x);
}

template <int (*Function)(int)>
void test(const char* name) {
    DeviceArray<int> out(150);
    apply<Function><<<3, 50>>>(out);
    expect_equal(name, out.read(), for_threads<int>(150, Function));
}

int main() {
    test<indexed>("indexed by data");
    test<sizes>("every element size");
    test<structs>("an array of structs");
    test<matrix>("two dimensions");
    test<pointers>("pointers to elements");
    test<sorted>("insertion sort");
    test<large>("a large array");
    test<initialised>("an initialised array");
}
