// Tests texture fetches: geometries, address modes, filters, read modes, gathers, levels, queries.
// The expected results come from loops that follow the CUDA guide's appendix on texture fetching.
// The weights of linear filtering follow measurements on an H100 (texture_filter.cu).
// nvcc: --extended-lambda
// expect: tex1Dfetch of linear memory, beyond its ends too: ok
// expect: tex1D of an array, points: ok
// expect: tex1D, linear: ok
// expect: address modes, points: ok
// expect: address modes, linear: ok
// expect: tex2D of pitched memory: ok
// expect: tex2D of bytes as floats: ok
// expect: tex2D of signed shorts as floats: ok
// expect: tex2D of four bytes: ok
// expect: tex2D of halves: ok
// expect: tex3D, linear: ok
// expect: layers of 1D: ok
// expect: layers of 2D: ok
// expect: cubemap: ok
// expect: layers of cubemaps: ok
// expect: gather: ok
// expect: levels: ok
// expect: between levels: ok
// expect: gradients: ok
// expect: integers of each width: ok
// expect: texels apart from the coordinates: ok
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "check.h"

// ---- objects ----

template <class T>
cudaArray_t array_of(const std::vector<T>& texels, size_t width, size_t height, size_t depth, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const cudaExtent extent = make_cudaExtent(width, height, depth);
    cudaArray_t array;
    MUST(cudaMalloc3DArray(&array, &format, extent, flags));
    cudaMemcpy3DParms copy = {};
    const size_t rows = height ? height : 1;
    copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(texels.data()), width * sizeof(T), width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    return array;
}

cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

cudaTextureDesc how_to(cudaTextureFilterMode filter, cudaTextureAddressMode mode, bool normalized,
                       cudaTextureReadMode read = cudaReadModeElementType) {
    cudaTextureDesc how = {};
    for (auto& each : how.addressMode) each = mode;
    how.filterMode = filter;
    how.readMode = read;
    how.normalizedCoords = normalized;
    return how;
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, const cudaTextureDesc& how) {
    cudaTextureObject_t texture;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

struct Point {
    float x, y, z;
    int layer;
};

template <class T, class Fetch>
__global__ void fetch_all(T* out, const Point* points, int count, Fetch fetch) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = fetch(points[i]);
}

template <class T, class Fetch>
std::vector<T> fetched(const std::vector<Point>& points, Fetch fetch) {
    const int count = static_cast<int>(points.size());
    const DeviceArray<Point> where(points);
    const DeviceArray<T> out(points.size());
    fetch_all<<<(count + 63) / 64, 64>>>(static_cast<T*>(out), static_cast<const Point*>(where), count, fetch);
    MUST(cudaGetLastError());
    return out.read();
}

// ---- expected results ----

std::mt19937 chance(7);
float between(float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(chance);
}

std::vector<float> random_floats(size_t count) {
    std::vector<float> values(count);
    for (float& v : values) v = between(-8, 8);
    return values;
}

/// Returns coordinates with so few bits that products with a size, and their floors, are exact.
std::vector<Point> random_points(int count, float low, float high) {
    std::vector<Point> points(count);
    const auto coarse = [&] { return std::floor(between(low, high) * 4096) / 4096 + 1.0f / 16384; };
    for (Point& p : points) p = {coarse(), coarse(), coarse(), static_cast<int>(chance() % 9) - 1};
    return points;
}

