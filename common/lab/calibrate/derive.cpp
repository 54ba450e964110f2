#include "lab/calibrate/derive.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/median.h"

namespace coalesce::timing {
namespace {

/// Applies `value` to each element of `list` for which `is_meant` is true, and returns the results.
/// Throws GpuError, naming `what`, if there are none.
template <class T, class Meant, class Value>
std::vector<double> select_values(const std::vector<T>& list, const std::string& what,
                                  const Meant& is_meant, const Value& value) {
    std::vector<double> values;
    for (const T& one : list) {
        if (is_meant(one)) values.push_back(value(one));
    }
    if (values.empty()) throw GpuError("a measurement is missing: " + what);
    return values;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double maximum(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

/// Rounds to four significant digits, one digit more than a second run reproduces.
double round_to_four_digits(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10, std::floor(std::log10(std::fabs(value))) - 3);
    return std::round(value / unit) * unit;
}

// ---- groups ----

template <class Value>
double median_of_pointer_chase(const RawMeasurements& raw, const std::string& of,
                               const Value& value) {
    return mean(select_values(
        raw.pointer_chases, "latency, " + of, [&](const PointerChase& c) { return c.target == of; },
        value));
}
double chase_cycles(const RawMeasurements& raw, const std::string& of) {
    return median_of_pointer_chase(raw, of, [](const PointerChase& c) { return c.cycles; });
}
double chase_ns(const RawMeasurements& raw, const std::string& of) {
    return median_of_pointer_chase(raw, of, [](const PointerChase& c) { return c.ns; });
}

void derive_latencies(const RawMeasurements& raw, Gpu& gpu) {
    gpu.l2_latency_ns = round_to_four_digits(chase_ns(raw, "second level"));
    gpu.l1_latency_cycles = round_to_four_digits(chase_cycles(raw, "first level"));
    gpu.shared_latency_cycles = round_to_four_digits(chase_cycles(raw, "shared"));
}

/// Returns the overhead of timing a single load: two clock reads and the vote that waits for the
/// loaded value. The overhead is the result of timing a single load that hits the second-level
/// cache, minus the time per load of a warp that follows pointers through the same cache.
double timing_overhead_cycles(const RawMeasurements& raw) {
    if (raw.timed_load <= 0)
        throw GpuError("a measurement is missing: a load of a cache line from the L2 cache");
    return std::max(0.0, raw.timed_load - chase_cycles(raw, "second level, lines"));
}

/// Derives the latency under load from individually timed loads of single lines.
void derive_loads(const RawMeasurements& raw, Gpu& gpu) {
    const double clocks = timing_overhead_cycles(raw);
    std::vector<LoadLatency> loads;
    std::vector<double> fastest, spreads;
    for (const LoadsInFlight& f : raw.flights) {
        if (f.mean <= 0) continue;
        const bool is_copy = f.access == "copy";
        const double u = f.gbps / (is_copy ? gpu.copy_gbps : gpu.read_gbps);
        const double ns = (f.mean - clocks) / gpu.clock_ghz;
        loads.push_back({is_copy, u, ns});
        if (u >= 0.2 && u < 0.6)
            fastest.push_back((fit_latency_distribution(f).fastest - clocks) / gpu.clock_ghz);
        // When memory is busier than this, loads wait for each other, which makes their latencies
        // more alike.
        if (is_copy && u >= 0.3 && u < 0.45)
            spreads.push_back(fit_latency_distribution(f).more / gpu.clock_ghz);
    }
    if (fastest.empty() || spreads.empty())
        throw GpuError("a measurement is missing: single loads while memory is busy");
    const LatencyParameters load = fit_latency_under_load(loads);
    gpu.latency_ns = round_to_four_digits(load.latency_ns);
    gpu.fastest_latency_fraction =
        round_to_four_digits(std::clamp(median(fastest) / gpu.latency_ns, 0.01, 1.0));
    gpu.latency_spread_ns = round_to_four_digits(mean(spreads));
    gpu.queueing_ns = round_to_four_digits(load.queueing_ns);
    gpu.write_delay_ns = round_to_four_digits(load.write_delay_ns);
}

void derive_memory(const RawMeasurements& raw, Gpu& gpu) {
    const auto best = [&](const std::string& what) {
        return round_to_four_digits(maximum(select_values(
            raw.long_runs, "long runs, " + what,
            [&](const LongRunBandwidth& r) { return r.access == what; },
            [](const LongRunBandwidth& r) { return r.gbps; })));
    };
    gpu.copy_gbps = best("copy");
    gpu.read_gbps = best("read");
    gpu.write_gbps = best("write");
    derive_loads(raw, gpu);
}

void derive_multiprocessor(const RawMeasurements& raw, Gpu& gpu) {
    const auto cache_bandwidths = [&](const std::string& what) {
        return round_to_four_digits(maximum(select_values(
            raw.cache_bandwidths, "way to the L2 cache, " + what,
            [&](const CacheBandwidth& t) {
                return t.access == what && t.multiprocessors == gpu.multiprocessors;
            },
            [](const CacheBandwidth& t) { return t.bytes_per_cycle; })));
    };
    gpu.l2_read_bytes_per_cycle = cache_bandwidths("read");
    gpu.l2_write_bytes_per_cycle = cache_bandwidths("write");

    // Leave out blocks with one warp, in which no warp waits for another.
    std::vector<std::pair<double, double>> barriers;
    for (const BarrierCost& b : raw.barriers) {
        if (b.warps > 1) barriers.push_back({b.warps, b.cycles});
    }
    const auto [base_cycles, cycles_per_warp] = fit_line(barriers);
    gpu.barrier_cycles = round_to_four_digits(std::max(0.0, base_cycles));
    gpu.barrier_cycles_per_warp = round_to_four_digits(std::max(0.0, cycles_per_warp));

    const auto issue = [&](const std::string& what) {
        return round_to_four_digits(mean(select_values(
            raw.issues, "issue, " + what,
            [&](const IssueCost& i) { return i.access == what && i.threads == 1024; },
            [](const IssueCost& i) { return i.cycles; })));
    };
    gpu.add_issue_cycles = issue("add");
    gpu.multiply_issue_cycles = issue("multiply-add");
    gpu.divide_issue_cycles = issue("divide");
    gpu.special_issue_cycles = issue("exponential");
    gpu.double_issue_cycles = issue("double multiply-add");
}

void derive_blocks(const RawMeasurements& raw, Gpu& gpu) {
    gpu.launch_us = round_to_four_digits(raw.launch_us);
    gpu.block_interval_cycles = round_to_four_digits(median(select_values(
        raw.turns, "blocks, many resident",
        [](const BlockTurnover& t) { return t.wait == 0 && t.resident >= 8; },
        [](const BlockTurnover& t) { return t.interval; })));
    std::vector<std::pair<double, double>> gaps;
    for (const BlockTurnover& t : raw.turns) {
        if (t.resident == 1 && t.wait == 0) gaps.push_back({t.warps - 1, t.last_warp_gap});
    }
    const auto [start, of_warp] = fit_line(gaps);
    gpu.block_start_cycles = round_to_four_digits(std::max(0.0, start));
    gpu.warp_start_cycles = round_to_four_digits(std::max(0.0, of_warp));
}

}  // namespace

std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& right) {
    const std::size_t n = rows.empty() ? 0 : rows.front().size();
    // `m` contains the normal equations. Their right-hand side is the last column.
    std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) m[i][j] += rows[r][i] * rows[r][j];
            m[i][n] += rows[r][i] * right[r];
        }
    }
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t pivot = column;
        for (std::size_t i = column; i < n; ++i) {
            if (std::fabs(m[i][column]) > std::fabs(m[pivot][column])) pivot = i;
        }
        std::swap(m[column], m[pivot]);
        if (std::fabs(m[column][column]) < 1e-12) {
            throw GpuError("too few different measurements to fit a line");
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == column) continue;
            const double factor = m[i][column] / m[column][column];
            for (std::size_t j = column; j <= n; ++j) m[i][j] -= factor * m[column][j];
        }
    }
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = m[i][n] / m[i][i];
    return x;
}

