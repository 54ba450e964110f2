#include "simulator/trace/tracer.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "simulator/counters/counters.h"
#include "simulator/execute/calls.h"

namespace coalesce::simulator {
namespace {

const FunctionCode& find_executing_function(const Frame* frame, const Launch& launch) {
    return frame ? *frame->code : launch.code->kernel_function;
}

std::string find_folder(const std::string& path) {
    return path.substr(0, path.rfind('/') + 1);
}

/// Returns the source line of the first instruction that has a source line.
ptx::SourceLine find_first_line(const ptx::Function& function) {
    for (const ptx::Instruction& instruction : function.body)
        if (instruction.where.line != 0) return instruction.where;
    return {};
}

WaitReason find_wait_reason(const Fragment& fragment) {
    switch (fragment.state) {
        case Fragment::State::at_barrier: return WaitReason::barrier;
        case Fragment::State::at_warp_sync: return WaitReason::warp_sync;
        case Fragment::State::at_cluster_barrier: return WaitReason::cluster_barrier;
        case Fragment::State::waiting: return WaitReason::memory;
        default: return WaitReason::other_path;
    }
}

/// Returns the type in the name of a memory instruction, such as f32 for ld.global.v4.f32.
ScalarType find_access_type(const ptx::Instruction& instruction) {
    const ptx::Type type = instruction.modifiers.empty()
                               ? ptx::Type::none
                               : ptx::parse_type(instruction.modifiers.back());
    const u32 bytes = type == ptx::Type::none ? 4 : ptx::size_of(type);
    if (bytes > 8) return {"b32", ScalarKind::unsigned_integer, 4};
    const ScalarKind scalar_kind = ptx::is_float(type)    ? ScalarKind::real
                                   : ptx::is_signed(type) ? ScalarKind::signed_integer
                                                          : ScalarKind::unsigned_integer;
    return {std::string(ptx::name_of(type)), scalar_kind, bytes};
}

void count_cost(const ObservedAccess& observed_access, StepAccess& access) {
    if (observed_access.is_shared) {
        const LaneOffsets offsets = to_offsets(observed_access.addresses, observed_access.lanes);
        const Wavefronts waves =
            count_wavefronts(offsets.data(), observed_access.bytes, observed_access.lanes,
                             to_shared_kind(observed_access));
        access.cost = observed_access.kind == Access::atomic ? observed_access.wavefronts
                                                             : waves.wavefront_count;
        access.ideal = std::min(access.cost, waves.ideal_count);
    } else {
        access.cost =
            count_sectors(observed_access.addresses, observed_access.bytes, observed_access.lanes);
        const u32 bytes =
            observed_access.bytes * static_cast<u32>(std::popcount(observed_access.lanes));
        access.ideal = std::min(access.cost, (bytes + 31) / 32);
    }
}

}  // namespace

BlockTracer::BlockTracer(const Launch& launch, u64 block, std::size_t max_steps)
    : launch_(launch),
      max_steps_(max_steps),
      debug_info_(read_debug_info(*launch.kernel->module->ast)) {
    trace_.kernel = launch.kernel->display_name;
    trace_.grid = launch.config.grid;
    trace_.block = launch.config.block;
    trace_.block_number = block;
    trace_.block_index = launch.config.grid.position_of(block);
    const auto& files = launch.kernel->module->ast->files;
    if (const auto kernel_file = files.find(find_first_line(*launch.kernel->ast).file);
        kernel_file != files.end())
        folder_ = find_folder(kernel_file->second);
    known_variables_.resize((launch.config.block.count() + kLanes - 1) / kLanes);
    TracedFunction& main = find_traced_function(launch.code->kernel_function);
    trace_.has_variables = main.has_debug_info;
    add_arrays(launch, debug_info_, trace_);
    reports_before_ = reports().all();
    reports_seen_ = reports().total_count();
}

TracedFunction& BlockTracer::find_traced_function(const FunctionCode& code) {
    const auto traced_function = functions_.find(&code);
    if (traced_function != functions_.end()) return traced_function->second;
    const auto variables = debug_info_.find(code.name);
    return functions_
        .emplace(&code, trace_function(
                            code, *launch_.kernel,
                            variables == debug_info_.end() ? nullptr : &variables->second, trace_))
        .first->second;
}

KnownVariable& BlockTracer::find_known_variable(const Warp& w, u32 variable) {
    std::vector<KnownVariable>& warp_variables = known_variables_[w.index];
    if (warp_variables.size() <= variable) warp_variables.resize(trace_.variables.size());
    return warp_variables[variable];
}

// ---- lines ----

/// Reports whether a line belongs to the program's source and not to a CUDA header.
bool BlockTracer::is_shown(ptx::SourceLine location) const {
    const auto& files = launch_.kernel->module->ast->files;
    const auto file = files.find(location.file);
    return location.line != 0 && file != files.end() && find_folder(file->second) == folder_;
}

/// Returns the line of the program's source to which an instruction belongs. An instruction from a
/// header belongs to the line that calls the header's function.
ptx::SourceLine BlockTracer::find_line(const Frame* frame, u32 source) {
    for (;; frame = frame->caller) {
        const TracedFunction& traced =
            find_traced_function(find_executing_function(frame, launch_));
        const ptx::Function& function = *traced.code->ast;
        while (source < function.body.size() && function.body[source].opcode.empty())
            ++source;  // a label belongs to the line below it
        if (source < function.body.size()) {
            const ptx::Instruction& instruction = function.body[source];
            if (is_shown(traced.lines[source])) return traced.lines[source];
            if (instruction.inline_chain_index)
                for (const ptx::SourceLine call :
                     function.inline_chains[instruction.inline_chain_index - 1])
                    if (is_shown(call)) return call;
        }
        if (!frame) return {};
        source = frame->call_op->source;
    }
}

u32 BlockTracer::find_file(ptx::SourceLine location) {
    const auto [known, is_new] =
        file_numbers_.try_emplace(location.file, static_cast<u32>(trace_.files.size()));
    if (is_new) trace_.files.push_back(launch_.kernel->place(location).file);
    return known->second;
}

// ---- steps ----

/// Reports whether an instruction belongs to the current step. A step executes each instruction at
/// most once, so that each iteration of a single-line loop is a separate step.
bool BlockTracer::continues_step(const Warp& w, u32 source, ptx::SourceLine location) const {
    if (&w != warp_ || trace_.steps.empty()) return false;
    const Step& step = trace_.steps.back();
    if (w.active & ~step.active) return false;
    if (location.line == 0) {
        // Without any line information, each instruction is a step. If only this instruction has no
        // line, the compiler added the instruction, and it belongs to the current step.
        return !folder_.empty();
    }
    if (location.line != step.line || file_numbers_.at(location.file) != step.file) return false;
    if (w.frame != frame_) return true;  // a header's function
    if (source > last_source_) return !has_jumped_back_ || source < first_source_;
    return !has_jumped_back_ && source < first_source_;
}

void BlockTracer::note_step(const Warp& w, const Op* op) {
    if (!trace_.is_complete) return;
    finish_instruction();
    const TracedFunction& function =
        find_traced_function(find_executing_function(w.frame, launch_));
    const ptx::SourceLine location = find_line(w.frame, op->source);
    if (location.line != 0) find_file(location);
    if (!continues_step(w, op->source, location)) {
        end_step(&w, op->source);
        if (trace_.steps.size() >= max_steps_) {
            trace_.is_complete = false;
            return;
        }
        begin_step(w, op->source, location);
    } else if (w.frame == frame_) {
        has_jumped_back_ |= op->source < first_source_;
        last_source_ = op->source;
    }
    ++trace_.steps.back().instructions;
    const ptx::Instruction& instruction = function.code->ast->body[op->source];
    if (op->source == function.first_executed_instruction) forget_variables(w, function);
    // Read a function's variables before it returns, because they do not exist afterwards.
    if (w.frame && instruction.opcode == "ret") read_variables(w, w.frame, op->source, w.active);
    note_assignments(w, op->source);
    note_barrier(instruction);
}

/// Records that the variables of a function that begins have no value yet. The lanes may have
/// values from an earlier call.
void BlockTracer::forget_variables(const Warp& w, const TracedFunction& function) {
    for (const TracedPart& part : function.parts) {
        KnownVariable& variable = find_known_variable(w, part.variable);
        variable.assigned_lanes &= ~w.active;
        if (const Mask lanes = variable.known_lanes & w.active)
            trace_.steps.back().changes.push_back(
                {.variable = part.variable, .lanes = lanes, .is_unset = true});
        variable.known_lanes &= ~w.active;
    }
}

void BlockTracer::note_assignments(const Warp& w, u32 source) {
    const TracedFunction& function =
        find_traced_function(find_executing_function(w.frame, launch_));
    for (const u32 part : function.assigned_parts[source])
        find_known_variable(w, function.parts[part].variable).assigned_lanes |= w.active;
}

void BlockTracer::begin_step(const Warp& w, u32 source, ptx::SourceLine location) {
    Step& step = trace_.steps.emplace_back();
    step.warp = w.index;
    step.function = find_traced_function(find_executing_function(w.frame, launch_)).function_index;
    step.file = location.line ? find_file(location) : 0;
    step.line = location.line;
    step.active = w.active;
    step.first_instruction = source;
    add_waiting(w, step);
    warp_ = &w;
    frame_ = w.frame;
    first_source_ = last_source_ = source;
    has_jumped_back_ = false;
}

void BlockTracer::add_waiting(const Warp& w, Step& step) {
    for (const Fragment& f : w.other_fragments)
        step.waiting.push_back(
            {f.lanes, find_wait_reason(f), find_line(f.frame, f.next_op->source).line});
    if (const Mask exited_lanes = w.existing_lanes & ~w.live_lanes)
        step.waiting.push_back({exited_lanes, WaitReason::exited, 0});
}

void BlockTracer::end_step(const Warp* running_warp, u32 source) {
    if (!warp_) return;
    const Warp& w = *warp_;
    const Mask lanes = trace_.steps.back().active;
    trace_.steps.back().bytes_in_flight = w.block->copy_bytes_in_flight;
    // The location of a variable depends on the instruction that a lane has reached. Lanes that
    // have diverged have reached different instructions.
    if (running_warp == warp_) read_variables(w, w.frame, source, w.active & lanes);
    for (const Fragment& f : w.other_fragments)
        read_variables(w, f.frame, f.next_op->source, f.lanes & lanes);
    warp_ = nullptr;
}

/// Reads the variables of the lanes that have reached an instruction, and records those that have
/// changed.
void BlockTracer::read_variables(const Warp& w, const Frame* frame, u32 source, Mask lanes) {
    if (!lanes) return;
    Step& step = trace_.steps.back();
    for (const TracedPart& part :
         find_traced_function(find_executing_function(frame, launch_)).parts) {
        if (source < part.begin || source >= part.end) continue;
        KnownVariable& variable = find_known_variable(w, part.variable);
        const auto variable_place =
            std::find_if(part.places.begin(), part.places.end(), [&](const PartPlace& instruction) {
                return source >= instruction.begin && source < instruction.end;
            });
        if (variable_place == part.places.end()) continue;
        const bool is_parameter = variable_place->kind == PartPlace::Kind::parameter ||
                                  variable_place->kind == PartPlace::Kind::kernel_parameter;
        VariableChange change{.variable = part.variable,
                              .first_value = static_cast<u32>(trace_.values.size())};
        for (const int l : LaneRange{is_parameter ? lanes : lanes & variable.assigned_lanes}) {
            const u64 value = read_part(*variable_place, part.bytes, w, frame, l);
            if ((variable.known_lanes >> l & 1) && variable.values[l] == value) continue;
            variable.values[l] = value;
            change.lanes |= Mask{1} << l;
            trace_.values.push_back(value);
        }
        variable.known_lanes |= change.lanes;
        if (change.lanes) step.changes.push_back(change);
    }
}

// ---- accesses ----

void BlockTracer::note_access(const Warp& w, const Op* op, const ObservedAccess& observed_access) {
    if (!warp_ || !trace_.is_complete || trace_.steps.empty() || observed_access.lanes == 0) return;
    const int first_lane = std::countr_zero(observed_access.lanes);
    StepAccess access{.kind = observed_access.kind == Access::load    ? TracedAccessKind::load
                              : observed_access.kind == Access::store ? TracedAccessKind::store
                                                                      : TracedAccessKind::atomic,
                      .array = find_array(launch_, observed_access.is_shared,
                                          observed_access.addresses[first_lane], trace_),
                      .lanes = observed_access.lanes,
                      .bytes = observed_access.bytes,
                      .is_asynchronous = observed_access.is_asynchronous};
    ScalarType& element = trace_.arrays[access.array].element;
    if (element.bytes == 0)
        element = find_access_type(find_executing_function(w.frame, launch_).ast->body[op->source]);
    count_cost(observed_access, access);
    PendingAccess pending{.access = trace_.steps.back().accesses.size(), .addresses = {}};
    for (const int l : LaneRange{observed_access.lanes})
        pending.addresses[l] = observed_access.addresses[l];
    trace_.steps.back().accesses.push_back(access);
    pending_.push_back(pending);
}

/// Reads the values that the last instruction left in the memory that it accessed.
void BlockTracer::finish_instruction() {
    for (const PendingAccess& pending : pending_) read_values(pending);
    pending_.clear();
    if (pending_barrier_ && warp_) {
        const Block& block = *warp_->block;
        u32 waiting_warps = 0;
        for (const Warp& w : block.warps)
            for (const Fragment& f : w.other_fragments)
                if (f.state == Fragment::State::at_barrier && f.barrier == *pending_barrier_)
                    waiting_warps += static_cast<u32>(std::popcount(f.lanes));
        const Barrier& barrier = block.barriers[*pending_barrier_];
        waiting_warps += barrier.nonwaiting_arrivals;
        const u32 expected = barrier.expected_threads ? barrier.expected_threads : block.threads;
        trace_.steps.back().barriers.push_back({*pending_barrier_,
                                                waiting_warps ? waiting_warps : expected, expected,
                                                waiting_warps == 0});
    }
    pending_barrier_.reset();
    add_new_reports();
}

void BlockTracer::read_values(const PendingAccess& pending) {
    StepAccess& access = trace_.steps.back().accesses[pending.access];
    const TracedArray& array = trace_.arrays[access.array];
    access.first_value = static_cast<u32>(trace_.values.size());
    const u32 size = std::max(1u, array.element.bytes);
    if (access.bytes % size == 0) access.elements = access.bytes / size;
    for (const int l : LaneRange{access.lanes}) {
        const u64 address = pending.addresses[l];
        trace_.values.push_back(address - array.address);
        const u8* source = nullptr;
        if (array.is_shared) {
            if (warp_->block->is_in_own_shared(address, access.bytes))
                source = warp_->block->shared + address;
        } else if (const Allocation* allocation = launch_.allocations->find(address);
                   allocation && allocation->contains(address, access.bytes)) {
            source =
                reinterpret_cast<const u8*>(address + static_cast<u64>(allocation->host_offset));
        }
        for (u32 k = 0; k < access.elements; ++k) {
            u64 bits = 0;
            if (source) std::memcpy(&bits, source + k * size, std::min(size, 8u));
            trace_.values.push_back(bits);
        }
    }
}

void BlockTracer::note_local_store(const Warp& w, int lane, u64 address, u32 bytes) {
    for (const Frame* frame = w.frame;; frame = frame->caller) {
        const u64 base = frame ? frame->local_base : 0;
        for (const TracedPart& part :
             find_traced_function(find_executing_function(frame, launch_)).parts) {
            for (const PartPlace& variable_place : part.places) {
                if (variable_place.kind != PartPlace::Kind::local) continue;
                const u64 begin = base + variable_place.offset;
                if (address < begin + part.bytes && begin < address + bytes)
                    find_known_variable(w, part.variable).assigned_lanes |= Mask{1} << lane;
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
        trace_.block.position_of(u64{trace_.steps[step].warp} * kLanes +
                                 static_cast<u32>(std::countr_zero(trace_.steps[step].active)));
    trace_.moments.push_back({step, report});
}

// ---- barriers and reports ----

void BlockTracer::note_barrier(const ptx::Instruction& instruction) {
    const bool is_barrier = (instruction.opcode == "bar" || instruction.opcode == "barrier") &&
                            !instruction.has("warp") && !instruction.has("cluster");
    if (!is_barrier) return;
    const bool names_barrier =
        !instruction.operands.empty() && instruction.operands[0].is_immediate();
    pending_barrier_ = names_barrier ? static_cast<u32>(instruction.operands[0].bits) & 15 : 0;
}

/// Adds the reports that the last instruction caused to the current step.
void BlockTracer::add_new_reports() {
    if (reports().total_count() == reports_seen_) return;
    reports_seen_ = reports().total_count();
    std::vector<Report> current_reports = reports().all();
    for (const Report& report : current_reports) {
        const bool is_known_report = std::any_of(
            reports_before_.begin(), reports_before_.end(), [&](const Report& earlier_report) {
                return earlier_report.check == report.check && earlier_report.kind == report.kind &&
                       earlier_report.where.line == report.where.line &&
                       earlier_report.other.line == report.other.line &&
                       earlier_report.count == report.count;
            });
        const bool is_first =
            std::none_of(trace_.moments.begin(), trace_.moments.end(), [&](const Moment& moment) {
                return moment.report.check == report.check && moment.report.kind == report.kind &&
                       moment.report.where.line == report.where.line;
            });
        if (!is_known_report && is_first && !trace_.steps.empty())
            trace_.moments.push_back({static_cast<u32>(trace_.steps.size() - 1), report});
    }
    reports_before_ = std::move(current_reports);
}

/// Returns the last step that performed one of the two accesses of a report that was added after
/// the launch.
u32 BlockTracer::find_step(const Report& report) const {
    const auto is_at_thread = [&](const Step& step, const Place& location, Dim3 block,
                                  Dim3 thread) {
        const Dim3 shape = trace_.block;
        const u64 number = thread.x + u64{shape.x} * (thread.y + u64{shape.y} * thread.z);
        return block == trace_.block_index && step.line == location.line &&
               step.warp == number / kLanes && (step.active >> number % kLanes & 1) &&
               !step.accesses.empty();
    };
    u32 allocation = kNone;
    for (u32 k = 0; k < trace_.steps.size(); ++k)
        if (is_at_thread(trace_.steps[k], report.where, report.block, report.thread) ||
            is_at_thread(trace_.steps[k], report.other, report.other_block, report.other_thread))
            allocation = k;
    return allocation;
}

void BlockTracer::end_block() {
    if (!trace_.is_complete) return;
    finish_instruction();
    end_step(nullptr, 0);
}

BlockTrace BlockTracer::finish() {
    for (const Report& report : reports().all()) {
        const bool is_known =
            std::any_of(trace_.moments.begin(), trace_.moments.end(), [&](const Moment& moment) {
                return moment.report.check == report.check && moment.report.kind == report.kind &&
                       moment.report.where.line == report.where.line;
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