int place(int i, int n, cudaTextureAddressMode mode) {
    if (mode == cudaAddressModeClamp) return i < 0 ? 0 : i >= n ? n - 1 : i;
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    if (mode == cudaAddressModeWrap) {
        while (i < 0) i += n;
        return i % n;
    }
    while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

struct Grid {
    const std::vector<float>* texels;
    int size[3];
    int dimensions;
    cudaTextureAddressMode mode;
    bool linear;

    float texel(const int* at) const {
        int index = 0;
        for (int d = dimensions - 1; d >= 0; --d) {
            const int i = place(at[d], size[d], mode);
            if (i < 0) return 0;
            index = index * size[d] + i;
        }
        return (*texels)[index];
    }
    /// Returns a corner's weight in 256ths. The total is split along z, then x, then y. Each split
    /// rounds one share to nearest and gives the rest to the other share. Along x, the right share
    /// is rounded. Along y, it is the lower share of the right half, and the upper of the left half.
    static double weight(int corner, const double* upper) {
        const bool is_right = corner & 1, is_below = corner & 2, is_behind = corner & 4;
        const double slice = is_behind ? upper[2] : 256 - upper[2];
        const double right = std::floor(slice * upper[0] / 256 + 0.5);
        const double column = is_right ? right : slice - right;
        const double first = std::floor(column * (is_right ? upper[1] : 256 - upper[1]) / 256 + 0.5);
        return is_right == is_below ? first : column - first;
    }
    /// Returns the texture's value at `x`, which is in units of texels.
    double at(const double* x) const {
        int low[3] = {};
        double upper[3] = {};
        for (int d = 0; d < dimensions; ++d) {
            const double place = linear ? std::floor((x[d] - 0.5) * 256 + 0.5) / 256 : std::floor(x[d]);
            low[d] = static_cast<int>(std::floor(place));
            upper[d] = 256 * (place - low[d]);
        }
        double sum = 0;
        for (int corner = 0; corner < 1 << dimensions; ++corner) {
            int i[3];
            for (int d = 0; d < dimensions; ++d) i[d] = low[d] + (corner >> d & 1);
            sum += weight(corner, upper) / 256 * texel(i);
        }
        return sum;
    }
};

template <class A, class B>
void expect_near(const char* name, const std::vector<A>& got, const std::vector<B>& wanted) {
    for (size_t i = 0; i < got.size(); ++i) {
        const double difference = std::fabs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
        if (difference <= 1e-5 * (1 + std::fabs(static_cast<double>(wanted[i])))) continue;
        std::printf("%s: [%zu] is %g, expected %g\n", name, i, static_cast<double>(got[i]),
                    static_cast<double>(wanted[i]));
        return;
    }
    std::printf("%s: %s\n", name, got.size() == wanted.size() && !got.empty() ? "ok" : "sizes differ");
}

std::vector<double> answers(const std::vector<Point>& points, const std::function<double(const Point&)>& answer) {
    std::vector<double> all;
    for (const Point& p : points) all.push_back(answer(p));
    return all;
}

// ---- one dimension ----

void linear_memory() {
    const std::vector<float> texels = random_floats(100);
    const DeviceArray<float> memory(texels);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = texels.size() * sizeof(float);
    const auto t = texture_of(resource, how_to(cudaFilterModePoint, cudaAddressModeClamp, false));
    std::vector<Point> points;
    for (int i = -3; i < 104; ++i) points.push_back({0, 0, 0, i});
    expect_near("tex1Dfetch of linear memory, beyond its ends too",
                fetched<float>(points, [=] __device__(Point p) { return tex1Dfetch<float>(t, p.layer); }),
                answers(points, [&](const Point& p) {
                    return p.layer < 0 || p.layer >= 100 ? 0.0 : double{texels[p.layer]};
                }));
    MUST(cudaDestroyTextureObject(t));
}

void one_dimension() {
    constexpr int kSize = 37;
    const std::vector<float> texels = random_floats(kSize);
    const cudaArray_t array = array_of(texels, kSize, 0, 0);
    for (const bool linear : {false, true}) {
        const auto t = texture_of(resource_of(array), how_to(linear ? cudaFilterModeLinear : cudaFilterModePoint,
                                                             cudaAddressModeClamp, false));
        const Grid grid{&texels, {kSize}, 1, cudaAddressModeClamp, linear};
        const auto points = random_points(500, -3, kSize + 3);
        expect_near(linear ? "tex1D, linear" : "tex1D of an array, points",
                    fetched<float>(points, [=] __device__(Point p) { return tex1D<float>(t, p.x); }),
                    answers(points, [&](const Point& p) {
                        const double x = p.x;
                        return grid.at(&x);
                    }));
    }
    MUST(cudaFreeArray(array));
}

// ---- textures of two and three dimensions ----

void address_modes() {
    constexpr int kWidth = 16, kHeight = 8;  // powers of 2, so that products are exact
    const std::vector<float> texels = random_floats(kWidth * kHeight);
    const cudaArray_t array = array_of(texels, kWidth, kHeight, 0);
    for (const bool linear : {false, true}) {
        std::vector<float> got;
        std::vector<double> wanted;
        for (const auto mode : {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder}) {
            const auto t = texture_of(resource_of(array),
                                      how_to(linear ? cudaFilterModeLinear : cudaFilterModePoint, mode, true));
            const Grid grid{&texels, {kWidth, kHeight}, 2, mode, linear};
            const auto points = random_points(400, -2.5, 3.5);
            const auto some = fetched<float>(points, [=] __device__(Point p) { return tex2D<float>(t, p.x, p.y); });
            got.insert(got.end(), some.begin(), some.end());
            for (const Point& p : points) {
                const double x[] = {double{p.x} * kWidth, double{p.y} * kHeight};
                wanted.push_back(grid.at(x));
            }
        }
        expect_near(linear ? "address modes, linear" : "address modes, points", got, wanted);
    }
    MUST(cudaFreeArray(array));
}

void pitched() {
    constexpr int kWidth = 19, kHeight = 11;
    const std::vector<float> texels = random_floats(kWidth * kHeight);
    float* memory;
    size_t pitch;
    MUST(cudaMallocPitch(&memory, &pitch, kWidth * sizeof(float), kHeight));
    MUST(cudaMemcpy2D(memory, pitch, texels.data(), kWidth * sizeof(float), kWidth * sizeof(float), kHeight,
                      cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = kWidth;
    resource.res.pitch2D.height = kHeight;
    resource.res.pitch2D.pitchInBytes = pitch;
    const auto t = texture_of(resource, how_to(cudaFilterModeLinear, cudaAddressModeClamp, false));
    const Grid grid{&texels, {kWidth, kHeight}, 2, cudaAddressModeClamp, true};
    const auto points = random_points(500, -3, 23);
    expect_near("tex2D of pitched memory",
                fetched<float>(points, [=] __device__(Point p) { return tex2D<float>(t, p.x, p.y); }),
                answers(points, [&](const Point& p) {
                    const double x[] = {p.x, p.y};
                    return grid.at(x);
                }));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFree(memory));
}

/// Filters texels as multiples of 1 / `steps`. The integer 1 stands for `factor` steps, and the
/// most negative texel is one step below -1. Only the filtered result is clamped to -1.
template <class T>
void normalized_elements(const char* name, int factor, int steps) {
    constexpr int kSize = 16;
    std::vector<T> texels(kSize * kSize);
    std::vector<float> in_steps(texels.size());
    for (size_t i = 0; i < texels.size(); ++i) {
        texels[i] = static_cast<T>(chance());
        if (i == 5) texels[i] = std::numeric_limits<T>::min();
        in_steps[i] = static_cast<float>(texels[i] * factor);
    }
    const cudaArray_t array = array_of(texels, kSize, kSize, 0);
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModeLinear, cudaAddressModeClamp, false,
                                                         cudaReadModeNormalizedFloat));
    const Grid grid{&in_steps, {kSize, kSize}, 2, cudaAddressModeClamp, true};
    const auto points = random_points(500, -1, kSize + 1);
    expect_near(name, fetched<float>(points, [=] __device__(Point p) { return tex2D<float>(t, p.x, p.y); }),
                answers(points, [&](const Point& p) {
                    const double x[] = {p.x, p.y};
                    return std::max(std::floor(grid.at(x) + 0.5) / steps, -1.0);
                }));
    MUST(cudaFreeArray(array));
}

