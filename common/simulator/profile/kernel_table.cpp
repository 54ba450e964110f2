// See kernel_table.h.
#include "simulator/profile/kernel_table.h"

#include <algorithm>
#include <map>
#include <utility>

namespace coalesce::simulator {

Counters& Counters::operator+=(const Counters& added) {
    for (const NamedCounter& counter : kCounters) this->*counter.value += added.*counter.value;
    return *this;
}

bool Counters::has_memory_requests() const {
    return load_requests + store_requests + atomic_requests + shared_load_requests +
               shared_store_requests + shared_atomic_requests + texture_requests +
               surface_load_requests + surface_store_requests !=
           0;
}

namespace {

using LineKey = std::pair<std::string, u32>;
struct LineTotals {
    Counters counters;
    MergedAccessCounts merged_accesses;
};
using Lines = std::map<LineKey, LineTotals>;

Counters count_image_accesses(const Site& site, const SiteCounters& c) {
    Counters counts;
    const bool is_texture = site.memory_path == MemoryPath::texture;
    (is_texture     ? counts.texture_requests
     : site.is_load ? counts.surface_load_requests
                    : counts.surface_store_requests) = c.requests;
    (is_texture     ? counts.texture_sectors
     : site.is_load ? counts.surface_load_sectors
                    : counts.surface_store_sectors) = c.sectors;
    (is_texture     ? counts.texture_useful_bytes
     : site.is_load ? counts.surface_load_useful_bytes
                    : counts.surface_store_useful_bytes) = c.useful_bytes;
    return counts;
}

/// The memory operations that the machine code uses for an access to another block's shared memory.
struct RemoteAccessKinds {
    bool is_load, is_store, is_atomic;
};
RemoteAccessKinds find_remote_kinds(const Site& site) {
    if (!site.is_atomic)
        return {.is_load = site.is_load, .is_store = !site.is_load, .is_atomic = false};
    return {.is_load = site.remote_atomic != RemoteAtomic::single_atomic,
            .is_store = site.remote_atomic == RemoteAtomic::load_and_store,
            .is_atomic = site.remote_atomic != RemoteAtomic::load_and_store};
}

/// Adds accesses to the shared memory of other blocks. An atomic that is implemented as a loop
/// makes as many loads as atomics, and both access the same sectors.
void add_remote(const Site& site, const SiteCounters& c, Counters& counts) {
    const RemoteAccessKinds remote_access_kinds = find_remote_kinds(site);
    if (remote_access_kinds.is_load) {
        counts.cluster_load_requests = c.remote_requests;
        counts.cluster_load_sectors = c.remote_sectors;
        counts.cluster_load_useful_bytes = c.remote_useful_bytes;
    }
    if (remote_access_kinds.is_store) {
        counts.cluster_store_requests = c.remote_requests;
        counts.cluster_store_sectors = c.remote_sectors;
        counts.cluster_store_useful_bytes = c.remote_useful_bytes;
    }
    if (remote_access_kinds.is_atomic) {
        counts.cluster_atomic_requests = c.remote_requests;
        counts.cluster_atomic_sectors = c.remote_sectors;
        counts.cluster_atomic_useful_bytes = c.remote_useful_bytes;
    }
}

/// Returns the counters of a site under their names in reports. A generic access may have accessed
/// both global and shared memory, and an asynchronous copy loads from one of them and stores to the
/// other. The counters of both memories are therefore returned, regardless of the site's state
/// space.
Counters count_named_accesses(const Site& site, const SiteCounters& c) {
    if (site.memory_path != MemoryPath::plain) return count_image_accesses(site, c);
    Counters sum;
    add_remote(site, c, sum);
    if (site.is_atomic) {
        sum.atomic_requests = c.requests;
        sum.atomic_sectors = c.sectors;
        sum.atomic_useful_bytes = c.useful_bytes;
        sum.shared_atomic_requests = c.shared_requests;
        sum.shared_atomic_wavefronts = c.wavefronts;
        sum.shared_atomic_ideal = c.ideal_wavefronts;
        sum.shared_load_requests = c.loop_load_requests;
        sum.shared_load_wavefronts = c.loop_load_wavefronts;
        sum.shared_load_ideal = c.ideal_loop_load_wavefronts;
        return sum;
    }
    if (site.is_load) {
        sum.load_requests = c.requests;
        sum.load_sectors = c.sectors;
        sum.load_useful_bytes = c.useful_bytes;
        sum.load_waits = c.wait_count;
    } else {
        sum.store_requests = c.requests;
        sum.store_sectors = c.sectors;
        sum.store_useful_bytes = c.useful_bytes;
    }
    if (site.is_store) {
        sum.shared_store_requests = c.shared_requests;
        sum.shared_store_wavefronts = c.wavefronts;
        sum.shared_store_ideal = c.ideal_wavefronts;
        sum.copy_waits = c.wait_count;
    } else {
        sum.copy_bytes_under_way = c.bytes_in_flight;
        sum.shared_load_requests = c.shared_requests;
        sum.shared_load_wavefronts = c.wavefronts;
        sum.shared_load_ideal = c.ideal_wavefronts;
    }
    return sum;
}

bool counts_as_global_or_shared(ptx::StateSpace space) {
    return space == ptx::StateSpace::generic || space == ptx::StateSpace::global ||
           space == ptx::StateSpace::shared;
}

void add_sites(const Kernel& kernel, Counters& total, Lines& lines) {
    const std::size_t count = std::min(kernel.sites.size(), kernel.totals.sites.size());
    for (std::size_t i = 0; i < count; ++i) {
        const Site& site = kernel.sites[i];
        if (!counts_as_global_or_shared(site.space)) continue;
        const Counters counters = count_named_accesses(site, kernel.totals.sites[i]);
        total += counters;
        const Place place = kernel.place(site.where);
        if (place.line == 0) continue;
        LineTotals& line = lines[{place.file, place.line}];
        line.counters += counters;
        if (site.machine_accesses &&
            site.machine_accesses->covering_access != MachineAccesses::kNoAccess)
            ++(site.is_store ? line.merged_accesses.stores : line.merged_accesses.loads);
    }
}

bool is_bulk_copy(const Site& site) {
    if (!site.function) return false;
    const ptx::Instruction& instruction = site.function->body[site.instruction];
    return instruction.opcode == "cp" && instruction.has("bulk");
}

void add_special_requests(const Kernel& kernel, CoalesceSpecialRequests& total) {
    const std::size_t count = std::min(kernel.sites.size(), kernel.totals.sites.size());
    for (std::size_t i = 0; i < count; ++i) {
        const Site& site = kernel.sites[i];
        const SiteCounters& c = kernel.totals.sites[i];
        total.variable_load_requests += c.variable_requests;
        total.variable_load_sectors += c.variable_sectors;
        total.polls += c.polls;
        total.repeated_polls += c.repeated_polls;
        if (c.requests == 0 || site.is_atomic || !is_bulk_copy(site)) continue;
        (site.is_load ? total.bulk_load_requests : total.bulk_store_requests) += c.requests;
        (site.is_load ? total.bulk_load_sectors : total.bulk_store_sectors) += c.sectors;
    }
}

/// Adds the kernel's instruction counts to `total` and, if they are known for individual lines, to
/// `lines`. Returns true if it has added them to `lines`.
bool add_instructions(const Kernel& kernel, Counters& total, Lines& lines) {
    const KernelTotals& totals = kernel.totals;
    total.warp_instructions += totals.warp_instructions;
    total.thread_instructions += totals.thread_instructions;
    total.branches += totals.branches;
    total.divergent_branches += totals.divergent_branches;
    if (totals.instructions_by_line.empty() || !kernel.ast) return false;

    for (const auto& [where, instructions] : totals.instructions_by_line) {
        const Place place = kernel.place(ptx::SourceLine{where.first, where.second});
        if (place.line != 0)
            lines[{place.file, place.line}].counters.warp_instructions += instructions;
    }
    return true;
}

/// Returns the name of the file that contains the kernel's first line, or "" if that file is
/// unknown.
std::string source_file(const Kernel& kernel) {
    if (kernel.ast == nullptr || kernel.module == nullptr || !kernel.module->ast) return {};
    for (const ptx::Instruction& instruction : kernel.ast->body) {
        const Place place = kernel.place(instruction.where);
        if (place.line != 0) return place.file;
    }
    return {};
}

/// If several rows have the same name, adds the name of the source file to each of them.
void make_row_names_unique(std::vector<KernelRow>& rows, const std::vector<std::string>& files) {
    std::map<std::string, u32> count;
    for (const KernelRow& row : rows) ++count[row.name];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string name = files[i].substr(files[i].rfind('/') + 1);
        if (count[rows[i].name] > 1 && !name.empty()) rows[i].name += " (" + name + ")";
    }
}

}  // namespace

