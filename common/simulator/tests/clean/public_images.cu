// Images and cell grids: filters, histograms, automata and ray casting.
#include "../cases.h"

#include <algorithm>
#include <cmath>

static std::vector<unsigned char> make_image(int rows, int cols, unsigned seed) {
    std::vector<unsigned char> image;
    for (const int x : random_numbers(rows * cols, 256, seed)) image.push_back(x);
    return image;
}
__host__ __device__ inline int clamped(int x, int limit) {
    return x < 0 ? 0 : x >= limit ? limit - 1 : x;
}

// clean histogram_of_each_block
__global__ void histogram(unsigned* bins, const unsigned char* image, int n) {
    __shared__ unsigned own[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) own[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[image[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        if (own[b]) atomicAdd(&bins[b], own[b]);
    }
}
static void histogram_of_each_block() {
    const auto image = make_image(60, 70, 1);
    unsigned* bins = device_zeros<unsigned>(256);
    histogram<<<5, 96>>>(bins, to_device(image), 60 * 70);
    std::vector<unsigned> want(256);
    for (const unsigned char x : image) ++want[x];
    expect(to_host(bins, 256) == want, "counts");
}

// clean histogram_of_each_thread
// Each thread has a private column of one-byte counters, so only the final sums need atomics.
__global__ void histogram_by_bytes(unsigned* bins, const unsigned char* image, int n) {
    __shared__ unsigned char counts[16][64];
    for (int b = 0; b < 16; ++b) counts[b][threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += 64) counts[image[i] >> 4][threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int k = 0; k < 64; ++k) sum += counts[threadIdx.x][(k + threadIdx.x) % 64];
        bins[threadIdx.x] = sum;
    }
}
static void histogram_of_each_thread() {
    const auto image = make_image(50, 60, 2);
    unsigned* bins = device_zeros<unsigned>(16);
    histogram_by_bytes<<<1, 64>>>(bins, to_device(image), 3000);
    std::vector<unsigned> want(16);
    for (const unsigned char x : image) ++want[x >> 4];
    expect(to_host(bins, 16) == want, "counts");
}

// clean convolution_with_halo
constexpr int kReach = 2;
__constant__ int mask[2 * kReach + 1][2 * kReach + 1];
__global__ void convolve(int* out, const unsigned char* in, int rows, int cols) {
    __shared__ int tile[8 + 2 * kReach][16 + 2 * kReach];
    for (int y = threadIdx.y; y < 8 + 2 * kReach; y += 8) {
        for (int x = threadIdx.x; x < 16 + 2 * kReach; x += 16) {
            const int row = blockIdx.y * 8 + y - kReach, col = blockIdx.x * 16 + x - kReach;
            const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
            tile[y][x] = inside ? in[row * cols + col] : 0;
        }
    }
    __syncthreads();
    const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= rows || col >= cols) return;
    int sum = 0;
    for (int y = 0; y <= 2 * kReach; ++y) {
        for (int x = 0; x <= 2 * kReach; ++x)
            sum += mask[y][x] * tile[threadIdx.y + y][threadIdx.x + x];
    }
    out[row * cols + col] = sum;
}
static void convolution_with_halo() {
    const int rows = 30, cols = 41;
    const auto in = make_image(rows, cols, 3);
    int host_mask[5][5];
    for (int i = 0; i < 25; ++i) host_mask[i / 5][i % 5] = i * 7 % 11 - 5;
    need(cudaMemcpyToSymbol(mask, host_mask, sizeof host_mask));
    int* out = device_zeros<int>(rows * cols);
    convolve<<<dim3(3, 4), dim3(16, 8)>>>(out, to_device(in), rows, cols);
    const auto host = to_host(out, rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
        int want = 0;
        for (int k = 0; k < 25; ++k) {
            const int row = i / cols + k / 5 - 2, col = i % cols + k % 5 - 2;
            if (row >= 0 && row < rows && col >= 0 && col < cols)
                want += host_mask[k / 5][k % 5] * in[row * cols + col];
        }
        expect(host[i] == want, "sum");
    }
}