void vectors() {
    constexpr int kSize = 8;
    std::vector<uchar4> texels(kSize * kSize);
    for (auto& t : texels)
        t = make_uchar4(chance() & 255, chance() & 255, chance() & 255, chance() & 255);
    const cudaArray_t array = array_of(texels, kSize, kSize, 0);
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModePoint, cudaAddressModeClamp, false));
    const auto points = random_points(200, 0, kSize);
    expect_near("tex2D of four bytes",
                fetched<int>(points,
                             [=] __device__(Point p) {
                                 const uchar4 c = tex2D<uchar4>(t, p.x, p.y);
                                 return c.x + 1000 * c.y + 7 * c.z + 100000 * c.w;
                             }),
                answers(points, [&](const Point& p) {
                    const uchar4 c = texels[static_cast<int>(p.y) * kSize + static_cast<int>(p.x)];
                    return c.x + 1000.0 * c.y + 7 * c.z + 100000.0 * c.w;
                }));
    MUST(cudaFreeArray(array));
}

void halves() {
    constexpr int kSize = 8;
    std::vector<float> numbers(kSize * kSize);
    std::vector<unsigned short> bits(numbers.size());
    for (size_t i = 0; i < bits.size(); ++i) {  // 1 + n / 8, which has few significant bits
        const unsigned eighths = chance() & 7;
        bits[i] = static_cast<unsigned short>(0x3c00 | eighths << 7);
        numbers[i] = 1 + eighths / 8.0f;
    }
    const cudaChannelFormatDesc format = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &format, kSize, kSize));
    MUST(cudaMemcpy2DToArray(array, 0, 0, bits.data(), kSize * 2, kSize * 2, kSize, cudaMemcpyHostToDevice));
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModeLinear, cudaAddressModeClamp, false));
    const Grid grid{&numbers, {kSize, kSize}, 2, cudaAddressModeClamp, true};
    const auto points = random_points(300, -1, kSize + 1);
    expect_near("tex2D of halves",
                fetched<float>(points, [=] __device__(Point p) { return tex2D<float>(t, p.x, p.y); }),
                answers(points, [&](const Point& p) {
                    const double x[] = {p.x, p.y};
                    return std::round(grid.at(x) * 1024) / 1024;
                }));
    MUST(cudaFreeArray(array));
}

