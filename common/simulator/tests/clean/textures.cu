// Textures and surfaces as public examples use them. No check may report anything.
#include "../texture_objects.h"

constexpr int kSide = 32;

// ---- rotating an image about its centre, as in many introductions ----

__global__ void turn_picture(float* out, cudaTextureObject_t picture, float angle) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float u = x / static_cast<float>(kSide) - 0.5f, v = y / static_cast<float>(kSide) - 0.5f;
    out[y * kSide + x] = tex2D<float>(picture, u * __cosf(angle) - v * __sinf(angle) + 0.5f,
                                      v * __cosf(angle) + u * __sinf(angle) + 0.5f);
}
static void picture() {  // clean picture
    const cudaResourceDesc resource = resource_of(iota_array(kSide, kSide));
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
    how.filterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    cudaTextureObject_t t;
    need(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    float* out = device_zeros<float>(kSide * kSide);
    turn_picture<<<dim3(4, 4), dim3(8, 8)>>>(out, t, 0);
    // At the corner of a texel, filtering averages four texels.
    expect(to_host(out, 34)[33] == (0 + 1 + 32 + 33) / 4.0f, "the mean of four texels");
}

// ---- transposing through surfaces, block by block ----

__global__ void transpose(cudaSurfaceObject_t to, cudaTextureObject_t from) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    surf2Dwrite(tex2D<float>(from, x + 0.5f, y + 0.5f), to, 4 * y, x);
}
static void transposes() {  // clean transposes
    const cudaArray_t to = raw_array<float>(kSide, kSide, cudaArraySurfaceLoadStore);
    transpose<<<dim3(4, 4), dim3(8, 8)>>>(surface_of(to), texture_of(resource_of(iota_array(kSide, kSide))));
    std::vector<float> back(kSide * kSide);
    need(cudaMemcpy2DFromArray(back.data(), kSide * 4, to, 0, 0, kSide * 4, kSide, cudaMemcpyDeviceToHost));
    bool good = true;
    for (int i = 0; i < kSide * kSide; ++i) good = good && back[i] == i % kSide * kSide + i / kSide;
    expect(good, "a transposed picture");
}

// ---- a stencil without bounds checks: the boundary mode allows reads out of range ----

__global__ void blur(float* out, cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) sum += surf2Dread<float>(s, 4 * (x + dx), y + dy, cudaBoundaryModeZero);
    out[y * kSide + x] = sum;
}
static void stencil() {  // clean stencil
    float* out = device_zeros<float>(kSide * kSide);
    blur<<<1, dim3(kSide, kSide)>>>(out, surface_of(iota_array(kSide, kSide, cudaArraySurfaceLoadStore)));
    expect(to_host(out, 1)[0] == 0 + 1 + 32 + 33, "the sum at a corner");
}

// ---- filtering at texel centres: neighbours with a weight of 0 may be uninitialized ----

__global__ void at_centres(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
static void centres() {  // clean centres
    const cudaArray_t array = raw_array<float>(kSide, 2);
    const std::vector<float> row(kSide, 1);
    need(cudaMemcpy2DToArray(array, 0, 0, row.data(), kSide * 4, kSide * 4, 1, cudaMemcpyHostToDevice));
    at_centres<<<1, kSide>>>(device_zeros<float>(kSide), texture_of(resource_of(array), cudaFilterModeLinear));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {{"picture", picture}, {"transposes", transposes}, {"stencil", stencil}, {"centres", centres}});
}
