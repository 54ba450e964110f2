// See texel_access.h.
#include "simulator/addons/textures/texel_access.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "simulator/execute/access_listener.h"

namespace coalesce::simulator {
namespace {

std::string format_tap_position(const Tap& tap) {
    const Image& image = *tap.image;
    PositionAndSizeText text(tap.x, image.width);
    if (image.height > 1 || image.depth > 1) text.add(tap.y, image.height);
    if (image.depth > 1) text.add(tap.z, image.depth);
    return "texel (" + text.position + ") of " + text.size;
}

}  // namespace

std::optional<ImageShape> parse_image_shape(const ptx::Instruction& instruction) {
    constexpr struct {
        const char* name;
        ImageShape shape;
    } kShapes[] = {{"1d", {1, false, false}}, {"2d", {2, false, false}}, {"3d", {3, false, false}},
                   {"a1d", {1, true, false}}, {"a2d", {2, true, false}}, {"cube", {2, false, true}},
                   {"acube", {2, true, true}}};
    for (const auto& [name, shape] : kShapes)
        if (instruction.has(name)) return shape;
    return std::nullopt;
}

// ---- objects ----

Failed ImageLookup::fail_lookup(int lane, u64 requested_number, const std::string& message,
                                const std::string& cure) {
    const char* report_kind = image.is_surface ? "no such surface" : "no such texture";
    Report report = w.describe(op, "memcheck", report_kind, lane, message, cure);
    report.address = requested_number;
    return w.fail_with_report(Status::illegal_address, report);
}

/// Reports whether the image has the shape that the instruction expects. A surface instruction
/// treats a cubemap as a layered image with one layer per face. An image with a single row also
/// fits an instruction for a one-dimensional image.
bool ImageLookup::has_expected_shape(const ImageObject& candidate) const {
    ImageShape found_shape = candidate.shape;
    const ImageShape& expected_shape = image.shape;
    if (candidate.is_surface && found_shape.is_cube)
        found_shape = {.dimensions = 2, .is_layered = true};
    if (found_shape == expected_shape) return true;
    return !found_shape.is_layered && !expected_shape.is_layered &&
           found_shape.is_cube == expected_shape.is_cube &&
           expected_shape.dimensions < found_shape.dimensions && candidate.image().depth == 1 &&
           (expected_shape.dimensions == 2 || candidate.image().height == 1);
}

const ImageObject* ImageLookup::find_for_lane(int lane) {
    const u64 requested_number = w.lanes<u64>(image.read_slots[0])[lane];
    if (object && requested_number == number) return object.get();
    const char* object_type = image.is_surface ? "surface object" : "texture object";
    char name[64];
    std::snprintf(name, sizeof name, "%s 0x%llx", object_type,
                  static_cast<unsigned long long>(requested_number));
    auto found = find_image_object(requested_number);
    if (!found && was_destroyed_image_object(requested_number))
        return fail_lookup(lane, requested_number,
                           "The " + std::string(name) + " has been destroyed.",
                           "Destroy the object only after the last kernel that uses it.");
    if (!found || found->is_surface != image.is_surface)
        return fail_lookup(
            lane, requested_number, "There is no " + std::string(name) + ".",
            image.is_surface
                ? "Pass the object from cudaCreateSurfaceObject, and check that the call succeeded."
                : "Pass the object from cudaCreateTextureObject, and check that the call "
                  "succeeded.");
    if (!has_expected_shape(*found))
        return fail_lookup(
            lane, requested_number,
            "The " + std::string(name) + " is " + shape_name(found->shape) +
                ", but it is accessed as " + shape_name(image.shape) + ".",
            "Call the access function for the kind of array that the object was created from.");
    object = std::move(found);
    number = requested_number;
    return object.get();
}

// ---- bytes ----

u8* TexelAccess::resolve_texel(u32 row, int lane, u64 address, u32 bytes, u64 sector) {
    u8* host = resolve_address(w_, op_, address, lane, bytes, ptx::StateSpace::global, kind_);
    if (!host) return nullptr;
    rows_[row].address[lane] = address;
    rows_[row].host[lane] = host;
    rows_[row].global_lanes |= 1u << lane;
    sectors_[row][lane] = sector;
    bytes_ = std::max(bytes_, bytes);
    return host;
}

void TexelAccess::check_written(const Tap& tap, int lane) {
    const Launch& launch = *w_.block->launch;
    if (!w_.checks.runs_initcheck || launch.is_dry_run) return;
    const Allocation* allocation = launch.allocations->find(tap.address());
    if (!allocation || !allocation->has_shadow ||
        launch.memory->unwritten_bytes(tap.address(), tap.image->format.bytes()) == 0)
        return;
    Report report = w_.describe(
        op_, "initcheck", "uninitialised texel read", lane,
        "Reads " + format_tap_position(tap) + " texels, some bytes of which were never written.",
        "Fill every part of the array that a fetch can read: linear filtering also "
        "reads neighbouring texels.");
    report.address = tap.address();
    reports().add(report);
}

void TexelAccess::count_requests(int lanes_per_request) const {
    SiteCounters& counters = w_.site_counters[op_->site];
    const Mask first_request_lanes = (Mask{1} << lanes_per_request) - 1;
    for (int lane = 0; lane < kLanes; lane += lanes_per_request) {
        const Mask lanes = first_request_lanes << lane;
        if (!(w_.active & lanes)) continue;
        u64 sectors[kMaxTaps * kLanes];
        std::size_t sector_count = 0;
        for (u32 row = 0; row < kMaxTaps; ++row)
            for (const int l : LaneRange{rows_[row].global_lanes & lanes})
                sectors[sector_count++] = sectors_[row][l];
        counters.useful_bytes += sector_count * bytes_;
        std::sort(sectors, sectors + sector_count);
        ++counters.requests;
        counters.sectors +=
            static_cast<u64>(std::unique(sectors, sectors + sector_count) - sectors);
    }
}

void TexelAccess::count_and_notify(int lanes_per_request) {
    count_requests(lanes_per_request);
    for (const ResolvedAddresses& row : rows_) {
        if (!row.global_lanes) continue;
        notify_listener(w_, op_, row, {.kind = kind_, .bytes = bytes_});
        if (kind_ != Access::atomic) pass_to_race_check(w_, op_->site, row, bytes_, kind_);
    }
}

}  // namespace coalesce::simulator
