// Programs that read through textures and write through surfaces.
#include "../cases.h"

#include <algorithm>
#include <cmath>

static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter,
                                      cudaTextureAddressMode mode,
                                      cudaTextureReadMode read = cudaReadModeElementType) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = description.addressMode[2] = mode;
    description.filterMode = filter;
    description.readMode = read;
    cudaTextureObject_t texture;
    need(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}
template <class T>
static cudaArray_t array_of(const std::vector<T>& data, int width, int height, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    need(cudaMallocArray(&array, &format, width, height, flags));
    need(cudaMemcpy2DToArray(array, 0, 0, data.data(), width * sizeof(T), width * sizeof(T),
                             height, cudaMemcpyHostToDevice));
    return array;
}

// clean image_enlarged_by_filtering
__global__ void enlarge(float* out, cudaTextureObject_t image, int size, float step) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < size) out[y * size + x] = tex2D<float>(image, x * step + .5f, y * step + .5f);
}
static void image_enlarged_by_filtering() {
    const int small = 8, size = 14;
    std::vector<float> image(small * small);
    for (int i = 0; i < small * small; ++i) image[i] = float(i % small + 10 * (i / small));
    cudaArray_t array = array_of(image, small, small);
    const cudaTextureObject_t texture =
        texture_of(array, cudaFilterModeLinear, cudaAddressModeClamp);
    float* out = device_zeros<float>(size * size);
    enlarge<<<dim3(1, size), 32>>>(out, texture, size, .5f);
    const auto got = to_host(out, size * size);
    for (int i = 0; i < size * size; ++i)
        expect(std::abs(got[i] - (i % size * .5f + 5.f * (i / size))) < .01f, "interpolated");
    need(cudaDestroyTextureObject(texture));
    need(cudaFreeArray(array));
}

// clean table_in_a_linear_texture
__global__ void look_up(float* out, cudaTextureObject_t table, const int* index, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 entry = tex1Dfetch<float4>(table, index[i]);
        out[i] = entry.x + entry.y * entry.z - entry.w;
    }
}
static void table_in_a_linear_texture() {
    const int entries = 40, n = 100;
    std::vector<float4> table(entries);
    for (int i = 0; i < entries; ++i) table[i] = make_float4(i, i + 1, 2, 3);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = to_device(table);
    resource.res.linear.desc = cudaCreateChannelDesc<float4>();
    resource.res.linear.sizeInBytes = entries * sizeof(float4);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    need(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    const auto index = random_numbers(n, entries);
    float* out = device_zeros<float>(n);
    look_up<<<2, 64>>>(out, texture, to_device(index), n);
    const auto got = to_host(out, n);
    for (int i = 0; i < n; ++i) expect(got[i] == 3 * index[i] - 1, "entry");
    need(cudaDestroyTextureObject(texture));
}

// clean edges_by_sobel
// Bytes are read as floats from 0 to 1. The address mode handles reads beyond the image's edges.
__global__ void sobel(float* out, cudaTextureObject_t image, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const auto at = [&](int dx, int dy) {
        return tex2D<float>(image, x + dx + .5f, y + dy + .5f);
    };
    const float gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    const float gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * width + x] = fabsf(gx) + fabsf(gy);
}
static void edges_by_sobel() {
    const int width = 30, height = 20;
    std::vector<unsigned char> image(width * height);
    for (int i = 0; i < width * height; ++i) image[i] = i % width < 15 ? 0 : 255;
    const cudaTextureObject_t texture =
        texture_of(array_of(image, width, height), cudaFilterModePoint, cudaAddressModeClamp,
                   cudaReadModeNormalizedFloat);
    float* out = device_zeros<float>(width * height);
    sobel<<<dim3(4, 3), dim3(8, 8)>>>(out, texture, width, height);
    const auto got = to_host(out, width * height);
    for (int i = 0; i < width * height; ++i)
        expect(got[i] == (i % width == 14 || i % width == 15 ? 4.f : 0.f), "edge");
}

