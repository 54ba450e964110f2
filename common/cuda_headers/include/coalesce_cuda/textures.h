// Texture fetches, and surface loads and stores, as PTX instructions. The variants with a bool*
// parameter are missing, because the simulator has no sparse arrays.
#pragma once

#include "coalesce_cuda/texels.h"

// clang-format off
#define COALESCE_LIST(...) __VA_ARGS__

// ---- textures: a fetch returns four registers, and each member of T uses one of them ----

#define COALESCE_FETCH_AS(type, letter, constraint, instruction, operands, ...)                               \
    type a, b, c, d;                                                                                          \
    asm(instruction ".v4." letter "." operands : "=" constraint(a), "=" constraint(b), "=" constraint(c), "=" constraint(d) : "l"(texture), __VA_ARGS__); \
    return coalesce_cuda::Texel<T>::made(a, b, c, d);
#define COALESCE_FETCH(name, instruction, operands, parameters, arguments, ...)                               \
    template <class T>                                                                                        \
    __device__ COALESCE_INLINED T name(cudaTextureObject_t texture, COALESCE_LIST parameters) {               \
        if constexpr (coalesce_cuda::Texel<T>::kind == 2) {                                                   \
            COALESCE_FETCH_AS(float, "f32", "f", instruction, operands, __VA_ARGS__)                          \
        } else if constexpr (coalesce_cuda::Texel<T>::kind == 0) {                                            \
            COALESCE_FETCH_AS(int, "s32", "r", instruction, operands, __VA_ARGS__)                            \
        } else {                                                                                              \
            COALESCE_FETCH_AS(unsigned int, "u32", "r", instruction, operands, __VA_ARGS__)                   \
        }                                                                                                     \
    }                                                                                                         \
    template <class T>                                                                                        \
    __device__ COALESCE_INLINED void name(T* to, cudaTextureObject_t texture, COALESCE_LIST parameters) {     \
        *to = name<T>(texture, COALESCE_LIST arguments);                                                      \
    }

#define COALESCE_TO "{%0, %1, %2, %3}, [%4, "
COALESCE_FETCH(tex1Dfetch, "tex.1d", "s32 " COALESCE_TO "{%5}];", (int x), (x), "r"(x))
COALESCE_FETCH(tex1D, "tex.1d", "f32 " COALESCE_TO "{%5}];", (float x), (x), "f"(x))
COALESCE_FETCH(tex2D, "tex.2d", "f32 " COALESCE_TO "{%5, %6}];", (float x, float y), (x, y), "f"(x), "f"(y))
COALESCE_FETCH(tex3D, "tex.3d", "f32 " COALESCE_TO "{%5, %6, %7, %7}];", (float x, float y, float z), (x, y, z), "f"(x), "f"(y), "f"(z))
COALESCE_FETCH(tex1DLayered, "tex.a1d", "f32 " COALESCE_TO "{%5, %6}];", (float x, int layer), (x, layer), "r"(layer), "f"(x))
COALESCE_FETCH(tex2DLayered, "tex.a2d", "f32 " COALESCE_TO "{%5, %6, %7, %7}];", (float x, float y, int layer), (x, y, layer), "r"(layer), "f"(x), "f"(y))
COALESCE_FETCH(texCubemap, "tex.cube", "f32 " COALESCE_TO "{%5, %6, %7, %7}];", (float x, float y, float z), (x, y, z), "f"(x), "f"(y), "f"(z))
COALESCE_FETCH(texCubemapLayered, "tex.acube", "f32 " COALESCE_TO "{%5, %6, %7, %8}];", (float x, float y, float z, int layer), (x, y, z, layer), "r"(layer), "f"(x), "f"(y), "f"(z))

