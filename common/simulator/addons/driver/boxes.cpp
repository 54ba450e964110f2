// See boxes.h.
#include "simulator/addons/driver/boxes.h"

namespace coalesce::simulator::driver {
namespace {

bool is_on_host(MemoryType type) {
    return type == kHost;
}

cudaMemcpyKind to_copy_kind(MemoryType destination, MemoryType source) {
    if (destination == kUnified || source == kUnified) return cudaMemcpyDefault;
    if (is_on_host(source))
        return is_on_host(destination) ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return is_on_host(destination) ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

bool is_known(MemoryType type) {
    return type >= kHost && type <= kUnified;
}

cudaPitchedPtr to_pitched_pointer(const Side3D& side, size_t row, size_t rows) {
    const void* begin = is_on_host(side.type) ? side.host : side.device;
    // A pitch of 0 means that rows are contiguous.
    const size_t pitch = side.pitch != 0 ? side.pitch : side.x + row;
    const size_t height = side.height != 0 ? side.height : side.y + rows;
    return {const_cast<void*>(begin), pitch, row, height};
}

cudaArray_t array_or_null(const Side3D& side) {
    return side.type == kArray ? static_cast<cudaArray_t>(side.array) : nullptr;
}

/// Converts the width and the positions of a box from bytes to texels. The driver always counts in
/// bytes, but the runtime counts in texels if the copy involves an array.
void convert_bytes_to_texels(cudaMemcpy3DParms& box) {
    if (!box.dstArray && !box.srcArray) return;
    cudaChannelFormatDesc format{};
    require_success(cudaGetChannelDesc(&format, box.dstArray ? box.dstArray : box.srcArray));
    const size_t texel = static_cast<size_t>(format.x + format.y + format.z + format.w) / 8;
    const auto to_texels = [&](size_t& count) {
        if (count % texel != 0) {
            coalesceDriverExplain("a copy of part of a texel is not simulated.");
            fail(cudaErrorNotSupported);
        }
        count /= texel;
    };
    to_texels(box.extent.width);
    if (box.dstArray) to_texels(box.dstPos.x);
    if (box.srcArray) to_texels(box.srcPos.x);
}

Side3D to_3d_side(const Side2D& side) {
    return {.x = side.x,
            .y = side.y,
            .type = side.type,
            .host = side.host,
            .device = side.device,
            .array = side.array,
            .pitch = side.pitch};
}

}  // namespace

cudaMemcpy3DParms to_runtime_copy(const Copy2D* copy) {
    require(copy);
    const Copy3D slice{to_3d_side(copy->source), to_3d_side(copy->destination), copy->width,
                       copy->height, 1};
    return to_runtime_copy(&slice);
}

cudaMemcpy3DParms to_runtime_copy(const Copy3D* copy) {
    require(copy && is_known(copy->source.type) && is_known(copy->destination.type));
    cudaMemcpy3DParms box{};
    box.srcArray = array_or_null(copy->source);
    box.srcPtr = to_pitched_pointer(copy->source, copy->width, copy->height);
    box.srcPos = {copy->source.x, copy->source.y, copy->source.z};
    box.dstArray = array_or_null(copy->destination);
    box.dstPtr = to_pitched_pointer(copy->destination, copy->width, copy->height);
    box.dstPos = {copy->destination.x, copy->destination.y, copy->destination.z};
    box.extent = {copy->width, copy->height, copy->depth};
    box.kind = to_copy_kind(copy->destination.type, copy->source.type);
    convert_bytes_to_texels(box);
    return box;
}

}  // namespace coalesce::simulator::driver