// clean surface_written_then_sampled
__global__ void paint(cudaSurfaceObject_t surface, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) surf2Dwrite(float(x * y), surface, x * int(sizeof(float)), y);
}
__global__ void sample(float* out, cudaTextureObject_t texture, int width) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width) out[y * width + x] = tex2D<float>(texture, x + .5f, y + .5f);
}
static void surface_written_then_sampled() {
    const int width = 40, height = 9;
    cudaArray_t array = array_of(std::vector<float>(width * height), width, height,
                                 cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    need(cudaCreateSurfaceObject(&surface, &resource));
    const cudaTextureObject_t texture =
        texture_of(array, cudaFilterModePoint, cudaAddressModeClamp);
    float* out = device_zeros<float>(width * height);
    paint<<<dim3(2, height), 32>>>(surface, width, height);
    sample<<<dim3(2, height), 32>>>(out, texture, width);
    const auto got = to_host(out, width * height);
    for (int i = 0; i < width * height; ++i) expect(got[i] == (i % width) * (i / width), "value");
    need(cudaDestroySurfaceObject(surface));
}

// clean volume_along_rays
__global__ void project(float* out, cudaTextureObject_t volume, int size, int steps) {
    const int x = threadIdx.x, y = blockIdx.x;
    float sum = 0;
    for (int s = 0; s < steps; ++s)
        sum += tex3D<float>(volume, x + .5f, y + .5f, s * (size - 1.f) / (steps - 1) + .5f);
    out[y * size + x] = sum / steps;
}
static void volume_along_rays() {
    const int size = 8, steps = 15;
    std::vector<float> volume(size * size * size);
    for (int i = 0; i < size * size * size; ++i) volume[i] = float(i / (size * size));
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    need(cudaMalloc3DArray(&array, &format, make_cudaExtent(size, size, size)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(volume.data(), size * sizeof(float), size, size);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size, size, size);
    copy.kind = cudaMemcpyHostToDevice;
    need(cudaMemcpy3D(&copy));
    float* out = device_zeros<float>(size * size);
    project<<<size, size>>>(out, texture_of(array, cudaFilterModeLinear, cudaAddressModeClamp),
                            size, steps);
    for (const float v : to_host(out, size * size)) expect(std::abs(v - 3.5f) < .01f, "mean");
}

// clean gathered_neighbours
__global__ void largest_of_four(float* out, cudaTextureObject_t image, int width) {
    const int x = threadIdx.x, y = blockIdx.x;
    const float4 v = tex2Dgather<float4>(image, 2 * x + 1.f, 2 * y + 1.f, 0);
    out[y * width + x] = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}
static void gathered_neighbours() {
    const int width = 16, height = 10;
    const auto numbers = random_numbers(width * height, 1000);
    const std::vector<float> image(numbers.begin(), numbers.end());
    const cudaTextureObject_t texture =
        texture_of(array_of(image, width, height, cudaArrayTextureGather), cudaFilterModePoint,
                   cudaAddressModeClamp);
    float* out = device_zeros<float>(width * height / 4);
    largest_of_four<<<height / 2, width / 2>>>(out, texture, width / 2);
    const auto got = to_host(out, width * height / 4);
    for (int i = 0; i < width * height / 4; ++i) {
        const int x = i % (width / 2) * 2, y = i / (width / 2) * 2;
        const float want = std::max(std::max(image[y * width + x], image[y * width + x + 1]),
                                    std::max(image[(y + 1) * width + x],
                                             image[(y + 1) * width + x + 1]));
        expect(got[i] == want, "largest");
    }
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"image_enlarged_by_filtering", image_enlarged_by_filtering},
                        {"table_in_a_linear_texture", table_in_a_linear_texture},
                        {"edges_by_sobel", edges_by_sobel},
                        {"surface_written_then_sampled", surface_written_then_sampled},
                        {"volume_along_rays", volume_along_rays},
                        {"gathered_neighbours", gathered_neighbours},
                    });
}
