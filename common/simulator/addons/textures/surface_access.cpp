// Executes suld, sust and sured: loads, stores and reductions on surfaces.
//
// Builds on  texel_access.h.
// Out of range   As the PTX manual says, `.trap` ends the launch, `.clamp` accesses the nearest
//                texel inside (even in stores and reductions), and `.zero` loads zeros and ignores
//                stores.
// Watch      x is in bytes (.b) or in texels (.p), and must be a multiple of the access size.
// Not verified on a GPU: the error that a trap causes (cudaErrorLaunchFailure here).
#include <algorithm>
#include <array>
#include <cstring>

#include "simulator/addons/textures/families.h"
#include "simulator/addons/textures/texel_access.h"
#include "simulator/execute/combining.h"
#include "simulator/execute/describe.h"

namespace coalesce::simulator {

using ptx::Type;

namespace {

enum class OutOfRange : u8 { trap, clamp, zero };

/// A sured reduction: one function for each size and signedness of the number that the reduction
/// updates in host memory.
struct SurfaceReduction {
    using ReduceFunction = void (*)(u8* host_address, u64 value);
    const char* name;
    ReduceFunction unsigned_32, signed_32, unsigned_64, signed_64;
};

struct SurfaceOp : ImageOp {
    OutOfRange out_of_range_action = OutOfRange::trap;
    bool counts_texels = false;  ///< whether x counts texels (.p) instead of bytes (.b)
    u32 element_bytes = 4, elements = 1;
    const SurfaceReduction* reduction = nullptr;
    bool is_signed = false;

    u32 bytes(const Image& image) const {
        return counts_texels ? image.format.bytes() : element_bytes * elements;
    }
};

/// The coordinates x (in bytes), y and z.
using SurfacePosition = std::array<i64, 3>;

Failed report_out_of_range(Warp& w, const Op* op, const ImageObject& surface,
                           const SurfacePosition& position, int lane) {
    const Image& image = surface.image();
    PositionAndSizeText text(position[0], i64{image.width} * image.format.bytes());
    if (surface.shape.dimensions > 1) text.add(position[1], image.height);
    if (image.depth > 1 || surface.shape.is_layered) text.add(position[2], image.depth);
    return w.fail_with_report(
        Status::launch_failure,
        w.describe(
            op, "memcheck", "surface access out of range", lane,
            "Accesses (" + text.position + ") in a " + shape_name(surface.shape) + " surface of " +
                text.size + "; the first coordinate is in bytes.",
            "Compare the coordinates with the surface's size before the access, multiply x by the "
            "size of an element, or pass cudaBoundaryModeZero or cudaBoundaryModeClamp."));
}

Failed report_misaligned(Warp& w, const Op* op, i64 x, u32 bytes, int lane) {
    const std::string size = std::to_string(bytes);
    return w.fail_with_report(
        Status::misaligned_address,
        w.describe(op, "memcheck", "misaligned", lane,
                   "Accesses " + size + " bytes at byte " + std::to_string(x) +
                       " of a surface row; this offset is not a multiple of " + size + ".",
                   "x is an offset in bytes: multiply the index of the element by its size."));
}

/// The surface addresses of the active lanes. All addresses are checked and reported to the race
/// checker before any lane accesses memory.
class SurfaceLanes {
public:
    SurfaceLanes(Warp& w, const Op* op, Access kind)
        : access(w, op, kind), surface_op(operand_list<SurfaceOp>(op)), w_(w), op_(op) {}

    /// Computes the addresses. Returns false if an error has ended the launch.
    bool find_surfaces() {
        if (w_.has_recorded_enough) return true;
        ImageLookup lookup{w_, op_, surface_op};
        for (const int lane : LaneRange{w_.active}) {
            const ImageObject* surface = lookup.find_for_lane(lane);
            if (!surface || !find_texel(*surface, lane)) return false;
            image[lane] = &surface->image();
        }
        access.count_and_notify(surface_op.shape.dimensions == 3 ? 4 : 8);
        return true;
    }
    /// Calls body(lane, image, bytes) for each lane whose access is in range.
    template <class Body>
    void for_each_lane(Body body) const {
        for (const int lane : LaneRange{w_.active})
            if (host_addresses[lane]) body(lane, *image[lane], host_addresses[lane]);
    }

    TexelAccess access;
    const SurfaceOp& surface_op;
    const Image* image[kLanes] = {};
    u8* host_addresses[kLanes] = {};  ///< host addresses of the accesses; null if out of range

private:
    i64 read_coordinate(u32 index, int lane) const {
        return static_cast<i32>(w_.lanes<u32>(surface_op.read_slots[index])[lane]);
    }

    SurfacePosition surface_position(const Image& image, int lane) const {
        const u32 first_coordinate_index = surface_op.first_coordinate_index();
        SurfacePosition at{};
        for (u32 k = 0; k < surface_op.shape.dimensions; ++k)
            at[k] = read_coordinate(first_coordinate_index + k, lane);
        if (surface_op.counts_texels) at[0] *= image.format.bytes();
        if (surface_op.shape.is_layered) at[2] = read_coordinate(1, lane);
        return at;
    }

