// Mistakes with textures and surfaces: destroyed objects, out-of-range coordinates, races.
#include "../texture_objects.h"

constexpr int kSide = 16;

// ---- objects ----

__global__ void fetch_destroyed(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);  // bug destroyed_texture: memcheck: no such texture
}
static void destroyed_texture() {
    const auto t = texture_of(resource_of(iota_array(kSide, kSide)));
    need(cudaDestroyTextureObject(t));
    fetch_destroyed<<<1, kSide>>>(device_zeros<float>(kSide), t);
}

__global__ void fetch_freed(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);  // bug freed_array: memcheck: use after free
}
static void freed_array() {
    const cudaArray_t array = iota_array(kSide, kSide);
    const auto t = texture_of(resource_of(array));
    need(cudaFreeArray(array));
    fetch_freed<<<1, kSide>>>(device_zeros<float>(kSide), t);
}

__global__ void fetch_pitched(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);  // bug freed_memory: memcheck: use after free
}
static void freed_memory() {
    float* memory = device_iota<float>(kSide);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = kSide * sizeof(float);
    const auto t = texture_of(resource);
    need(cudaFree(memory));
    fetch_pitched<<<1, kSide>>>(device_zeros<float>(kSide), t);
}

__global__ void fetch_as_volume(float* out, cudaTextureObject_t t) {
    out[threadIdx.x] = tex3D<float>(t, threadIdx.x + 0.5f, 0.5f, 0.5f);  // bug wrong_kind: memcheck: no such texture
}
static void wrong_kind() {
    fetch_as_volume<<<1, kSide>>>(device_zeros<float>(kSide), texture_of(resource_of(iota_array(kSide, kSide))));
}

__global__ void store_to_texture(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, 4 * threadIdx.x, 0);  // bug texture_for_surface: memcheck: no such surface
}
static void texture_for_surface() {
    store_to_texture<<<1, kSide>>>(texture_of(resource_of(iota_array(kSide, kSide))));
}

// ---- coordinates out of range ----

// The grid has more threads than the surface has texels.
__global__ void store_beyond(cudaSurfaceObject_t s) {
    const int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(1.0f, s, 4 * x, y);  // bug beyond_surface: memcheck: surface access out of range
}
static void beyond_surface() {
    store_beyond<<<1, dim3(32, 8)>>>(surface_of(iota_array(kSide, kSide, cudaArraySurfaceLoadStore)));
}

// The x coordinate of a surface is in bytes, but the kernel passes an element index.
__global__ void store_by_index(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, threadIdx.x, threadIdx.y);  // bug x_in_elements: memcheck: misaligned
}
static void x_in_elements() {
    store_by_index<<<1, dim3(kSide, kSide)>>>(surface_of(iota_array(kSide, kSide, cudaArraySurfaceLoadStore)));
}

// ---- texels that were never written ----

__global__ void fetch_half(float* out, cudaTextureObject_t t) {
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * blockDim.x + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);  // bug half_filled: initcheck: uninitialised texel read
}
static cudaArray_t half_filled_array() {
    const cudaArray_t array = raw_array<float>(kSide, kSide);
    const std::vector<float> texels(kSide * kSide / 2, 1.0f);
    need(cudaMemcpy2DToArray(array, 0, 0, texels.data(), kSide * 4, kSide * 4, kSide / 2, cudaMemcpyHostToDevice));
    return array;
}
static void half_filled() {
    fetch_half<<<1, dim3(kSide, kSide)>>>(device_zeros<float>(kSide * kSide), texture_of(resource_of(half_filled_array())));
}

// Only the upper half is written, but filtering at its edge also reads the row below.
__global__ void fetch_edge(float* out, cudaTextureObject_t t) {
    const int x = threadIdx.x, y = threadIdx.y;
    out[y * blockDim.x + x] = tex2D<float>(t, x + 0.5f, y + 0.75f);  // bug filtered_edge: initcheck: uninitialised texel read
}
static void filtered_edge() {
    fetch_edge<<<1, dim3(kSide, kSide / 2)>>>(device_zeros<float>(kSide * kSide),
                                              texture_of(resource_of(half_filled_array()), cudaFilterModeLinear));
}

__global__ void load_raw(float* out, cudaSurfaceObject_t s) {
    out[threadIdx.x] = surf1Dread<float>(s, 4 * threadIdx.x);  // bug raw_surface: initcheck: uninitialised texel read
}
static void raw_surface() {
    load_raw<<<1, kSide>>>(device_zeros<float>(kSide),
                           surface_of(raw_array<float>(kSide, 0, cudaArraySurfaceLoadStore)));
}

// ---- races ----

// Transposes in place, so blocks read texels that other blocks write.
__global__ void turn_in_place(cudaSurfaceObject_t s) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float mine = surf2Dread<float>(s, 4 * x, y);  // bug surface_in_place: globalrace: read after write
    surf2Dwrite(mine, s, 4 * y, x);                     // other surface_in_place
}
static void surface_in_place() {
    turn_in_place<<<dim3(2, 2), dim3(8, 8)>>>(surface_of(iota_array(kSide, kSide, cudaArraySurfaceLoadStore)));
}

int main(int argc, char** argv) {
    return run_case(argc, argv, {{"destroyed_texture", destroyed_texture}, {"freed_array", freed_array},
                                 {"freed_memory", freed_memory}, {"wrong_kind", wrong_kind},
                                 {"texture_for_surface", texture_for_surface}, {"beyond_surface", beyond_surface},
                                 {"x_in_elements", x_in_elements}, {"half_filled", half_filled},
                                 {"filtered_edge", filtered_edge}, {"raw_surface", raw_surface},
                                 {"surface_in_place", surface_in_place}});
}
