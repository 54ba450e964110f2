// Tests arrays, texture objects and surface objects of the driver API.
// nvcc: -lcuda
// expect: creating an array: CUDA_SUCCESS
// expect: the array's descriptor: yes
// expect: copied to an array and back: yes
// expect: part of the array copied: yes
// expect: part of a 3D array copied: yes
// expect: bytes copied as 1D ranges: yes
// expect: creating a texture: CUDA_SUCCESS
// expect: the texture's descriptors: yes
// expect: fetched: 0.0 0.5 1.0
// expect: creating a surface: CUDA_SUCCESS
// expect: stored: 100 101 102 103
// expect: an invalid format: CUDA_ERROR_INVALID_VALUE
// expect: destroying the array: CUDA_SUCCESS
// expect: size of a mipmap level: yes
// expect-stderr: apicheck: CUDA_ERROR_INVALID_VALUE from cuArrayCreate
#include <cstring>
#include <vector>

#include "driver_check.h"

static const char* const kKernels = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry fetch(.param .u64 out, .param .u64 texture)
{
    .reg .u32 %i;
    .reg .f32 %x, %y, %r<4>;
    .reg .u64 %t, %o, %at;
    ld.param.u64 %o, [out];
    ld.param.u64 %t, [texture];
    cvta.to.global.u64 %o, %o;
    mov.u32 %i, %tid.x;
    cvt.rn.f32.u32 %x, %i;
    add.f32 %x, %x, 0f3F000000;
    mov.f32 %y, 0f3F000000;
    tex.2d.v4.f32.f32 {%r0, %r1, %r2, %r3}, [%t, {%x, %y}];
    mad.wide.u32 %at, %i, 4, %o;
    st.global.f32 [%at], %r0;
    ret;
}
.visible .entry store(.param .u64 surface)
{
    .reg .u32 %i, %x, %v;
    .reg .u64 %s;
    ld.param.u64 %s, [surface];
    mov.u32 %i, %tid.x;
    shl.b32 %x, %i, 2;
    add.u32 %v, %i, 100;
    sust.b.1d.b32.trap [%s, {%x}], {%v};
    ret;
}
)";

static CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    return resource;
}

static CUarray array_2d(size_t width, size_t height, CUarray_format format) {
    CUDA_ARRAY_DESCRIPTOR descriptor = {};
    descriptor.Width = width;
    descriptor.Height = height;
    descriptor.Format = format;
    descriptor.NumChannels = 1;
    CUarray array;
    need(cuArrayCreate(&array, &descriptor));
    return array;
}

static void copies() {
    const CUarray array = array_2d(8, 4, CU_AD_FORMAT_SIGNED_INT32);
    result("creating an array", CUDA_SUCCESS);
    CUDA_ARRAY_DESCRIPTOR told = {};
    need(cuArrayGetDescriptor(&told, array));
    fact("the array's descriptor", told.Width == 8 && told.Height == 4 &&
                               told.Format == CU_AD_FORMAT_SIGNED_INT32 &&
                               told.NumChannels == 1);
    std::vector<int> texels(32), back(32), part(4);
    for (int i = 0; i < 32; ++i) texels[i] = i;
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.srcPitch = 32;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 32;
    copy.Height = 4;
    need(cuMemcpy2D(&copy));
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = back.data();
    copy.dstPitch = 32;
    copy.WidthInBytes = 32;
    copy.Height = 4;
    need(cuMemcpy2D(&copy));
    fact("copied to an array and back", back == texels);
    copy.srcXInBytes = 12;
    copy.srcY = 2;
    copy.dstHost = part.data();
    copy.dstPitch = 8;
    copy.WidthInBytes = 8;
    copy.Height = 2;
    need(cuMemcpy2D(&copy));
    fact("part of the array copied", part == std::vector<int>{19, 20, 27, 28});
    need(cuArrayDestroy(array));
}

static void volumes() {
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
    descriptor.Width = 4, descriptor.Height = 3, descriptor.Depth = 2;
    descriptor.Format = CU_AD_FORMAT_FLOAT;
    descriptor.NumChannels = 1;
    CUarray array;
    need(cuArray3DCreate(&array, &descriptor));
    std::vector<float> texels(24), back(2);
    for (int i = 0; i < 24; ++i) texels[i] = i;
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels.data();
    copy.srcPitch = 16;
    copy.srcHeight = 3;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 16, copy.Height = 3, copy.Depth = 2;
    need(cuMemcpy3D(&copy));
    copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.srcXInBytes = 8, copy.srcY = 1, copy.srcZ = 1;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = back.data();
    copy.WidthInBytes = 8, copy.Height = 1, copy.Depth = 1;
    need(cuMemcpy3D(&copy));
    fact("part of a 3D array copied", back == std::vector<float>{18, 19});
    need(cuArrayDestroy(array));
}

