// expect: inputs-left-out
// mistake: The offsets of the shuffles end at 8.
// says: combine only 16 lanes
__global__ void argmax(int* index, int* value, const int* in, int rows, int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    int best = -2147483647 - 1, at = cols;
    for (int col = lane; col < cols; col += 32) {
        if (in[row * cols + col] > best) {
            best = in[row * cols + col];
            at = col;
        }
    }

    for (int offset = 1; offset < 16; offset *= 2) {  // here
        const int other = __shfl_down_sync(0xffffffff, best, offset);
        const int other_at = __shfl_down_sync(0xffffffff, at, offset);
        const bool is_better = other > best || (other == best && other_at < at);
        best = is_better ? other : best;
        at = is_better ? other_at : at;
    }

    if (lane == 0) {
        index[row] = at;
        value[row] = best;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, 8)}, .block = {32, 8}};
}