std::pair<double, double> fit_line(const std::vector<std::pair<double, double>>& points) {
    std::vector<std::vector<double>> rows;
    std::vector<double> right;
    for (const auto& [x, y] : points) {
        rows.push_back({1, x});
        right.push_back(y);
    }
    if (points.size() < 2)
        throw GpuError("too few measurements: at least two are needed to fit a line");
    const auto found = least_squares(rows, right);
    return {found[0], found[1]};
}

LatencyParameters fit_latency_under_load(const std::vector<LoadLatency>& loads) {
    // The model is ns = latency + queue * u / (1 - u) + write delay * u / 2, because half of a
    // copy's traffic is writes. Dividing each row by `ns` makes the fit minimize relative errors.
    std::vector<std::vector<double>> rows;
    std::vector<double> right;
    for (const LoadLatency& load : loads) {
        // Persistent blocks reach less bandwidth than short-lived ones, so above this value of
        // `busy`, u underestimates how busy memory is.
        if (load.memory_utilization > 0.8) continue;
        rows.push_back({1 / load.ns,
                        load.memory_utilization / (1 - load.memory_utilization) / load.ns,
                        load.is_copy ? load.memory_utilization / 2 / load.ns : 0.0});
        right.push_back(1);
    }
    const auto found = least_squares(rows, right);
    return {found[0], std::max(0.0, found[1]), std::max(0.0, found[2])};
}

LatencyDistribution fit_latency_distribution(const LoadsInFlight& flight) {
    // The 10 % and 90 % quantiles of a two-stage gamma distribution with mean 1.
    constexpr double p10 = 0.2659, p90 = 1.9449;
    const double more = (flight.p90 - flight.p10) / (p90 - p10);
    return {flight.mean - more, more};
}

