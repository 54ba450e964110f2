// See boxes.h.
#include "driver/boxes.h"

namespace coalesce::sim::driver {
namespace {

bool is_on_host(MemoryType type) {
    return type == kHost;
}

cudaMemcpyKind kind_of(MemoryType to, MemoryType from) {
    if (to == kUnified || from == kUnified) return cudaMemcpyDefault;
    if (is_on_host(from)) return is_on_host(to) ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return is_on_host(to) ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

bool is_known(MemoryType type) {
    return type >= kHost && type <= kUnified;
}

cudaPitchedPtr place_of(const Side3D& side, size_t row, size_t rows) {
    const void* begin = is_on_host(side.type) ? side.host : side.device;
    // 0: they follow each other.
    const size_t pitch = side.pitch != 0 ? side.pitch : side.x + row;
    const size_t height = side.height != 0 ? side.height : side.y + rows;
    return {const_cast<void*>(begin), pitch, row, height};
}

cudaArray_t array_of(const Side3D& side) {
    return side.type == kArray ? static_cast<cudaArray_t>(side.array) : nullptr;
}

/// Where there is an array, the runtime counts texels; the driver's boxes are bytes everywhere.
cudaError_t count_texels(cudaMemcpy3DParms& box) {
    if (!box.dstArray && !box.srcArray) return cudaSuccess;
    cudaChannelFormatDesc format{};
    if (const cudaError_t error =
            cudaGetChannelDesc(&format, box.dstArray ? box.dstArray : box.srcArray))
        return error;
    const size_t texel = static_cast<size_t>(format.x + format.y + format.z + format.w) / 8;
    size_t* const counts[] = {&box.extent.width, box.dstArray ? &box.dstPos.x : nullptr,
                              box.srcArray ? &box.srcPos.x : nullptr};
    for (size_t* count : counts) {
        if (!count) continue;
        if (*count % texel != 0) return cudaErrorInvalidValue;
        *count /= texel;
    }
    return cudaSuccess;
}

Side3D side_of(const Side2D& side) {
    return {.x = side.x,
            .y = side.y,
            .type = side.type,
            .host = side.host,
            .device = side.device,
            .array = side.array,
            .pitch = side.pitch};
}

}  // namespace

cudaError_t describe_copy(const Copy2D* copy, cudaMemcpy3DParms& box) {
    if (!copy) return cudaErrorInvalidValue;
    const Copy3D slice{side_of(copy->from), side_of(copy->to), copy->width, copy->height, 1};
    return describe_copy(&slice, box);
}

cudaError_t describe_copy(const Copy3D* copy, cudaMemcpy3DParms& box) {
    if (!copy || !is_known(copy->from.type) || !is_known(copy->to.type))
        return cudaErrorInvalidValue;
    box.srcArray = array_of(copy->from);
    box.srcPtr = place_of(copy->from, copy->width, copy->height);
    box.srcPos = {copy->from.x, copy->from.y, copy->from.z};
    box.dstArray = array_of(copy->to);
    box.dstPtr = place_of(copy->to, copy->width, copy->height);
    box.dstPos = {copy->to.x, copy->to.y, copy->to.z};
    box.extent = {copy->width, copy->height, copy->depth};
    box.kind = kind_of(copy->to.type, copy->from.type);
    return count_texels(box);
}

}  // namespace coalesce::sim::driver