// clean blur_in_two_passes
// Slides a window along each line: adds the cell that enters, and subtracts the one that leaves.
__global__ void blur_lines(int* out, const int* in, int lines, int length, int line_step,
                           int step) {
    const int line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= lines) return;
    const int* from = in + line * line_step;
    int sum = 0;
    for (int i = -3; i <= 3; ++i) sum += from[clamped(i, length) * step];
    for (int i = 0; i < length; ++i) {
        out[line * line_step + i * step] = sum;
        sum += from[clamped(i + 4, length) * step] - from[clamped(i - 3, length) * step];
    }
}
static void blur_in_two_passes() {
    const int rows = 35, cols = 50;
    const auto in = random_numbers(rows * cols, 256, 4);
    int *between = device_zeros<int>(rows * cols), *out = device_zeros<int>(rows * cols);
    blur_lines<<<1, 64>>>(between, to_device(in), rows, cols, cols, 1);
    blur_lines<<<1, 64>>>(out, between, cols, rows, 1, cols);
    const auto host = to_host(out, rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
        int want = 0;
        for (int k = 0; k < 49; ++k)
            want += in[clamped(i / cols + k / 7 - 3, rows) * cols +
                       clamped(i % cols + k % 7 - 3, cols)];
        expect(host[i] == want, "sum of the window");
    }
}

// clean median_of_nine
__device__ void order(unsigned char& a, unsigned char& b) {
    const unsigned char small = min(a, b);
    b = max(a, b);
    a = small;
}
__global__ void median_filter(unsigned char* out, const unsigned char* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col >= cols || row >= rows) return;
    unsigned char window[9];
    int count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++)
            window[count++] = in[clamped(row + dy, rows) * cols + clamped(col + dx, cols)];
    }
    for (int i = 0; i < 5; i++) {
        for (int j = i + 1; j < 9; j++) order(window[i], window[j]);
    }
    out[row * cols + col] = window[4];
}
static void median_of_nine() {
    const int rows = 33, cols = 45;
    const auto in = make_image(rows, cols, 5);
    auto* out = device_zeros<unsigned char>(rows * cols);
    median_filter<<<dim3(3, 5), dim3(16, 8)>>>(out, to_device(in), rows, cols);
    const auto host = to_host(out, rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
        unsigned char window[9];
        for (int k = 0; k < 9; ++k)
            window[k] = in[clamped(i / cols + k / 3 - 1, rows) * cols +
                           clamped(i % cols + k % 3 - 1, cols)];
        std::nth_element(window, window + 4, window + 9);
        expect(host[i] == window[4], "median");
    }
}

// clean quarter_turn_of_pixels
__global__ void rotate(uchar4* out, const uchar4* in, int rows, int cols) {
    __shared__ uchar4 tile[16][17];
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    __syncthreads();
    col = blockIdx.x * 16 + threadIdx.y;
    row = blockIdx.y * 16 + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + rows - 1 - row] = tile[threadIdx.x][threadIdx.y];
}
static void quarter_turn_of_pixels() {
    const int rows = 37, cols = 52;
    std::vector<uchar4> in(rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
        in[i].x = i;
        in[i].y = i / 256;
        in[i].z = in[i].w = i * 7;
    }
    uchar4* out = device_zeros<uchar4>(rows * cols);
    rotate<<<dim3(4, 3), dim3(16, 16)>>>(out, to_device(in), rows, cols);
    const auto host = to_host(out, rows * cols);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) {
            const uchar4 a = host[col * rows + rows - 1 - row], b = in[row * cols + col];
            expect(a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w, "pixel");
        }
    }
}

// clean game_of_life
// The board is a torus. Each block loads its cells together with a border of one cell.
__global__ void live(bool* out, const bool* in, int n) {
    __shared__ bool cells[18][18];
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256) {
        const int row = (blockIdx.y * 16 + i / 18 + n - 1) % n,
                  col = (blockIdx.x * 16 + i % 18 + n - 1) % n;
        cells[i / 18][i % 18] = in[row * n + col];
    }
    __syncthreads();
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    int neighbours = -cells[y][x];
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) neighbours += cells[y + dy][x + dx];
    }
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    out[row * n + col] = neighbours == 3 || (neighbours == 2 && cells[y][x]);
}
static void game_of_life() {
    const int n = 48, rounds = 8;
    std::vector<char> cells(n * n), next(n * n);
    const auto numbers = random_numbers(n * n, 3, 6);
    for (int i = 0; i < n * n; ++i) cells[i] = numbers[i] == 0;
    bool *a = device_zeros<bool>(n * n), *b = device_zeros<bool>(n * n);
    need(cudaMemcpy(a, cells.data(), n * n, cudaMemcpyHostToDevice));
    for (int round = 0; round < rounds; ++round) {
        live<<<dim3(3, 3), dim3(16, 16)>>>(b, a, n);
        std::swap(a, b);
        for (int i = 0; i < n * n; ++i) {
            int around = -cells[i];
            for (int k = 0; k < 9; ++k)
                around += cells[(i / n + k / 3 + n - 1) % n * n + (i % n + k % 3 + n - 1) % n];
            next[i] = around == 3 || (around == 2 && cells[i]);
        }
        std::swap(cells, next);
    }
    std::vector<char> host(n * n);
    need(cudaMemcpy(host.data(), a, n * n, cudaMemcpyDeviceToHost));
    expect(host == cells, "cells");
}