    bool find_texel(const ImageObject& surface, int lane) {
        const Image& image = surface.image();
        const u32 bytes = surface_op.bytes(image), texel = image.format.bytes();
        const SurfacePosition last_position = {i64{image.width} * texel - bytes,
                                               i64{image.height} - 1, i64{image.depth} - 1};
        SurfacePosition at = surface_position(image, lane), nearest_position;
        for (std::size_t k = 0; k < at.size(); ++k)
            nearest_position[k] = std::clamp<i64>(at[k], 0, std::max<i64>(last_position[k], 0));
        if (at != nearest_position || last_position[0] < 0) {
            if (surface_op.out_of_range_action == OutOfRange::trap)
                return report_out_of_range(w_, op_, surface, at, lane);
            if (surface_op.out_of_range_action == OutOfRange::zero) return true;
            at = nearest_position;
        }
        if (at[0] % bytes != 0) return report_misaligned(w_, op_, at[0], bytes, lane);
        const u64 address = image.texel_address(0, at[1], at[2]) + static_cast<u64>(at[0]);
        host_addresses[lane] = access.resolve_texel(0, lane, address, bytes,
                                                    surface.find_sector(image, address, at[1]));
        if (host_addresses[lane] && !surface_op.written_slots.empty())
            access.check_written({.image = &image, .x = at[0] / texel, .y = at[1], .z = at[2]},
                                 lane);
        return host_addresses[lane] != nullptr;
    }