void three_dimensions() {
    const std::vector<float> texels = random_floats(9 * 7 * 5);
    const cudaArray_t array = array_of(texels, 9, 7, 5);
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModeLinear, cudaAddressModeBorder, false));
    const Grid grid{&texels, {9, 7, 5}, 3, cudaAddressModeBorder, true};
    const auto points = random_points(800, -2, 10);
    expect_near("tex3D, linear",
                fetched<float>(points, [=] __device__(Point p) { return tex3D<float>(t, p.x, p.y, p.z); }),
                answers(points, [&](const Point& p) {
                    const double x[] = {p.x, p.y, p.z};
                    return grid.at(x);
                }));
    MUST(cudaFreeArray(array));
}

// ---- layers and faces ----

void layers() {
    constexpr int kSide = 8, kLayers = 6;
    const std::vector<float> texels = random_floats(kSide * kSide * kLayers);
    const auto points = [] {
        auto some = random_points(500, -1, kSide + 1);
        for (Point& p : some) p.layer = (p.layer + 1) % kLayers;
        return some;
    }();
    const auto part = [&](const Point& p, size_t bytes) {
        return std::vector<float>(texels.begin() + p.layer * bytes, texels.begin() + (p.layer + 1) * bytes);
    };
    const auto how = how_to(cudaFilterModeLinear, cudaAddressModeClamp, false);

    const cudaArray_t rows = array_of(texels, kSide, 0, kLayers, cudaArrayLayered);
    const auto t1 = texture_of(resource_of(rows), how);
    expect_near("layers of 1D",
                fetched<float>(points, [=] __device__(Point p) { return tex1DLayered<float>(t1, p.x, p.layer); }),
                answers(points, [&](const Point& p) {
                    const auto layer = part(p, kSide);
                    const double x = p.x;
                    return Grid{&layer, {kSide}, 1, cudaAddressModeClamp, true}.at(&x);
                }));

    const cudaArray_t squares = array_of(texels, kSide, kSide, kLayers, cudaArrayLayered);
    const auto t2 = texture_of(resource_of(squares), how);
    expect_near("layers of 2D",
                fetched<float>(points, [=] __device__(Point p) { return tex2DLayered<float>(t2, p.x, p.y, p.layer); }),
                answers(points, [&](const Point& p) {
                    const auto layer = part(p, kSide * kSide);
                    const double x[] = {p.x, p.y};
                    return Grid{&layer, {kSide, kSide}, 2, cudaAddressModeClamp, true}.at(x);
                }));
    MUST(cudaFreeArray(rows));
    MUST(cudaFreeArray(squares));
}