// clean heat_of_a_plate
__global__ void spread_heat(float* out, const float* in, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    const int i = row * cols + col;
    if (row == 0 || col == 0 || row == rows - 1 || col == cols - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = 0.25f * ((in[i - 1] + in[i + 1]) + (in[i - cols] + in[i + cols]));
}
static void heat_of_a_plate() {
    const int rows = 30, cols = 44;
    std::vector<float> now(rows * cols), next;
    for (int col = 0; col < cols; ++col) now[col] = 100;
    float *a = to_device(now), *b = device_zeros<float>(rows * cols);
    next = now;
    for (int round = 0; round < 20; ++round, std::swap(a, b), std::swap(now, next)) {
        spread_heat<<<dim3(2, 8), dim3(32, 4)>>>(b, a, rows, cols);
        for (int i = cols; i < (rows - 1) * cols; ++i) {
            if (i % cols > 0 && i % cols < cols - 1)
                next[i] = 0.25f * ((now[i - 1] + now[i + 1]) + (now[i - cols] + now[i + cols]));
        }
    }
    const auto host = to_host(a, rows * cols);
    for (int i = 0; i < rows * cols; ++i) expect(std::abs(host[i] - now[i]) < 1e-4f, "temperature");
}

// clean mandelbrot
// Uses fixed-point arithmetic, so that host and device agree exactly.
__host__ __device__ inline int escape_time(int cx, int cy, int limit) {
    long long x = 0, y = 0;
    int steps = 0;
    for (; steps < limit; ++steps) {
        const long long xx = x * x >> 12, yy = y * y >> 12;
        if (xx + yy > 4 << 12) break;
        y = (2 * x * y >> 12) + cy;
        x = xx - yy + cx;
    }
    return steps;
}
__global__ void draw(unsigned char* image, int rows, int cols, int limit) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x,
              row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)
        image[row * cols + col] = escape_time(col * 200 - 8192, row * 250 - 4096, limit);
}
static void mandelbrot() {
    const int rows = 32, cols = 60;
    auto* image = device_zeros<unsigned char>(rows * cols);
    draw<<<dim3(4, 4), dim3(16, 8)>>>(image, rows, cols, 60);
    const auto host = to_host(image, rows * cols);
    for (int i = 0; i < rows * cols; ++i)
        expect(host[i] == escape_time(i % cols * 200 - 8192, i / cols * 250 - 4096, 60), "steps");
}

// clean integral_image
__global__ void sum_rows(int* out, const unsigned char* in, int cols) {
    __shared__ int row[128];
    const int t = threadIdx.x;
    row[t] = t < cols ? in[blockIdx.x * cols + t] : 0;
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        const int left = t >= by ? row[t - by] : 0;
        __syncthreads();
        row[t] += left;
        __syncthreads();
    }
    if (t < cols) out[blockIdx.x * cols + t] = row[t];
}
__global__ void sum_cols(int* image, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col >= cols) return;
    for (int row = 1; row < rows; ++row) image[row * cols + col] += image[(row - 1) * cols + col];
}
static void integral_image() {
    const int rows = 40, cols = 90;
    const auto in = make_image(rows, cols, 7);
    int* out = device_zeros<int>(rows * cols);
    sum_rows<<<rows, 128>>>(out, to_device(in), cols);
    sum_cols<<<3, 32>>>(out, rows, cols);
    std::vector<int> want(in.begin(), in.end());
    for (int row = 0; row < rows; ++row) {
        for (int col = 1; col < cols; ++col) want[row * cols + col] += want[row * cols + col - 1];
    }
    for (int i = cols; i < rows * cols; ++i) want[i] += want[i - cols];
    expect(to_host(out, rows * cols) == want, "sums");
}

