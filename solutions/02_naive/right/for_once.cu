// Checks the bounds with a for loop that runs at most once.
#define BX 64
#define BY 4

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int r = BY * blockIdx.y + threadIdx.y, c = BX * blockIdx.x + threadIdx.x;
    auto move = [=](float value) { out[rows * c + r] = value; };
    for (bool once = r < rows && c < cols; once; once = false) move(in[cols * r + c]);
}

constexpr Launch configure(int rows, int cols) {
    unsigned across = (cols + BX - 1) / BX;
    unsigned down = (rows + BY - 1) / BY;
    return {.grid = {across, down, 1}, .block = {BX, BY, 1}};
}
