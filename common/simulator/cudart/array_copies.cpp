// Copies to, from and between CUDA arrays. Each becomes a box, like all copies; the box of an array is one of its
// memory's, whose rows have gaps (work.cpp).
#include "cudart/arrays.h"
#include "cudart/capture.h"
#include "cudart/devices.h"

using namespace coalesce::sim;
using namespace coalesce::sim::cudart;

namespace {

cudaError_t no_array(const char* role) {
    return refuse(std::string("the ") + role + " is no array that is allocated.");
}

/// Where a copy begins in an array, and that it fits in.
cudaError_t place_in(const cudaArray& array, const char* role, const cudaExtent& texels,
                     cudaPos& position, cudaPitchedPtr& place) {
    const Image& image = array.image;
    const auto fits = [](size_t at, size_t count, u32 size) {
        return at <= size && count <= size - at;
    };
    if (!fits(position.x, texels.width, image.width) ||
        !fits(position.y, texels.height, image.height) ||
        !fits(position.z, texels.depth, image.depth))
        return refuse(std::string(role) + ": " + std::to_string(texels.width) + " x " +
                      std::to_string(texels.height) + " x " + std::to_string(texels.depth) +
                      " texels from (" + std::to_string(position.x) + ", " +
                      std::to_string(position.y) + ", " + std::to_string(position.z) +
                      ") do not fit an array of " + std::to_string(image.width) + " x " +
                      std::to_string(image.height) + " x " + std::to_string(image.depth) + ".");
    place = {reinterpret_cast<void*>(image.address), static_cast<size_t>(image.row_bytes),
             static_cast<size_t>(image.row_bytes), image.height};
    position.x *= image.format.bytes();
    return cudaSuccess;
}

// ---- boxes of two dimensions, whose widths are told in bytes ----

struct Corner {
    cudaArray_const_t array;
    size_t x, y;  ///< x: bytes
};

/// Bytes to texels; false: they are not whole ones.
bool to_texels(const cudaArray& array, size_t& bytes) {
    const u32 each = array.image.format.bytes();
    const bool whole = bytes % each == 0;
    bytes /= each;
    return whole;
}

cudaError_t corner_of(const Corner& corner, const char* role, size_t& width, cudaArray_t& array,
                      cudaPos& position) {
    cudaArray* found = find_array(corner.array);
    if (!found) return no_array(role);
    array = found;
    position = {corner.x, corner.y, 0};
    if (to_texels(*found, position.x) && to_texels(*found, width)) return cudaSuccess;
    return refuse("widths and offsets count bytes, and must be those of whole texels of " +
                  std::to_string(found->image.format.bytes()) + " bytes.");
}

cudaError_t describe_to(const Corner& to, const void* from, size_t pitch, size_t width,
                        size_t height, cudaMemcpyKind kind, Work& work) {
    if (width > pitch) return cudaErrorInvalidPitchValue;
    CopyWork copy{};
    copy.srcPtr = {const_cast<void*>(from), pitch, width, height};
    copy.kind = kind;
    const cudaError_t error = corner_of(to, "destination", width, copy.dstArray, copy.dstPos);
    copy.extent = {width, height, 1};
    work = copy;
    return error;
}

cudaError_t describe_from(void* to, size_t pitch, const Corner& from, size_t width, size_t height,
                          cudaMemcpyKind kind, Work& work) {
    if (width > pitch) return cudaErrorInvalidPitchValue;
    CopyWork copy{};
    copy.dstPtr = {to, pitch, width, height};
    copy.kind = kind;
    const cudaError_t error = corner_of(from, "source", width, copy.srcArray, copy.srcPos);
    copy.extent = {width, height, 1};
    work = copy;
    return error;
}

cudaError_t describe_between(const Corner& to, const Corner& from, size_t width, size_t height,
                             cudaMemcpyKind kind, Work& work) {
    CopyWork copy{};
    copy.kind = kind;
    size_t same = width;
    cudaError_t error = corner_of(to, "destination", width, copy.dstArray, copy.dstPos);
    if (error == cudaSuccess) error = corner_of(from, "source", same, copy.srcArray, copy.srcPos);
    copy.extent = {width, height, 1};
    work = copy;
    return error;
}

/// The old calls that count bytes alone, and go on in the next row where one ends: those that are a box.
cudaError_t box_of(const Corner& corner, size_t bytes, size_t& width, size_t& height) {
    const cudaArray* array = find_array(corner.array);
    if (!array) return no_array("array");
    const size_t row = size_t{array->image.width} * array->image.format.bytes();
    if (corner.x + bytes <= row) {
        width = bytes, height = 1;
        return cudaSuccess;
    }
    if (corner.x != 0 || bytes % row != 0)
        return not_simulated("a copy that begins or ends within a row of an array, of several");
    width = row, height = bytes / row;
    return cudaSuccess;
}

cudaError_t describe_run_to(const Corner& to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            Work& work) {
    size_t width = 0, height = 0;
    if (const cudaError_t error = box_of(to, bytes, width, height)) return error;
    return describe_to(to, from, width, width, height, kind, work);
}

cudaError_t describe_run_from(void* to, const Corner& from, size_t bytes, cudaMemcpyKind kind,
                              Work& work) {
    size_t width = 0, height = 0;
    if (const cudaError_t error = box_of(from, bytes, width, height)) return error;
    return describe_from(to, width, from, width, height, kind, work);
}

cudaError_t describe_run_between(const Corner& to, const Corner& from, size_t bytes,
                                 cudaMemcpyKind kind, Work& work) {
    size_t width = 0, height = 0;
    if (const cudaError_t error = box_of(to, bytes, width, height)) return error;
    return describe_between(to, from, width, height, kind, work);
}

}  // namespace