    Warp& w_;
    const Op* op_;
};

const Op* run_surface_load(Warp& w, const Op* op) {
    SurfaceLanes lanes(w, op, Access::load);
    if (!lanes.find_surfaces()) return nullptr;
    const SurfaceOp& load = lanes.surface_op;
    for (u32 k = 0; k < load.elements; ++k) {
        const auto value = [&](int lane) {
            u64 bits = 0;
            if (const u8* host_address = lanes.host_addresses[lane])
                std::memcpy(&bits, host_address + k * load.element_bytes, load.element_bytes);
            return bits;
        };
        if (load.element_bytes == 8)
            w.write<u64>(load.written_slots[k], value);
        else
            w.write<u32>(load.written_slots[k],
                         [&](int lane) { return static_cast<u32>(value(lane)); });
    }
    return op + 1;
}

/// Copies to `destination` the bytes that a lane stores.
void copy_stored_bytes(const Warp& w, const SurfaceOp& store, const Image& image, int lane,
                       u8* destination) {
    const std::size_t first = store.read_slots.size() - store.elements;
    if (store.counts_texels) {
        TexelBits elements{};
        for (u32 k = 0; k < store.elements; ++k)
            elements[k] = w.lanes<u32>(store.read_slots[first + k])[lane];
        write_elements(image.format, elements, destination);
        return;
    }
    for (u32 k = 0; k < store.elements; ++k) {
        const Slot slot = store.read_slots[first + k];
        const u64 value =
            store.element_bytes == 8 ? w.lanes<u64>(slot)[lane] : w.lanes<u32>(slot)[lane];
        std::memcpy(destination + k * store.element_bytes, &value, store.element_bytes);
    }
}

const Op* run_store(Warp& w, const Op* op) {
    SurfaceLanes lanes(w, op, Access::store);
    const SurfaceOp& store = lanes.surface_op;
    if (!lanes.find_surfaces()) return nullptr;
    const Launch& launch = *w.block->launch;
    lanes.for_each_lane([&](int lane, const Image& image, u8* host_address) {
        copy_stored_bytes(w, store, image, lane, host_address);
        if (!launch.is_dry_run)
            launch.memory->mark_written(lanes.access.only_row().address[lane], store.bytes(image));
    });
    w.block->watch->note_memory_change();
    return op + 1;
}

// ---- reductions ----

/// Applies the reduction atomically, since several workers may update the same memory.
template <class F, class T>
void reduce_at(u8* host_address, u64 value) {
    auto* memory = reinterpret_cast<T*>(host_address);
    T old = __atomic_load_n(memory, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(memory, &old, F::apply(old, static_cast<T>(value)), true,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
}

template <class F>
constexpr SurfaceReduction make_reduction(const char* name) {
    return {name, reduce_at<F, u32>, reduce_at<F, u32>, reduce_at<F, u64>, reduce_at<F, u64>};
}
template <class F>
constexpr SurfaceReduction make_signed_reduction(const char* name) {
    return {name, reduce_at<F, u32>, reduce_at<F, i32>, reduce_at<F, u64>, reduce_at<F, i64>};
}
constexpr SurfaceReduction kReductions[] = {
    make_reduction<combining::Add>("add"), make_signed_reduction<combining::Minimum>("min"),
    make_signed_reduction<combining::Maximum>("max"), make_reduction<combining::And>("and"),
    make_reduction<combining::Or>("or")};

void reduce_lane(const Warp& w, const SurfaceOp& op, const Image& image, int lane,
                 u8* host_address) {
    const bool is_signed =
        op.counts_texels ? image.format.kind == ChannelKind::signed_integer : op.is_signed;
    const SurfaceReduction& reduction = *op.reduction;
    if (op.element_bytes == 8)
        (is_signed ? reduction.signed_64 : reduction.unsigned_64)(
            host_address, w.lanes<u64>(op.read_slots.back())[lane]);
    else
        (is_signed ? reduction.signed_32 : reduction.unsigned_32)(
            host_address, w.lanes<u32>(op.read_slots.back())[lane]);
}

const Op* run_surface_reduce(Warp& w, const Op* op) {
    SurfaceLanes lanes(w, op, Access::atomic);
    if (!lanes.find_surfaces()) return nullptr;
    const u32 bytes = lanes.surface_op.element_bytes;
    note_atomic(w, op, lanes.access.only_row(), bytes);
    lanes.for_each_lane([&](int lane, const Image& image, u8* host_address) {
        reduce_lane(w, lanes.surface_op, image, lane, host_address);
    });
    finish_atomic(w, op, lanes.access.only_row(), bytes, true);
    return op + 1;
}

// ---- descriptions ----

/// Parses the properties that suld, sust and sured have in common: the geometry, the mode for
/// out-of-range accesses, and the type.
std::optional<SurfaceOp> parse_surface_op(const ptx::Instruction& i) {
    const auto shape = parse_image_shape(i);
    const Type type = find_type(i);
    if (!shape || shape->is_cube || type == Type::none || i.has("p") == i.has("b"))
        return std::nullopt;
    SurfaceOp op;
    op.shape = *shape;
    op.is_surface = true;
    op.counts_texels = i.has("p");
    op.out_of_range_action = i.has("clamp")  ? OutOfRange::clamp
                             : i.has("zero") ? OutOfRange::zero
                                             : OutOfRange::trap;
    op.element_bytes = ptx::size_of(type);
    op.elements = vector_length(i);
    op.is_signed = ptx::is_signed(type);
    if (op.element_bytes * op.elements > 16) return std::nullopt;
    return op;
}

/// Reports whether the surface instruction supports the type and size of its value operand.
bool is_valid_value(const ptx::Instruction& i, const ptx::Operand& value, SurfaceOp& op) {
    if (i.opcode == "sured") {
        op.reduction = std::find_if(std::begin(kReductions), std::end(kReductions),
                                    [&](const SurfaceReduction& r) { return i.has(r.name); });
        return op.reduction != std::end(kReductions) && !op.shape.is_layered && op.elements == 1 &&
               op.element_bytes >= 4;
    }
    if (count_values(value) != op.elements) return false;
    return !op.counts_texels || (i.opcode == "sust" && op.element_bytes == 4);
}

}  // namespace

// suld.b.GEOMETRY{.CACHE}{.VECTOR}.TYPE.MODE d, [object, {coordinates}]
// sust.{b,p}.GEOMETRY{.CACHE}{.VECTOR}.TYPE.MODE [object, {coordinates}], c
// sured.{b,p}.OPERATION.GEOMETRY.TYPE.MODE [object, {coordinates}], c
Description describe_surface(const ptx::Instruction& i, const ptx::Function&) {
    const bool is_load = i.opcode == "suld";
    auto op = parse_surface_op(i);
    if (!op || i.operands.size() != 2) return std::nullopt;
    // An address must have at least as many coordinates as the geometry. Additional coordinates are
    // ignored.
    const ptx::Operand &address_operand = i.operands[is_load ? 1 : 0],
                       &value = i.operands[is_load ? 0 : 1];
    if (count_coordinates(address_operand) + 1 <
            op->first_coordinate_index() + op->shape.dimensions ||
        !is_valid_value(i, value, *op))
        return std::nullopt;
    const OperandRole address_role{Role::list_read, Width::w32},
        moved_role{is_load ? Role::list_written : Role::list_read,
                   op->element_bytes == 8 ? Width::w64 : Width::w32};
    return describe(i, {.run = is_load         ? run_surface_load
                               : op->reduction ? run_surface_reduce
                                               : run_store,
                        .operands = is_load ? std::vector{moved_role, address_role}
                                            : std::vector{address_role, moved_role},
                        .memory_uses = {{.space = ptx::StateSpace::global,
                                         .is_load = is_load,
                                         .is_store = !is_load,
                                         .bytes_per_lane = op->element_bytes * op->elements,
                                         .memory_path = MemoryPath::surface}},
                        .list = std::make_shared<SurfaceOp>(*op),
                        .has_side_effects = !is_load});
}

}  // namespace coalesce::simulator
