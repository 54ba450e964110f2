#include "simulator/trace/tracer.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "simulator/counters/counters.h"
#include "simulator/execute/calls.h"

namespace coalesce::simulator {
namespace {

const FunctionCode& code_of(const Frame* frame, const Launch& launch) {
    return frame ? *frame->code : launch.code->main;
}

std::string folder_of(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

/// Returns the source line of the first instruction that has a source line.
ptx::SourceLine first_line_of(const ptx::Function& function) {
    for (const ptx::Instruction& one : function.body)
        if (one.where.line != 0) return one.where;
    return {};
}

WaitReason reason_of(const Fragment& fragment) {
    switch (fragment.state) {
        case Fragment::State::at_barrier: return WaitReason::barrier;
        case Fragment::State::at_warp_sync: return WaitReason::warp_sync;
        case Fragment::State::at_cluster_barrier: return WaitReason::cluster_barrier;
        case Fragment::State::waiting: return WaitReason::memory;
        default: return WaitReason::other_path;
    }
}

/// Returns the type in the name of a memory instruction, such as f32 for ld.global.v4.f32.
ScalarType type_of_access(const ptx::Instruction& instruction) {
    const ptx::Type type = instruction.modifiers.empty()
                               ? ptx::Type::none
                               : ptx::parse_type(instruction.modifiers.back());
    const u32 bytes = type == ptx::Type::none ? 4 : ptx::size_of(type);
    if (bytes > 8) return {"b32", ScalarKind::unsigned_integer, 4};
    const ScalarKind kind = ptx::is_float(type)    ? ScalarKind::real
                            : ptx::is_signed(type) ? ScalarKind::signed_integer
                                                   : ScalarKind::unsigned_integer;
    return {std::string(ptx::name_of(type)), kind, bytes};
}

void count_cost(const ObservedAccess& heard, StepAccess& access) {
    if (heard.shared) {
        const LaneOffsets offsets = to_offsets(heard.addresses, heard.lanes);
        const Wavefronts waves =
            count_wavefronts(offsets.data(), heard.bytes, heard.lanes, to_shared_kind(heard));
        access.cost = heard.kind == Access::atomic ? heard.wavefronts : waves.taken;
        access.ideal = std::min(access.cost, waves.ideal);
    } else {
        access.cost = count_sectors(heard.addresses, heard.bytes, heard.lanes);
        const u32 bytes = heard.bytes * static_cast<u32>(std::popcount(heard.lanes));
        access.ideal = std::min(access.cost, (bytes + 31) / 32);
    }
}

}  // namespace

BlockTracer::BlockTracer(const Launch& launch, u64 block, std::size_t limit)
    : launch_(launch), limit_(limit), debug_info_(read_debug_info(*launch.kernel->module->ast)) {
    trace_.kernel = launch.kernel->demangled;
    trace_.grid = launch.config.grid;
    trace_.block = launch.config.block;
    trace_.block_number = block;
    trace_.block_index = launch.config.grid.place(block);
    const auto& files = launch.kernel->module->ast->files;
    if (const auto own = files.find(first_line_of(*launch.kernel->ast).file); own != files.end())
        folder_ = folder_of(own->second);
    known_variables_.resize((launch.config.block.count() + kLanes - 1) / kLanes);
    TracedFunction& main = function_of(launch.code->main);
    trace_.has_variables = main.has_debug_info;
    add_arrays(launch, debug_info_, trace_);
    reports_before_ = reports().all();
    reports_seen_ = reports().total();
}

TracedFunction& BlockTracer::function_of(const FunctionCode& code) {
    const auto known = functions_.find(&code);
    if (known != functions_.end()) return known->second;
    const auto variables = debug_info_.find(code.name);
    return functions_
        .emplace(&code, trace_function(
                            code, *launch_.kernel,
                            variables == debug_info_.end() ? nullptr : &variables->second, trace_))
        .first->second;
}

KnownVariable& BlockTracer::known(const Warp& w, u32 variable) {
    std::vector<KnownVariable>& all = known_variables_[w.index];
    if (all.size() <= variable) all.resize(trace_.variables.size());
    return all[variable];
}

// ---- lines ----

/// Reports whether a line belongs to the program's source and not to a CUDA header.
bool BlockTracer::is_shown(ptx::SourceLine where) const {
    const auto& files = launch_.kernel->module->ast->files;
    const auto file = files.find(where.file);
    return where.line != 0 && file != files.end() && folder_of(file->second) == folder_;
}

/// Returns the line of the program's source to which an instruction belongs. An instruction from a
/// header belongs to the line that calls the header's function.
ptx::SourceLine BlockTracer::line_of(const Frame* frame, u32 source) {
    for (;; frame = frame->caller) {
        const TracedFunction& traced = function_of(code_of(frame, launch_));
        const ptx::Function& function = *traced.code->ast;
        while (source < function.body.size() && function.body[source].opcode.empty())
            ++source;  // a label belongs to the line below it
        if (source < function.body.size()) {
            const ptx::Instruction& at = function.body[source];
            if (is_shown(traced.lines[source])) return traced.lines[source];
            if (at.inlined)
                for (const ptx::SourceLine call : function.inline_chains[at.inlined - 1])
                    if (is_shown(call)) return call;
        }
        if (!frame) return {};
        source = frame->called_from->source;
    }
}

u32 BlockTracer::file_of(ptx::SourceLine where) {
    const auto [known, is_new] =
        file_numbers_.try_emplace(where.file, static_cast<u32>(trace_.files.size()));
    if (is_new) trace_.files.push_back(launch_.kernel->place(where).file);
    return known->second;
}

// ---- steps ----

/// Reports whether an instruction belongs to the current step. A step executes each instruction at
/// most once, so that each iteration of a single-line loop is a separate step.
bool BlockTracer::continues_step(const Warp& w, u32 source, ptx::SourceLine where) const {
    if (&w != warp_ || trace_.steps.empty()) return false;
    const Step& step = trace_.steps.back();
    if (w.active & ~step.active) return false;
    if (where.line == 0) {
        // Without any line information, each instruction is a step. If only this instruction has no
        // line, the compiler added the instruction, and it belongs to the current step.
        return !folder_.empty();
    }
    if (where.line != step.line || file_numbers_.at(where.file) != step.file) return false;
    if (w.frame != frame_) return true;  // a header's function
    if (source > last_source_) return !has_jumped_back_ || source < first_source_;
    return !has_jumped_back_ && source < first_source_;
}

void BlockTracer::step(const Warp& w, const Op* op) {
    if (!trace_.is_complete) return;
    finish_instruction();
    const TracedFunction& function = function_of(code_of(w.frame, launch_));
    const ptx::SourceLine where = line_of(w.frame, op->source);
    if (where.line != 0) file_of(where);
    if (!continues_step(w, op->source, where)) {
        end_step(&w, op->source);
        if (trace_.steps.size() >= limit_) {
            trace_.is_complete = false;
            return;
        }
        begin_step(w, op->source, where);
    } else if (w.frame == frame_) {
        has_jumped_back_ |= op->source < first_source_;
        last_source_ = op->source;
    }
    ++trace_.steps.back().instructions;
    const ptx::Instruction& instruction = function.code->ast->body[op->source];
    if (op->source == function.first_source) forget_variables(w, function);
    // Read a function's variables before it returns, because they do not exist afterwards.
    if (w.frame && instruction.opcode == "ret") read_variables(w, w.frame, op->source, w.active);
    note_assignments(w, op->source);
    note_barrier(instruction);
}

/// Records that the variables of a function that begins have no value yet. The lanes may have values
/// from an earlier call.
void BlockTracer::forget_variables(const Warp& w, const TracedFunction& function) {
    for (const TracedPart& part : function.parts) {
        KnownVariable& variable = known(w, part.variable);
        variable.assigned &= ~w.active;
        if (const Mask lanes = variable.known & w.active)
            trace_.steps.back().changes.push_back(
                {.variable = part.variable, .lanes = lanes, .is_unset = true});
        variable.known &= ~w.active;
    }
}

void BlockTracer::note_assignments(const Warp& w, u32 source) {
    const TracedFunction& function = function_of(code_of(w.frame, launch_));
    for (const u32 part : function.assigned[source])
        known(w, function.parts[part].variable).assigned |= w.active;
}

void BlockTracer::begin_step(const Warp& w, u32 source, ptx::SourceLine where) {
    Step& step = trace_.steps.emplace_back();
    step.warp = w.index;
    step.function = function_of(code_of(w.frame, launch_)).number;
    step.file = where.line ? file_of(where) : 0;
    step.line = where.line;
    step.active = w.active;
    step.first_instruction = source;
    add_waiting(w, step);
    warp_ = &w;
    frame_ = w.frame;
    first_source_ = last_source_ = source;
    has_jumped_back_ = false;
}

void BlockTracer::add_waiting(const Warp& w, Step& step) {
    for (const Fragment& f : w.others)
        step.waiting.push_back({f.lanes, reason_of(f), line_of(f.frame, f.at->source).line});
    if (const Mask exited = w.existing & ~w.live)
        step.waiting.push_back({exited, WaitReason::exited, 0});
}

void BlockTracer::end_step(const Warp* running, u32 source) {
    if (!warp_) return;
    const Warp& w = *warp_;
    const Mask lanes = trace_.steps.back().active;
    trace_.steps.back().bytes_in_flight = w.block->copy_bytes_under_way;
    // The location of a variable depends on the instruction that a lane has reached. Lanes that
    // have diverged have reached different instructions.
    if (running == warp_) read_variables(w, w.frame, source, w.active & lanes);
    for (const Fragment& f : w.others) read_variables(w, f.frame, f.at->source, f.lanes & lanes);
    warp_ = nullptr;
}

/// Reads the variables of the lanes that have reached an instruction, and records those that have
/// changed.
void BlockTracer::read_variables(const Warp& w, const Frame* frame, u32 source, Mask lanes) {
    if (!lanes) return;
    Step& step = trace_.steps.back();
    for (const TracedPart& part : function_of(code_of(frame, launch_)).parts) {
        if (source < part.begin || source >= part.end) continue;
        KnownVariable& variable = known(w, part.variable);
        const auto place = std::find_if(
            part.places.begin(), part.places.end(),
            [&](const PartPlace& one) { return source >= one.begin && source < one.end; });
        if (place == part.places.end()) continue;
        const bool is_parameter = place->kind == PartPlace::Kind::parameter ||
                                  place->kind == PartPlace::Kind::kernel_parameter;
        VariableChange change{.variable = part.variable,
                              .first_value = static_cast<u32>(trace_.values.size())};
        for (const int l : LanesIn{is_parameter ? lanes : lanes & variable.assigned}) {
            const u64 value = read_part(*place, part.bytes, w, frame, l);
            if ((variable.known >> l & 1) && variable.values[l] == value) continue;
            variable.values[l] = value;
            change.lanes |= Mask{1} << l;
            trace_.values.push_back(value);
        }
        variable.known |= change.lanes;
        if (change.lanes) step.changes.push_back(change);
    }
}

// ---- accesses ----

void BlockTracer::note(const Warp& w, const Op* op, const ObservedAccess& heard) {
    if (!warp_ || !trace_.is_complete || trace_.steps.empty() || heard.lanes == 0) return;
    const int first = std::countr_zero(heard.lanes);
    StepAccess access{.kind = heard.kind == Access::load    ? TracedAccessKind::load
                              : heard.kind == Access::store ? TracedAccessKind::store
                                                            : TracedAccessKind::atomic,
                      .array = find_array(launch_, heard.shared, heard.addresses[first], trace_),
                      .lanes = heard.lanes,
                      .bytes = heard.bytes,
                      .is_asynchronous = heard.asynchronous};
    ScalarType& element = trace_.arrays[access.array].element;
    if (element.bytes == 0)
        element = type_of_access(code_of(w.frame, launch_).ast->body[op->source]);
    count_cost(heard, access);
    PendingAccess pending{.access = trace_.steps.back().accesses.size(), .addresses = {}};
    for (const int l : LanesIn{heard.lanes}) pending.addresses[l] = heard.addresses[l];
    trace_.steps.back().accesses.push_back(access);
    pending_.push_back(pending);
}

/// Reads the values that the last instruction left in the memory that it accessed.
void BlockTracer::finish_instruction() {
    for (const PendingAccess& pending : pending_) read_values(pending);
    pending_.clear();
    if (pending_barrier_ && warp_) {
        const Block& block = *warp_->block;
        u32 waiting = 0;
        for (const Warp& w : block.warps)
            for (const Fragment& f : w.others)
                if (f.state == Fragment::State::at_barrier && f.barrier == *pending_barrier_)
                    waiting += static_cast<u32>(std::popcount(f.lanes));
        const Barrier& barrier = block.barriers[*pending_barrier_];
        waiting += barrier.arrived_without_waiting;
        const u32 expected = barrier.expected ? barrier.expected : block.threads;
        trace_.steps.back().barriers.push_back(
            {*pending_barrier_, waiting ? waiting : expected, expected, waiting == 0});
    }
    pending_barrier_.reset();
    take_new_reports();
}

void BlockTracer::read_values(const PendingAccess& pending) {
    StepAccess& access = trace_.steps.back().accesses[pending.access];
    const TracedArray& array = trace_.arrays[access.array];
    access.first_value = static_cast<u32>(trace_.values.size());
    const u32 size = std::max(1u, array.element.bytes);
    if (access.bytes % size == 0) access.elements = access.bytes / size;
    for (const int l : LanesIn{access.lanes}) {
        const u64 address = pending.addresses[l];
        trace_.values.push_back(address - array.address);
        const u8* from = nullptr;
        if (array.is_shared) {
            if (warp_->block->has_shared(address, access.bytes))
                from = warp_->block->shared + address;
        } else if (const Allocation* found = launch_.allocations->find(address);
                   found && found->contains(address, access.bytes)) {
            from = reinterpret_cast<const u8*>(address + static_cast<u64>(found->to_host));
        }
        for (u32 k = 0; k < access.elements; ++k) {
            u64 bits = 0;
            if (from) std::memcpy(&bits, from + k * size, std::min(size, 8u));
            trace_.values.push_back(bits);
        }
    }
}

void BlockTracer::note_local_store(const Warp& w, int lane, u64 address, u32 bytes) {
    for (const Frame* frame = w.frame;; frame = frame->caller) {
        const u64 base = frame ? frame->local_base : 0;
        for (const TracedPart& part : function_of(code_of(frame, launch_)).parts) {
            for (const PartPlace& place : part.places) {
                if (place.kind != PartPlace::Kind::local) continue;
                const u64 begin = base + place.offset;
                if (address < begin + part.bytes && begin < address + bytes)
                    known(w, part.variable).assigned |= Mask{1} << lane;
            }
        }
        if (!frame) return;
    }
}

u32 BlockTracer::find_last_store(u64 address) const {
    for (u32 k = static_cast<u32>(trace_.steps.size()); k-- > 0;) {
        for (const StepAccess& access : trace_.steps[k].accesses) {
            const TracedArray& array = trace_.arrays[access.array];
            if (access.kind == TracedAccessKind::load || array.is_shared) continue;
            for (u32 lane = 0; lane < static_cast<u32>(std::popcount(access.lanes)); ++lane) {
                const u64 offset = trace_.values[access.first_value + lane * (access.elements + 1)];
                if (address - array.address - offset < access.bytes) return k;
            }
        }
    }
    return kNone;
}

void BlockTracer::mark_last_store(u64 address) {
    const u32 step = find_last_store(address);
    if (step == kNone) return;
    Report report;
    report.check = "result";
    report.kind = "last store";
    report.where.line = trace_.steps[step].line;
    report.thread =
        trace_.block.place(u64{trace_.steps[step].warp} * kLanes +
                           static_cast<u32>(std::countr_zero(trace_.steps[step].active)));
    trace_.moments.push_back({step, report});
}

// ---- barriers and reports ----

void BlockTracer::note_barrier(const ptx::Instruction& instruction) {
    const bool is_barrier = (instruction.opcode == "bar" || instruction.opcode == "barrier") &&
                            !instruction.has("warp") && !instruction.has("cluster");
    if (!is_barrier) return;
    const bool names_one = !instruction.operands.empty() && instruction.operands[0].is_immediate();
    pending_barrier_ = names_one ? static_cast<u32>(instruction.operands[0].bits) & 15 : 0;
}

/// Adds the reports that the last instruction caused to the current step.
void BlockTracer::take_new_reports() {
    if (reports().total() == reports_seen_) return;
    reports_seen_ = reports().total();
    std::vector<Report> now = reports().all();
    for (const Report& report : now) {
        const bool is_old =
            std::any_of(reports_before_.begin(), reports_before_.end(), [&](const Report& before) {
                return before.check == report.check && before.kind == report.kind &&
                       before.where.line == report.where.line &&
                       before.other.line == report.other.line && before.count == report.count;
            });
        const bool is_first =
            std::none_of(trace_.moments.begin(), trace_.moments.end(), [&](const Moment& one) {
                return one.report.check == report.check && one.report.kind == report.kind &&
                       one.report.where.line == report.where.line;
            });
        if (!is_old && is_first && !trace_.steps.empty())
            trace_.moments.push_back({static_cast<u32>(trace_.steps.size() - 1), report});
    }
    reports_before_ = std::move(now);
}

/// Returns the last step that performed one of the two accesses of a report that was added after
/// the launch.
u32 BlockTracer::find_step(const Report& report) const {
    const auto is_here = [&](const Step& step, const Place& where, Dim3 block, Dim3 thread) {
        const Dim3 shape = trace_.block;
        const u64 number = thread.x + u64{shape.x} * (thread.y + u64{shape.y} * thread.z);
        return block == trace_.block_index && step.line == where.line &&
               step.warp == number / kLanes && (step.active >> number % kLanes & 1) &&
               !step.accesses.empty();
    };
    u32 found = kNone;
    for (u32 k = 0; k < trace_.steps.size(); ++k)
        if (is_here(trace_.steps[k], report.where, report.block, report.thread) ||
            is_here(trace_.steps[k], report.other, report.other_block, report.other_thread))
            found = k;
    return found;
}

void BlockTracer::end_block() {
    if (!trace_.is_complete) return;
    finish_instruction();
    end_step(nullptr, 0);
}

BlockTrace BlockTracer::finish() {
    for (const Report& report : reports().all()) {
        const bool is_known =
            std::any_of(trace_.moments.begin(), trace_.moments.end(), [&](const Moment& one) {
                return one.report.check == report.check && one.report.kind == report.kind &&
                       one.report.where.line == report.where.line;
            });
        if (is_known || report.kernel != trace_.kernel) continue;
        const u32 step = find_step(report);
        if (step != kNone) trace_.moments.push_back({step, report});
    }
    std::stable_sort(trace_.moments.begin(), trace_.moments.end(),
                     [](const Moment& a, const Moment& b) { return a.step < b.step; });
    return std::move(trace_);
}

}  // namespace coalesce::simulator
