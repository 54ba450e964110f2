// Describes the number and the kind of a texel's channels, for cudaCreateChannelDesc and for
// fetches.
#pragma once

#include "coalesce_cuda/vector_types.h"

// clang-format off
namespace coalesce_cuda {

/// The channels of a texel of type T. `kind` is a cudaChannelFormatKind: 0 is signed, 1 is
/// unsigned, 2 is float. `made` builds a T from the four registers that a fetch returns.
template <class T> struct Texel;
#define COALESCE_TEXEL(T, channel, number, kind_of, ...)                                          \
    template <> struct Texel<T> {                                                                 \
        static constexpr int bits = 8 * sizeof(channel), channels = number, kind = kind_of;       \
        template <class R> __host__ __device__ static T made(R a, R b, R c, R d) { (void)b; (void)c; (void)d; return __VA_ARGS__; } \
    };
#define COALESCE_AS(channel, r) static_cast<channel>(r)
#define COALESCE_TEXELS(scalar, vector, kind)                                                     \
    COALESCE_TEXEL(vector##1, scalar, 1, kind, vector##1{COALESCE_AS(scalar, a)})                          \
    COALESCE_TEXEL(vector##2, scalar, 2, kind, vector##2{COALESCE_AS(scalar, a), COALESCE_AS(scalar, b)})  \
    COALESCE_TEXEL(vector##4, scalar, 4, kind, vector##4{COALESCE_AS(scalar, a), COALESCE_AS(scalar, b), COALESCE_AS(scalar, c), COALESCE_AS(scalar, d)}) \
    COALESCE_TEXEL(scalar, scalar, 1, kind, COALESCE_AS(scalar, a))
COALESCE_TEXELS(signed char, char, 0)
COALESCE_TEXELS(unsigned char, uchar, 1)
COALESCE_TEXELS(short, short, 0)
COALESCE_TEXELS(unsigned short, ushort, 1)
COALESCE_TEXELS(int, int, 0)
COALESCE_TEXELS(unsigned int, uint, 1)
COALESCE_TEXELS(float, float, 2)
COALESCE_TEXEL(char, char, 1, 0, COALESCE_AS(char, a))
#undef COALESCE_TEXELS
#undef COALESCE_TEXEL
#undef COALESCE_AS

}  // namespace coalesce_cuda
// clang-format on
