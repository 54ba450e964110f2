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

template <class Side>
cudaPitchedPtr place_of(const Side& side, size_t row, size_t rows) {
    const void* begin = is_on_host(side.type) ? side.host : side.device;
    // 0: rows follow each other.
    const size_t pitch = side.pitch != 0 ? side.pitch : side.x + row;
    return {const_cast<void*>(begin), pitch, row, rows};
}

template <class Side>
Result check(const Side& side) {
    return side.type >= kHost && side.type <= kUnified ? kSuccess : kInvalidValue;
}

/// Where there is an array, the runtime counts texels; the driver's boxes are bytes everywhere.
Result count_texels(const void* to, const void* from, cudaMemcpy3DParms& box) {
    box.dstArray = static_cast<cudaArray_t>(const_cast<void*>(to));
    box.srcArray = static_cast<cudaArray_t>(const_cast<void*>(from));
    if (!box.dstArray && !box.srcArray) return kSuccess;
    cudaChannelFormatDesc format{};
    const cudaError_t error =
        cudaGetChannelDesc(&format, box.dstArray ? box.dstArray : box.srcArray);
    if (error != cudaSuccess) return error;
    const size_t texel = static_cast<size_t>(format.x + format.y + format.z + format.w) / 8;
    size_t* const counts[] = {&box.extent.width, box.dstArray ? &box.dstPos.x : nullptr,
                              box.srcArray ? &box.srcPos.x : nullptr};
    for (size_t* count : counts) {
        if (!count) continue;
        if (*count % texel != 0) return kInvalidValue;
        *count /= texel;
    }
    return kSuccess;
}

template <class Side>
const void* array_of(const Side& side) {
    return side.type == kArray ? side.array : nullptr;
}

}  // namespace

Result describe_copy(const Copy2D* copy, cudaMemcpy3DParms& box) {
    if (!copy) return kInvalidValue;
    Result error = check(copy->from);
    if (error == kSuccess) error = check(copy->to);
    if (error != kSuccess) return error;
    box.srcPtr = place_of(copy->from, copy->width, copy->height);
    box.srcPos = {copy->from.x, copy->from.y, 0};
    box.dstPtr = place_of(copy->to, copy->width, copy->height);
    box.dstPos = {copy->to.x, copy->to.y, 0};
    box.extent = {copy->width, copy->height, 1};
    box.kind = kind_of(copy->to.type, copy->from.type);
    return count_texels(array_of(copy->to), array_of(copy->from), box);
}

Result describe_copy(const Copy3D* copy, cudaMemcpy3DParms& box) {
    if (!copy) return kInvalidValue;
    Result error = check(copy->from);
    if (error == kSuccess) error = check(copy->to);
    if (error != kSuccess) return error;
    const auto rows = [&](const Side3D& side) {
        return side.height != 0 ? side.height : side.y + copy->height;
    };
    box.srcPtr = place_of(copy->from, copy->width, rows(copy->from));
    box.srcPos = {copy->from.x, copy->from.y, copy->from.z};
    box.dstPtr = place_of(copy->to, copy->width, rows(copy->to));
    box.dstPos = {copy->to.x, copy->to.y, copy->to.z};
    box.extent = {copy->width, copy->height, copy->depth};
    box.kind = kind_of(copy->to.type, copy->from.type);
    return count_texels(array_of(copy->to), array_of(copy->from), box);
}

}  // namespace coalesce::sim::driver