/// Looks up a cube face as in the CUDA guide's table of cube faces.
double in_cube(const std::vector<float>& texels, int side, int first_face, const Point& p) {
    const float ax = std::fabs(p.x), ay = std::fabs(p.y), az = std::fabs(p.z);
    int face;
    float m, s, t;
    if (ax > ay && ax > az) {
        face = p.x > 0 ? 0 : 1, m = ax, s = p.x > 0 ? -p.z : p.z, t = -p.y;
    } else if (ay > az) {
        face = p.y > 0 ? 2 : 3, m = ay, s = p.x, t = p.y > 0 ? p.z : -p.z;
    } else {
        face = p.z > 0 ? 4 : 5, m = az, s = p.z > 0 ? p.x : -p.x, t = -p.y;
    }
    const int column = std::min(side - 1, static_cast<int>((s / m + 1) / 2 * side));
    const int row = std::min(side - 1, static_cast<int>((t / m + 1) / 2 * side));
    return texels[((first_face + face) * side + row) * side + column];
}

void cubemaps() {
    constexpr int kSide = 8;
    const std::vector<float> texels = random_floats(kSide * kSide * 12);
    auto points = random_points(600, -1, 1);
    for (Point& p : points) p.layer = chance() & 1;
    const auto how = how_to(cudaFilterModePoint, cudaAddressModeClamp, true);
    const cudaArray_t one = array_of(std::vector<float>(texels.begin(), texels.begin() + kSide * kSide * 6), kSide,
                                     kSide, 6, cudaArrayCubemap);
    const auto t = texture_of(resource_of(one), how);
    expect_near("cubemap",
                fetched<float>(points, [=] __device__(Point p) { return texCubemap<float>(t, p.x, p.y, p.z); }),
                answers(points, [&](const Point& p) { return in_cube(texels, kSide, 0, p); }));
    const cudaArray_t two = array_of(texels, kSide, kSide, 12, cudaArrayCubemap | cudaArrayLayered);
    const auto t2 = texture_of(resource_of(two), how);
    expect_near("layers of cubemaps",
                fetched<float>(points, [=] __device__(Point p) {
                    return texCubemapLayered<float>(t2, p.x, p.y, p.z, p.layer);
                }),
                answers(points, [&](const Point& p) { return in_cube(texels, kSide, 6 * p.layer, p); }));
    MUST(cudaFreeArray(one));
    MUST(cudaFreeArray(two));
}

// ---- gathers, levels ----

void gathers() {
    constexpr int kSide = 16;
    std::vector<float2> texels(kSide * kSide);
    for (auto& t : texels) t = make_float2(between(0, 1), between(0, 1));
    const cudaArray_t array = array_of(texels, kSide, kSide, 0, cudaArrayTextureGather);
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModePoint, cudaAddressModeClamp, false));
    auto points = random_points(300, 1, kSide - 1);
    for (Point& p : points) p.layer = chance() & 3;
    expect_near("gather",
                fetched<float>(points,
                               [=] __device__(Point p) {
                                   const float4 g = tex2Dgather<float4>(t, p.x, p.y, 1);
                                   return p.layer == 0 ? g.x : p.layer == 1 ? g.y : p.layer == 2 ? g.z : g.w;
                               }),
                answers(points, [&](const Point& p) {
                    const int i = static_cast<int>(std::floor(std::round((p.x - 0.5) * 256) / 256));
                    const int j = static_cast<int>(std::floor(std::round((p.y - 0.5) * 256) / 256));
                    const int column = i + (p.layer == 1 || p.layer == 2), row = j + (p.layer < 2);
                    return double{texels[row * kSide + column].y};
                }));
    MUST(cudaFreeArray(array));
}

