/// \file
/// What loads and stores say to the caches.
#pragma once

#include <cuda_runtime.h>

namespace coalesce::proof {

enum class Hint {
    none,
    streaming,
    second_level_only,
    write_through,
    leave_first,  ///< this and all below: a policy of the second-level cache
    stay,
    half_stays,       ///< of the lines, drawn by the hardware; the others as without a policy
    stay_but_at_last  ///< all, in the first three quarters of the blocks
};

template <Hint HINT>
__device__ unsigned long long policy() {
    static_assert(HINT >= Hint::leave_first, "the others are no policies");
    unsigned long long policy;
    if constexpr (HINT == Hint::leave_first) {
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    } else if constexpr (HINT == Hint::half_stays) {
        asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;"
                     : "=l"(policy));
    } else {
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    }
    if constexpr (HINT == Hint::stay_but_at_last) {
        unsigned long long usual;
        asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(usual));
        if (blockIdx.x >= gridDim.x / 4 * 3) policy = usual;
    }
    return policy;
}

template <Hint HINT>
__device__ float4 load(const float* from) {
    const auto* const p = reinterpret_cast<const float4*>(from);
    if constexpr (HINT == Hint::none) {
        return *p;
    } else if constexpr (HINT == Hint::streaming) {
        return __ldcs(p);
    } else if constexpr (HINT == Hint::second_level_only) {
        return __ldcg(p);
    } else {
        float4 v;
        asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(__cvta_generic_to_global(p)), "l"(policy<HINT>()));
        return v;
    }
}

template <Hint HINT>
__device__ void store(float* to, float4 v) {
    auto* const p = reinterpret_cast<float4*>(to);
    if constexpr (HINT == Hint::none) {
        *p = v;
    } else if constexpr (HINT == Hint::streaming) {
        __stcs(p, v);
    } else if constexpr (HINT == Hint::second_level_only) {
        __stcg(p, v);
    } else if constexpr (HINT == Hint::write_through) {
        __stwt(p, v);
    } else {
        asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(
                         __cvta_generic_to_global(p)),
                     "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "l"(policy<HINT>())
                     : "memory");
    }
}

}  // namespace coalesce::proof
