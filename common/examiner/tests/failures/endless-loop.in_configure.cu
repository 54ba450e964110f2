// The function `configure` never returns.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
}

Launch configure(int rows, int cols) {
    volatile int more = 1;
    while (more) {  // here
    }
    return {.grid = {1}, .block = {32}};
}
