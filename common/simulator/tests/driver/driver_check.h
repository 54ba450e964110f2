// Helpers for tests of the driver API, like programs/api_check.h for the runtime API.
#pragma once

#include <cuda.h>

#include <cstdio>
#include <cstdlib>

inline const char* name_of(CUresult result) {
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    return name ? name : "no name";
}

/// Exits if a call that sets up a test has failed.
inline void need(CUresult result) {
    if (result == CUDA_SUCCESS) return;
    std::printf("a call that must work failed: %s\n", name_of(result));
    std::exit(1);
}

/// Makes the primary context of the first device current, and returns it.
inline CUcontext use_first_device() {
    CUcontext context;
    need(cuInit(0));
    need(cuDevicePrimaryCtxRetain(&context, 0));
    need(cuCtxSetCurrent(context));
    return context;
}

/// Prints the name of a result after `what`, as in "freeing twice: CUDA_ERROR_INVALID_VALUE".
inline void result(const char* what, CUresult got) {
    std::printf("%s: %s\n", what, name_of(got));
}

/// Prints whether a statement is true, as in "they are equal: yes".
inline void fact(const char* what, bool holds) {
    std::printf("%s: %s\n", what, holds ? "yes" : "NO");
}

/// PTX of a kernel that sets `out[i] = in[i] * factor + bias` for `count` elements, where `bias` is
/// a variable of the module.
inline const char* const kScale = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 bias;
.visible .entry scale(.param .u64 out, .param .u64 in, .param .u32 factor, .param .u32 count)
{
    .reg .pred %p;
    .reg .b64 %rd<8>;
    .reg .b32 %r<8>;
    ld.param.u32 %r1, [count];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p, %r5, %r1;
    @%p bra done;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.u32 %r6, [%rd7];
    ld.param.u32 %r7, [factor];
    mul.lo.s32 %r6, %r6, %r7;
    ld.global.u32 %r7, [bias];
    add.s32 %r6, %r6, %r7;
    st.global.u32 [%rd6], %r6;
done:
    ret;
}
)";