RunCosts derive_run_costs(const std::vector<ShortRunBandwidth>& measured) {
    std::vector<double> sizes, pitches;
    for (const ShortRunBandwidth& r : measured) {
        if (std::find(sizes.begin(), sizes.end(), r.run) == sizes.end()) sizes.push_back(r.run);
        if (std::find(pitches.begin(), pitches.end(), r.pitch) == pitches.end())
            pitches.push_back(r.pitch);
    }
    if (sizes.empty()) throw GpuError("a measurement is missing: short runs of sectors");
    std::sort(sizes.begin(), sizes.end());
    // If neighbouring strips are in flight together, the runs in memory are longer than one strip.
    // Use strips that are far apart, if they were measured.
    const auto gbps = [&](const std::string& what, double run, double pitch) {
        double found = 0;
        for (const ShortRunBandwidth& r : measured) {
            if (r.access != what || r.pitch != pitch || r.run != run) continue;
            if (found == 0 || r.strips == "far") found = r.gbps;
        }
        return found;
    };
    // Take the median over all pitches, because many strips map to the same memory channel at some
    // pitches.
    const auto cost = [&](const std::string& what, double run) {
        std::vector<double> costs;
        for (const double pitch : pitches) {
            const double plain = gbps("copy none", run, pitch), here = gbps(what, run, pitch);
            if (plain > 0 && here > 0) costs.push_back(plain / here - 1);
        }
        if (costs.empty())
            throw GpuError("a measurement is missing: short runs of sectors, " + what);
        return std::max(0.0, round_to_four_digits(median(costs)));
    };
    RunCosts runs;
    for (const double run : sizes) {
        runs.bytes.push_back(run);
        runs.read_excess.push_back(cost("copy reads", run));
        runs.write_excess.push_back(cost("copy writes", run));
    }
    return runs;
}

BulkCopies derive_bulk_copy_costs(const std::vector<BulkCopyRate>& measured) {
    std::map<double, double> rows, boxes;  // fewest cycles per copy, by number of bytes
    for (const BulkCopyRate& b : measured) {
        std::map<double, double>& fastest = b.method == "rows" ? rows : boxes;
        const auto [found, is_new] = fastest.try_emplace(b.bytes, b.cycles);
        found->second = std::min(found->second, b.cycles);
    }
    BulkCopies bulk;
    for (const auto& [bytes, cycles] : rows) {
        const auto box = boxes.find(bytes);
        if (box == boxes.end()) throw GpuError("a measurement is missing: bulk copies of boxes");
        bulk.bytes.push_back(bytes);
        bulk.row_cycles.push_back(round_to_four_digits(cycles));
        bulk.box_row_cycles.push_back(round_to_four_digits(box->second));
    }
    return bulk;
}

PartialSectors derive_partial_sector_costs(const std::vector<ScatteredStores>& measured,
                                           int multiprocessors, double clock_ghz) {
    // The side of a matrix that is small enough for the cache to hold everything the resident
    // blocks touch.
    constexpr double side = 8192;
    const auto cycles = [&](int bytes) {
        double alone = 1e300, with_loads = 1e300;
        for (const ScatteredStores& s : measured) {
            // The 32 lanes of a warp cover block_x columns, with `bytes` / 4 elements in each
            // column. An element has 4 bytes.
            if (s.side != side || s.block_x * bytes != 32 * 4) continue;
            const double pieces = side * side * 4 / bytes,
                         of_piece = 1e6 * clock_ghz * multiprocessors / pieces;
            alone = std::min(alone, s.stores_only_ms * of_piece);
            with_loads = std::min(with_loads, s.ms * of_piece);
        }
        if (alone == 1e300) throw GpuError("a measurement is missing: stores of part of a sector");
        // Loads share the path and the cache with the stores. If loads double the time, the kernel
        // is waiting for the loads, not for the stores.
        return round_to_four_digits(with_loads < 2 * alone ? with_loads : alone);
    };
    return {cycles(4), cycles(8), cycles(16)};
}

Gpu derive_gpu(const RawMeasurements& raw) {
    const MeasuredGpu& machine = raw.machine;
    Gpu gpu;
    gpu.name = machine.name;
    gpu.source = "measured " + machine.date + ", driver " + machine.driver;
    gpu.is_measured = true;
    gpu.multiprocessors = machine.multiprocessors;
    gpu.warps = machine.warps;
    gpu.blocks = machine.blocks;
    gpu.registers = machine.registers;
    gpu.shared_bytes = machine.shared_bytes;
    gpu.system_shared_bytes = machine.system_shared_bytes;
    gpu.clock_ghz = round_to_four_digits(machine.clock_ghz);
    gpu.peak_gbps = round_to_four_digits(machine.peak_gbps);
    gpu.l2_bytes = machine.l2_bytes;
    derive_latencies(raw, gpu);
    derive_memory(raw, gpu);
    derive_multiprocessor(raw, gpu);
    derive_blocks(raw, gpu);
    gpu.run_costs = derive_run_costs(raw.short_runs);
    gpu.bulk_copies = derive_bulk_copy_costs(raw.bulk_rates);
    gpu.partial_sectors =
        derive_partial_sector_costs(raw.scatters, gpu.multiprocessors, gpu.clock_ghz);
    return gpu;
}

}  // namespace coalesce::timing