namespace coalesce::sim::cudart {

cudaError_t without_arrays(const CopyWork& work, CopyWork& plain) {
    plain = work;
    if (!work.srcArray && !work.dstArray) return cudaSuccess;
    const cudaArray* to = find_array(work.dstArray);
    const cudaArray* from = find_array(work.srcArray);
    if (work.dstArray && !to) return no_array("destination");
    if (work.srcArray && !from) return no_array("source");
    const u32 bytes = (to ? to : from)->image.format.bytes();
    if (to && from && bytes != from->image.format.bytes())
        return refuse("the arrays have texels of " + std::to_string(bytes) + " and " +
                      std::to_string(from->image.format.bytes()) + " bytes.");
    plain.extent.width *= bytes;
    plain.dstArray = plain.srcArray = nullptr;
    cudaError_t error = cudaSuccess;
    if (to) error = place_in(*to, "destination", work.extent, plain.dstPos, plain.dstPtr);
    if (from && error == cudaSuccess)
        error = place_in(*from, "source", work.extent, plain.srcPos, plain.srcPtr);
    return error;
}

}  // namespace coalesce::sim::cudart

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
    return at_once(__func__, describe_to, Corner{to, x, y}, from, pitch, width, height, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DToArray, _ptds);

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    return in_stream(__func__, stream, describe_to, Corner{to, x, y}, from, pitch, width, height,
                     kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DToArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
    return at_once(__func__, describe_from, to, pitch, Corner{from, x, y}, width, height, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DFromArray, _ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return in_stream(__func__, stream, describe_from, to, pitch, Corner{from, x, y}, width, height,
                     kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DFromArrayAsync, _ptsz);

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
    return at_once(__func__, describe_between, Corner{to, to_x, to_y}, Corner{from, from_x, from_y},
                   width, height, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpy2DArrayToArray, _ptds);

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
    return at_once(__func__, describe_run_to, Corner{to, x, y}, from, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToArray, _ptds);

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_run_to, Corner{to, x, y}, from, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyToArrayAsync, _ptsz);

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
    return at_once(__func__, describe_run_from, to, Corner{from, x, y}, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyFromArray, _ptds);

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    return in_stream(__func__, stream, describe_run_from, to, Corner{from, x, y}, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyFromArrayAsync, _ptsz);

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   cudaMemcpyKind kind) {
    return at_once(__func__, describe_run_between, Corner{to, to_x, to_y},
                   Corner{from, from_x, from_y}, bytes, kind);
}
COALESCE_PER_THREAD_STREAM(cudaMemcpyArrayToArray, _ptds);