COALESCE_FETCH(tex1DLod, "tex.level.1d", "f32 " COALESCE_TO "{%5}], %6;", (float x, float level), (x, level), "f"(x), "f"(level))
COALESCE_FETCH(tex2DLod, "tex.level.2d", "f32 " COALESCE_TO "{%5, %6}], %7;", (float x, float y, float level), (x, y, level), "f"(x), "f"(y), "f"(level))
COALESCE_FETCH(tex3DLod, "tex.level.3d", "f32 " COALESCE_TO "{%5, %6, %7, %7}], %8;", (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
COALESCE_FETCH(tex1DLayeredLod, "tex.level.a1d", "f32 " COALESCE_TO "{%5, %6}], %7;", (float x, int layer, float level), (x, layer, level), "r"(layer), "f"(x), "f"(level))
COALESCE_FETCH(tex2DLayeredLod, "tex.level.a2d", "f32 " COALESCE_TO "{%5, %6, %7, %7}], %8;", (float x, float y, int layer, float level), (x, y, layer, level), "r"(layer), "f"(x), "f"(y), "f"(level))
COALESCE_FETCH(texCubemapLod, "tex.level.cube", "f32 " COALESCE_TO "{%5, %6, %7, %7}], %8;", (float x, float y, float z, float level), (x, y, z, level), "f"(x), "f"(y), "f"(z), "f"(level))
COALESCE_FETCH(texCubemapLayeredLod, "tex.level.acube", "f32 " COALESCE_TO "{%5, %6, %7, %8}], %9;", (float x, float y, float z, int layer, float level), (x, y, z, layer, level), "r"(layer), "f"(x), "f"(y), "f"(z), "f"(level))

COALESCE_FETCH(tex1DGrad, "tex.grad.1d", "f32 " COALESCE_TO "{%5}], {%6}, {%7};", (float x, float dx, float dy), (x, dx, dy), "f"(x), "f"(dx), "f"(dy))
COALESCE_FETCH(tex2DGrad, "tex.grad.2d", "f32 " COALESCE_TO "{%5, %6}], {%7, %8}, {%9, %10};", (float x, float y, float2 dx, float2 dy), (x, y, dx, dy), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
COALESCE_FETCH(tex3DGrad, "tex.grad.3d", "f32 " COALESCE_TO "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};", (float x, float y, float z, float4 dx, float4 dy), (x, y, z, dx, dy), "f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z))
COALESCE_FETCH(tex1DLayeredGrad, "tex.grad.a1d", "f32 " COALESCE_TO "{%5, %6}], {%7}, {%8};", (float x, int layer, float dx, float dy), (x, layer, dx, dy), "r"(layer), "f"(x), "f"(dx), "f"(dy))
COALESCE_FETCH(tex2DLayeredGrad, "tex.grad.a2d", "f32 " COALESCE_TO "{%5, %6, %7, %7}], {%8, %9}, {%10, %11};", (float x, float y, int layer, float2 dx, float2 dy), (x, y, layer, dx, dy), "r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))

namespace coalesce_cuda {
COALESCE_FETCH(gather_r, "tld4.r.2d", "f32 " COALESCE_TO "{%5, %6}];", (float x, float y), (x, y), "f"(x), "f"(y))
COALESCE_FETCH(gather_g, "tld4.g.2d", "f32 " COALESCE_TO "{%5, %6}];", (float x, float y), (x, y), "f"(x), "f"(y))
COALESCE_FETCH(gather_b, "tld4.b.2d", "f32 " COALESCE_TO "{%5, %6}];", (float x, float y), (x, y), "f"(x), "f"(y))
COALESCE_FETCH(gather_a, "tld4.a.2d", "f32 " COALESCE_TO "{%5, %6}];", (float x, float y), (x, y), "f"(x), "f"(y))
}
template <class T>
__device__ COALESCE_INLINED T tex2Dgather(cudaTextureObject_t texture, float x, float y, int component = 0) {
    return component == 0   ? coalesce_cuda::gather_r<T>(texture, x, y)
           : component == 1 ? coalesce_cuda::gather_g<T>(texture, x, y)
           : component == 2 ? coalesce_cuda::gather_b<T>(texture, x, y)
                            : coalesce_cuda::gather_a<T>(texture, x, y);
}

// ---- surfaces: loads and stores of bytes, in registers of up to 32 bits ----

#define COALESCE_SURFACE(suffix, geometry, place1, place2, place4, parameters, arguments, ...)                       \
    template <class T>                                                                                               \
    __device__ COALESCE_INLINED T surf##suffix##read(cudaSurfaceObject_t surface, COALESCE_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        T value;                                                                                                     \
        unsigned int word[4];                                                                                        \
        unsigned short half;                                                                                         \
        if constexpr (sizeof(T) <= 2) {                                                                              \
            if constexpr (sizeof(T) == 1) {                                                                          \
                COALESCE_READ_BY(mode, "suld.b." geometry ".b8.", " {%0}, [%1, " place1, "=h"(half), __VA_ARGS__)    \
            } else {                                                                                                 \
                COALESCE_READ_BY(mode, "suld.b." geometry ".b16.", " {%0}, [%1, " place1, "=h"(half), __VA_ARGS__)   \
            }                                                                                                        \
            __builtin_memcpy(&value, &half, sizeof(T));                                                              \
            return value;                                                                                            \
        } else if constexpr (sizeof(T) == 4) {                                                                       \
            COALESCE_READ_BY(mode, "suld.b." geometry ".b32.", " {%0}, [%1, " place1, "=r"(word[0]), __VA_ARGS__)    \
        } else if constexpr (sizeof(T) == 8) {                                                                       \
            COALESCE_READ_BY(mode, "suld.b." geometry ".v2.b32.", " {%0, %1}, [%2, " place2, COALESCE_LIST("=r"(word[0]), "=r"(word[1])), __VA_ARGS__) \
        } else {                                                                                                     \
            static_assert(sizeof(T) == 16, "the texels of a surface have at most 16 bytes");                                \
            COALESCE_READ_BY(mode, "suld.b." geometry ".v4.b32.", " {%0, %1, %2, %3}, [%4, " place4, COALESCE_LIST("=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])), __VA_ARGS__) \
        }                                                                                                            \
        __builtin_memcpy(&value, word, sizeof(T));                                                                   \
        return value;                                                                                                \
    }                                                                                                                \
    template <class T>                                                                                               \
    __device__ COALESCE_INLINED void surf##suffix##read(T* to, cudaSurfaceObject_t surface, COALESCE_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        *to = surf##suffix##read<T>(surface, COALESCE_LIST arguments, mode);                                         \
    }                                                                                                                \
    template <class T>                                                                                               \
    __device__ COALESCE_INLINED void surf##suffix##write(T value, cudaSurfaceObject_t surface, COALESCE_LIST parameters, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
        unsigned int word[4] = {};                                                                                   \
        unsigned short half = 0;                                                                                     \
        if constexpr (sizeof(T) <= 2)                                                                                \
            __builtin_memcpy(&half, &value, sizeof(T));                                                              \
        else                                                                                                         \
            __builtin_memcpy(word, &value, sizeof(T));                                                               \
        if constexpr (sizeof(T) == 1) {                                                                              \
            COALESCE_WRITE_BY(mode, "sust.b." geometry ".b8.", " [%1, " place1, " {%0};", "h"(half), __VA_ARGS__)    \
        } else if constexpr (sizeof(T) == 2) {                                                                       \
            COALESCE_WRITE_BY(mode, "sust.b." geometry ".b16.", " [%1, " place1, " {%0};", "h"(half), __VA_ARGS__)   \
        } else if constexpr (sizeof(T) == 4) {                                                                       \
            COALESCE_WRITE_BY(mode, "sust.b." geometry ".b32.", " [%1, " place1, " {%0};", "r"(word[0]), __VA_ARGS__) \
        } else if constexpr (sizeof(T) == 8) {                                                                       \
            COALESCE_WRITE_BY(mode, "sust.b." geometry ".v2.b32.", " [%2, " place2, " {%0, %1};", COALESCE_LIST("r"(word[0]), "r"(word[1])), __VA_ARGS__) \
        } else {                                                                                                     \
            static_assert(sizeof(T) == 16, "the texels of a surface have at most 16 bytes");                                \
            COALESCE_WRITE_BY(mode, "sust.b." geometry ".v4.b32.", " [%4, " place4, " {%0, %1, %2, %3};", COALESCE_LIST("r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3])), __VA_ARGS__) \
        }                                                                                                            \
    }
#define COALESCE_READ_IN(how, instruction, operands, outputs, ...) asm volatile(instruction how operands ";" : outputs : "l"(surface), __VA_ARGS__ : "memory");
#define COALESCE_READ_BY(mode, instruction, operands, outputs, ...)                                                           \
    if (mode == cudaBoundaryModeZero) { COALESCE_READ_IN("zero", instruction, operands, COALESCE_LIST(outputs), __VA_ARGS__) }               \
    else if (mode == cudaBoundaryModeClamp) { COALESCE_READ_IN("clamp", instruction, operands, COALESCE_LIST(outputs), __VA_ARGS__) }        \
    else { COALESCE_READ_IN("trap", instruction, operands, COALESCE_LIST(outputs), __VA_ARGS__) }
#define COALESCE_WRITE_IN(how, instruction, place, value, inputs, ...) asm volatile(instruction how place "," value : : inputs, "l"(surface), __VA_ARGS__ : "memory");
#define COALESCE_WRITE_BY(mode, instruction, place, value, inputs, ...)                                                        \
    if (mode == cudaBoundaryModeZero) { COALESCE_WRITE_IN("zero", instruction, place, value, COALESCE_LIST(inputs), __VA_ARGS__) }          \
    else if (mode == cudaBoundaryModeClamp) { COALESCE_WRITE_IN("clamp", instruction, place, value, COALESCE_LIST(inputs), __VA_ARGS__) }   \
    else { COALESCE_WRITE_IN("trap", instruction, place, value, COALESCE_LIST(inputs), __VA_ARGS__) }

COALESCE_SURFACE(1D, "1d", "{%2}]", "{%3}]", "{%5}]", (int x), (x), "r"(x))
COALESCE_SURFACE(2D, "2d", "{%2, %3}]", "{%3, %4}]", "{%5, %6}]", (int x, int y), (x, y), "r"(x), "r"(y))
COALESCE_SURFACE(3D, "3d", "{%2, %3, %4, %4}]", "{%3, %4, %5, %5}]", "{%5, %6, %7, %7}]", (int x, int y, int z), (x, y, z), "r"(x), "r"(y), "r"(z))
COALESCE_SURFACE(1DLayered, "a1d", "{%2, %3}]", "{%3, %4}]", "{%5, %6}]", (int x, int layer), (x, layer), "r"(layer), "r"(x))
COALESCE_SURFACE(2DLayered, "a2d", "{%2, %3, %4, %4}]", "{%3, %4, %5, %5}]", "{%5, %6, %7, %7}]", (int x, int y, int layer), (x, y, layer), "r"(layer), "r"(x), "r"(y))
COALESCE_SURFACE(Cubemap, "a2d", "{%2, %3, %4, %4}]", "{%3, %4, %5, %5}]", "{%5, %6, %7, %7}]", (int x, int y, int face), (x, y, face), "r"(face), "r"(x), "r"(y))
COALESCE_SURFACE(CubemapLayered, "a2d", "{%2, %3, %4, %4}]", "{%3, %4, %5, %5}]", "{%5, %6, %7, %7}]", (int x, int y, int face), (x, y, face), "r"(face), "r"(x), "r"(y))
#undef COALESCE_SURFACE
#undef COALESCE_FETCH
// clang-format on