// clean rays_and_spheres
struct Sphere {
    float x, y, z, radius;
    short colour;
    __host__ __device__ bool hit(float ox, float oy, float* depth) const {
        const float dx = ox - x, dy = oy - y;
        const float left = radius * radius - (dx * dx + dy * dy);
        if (left <= 0) return false;
        *depth = left + z * 1024;
        return true;
    }
};
__constant__ Sphere spheres[12];
__global__ void trace(short* image, int size) {
    const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x >= size || y >= size) return;
    short colour = 0;
    float nearest = -1e20f;
    for (int i = 0; i < 12; i++) {
        float depth;
        if (spheres[i].hit(x - size / 2, y - size / 2, &depth) && depth > nearest) {
            nearest = depth;
            colour = spheres[i].colour;
        }
    }
    image[y * size + x] = colour;
}
static void rays_and_spheres() {
    const int size = 50;
    Sphere host_spheres[12];
    const auto numbers = random_numbers(48, 40, 8);
    for (int i = 0; i < 12; ++i) {
        host_spheres[i] = {numbers[4 * i] - 20.f, numbers[4 * i + 1] - 20.f,
                           numbers[4 * i + 2] * 1.f, 3.f + numbers[4 * i + 3] / 4,
                           static_cast<short>(i + 1)};
    }
    need(cudaMemcpyToSymbol(spheres, host_spheres, sizeof host_spheres));
    short* image = device_zeros<short>(size * size);
    trace<<<dim3(4, 7), dim3(16, 8)>>>(image, size);
    const auto host = to_host(image, size * size);
    for (int i = 0; i < size * size; ++i) {
        short want = 0;
        float nearest = -1e20f, depth = 0;
        for (const Sphere& sphere : host_spheres) {
            if (!sphere.hit(i % size - 25, i / size - 25, &depth) || depth <= nearest) continue;
            nearest = depth;
            want = sphere.colour;
        }
        expect(host[i] == want, "colour");
    }
}

// clean nearest_seeds_by_jumps
// Jump flooding: each pixel adopts the nearest seed that it or a pixel `jump` away knows.
__global__ void flood(int* out, const int* in, int size, int jump) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size) return;
    int best = -1, best_distance = 1 << 30;
    for (int dy = -jump; dy <= jump; dy += jump) {
        for (int dx = -jump; dx <= jump; dx += jump) {
            if (x + dx < 0 || x + dx >= size || y + dy < 0 || y + dy >= size) continue;
            const int seed = in[(y + dy) * size + x + dx];
            if (seed < 0) continue;
            const int sx = seed % size - x, sy = seed / size - y, distance = sx * sx + sy * sy;
            if (distance < best_distance || (distance == best_distance && seed < best)) {
                best = seed;
                best_distance = distance;
            }
        }
    }
    out[y * size + x] = best;
}
static void nearest_seeds_by_jumps() {
    const int size = 32;
    std::vector<int> now(size * size, -1), next(size * size);
    for (const int at : random_numbers(9, size * size, 9)) now[at] = at;
    int *a = to_device(now), *b = device_zeros<int>(size * size);
    for (int jump = size / 2; jump > 0; jump /= 2, std::swap(a, b), std::swap(now, next)) {
        flood<<<dim3(2, 4), dim3(16, 8)>>>(b, a, size, jump);
        for (int i = 0; i < size * size; ++i) {
            std::pair<int, int> best{1 << 30, -1};
            for (int k = 0; k < 9; ++k) {
                const int x = i % size + (k % 3 - 1) * jump, y = i / size + (k / 3 - 1) * jump;
                if (x < 0 || x >= size || y < 0 || y >= size || now[y * size + x] < 0) continue;
                const int seed = now[y * size + x], sx = seed % size - i % size,
                          sy = seed / size - i / size;
                best = std::min(best, {sx * sx + sy * sy, seed});
            }
            next[i] = best.second;
        }
    }
    expect(to_host(a, size * size) == now, "seeds");
    expect(std::count(now.begin(), now.end(), -1) == 0, "all have one");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"histogram_of_each_block", histogram_of_each_block},
                        {"histogram_of_each_thread", histogram_of_each_thread},
                        {"convolution_with_halo", convolution_with_halo},
                        {"blur_in_two_passes", blur_in_two_passes},
                        {"median_of_nine", median_of_nine},
                        {"quarter_turn_of_pixels", quarter_turn_of_pixels},
                        {"game_of_life", game_of_life},
                        {"heat_of_a_plate", heat_of_a_plate},
                        {"mandelbrot", mandelbrot},
                        {"integral_image", integral_image},
                        {"rays_and_spheres", rays_and_spheres},
                        {"nearest_seeds_by_jumps", nearest_seeds_by_jumps},
                    });
}
