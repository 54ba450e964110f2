// expect: wrong-elements
// mistake: Two numbers are exchanged without a third variable.
// says: has just been overwritten
__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    for (int size = 2; size <= 1024; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int partner = t ^ stride;
            const bool is_ascending = (t & size) == 0;
            if (partner > t && (value[t] > value[partner]) == is_ascending) {
                value[t] = value[partner];
                value[partner] = value[t];  // here
            }
            __syncthreads();
        }
    }

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}