void levels() {
    constexpr int kSide = 16, kLevels = 5;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t pyramid;
    MUST(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(kSide, kSide, 0), kLevels));
    for (int level = 0; level < kLevels; ++level) {
        const int side = kSide >> level;
        const std::vector<float> texels(side * side, 10.0f * level);
        cudaArray_t array;
        MUST(cudaGetMipmappedArrayLevel(&array, pyramid, level));
        MUST(cudaMemcpy2DToArray(array, 0, 0, texels.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = pyramid;
    cudaTextureDesc how = how_to(cudaFilterModeLinear, cudaAddressModeClamp, true);
    how.maxMipmapLevelClamp = kLevels - 1;
    const auto nearest = texture_of(resource, how);
    how.mipmapFilterMode = cudaFilterModeLinear;
    const auto between_levels = texture_of(resource, how);
    std::vector<Point> points = random_points(200, 0, 1);
    for (Point& p : points) p.z = (chance() % 64) / 16.0f + 1 / 64.0f;
    expect_near("levels",
                fetched<float>(points, [=] __device__(Point p) { return tex2DLod<float>(nearest, p.x, p.y, p.z); }),
                answers(points, [&](const Point& p) { return 10 * std::round(p.z); }));
    expect_near("between levels",
                fetched<float>(points, [=] __device__(Point p) { return tex2DLod<float>(between_levels, p.x, p.y, p.z); }),
                answers(points, [&](const Point& p) { return std::min(10 * p.z, 10.0f * (kLevels - 1)); }));
    // A gradient of 1/4 of the texture advances by 4 texels per step, which selects level 2.
    const auto quarter = fetched<float>({{0.5f, 0.5f, 0, 0}}, [=] __device__(Point p) {
        return tex2DGrad<float>(nearest, p.x, p.y, make_float2(0.25f, 0), make_float2(0, 0.125f));
    });
    expect_near("gradients", quarter, std::vector<double>{20});
    MUST(cudaFreeMipmappedArray(pyramid));
}

// ---- integers ----

template <class T>
bool integers_come_back() {
    constexpr int kSize = 64;
    std::vector<T> texels(kSize);
    for (auto& t : texels) t = static_cast<T>(chance());
    const cudaArray_t array = array_of(texels, kSize, 0, 0);
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModePoint, cudaAddressModeClamp, false));
    std::vector<Point> points(kSize);
    for (int i = 0; i < kSize; ++i) points[i].x = i + 0.5f;
    const auto got = fetched<T>(points, [=] __device__(Point p) { return tex1D<T>(t, p.x); });
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeArray(array));
    return got == texels;
}

__global__ void beside(float* out, cudaTextureObject_t t, float x, float y) {
    float a, b, c, d;
    asm("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(t), "f"(x), "f"(y), "r"(2), "r"(-1));
    out[0] = a;
}

void offsets() {
    const std::vector<float> texels = random_floats(64);
    const cudaArray_t array = array_of(texels, 8, 8, 0);
    const auto t = texture_of(resource_of(array), how_to(cudaFilterModePoint, cudaAddressModeClamp, false));
    const DeviceArray<float> out(1);
    beside<<<1, 1>>>(out, t, 3.5f, 4.5f);
    expect_near("texels apart from the coordinates", out.read(), std::vector<double>{texels[3 * 8 + 5]});
    MUST(cudaFreeArray(array));
}

int main() {
    linear_memory();
    one_dimension();
    address_modes();
    pitched();
    normalized_elements<unsigned char>("tex2D of bytes as floats", 257, 65535);
    normalized_elements<short>("tex2D of signed shorts as floats", 1, 32767);
    vectors();
    halves();
    three_dimensions();
    layers();
    cubemaps();
    gathers();
    levels();
    const bool all = integers_come_back<signed char>() && integers_come_back<unsigned char>() &&
                     integers_come_back<short>() && integers_come_back<unsigned short>() &&
                     integers_come_back<int>() && integers_come_back<unsigned>();
    std::printf("integers of each width: %s\n", all ? "ok" : "some differ");
    offsets();
}
