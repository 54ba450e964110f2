// 18_product/example.cu -- computes the distances between all towns and all shops of a map.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/18_product/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
constexpr int BLOCK = 16, EACH = 4, TILE = BLOCK * EACH;

// squares[i * shops + j] is the square of the distance between town i and shop j.
__global__ void compute_distances(int* squares, const int2* town, const int2* shop, int towns,
                                  int shops) {
    int x = threadIdx.x, y = threadIdx.y;
    int top = blockIdx.y * TILE, left = blockIdx.x * TILE;

    // A thread reads 8 places, and uses each of them four times.
    int2 from[EACH], to[EACH];
    for (int i = 0; i < EACH; i++) {
        int row = top + y + BLOCK * i, col = left + x + BLOCK * i;
        from[i] = row < towns ? town[row] : int2{};
        to[i] = col < shops ? shop[col] : int2{};
    }

    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            int row = top + y + BLOCK * i, col = left + x + BLOCK * j;
            int dx = from[i].x - to[j].x, dy = from[i].y - to[j].y;
            if (row < towns && col < shops) squares[row * shops + col] = dx * dx + dy * dy;
        }
    }
}
//! [example]

int main() {
    constexpr int towns = 150, shops = 100;
    std::vector<int2> town(towns), shop(shops);
    std::vector<int> expected(towns * shops), result(towns * shops);
    for (int i = 0; i < towns; i++) town[i] = {i * 7919 % 1000, i * 104729 % 1000};
    for (int j = 0; j < shops; j++) shop[j] = {j * 1299 % 1000, j * 15485 % 1000};
    for (int i = 0; i < towns; i++) {
        for (int j = 0; j < shops; j++) {
            int dx = town[i].x - shop[j].x, dy = town[i].y - shop[j].y;
            expected[i * shops + j] = dx * dx + dy * dy;
        }
    }

    int2 *towns_there, *shops_there;
    int* squares;
    cudaMalloc(&towns_there, towns * sizeof(int2));
    cudaMalloc(&shops_there, shops * sizeof(int2));
    cudaMalloc(&squares, towns * shops * sizeof(int));
    cudaMemcpy(towns_there, town.data(), towns * sizeof(int2), cudaMemcpyHostToDevice);
    cudaMemcpy(shops_there, shop.data(), shops * sizeof(int2), cudaMemcpyHostToDevice);

    dim3 grid((shops + TILE - 1) / TILE, (towns + TILE - 1) / TILE), block(BLOCK, BLOCK);
    compute_distances<<<grid, block>>>(squares, towns_there, shops_there, towns, shops);

    cudaError_t error =
        cudaMemcpy(result.data(), squares, towns * shops * sizeof(int), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == expected;
    std::printf("%s\n", right ? "right: all distances" : "wrong: a distance differs");
    cudaFree(towns_there);
    cudaFree(shops_there);
    cudaFree(squares);
    return right ? 0 : 1;
}