static void runs() {
    const CUarray array = array_2d(8, 0, CU_AD_FORMAT_SIGNED_INT32);
    const std::vector<int> texels = {5, 6, 7};
    std::vector<int> back(2);
    need(cuMemcpyHtoA(array, 8, texels.data(), 12));
    need(cuMemcpyAtoH(back.data(), array, 12, 8));
    fact("bytes copied as 1D ranges", back == std::vector<int>{6, 7});
    need(cuArrayDestroy(array));
}

static void textures(CUmodule module) {
    const CUarray array = array_2d(4, 1, CU_AD_FORMAT_UNSIGNED_INT8);
    const unsigned char texels[] = {0, 128, 255, 0};
    need(cuMemcpyHtoA(array, 0, texels, 4));
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    CUDA_TEXTURE_DESC how = {};
    for (auto& mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    CUtexObject texture;
    result("creating a texture", cuTexObjectCreate(&texture, &resource, &how, nullptr));
    CUDA_RESOURCE_DESC told_resource;
    CUDA_TEXTURE_DESC told;
    need(cuTexObjectGetResourceDesc(&told_resource, texture));
    need(cuTexObjectGetTextureDesc(&told, texture));
    fact("the texture's descriptors", told_resource.res.array.hArray == array &&
                                told.addressMode[1] == CU_TR_ADDRESS_MODE_CLAMP && told.flags == 0);
    CUdeviceptr out;
    CUfunction fetch;
    need(cuMemAlloc(&out, 12));
    need(cuModuleGetFunction(&fetch, module, "fetch"));
    void* arguments[] = {&out, &texture};
    need(cuLaunchKernel(fetch, 1, 1, 1, 3, 1, 1, 0, nullptr, arguments, nullptr));
    float got[3];
    need(cuMemcpyDtoH(got, out, sizeof got));
    std::printf("fetched: %.1f %.1f %.1f\n", got[0], got[1], got[2]);
    need(cuTexObjectDestroy(texture));
    need(cuArrayDestroy(array));
}

static void surfaces(CUmodule module) {
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
    descriptor.Width = 4;
    descriptor.Format = CU_AD_FORMAT_SIGNED_INT32;
    descriptor.NumChannels = 1;
    descriptor.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray array;
    need(cuArray3DCreate(&array, &descriptor));
    const CUDA_RESOURCE_DESC resource = resource_of(array);
    CUsurfObject surface;
    CUfunction store;
    result("creating a surface", cuSurfObjectCreate(&surface, &resource));
    need(cuModuleGetFunction(&store, module, "store"));
    void* arguments[] = {&surface};
    need(cuLaunchKernel(store, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
    int got[4];
    need(cuMemcpyAtoH(got, array, 0, sizeof got));
    std::printf("stored: %d %d %d %d\n", got[0], got[1], got[2], got[3]);
    need(cuSurfObjectDestroy(surface));
    CUDA_ARRAY_DESCRIPTOR wrong = {};
    wrong.Width = 4;
    wrong.NumChannels = 1;
    wrong.Format = static_cast<CUarray_format>(0x77);
    CUarray none;
    result("an invalid format", cuArrayCreate(&none, &wrong));
    result("destroying the array", cuArrayDestroy(array));
}

static void levels() {
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {};
    descriptor.Width = 16, descriptor.Height = 8;
    descriptor.Format = CU_AD_FORMAT_FLOAT;
    descriptor.NumChannels = 1;
    CUmipmappedArray pyramid;
    CUarray level;
    need(cuMipmappedArrayCreate(&pyramid, &descriptor, 3));
    need(cuMipmappedArrayGetLevel(&level, pyramid, 1));
    need(cuArray3DGetDescriptor(&descriptor, level));
    fact("size of a mipmap level", descriptor.Width == 8 && descriptor.Height == 4);
    need(cuMipmappedArrayDestroy(pyramid));
}

int main() {
    use_first_device();
    CUmodule module;
    need(cuModuleLoadData(&module, kKernels));
    copies();
    volumes();
    runs();
    textures(module);
    surfaces(module);
    levels();
}
