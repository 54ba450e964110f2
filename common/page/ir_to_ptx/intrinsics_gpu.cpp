// Emits llvm.nvvm.*: special registers, and operations that threads perform together. Most of these
// names contain the name of the PTX instruction.
#include <algorithm>
#include <array>

#include "page/ir_to_ptx/intrinsics.h"

namespace coalesce::translator {

namespace {

/// Returns the PTX opcode of an intrinsic, such as "shfl.sync.idx.i32" for
/// llvm.nvvm.shfl.sync.idx.i32.
std::string ptx_opcode(const Instruction& call) {
    std::string name = called_function(call)->name.substr(std::string_view("llvm.").size());
    if (name.starts_with("nvvm.")) name = name.substr(5);
    return name;
}

std::string register_word(const Type& type) {
    return register_bits(type) == 1 ? "pred" : "b" + std::to_string(register_bits(type));
}

std::string operand(Emitter& e, const Instruction& call, std::size_t k) {
    return e.format_operand(call.operands.at(k));
}

/// Returns the address in operand `k`, such as "[%rd4]", as a generic address.
std::string address(Emitter& e, const Instruction& call, std::size_t k) {
    return "[" + e.format_register_operand(call.operands.at(k)) + "]";
}

// ---- special registers ----

/// Emits a read of a special register. "read.ptx.sreg.tid.x" becomes %tid.x, and other dots become
/// underscores: %lanemask_lt, %cluster_ctaid.x.
void emit_special_register(Emitter& e, const Instruction& call) {
    std::string name = ptx_opcode(call).substr(std::string_view("read.ptx.sreg.").size());
    const bool has_axis = name.size() > 2 && name[name.size() - 2] == '.';
    const std::size_t end = has_axis ? name.size() - 2 : name.size();
    for (std::size_t k = 0; k < end; ++k)
        if (name[k] == '.') name[k] = '_';
    if (name == "warpsize") {
        e.emit_ptx("mov.u32 " + e.result_register(call) + ", WARP_SZ");
        return;
    }
    const u32 bits = register_bits(*call.type);
    e.emit_ptx("mov." + (bits == 1 ? "pred" : "u" + std::to_string(bits)) + " " +
               e.result_register(call) + ", %" + name);
}

// ---- lanes of a warp ----

/// Emits a shuffle. Its operands are the mask, the value, the lane and the clamp. An intrinsic
/// whose name ends in p also returns whether the lane was in range.
void emit_shuffle(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const std::size_t mode = std::string_view("shfl.sync.").size();
    const std::string mode_name = name.substr(mode, name.find('.', mode) - mode);
    std::string to = e.result_register(call, 0);
    if (name.ends_with('p')) to += "|" + e.result_register(call, 1);
    e.emit_ptx("shfl.sync." + mode_name + ".b32 " + to + ", " +
               e.format_register_operand(call.operands[1]) + ", " + operand(e, call, 2) + ", " +
               operand(e, call, 3) + ", " + operand(e, call, 0));
}

/// Emits "vote.any.sync" and "vote.ballot.sync".
void emit_vote(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call), vote_mode = name.substr(5, name.find('.', 5) - 5);
    e.emit_ptx("vote.sync." + vote_mode + (vote_mode == "ballot" ? ".b32 " : ".pred ") +
               e.result_register(call) + ", " + e.format_register_operand(call.operands[1]) + ", " +
               operand(e, call, 0));
}

/// Emits "match.any.sync.i32" and "match.all.sync.i64p".
void emit_match(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const std::string width = register_word(*call.operands[1]->type);
    std::string to = e.result_register(call, 0);
    if (name.ends_with('p')) to += "|" + e.result_register(call, 1);
    e.emit_ptx(name.substr(0, std::string_view("match.any").size()) + ".sync." + width + " " + to +
               ", " + e.format_register_operand(call.operands[1]) + ", " + operand(e, call, 0));
}

/// Emits "redux.sync.umin", whose operands are the value and the mask.
void emit_reduction(Emitter& e, const Instruction& call) {
    std::string operation = ptx_opcode(call).substr(std::string_view("redux.sync.").size());
    const bool is_bits = operation == "and" || operation == "or" || operation == "xor";
    const bool is_unsigned = operation[0] == 'u';
    if (is_unsigned) operation = operation.substr(1);
    const char* type = is_bits ? ".b32 " : is_unsigned ? ".u32 " : ".s32 ";
    e.emit_ptx("redux.sync." + operation + type + e.result_register(call) + ", " +
               e.format_register_operand(call.operands[0]) + ", " + operand(e, call, 1));
}

void emit_active_mask(Emitter& e, const Instruction& call) {
    e.emit_ptx("activemask.b32 " + e.result_register(call));
}

void emit_elect(Emitter& e, const Instruction& call) {
    e.emit_ptx("elect.sync " + e.result_register(call, 0) + "|" + e.result_register(call, 1) +
               ", " + operand(e, call, 0));
}

void emit_warp_barrier(Emitter& e, const Instruction& call) {
    e.emit_ptx("bar.warp.sync " + operand(e, call, 0));
}

// ---- barriers of a block ----

/// Emits barrier.cta.sync.aligned.all(number) and .count(number, threads). Without "aligned", the
/// threads of a warp may have diverged.
void emit_barrier(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const bool names_barrier =
        (name.starts_with("barrier.cta") && name.find(".aligned") == name.npos) ||
        name.starts_with("barrier.sync");
    const char* barrier_action = name.find(".arrive") != name.npos ? "arrive " : "sync ";
    std::string text = std::string(names_barrier ? "barrier." : "bar.") + barrier_action;
    text += call.operands.empty() ? "0" : operand(e, call, 0);
    if (call.operands.size() > 1) text += ", " + operand(e, call, 1);
    e.emit_ptx(text);
}

/// Emits barrier.cta.red.popc.aligned.all(number, predicate). Older versions of clang use
/// barrier0.popc, whose operand is an int.
void emit_barrier_reduction(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const char* operation = name.find(".popc") != name.npos  ? "popc"
                            : name.find(".and") != name.npos ? "and"
                                                             : "or";
    const bool is_old = name.starts_with("barrier0");
    const bool names_barrier = !is_old && name.find(".aligned") == name.npos;
    std::string text = std::string(names_barrier ? "barrier.red." : "bar.red.") + operation +
                       (operation[0] == 'p' ? ".u32 " : ".pred ");
    std::string predicate, result_predicate = e.result_register(call);
    if (is_old) {
        predicate = e.make_register(Register::predicate);
        e.emit_ptx("setp.ne.u32 " + predicate + ", " + operand(e, call, 0) + ", 0");
        if (operation[0] != 'p') result_predicate = e.make_register(Register::predicate);
    } else {
        predicate = e.format_register_operand(call.operands.back());
    }
    const bool has_count = !is_old && call.operands.size() > 2;
    text += result_predicate + ", " + (is_old ? "0" : operand(e, call, 0)) +
            (has_count ? ", " + operand(e, call, 1) : "") + ", " + predicate;
    e.emit_ptx(text);
    if (is_old && operation[0] != 'p')
        e.emit_ptx("selp.b32 " + e.result_register(call) + ", 1, 0, " + result_predicate);
}

void emit_cluster_barrier(Emitter& e, const Instruction& call) {
    // The intrinsic's name, such as "barrier.cluster.arrive.relaxed.aligned", is also the PTX
    // instruction.
    e.emit_ptx(ptx_opcode(call));
}

// ---- order of memory ----

/// Emits intrinsics whose names are PTX instructions: "membar.cta", "fence.sc.cluster", "exit".
void emit_opcode_and_operands(Emitter& e, const Instruction& call) {
    e.emit_ptx(ptx_opcode(call));
}

void emit_trap(Emitter& e, const Instruction& call) {
    e.emit_ptx(ptx_opcode(call) == "debugtrap" ? "brkpt" : "trap");
}

void emit_nanosleep(Emitter& e, const Instruction& call) {
    e.emit_ptx("nanosleep.u32 " + operand(e, call, 0));
}

/// Emits "isspacep.shared".
void emit_is_space(Emitter& e, const Instruction& call) {
    e.emit_ptx(ptx_opcode(call) + " " + e.result_register(call) + ", " +
               e.format_register_operand(call.operands[0]));
}

/// Emits "prefetch.global.L2", "prefetch.L1" and "prefetchu.L1".
void emit_prefetch(Emitter& e, const Instruction& call) {
    e.emit_ptx(ptx_opcode(call) + " " + address(e, call, 0));
}

// ---- special loads ----

/// Emits ldg.global.i.i32.p0(pointer, align), a load through the read-only cache, or ldu, a load
/// from an address that is the same in all lanes.
void emit_read_only_load(Emitter& e, const Instruction& call) {
    const std::vector<ScalarPart> parts = list_scalar_parts(*call.type);
    const bool is_ldu = ptx_opcode(call).starts_with("ldu");
    std::string to;
    for (std::size_t part = 0; part < parts.size(); ++part)
        to += (part ? ", " : "") + e.result_register(call, part);
    if (parts.size() > 1) to = "{" + to + "}";
    const u32 bits = static_cast<u32>(store_size(*parts[0].type) * 8);
    const std::string global = e.make_register(Register::b64);
    e.emit_ptx("cvta.to.global.u64 " + global + ", " + e.format_register_operand(call.operands[0]));
    e.emit_ptx(std::string(is_ldu ? "ldu.global" : "ld.global.nc") +
               (parts.size() > 1 ? ".v" + std::to_string(parts.size()) : "") + ".b" +
               std::to_string(bits) + " " + to + ", [" + global + "]");
}

// ---- asynchronous copies ----

/// Emits cp.async.ca.shared.global.16(to, from), optionally with the number of bytes to read (".s"
/// in the name).
void emit_async_copy(Emitter& e, const Instruction& call) {
    std::string name = ptx_opcode(call);
    if (name.ends_with(".s")) name.resize(name.size() - 2);
    const std::size_t last_dot = name.rfind('.');
    std::string text = name.substr(0, last_dot) + " " + address(e, call, 0) + ", " +
                       address(e, call, 1) + ", " + name.substr(last_dot + 1);
    if (call.operands.size() > 2) text += ", " + operand(e, call, 2);
    e.emit_ptx(text);
}

/// Emits cp.async.commit.group, cp.async.wait.group(number) and cp.async.wait.all.
void emit_async_group(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const bool is_commit = name.find("commit") != name.npos,
               is_bulk = name.find(".bulk") != name.npos, reads = name.ends_with(".read");
    if (name.ends_with("wait.all")) {
        e.emit_ptx("cp.async.wait_all");
        return;
    }
    std::string text = is_bulk ? "cp.async.bulk." : "cp.async.";
    text += is_commit ? "commit_group" : "wait_group";
    if (reads) text += ".read";
    if (!is_commit) text += " " + operand(e, call, 0);
    e.emit_ptx(text);
}

void emit_async_arrival(Emitter& e, const Instruction& call) {
    // The name is, for example, "cp.async.mbarrier.arrive.noinc.shared".
    const std::string name = ptx_opcode(call);
    std::string text = "cp.async.mbarrier.arrive";
    if (name.find(".noinc") != name.npos) text += ".noinc";
    if (name.ends_with(".shared")) text += ".shared";
    e.emit_ptx(text + ".b64 " + address(e, call, 0));
}

// ---- mbarrier ----

/// Emits an mbarrier operation, such as "mbarrier.arrive.drop.noComplete.shared". The name contains
/// the operation and the address space.
void emit_mbarrier(Emitter& e, const Instruction& call) {
    std::string name = ptx_opcode(call);
    const bool is_shared = name.ends_with(".shared");
    if (is_shared) name.resize(name.size() - 7);
    for (const auto& [from, to] : {std::pair{"arrive.drop", "arrive_drop"},
                                   {"test.wait", "test_wait"},
                                   {"pending.count", "pending_count"}}) {
        if (const std::size_t position = name.find(from); position != name.npos)
            name.replace(position, std::string_view(from).size(), to);
    }
    std::string text = name + (is_shared ? ".shared.b64 " : ".b64 ");
    if (name == "mbarrier.pending_count") {
        e.emit_ptx(text + e.result_register(call) + ", " +
                   e.format_register_operand(call.operands[0]));
        return;
    }
    if (!call.type->has_kind(Type::Kind::nothing)) text += e.result_register(call) + ", ";
    text += address(e, call, 0);
    if (call.operands.size() > 1) text += ", " + e.format_register_operand(call.operands[1]);
    e.emit_ptx(text);
}

// ---- atomics that are not atomicrmw ----

/// Emits an atomic such as "atomic.add.gen.i.cta.i32.p0". The name contains the operation, the
/// number type and the scope.
void emit_scoped_atomic(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const std::size_t begin = std::string_view("atomic.").size(), dot = name.find('.', begin);
    const std::string operation = name.substr(begin, dot - begin);
    const std::string scope = name.find(".cta.") != name.npos ? ".cta" : ".sys";
    const Type& type = *call.type;
    const u32 bits = register_bits(type);
    std::string suffix =
        type.is_floating()                                                               ? "f"
        : operation == "inc" || operation == "dec" || (operation == "add" && bits == 64) ? "u"
        : operation == "add" || operation == "max" || operation == "min"                 ? "s"
                                                                                         : "b";
    suffix += std::to_string(bits);
    std::string text = "atom" + scope + "." + operation + "." + suffix + " " +
                       e.result_register(call) + ", " + address(e, call, 0);
    for (std::size_t k = 1; k < call.operands.size(); ++k)
        text += ", " + e.format_register_operand(call.operands[k]);
    e.emit_ptx(text);
}

/// Emits the atomics of older versions of clang, such as "atomic.load.inc.32.p0".
void emit_legacy_atomic(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const char* operation = name.find(".inc.") != name.npos         ? "inc.u32"
                            : name.find(".dec.") != name.npos       ? "dec.u32"
                            : call.type->has_kind(Type::Kind::real) ? "add.f64"
                                                                    : "add.f32";
    e.emit_ptx(std::string("atom.") + operation + " " + e.result_register(call) + ", " +
               address(e, call, 0) + ", " + e.format_register_operand(call.operands[1]));
}

// ---- pointers ----

/// Emits "ptr.gen.to.shared" and "ptr.shared.to.gen".
void emit_pointer_conversion(Emitter& e, const Instruction& call) {
    std::string name = ptx_opcode(call).substr(4);
    name = name.substr(0, name.find(".p", 1));
    const std::size_t to = name.find(".to.");
    const bool from_generic = name.starts_with("gen");
    std::string space = from_generic ? name.substr(to + 4) : name.substr(0, to);
    if (space == "constant") space = "const";
    e.emit_ptx(std::string("cvta.") + (from_generic ? "to." : "") + space + ".u64 " +
               e.result_register(call) + ", " + e.format_register_operand(call.operands[0]));
}

// ---- integer functions that have an instruction of their own ----

void emit_permute(Emitter& e, const Instruction& call) {
    e.emit_ptx("prmt.b32 " + e.result_register(call) + ", " +
               e.format_register_operand(call.operands[0]) + ", " + operand(e, call, 1) + ", " +
               operand(e, call, 2));
}

/// Emits "mulhi.i", "mulhi.ull", "mul24.ui" and "sad.i".
void emit_integer_words(Emitter& e, const Instruction& call) {
    const std::string name = ptx_opcode(call);
    const std::size_t dot = name.find('.');
    const std::string operation = name.substr(0, dot), kind = name.substr(dot + 1);
    const std::string suffix =
        (kind[0] == 'u' ? "u" : "s") + std::to_string(register_bits(*call.type));
    std::string text = (operation == "mulhi"   ? "mul.hi"
                        : operation == "mul24" ? "mul24.lo"
                                               : operation) +
                       "." + suffix + " " + e.result_register(call);
    for (const Value* value : call.operands) text += ", " + e.format_register_operand(value);
    e.emit_ptx(text);
}

constexpr Intrinsic kGpuIntrinsics[] = {
    {"nvvm.read.ptx.sreg.*", emit_special_register},
    {"nvvm.shfl.sync.*", emit_shuffle},
    {"nvvm.vote.*", emit_vote},
    {"nvvm.match.*", emit_match},
    {"nvvm.redux.sync.*", emit_reduction},
    {"nvvm.activemask", emit_active_mask},
    {"nvvm.elect.sync", emit_elect},
    {"nvvm.bar.warp.sync", emit_warp_barrier},
    {"nvvm.barrier0", emit_barrier},
    {"nvvm.barrier.n", emit_barrier},
    {"nvvm.bar.sync", emit_barrier},
    {"nvvm.barrier", emit_barrier},
    {"nvvm.barrier.sync", emit_barrier},
    {"nvvm.barrier.sync.cnt", emit_barrier},
    {"nvvm.barrier.cta.sync.*", emit_barrier},
    {"nvvm.barrier.cta.arrive.*", emit_barrier},
    {"nvvm.barrier0.*", emit_barrier_reduction},
    {"nvvm.barrier.cta.red.*", emit_barrier_reduction},
    {"nvvm.barrier.cluster.*", emit_cluster_barrier},
    {"nvvm.membar.*", emit_opcode_and_operands},
    {"nvvm.fence.*", emit_opcode_and_operands},
    {"nvvm.exit", emit_opcode_and_operands},
    {"trap", emit_trap},
    {"ubsantrap", emit_trap},
    {"debugtrap", emit_trap},
    {"nvvm.nanosleep", emit_nanosleep},
    {"nvvm.isspacep.*", emit_is_space},
    {"nvvm.prefetch*", emit_prefetch},
    {"nvvm.ldg.global.*", emit_read_only_load},
    {"nvvm.ldu.global.*", emit_read_only_load},
    {"nvvm.cp.async.ca.shared.global.*", emit_async_copy},
    {"nvvm.cp.async.cg.shared.global.*", emit_async_copy},
    {"nvvm.cp.async.commit.group", emit_async_group},
    {"nvvm.cp.async.wait.group", emit_async_group},
    {"nvvm.cp.async.wait.all", emit_async_group},
    {"nvvm.cp.async.bulk.commit.group", emit_async_group},
    {"nvvm.cp.async.bulk.wait.group*", emit_async_group},
    {"nvvm.cp.async.mbarrier.*", emit_async_arrival},
    {"nvvm.mbarrier.*", emit_mbarrier},
    {"nvvm.atomic.load.*", emit_legacy_atomic},
    {"nvvm.atomic.*", emit_scoped_atomic},
    {"nvvm.ptr.*", emit_pointer_conversion},
    {"nvvm.prmt", emit_permute},
    {"nvvm.mulhi.*", emit_integer_words},
    {"nvvm.mul24.*", emit_integer_words},
    {"nvvm.sad.*", emit_integer_words},
};

}  // namespace

std::span<const Intrinsic> gpu_intrinsics() {
    return kGpuIntrinsics;
}

}  // namespace coalesce::translator
