// Implements copies to, from and between CUDA arrays. Each copy is converted to a copy of a box in
// linear memory, in which the rows of an array are separated by padding (work.cpp).
#include "simulator/addons/textures/cudart/arrays.h"
#include "simulator/cudart/addons.h"
#include "simulator/cudart/capture.h"
#include "simulator/cudart/devices.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// Returns the array with this handle. `role` names the array in error messages.
cudaArray& require_array(cudaArray_const_t handle, const char* role) {
    cudaArray* array = find_array(handle);
    if (!array) refuse(std::string("the ") + role + " is not an allocated array.");
    return *array;
}

/// Checks that a copy that starts at `position` fits into the array. Then sets `array_side` to the
/// memory that contains the array's texels, so that the copy can use it as one side.
void replace_array_by_memory(const cudaArray& array, const char* role, const cudaExtent& texels,
                             cudaPos& position, cudaPitchedPtr& array_side) {
    const Image& image = array.image;
    const auto is_in_range = [](size_t position_on_axis, size_t count, u32 size) {
        return position_on_axis <= size && count <= size - position_on_axis;
    };
    if (!is_in_range(position.x, texels.width, image.width) ||
        !is_in_range(position.y, texels.height, image.height) ||
        !is_in_range(position.z, texels.depth, image.depth))
        refuse(std::string(role) + ": " + std::to_string(texels.width) + " x " +
               std::to_string(texels.height) + " x " + std::to_string(texels.depth) +
               " texels from (" + std::to_string(position.x) + ", " + std::to_string(position.y) +
               ", " + std::to_string(position.z) + ") do not fit into an array of " +
               std::to_string(image.width) + " x " + std::to_string(image.height) + " x " +
               std::to_string(image.depth) + ".");
    array_side = {reinterpret_cast<void*>(image.address), static_cast<size_t>(image.row_bytes),
                  static_cast<size_t>(image.row_bytes), image.height};
    position.x *= image.format.bytes();
}

// ---- two-dimensional boxes whose widths are in bytes ----

/// Converts bytes to texels. Unlike a GPU, the simulator cannot copy fractions of a texel.
size_t bytes_to_texels(const cudaArray& array, size_t bytes) {
    const u32 texel_bytes = array.image.format.bytes();
    if (bytes % texel_bytes != 0)
        fail_not_simulated("a copy of part of a texel (" + std::to_string(texel_bytes) + " bytes)");
    return bytes / texel_bytes;
}

/// Sets the destination of `copy` to the box that begins at byte `x` of row `y` of an array.
void set_destination(CopyWork& copy, cudaArray_const_t handle, size_t x, size_t y, size_t width,
                     size_t height) {
    cudaArray& array = require_array(handle, "destination");
    copy.dstArray = &array;
    copy.dstPos = {bytes_to_texels(array, x), y, 0};
    copy.extent = {bytes_to_texels(array, width), height, 1};
}

/// Sets the source of `copy` to the box that begins at byte `x` of row `y` of an array.
void set_source(CopyWork& copy, cudaArray_const_t handle, size_t x, size_t y, size_t width,
                size_t height) {
    cudaArray& array = require_array(handle, "source");
    copy.srcArray = &array;
    copy.srcPos = {bytes_to_texels(array, x), y, 0};
    copy.extent = {bytes_to_texels(array, width), height, 1};
}

Work describe_pitched_copy_to(cudaArray_t array, size_t x, size_t y, const void* source,
                              size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
    require(width <= pitch, cudaErrorInvalidPitchValue);
    CopyWork copy{};
    copy.srcPtr = {const_cast<void*>(source), pitch, width, height};
    copy.kind = kind;
    set_destination(copy, array, x, y, width, height);
    return copy;
}

Work describe_pitched_copy_from(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                size_t width, size_t height, cudaMemcpyKind kind) {
    require(width <= pitch, cudaErrorInvalidPitchValue);
    CopyWork copy{};
    copy.dstPtr = {to, pitch, width, height};
    copy.kind = kind;
    set_source(copy, from, x, y, width, height);
    return copy;
}

Work describe_pitched_copy_between(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t width, size_t height,
                                   cudaMemcpyKind kind) {
    CopyWork copy{};
    copy.kind = kind;
    set_destination(copy, to, to_x, to_y, width, height);
    set_source(copy, from, from_x, from_y, width, height);
    return copy;
}

/// The box of texels that a one-dimensional copy function accesses. Such a function copies a given
/// number of bytes, and continues with the next row when it reaches the end of a row, so not every
/// such copy is a box.
struct Box {
    size_t width, height;
};
Box make_box(cudaArray_const_t handle, size_t x, size_t bytes) {
    const cudaArray& array = require_array(handle, "array");
    const size_t row = size_t{array.image.width} * array.image.format.bytes();
    if (x + bytes <= row) return {bytes, 1};
    if (x != 0 || bytes % row != 0)
        fail_not_simulated("a copy of several array rows that begins or ends within a row");
    return {row, bytes / row};
}

Work describe_linear_copy_to(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                             cudaMemcpyKind kind) {
    const Box box = make_box(to, x, bytes);
    return describe_pitched_copy_to(to, x, y, from, box.width, box.width, box.height, kind);
}

Work describe_linear_copy_from(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                               cudaMemcpyKind kind) {
    const Box box = make_box(from, x, bytes);
    return describe_pitched_copy_from(to, box.width, from, x, y, box.width, box.height, kind);
}

Work describe_linear_copy_between(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                  size_t from_x, size_t from_y, size_t bytes, cudaMemcpyKind kind) {
    const Box box = make_box(to, to_x, bytes);
    return describe_pitched_copy_between(to, to_x, to_y, from, from_x, from_y, box.width,
                                         box.height, kind);
}

}  // namespace

namespace coalesce::simulator::cudart {

CopyWork replace_arrays_by_memory(const CopyWork& work) {
    CopyWork linear_work = work;
    if (!work.srcArray && !work.dstArray) return linear_work;
    const cudaArray* to = work.dstArray ? &require_array(work.dstArray, "destination") : nullptr;
    const cudaArray* from = work.srcArray ? &require_array(work.srcArray, "source") : nullptr;
    const u32 bytes = (to ? to : from)->image.format.bytes();
    if (to && from && bytes != from->image.format.bytes())
        refuse("the two arrays have texels of " + std::to_string(bytes) + " and " +
               std::to_string(from->image.format.bytes()) +
               " bytes, but their texels must have the same size.");
    linear_work.extent.width *= bytes;
    linear_work.dstArray = linear_work.srcArray = nullptr;
    if (to)
        replace_array_by_memory(*to, "destination", work.extent, linear_work.dstPos,
                                linear_work.dstPtr);
    if (from)
        replace_array_by_memory(*from, "source", work.extent, linear_work.srcPos,
                                linear_work.srcPtr);
    return linear_work;
}

}  // namespace coalesce::simulator::cudart

COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy2DToArray, describe_pitched_copy_to, 8);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpy2DFromArray, describe_pitched_copy_from, 8);
COALESCE_AT_ONCE(cudaMemcpy2DArrayToArray, describe_pitched_copy_between, 9);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpyToArray, describe_linear_copy_to, 6);
COALESCE_AT_ONCE_AND_IN_STREAM(cudaMemcpyFromArray, describe_linear_copy_from, 6);
COALESCE_AT_ONCE(cudaMemcpyArrayToArray, describe_linear_copy_between, 8);