std::vector<KernelRow> make_kernel_table(const std::vector<const Kernel*>& kernels) {
    std::vector<KernelRow> rows;
    std::vector<Lines> lines;        // parallel to rows
    std::vector<std::string> files;  // parallel to rows
    for (const Kernel* kernel : kernels) {
        if (!kernel->totals.was_launched()) continue;
        const std::string file = source_file(*kernel);
        auto row = std::find_if(rows.begin(), rows.end(), [&](const KernelRow& r) {
            return r.name == kernel->display_name && files[&r - rows.data()] == file;
        });
        if (row == rows.end()) {
            row = rows.insert(rows.end(), KernelRow{});
            row->name = kernel->display_name;
            lines.emplace_back();
            files.push_back(file);
        }
        row->launches += kernel->totals.launches;
        row->stopped_launches += kernel->totals.failed_launches;
        row->unchecked_launches += kernel->totals.unchecked_launches;
        row->grid = kernel->totals.grid;
        row->block = kernel->totals.block;
        row->registers = std::max(row->registers, kernel->estimated_registers);
        Lines& row_lines = lines[static_cast<std::size_t>(row - rows.begin())];
        add_sites(*kernel, row->counters, row_lines);
        add_special_requests(*kernel, row->special_requests);
        row->has_instructions_by_line |= add_instructions(*kernel, row->counters, row_lines);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const auto& [place, line] : lines[i]) {
            rows[i].lines.push_back(
                {{place.first, place.second}, line.counters, line.merged_accesses});
        }
    }
    make_row_names_unique(rows, files);
    return rows;
}

}  // namespace coalesce::simulator
