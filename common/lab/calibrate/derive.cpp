#include "lab/calibrate/derive.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/median.h"

namespace coalesce::timing {
namespace {

/// Calls `get_value` for each element of `list` that `is_selected` accepts, and returns the values.
/// If it accepts none, throws a GpuError that contains `measurement_name`.
template <class T, class IsSelected, class Value>
std::vector<double> select_values(const std::vector<T>& list, const std::string& measurement_name,
                                  const IsSelected& is_selected, const Value& get_value) {
    std::vector<double> values;
    for (const T& measurement : list) {
        if (is_selected(measurement)) values.push_back(get_value(measurement));
    }
    if (values.empty()) throw GpuError("a measurement is missing: " + measurement_name);
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
    const double rounding_unit = std::pow(10, std::floor(std::log10(std::fabs(value))) - 3);
    return std::round(value / rounding_unit) * rounding_unit;
}

// ---- groups ----

template <class Value>
double mean_of_pointer_chases(const RawMeasurements& raw, const std::string& target,
                              const Value& get_value) {
    return mean(select_values(
        raw.pointer_chases, "latency, " + target,
        [&](const PointerChase& c) { return c.memory_level == target; }, get_value));
}
double mean_chase_cycles(const RawMeasurements& raw, const std::string& target) {
    return mean_of_pointer_chases(raw, target, [](const PointerChase& c) { return c.cycles; });
}
double mean_chase_ns(const RawMeasurements& raw, const std::string& target) {
    return mean_of_pointer_chases(raw, target, [](const PointerChase& c) { return c.ns; });
}

void derive_latencies(const RawMeasurements& raw, Gpu& gpu) {
    gpu.l2_latency_ns = round_to_four_digits(mean_chase_ns(raw, "second level"));
    gpu.l1_latency_cycles = round_to_four_digits(mean_chase_cycles(raw, "first level"));
    gpu.shared_latency_cycles = round_to_four_digits(mean_chase_cycles(raw, "shared"));
}

/// Returns the overhead of timing a single load: two clock reads and the vote that waits for the
/// loaded value. The overhead is the result of timing a single load that hits the second-level
/// cache, minus the time per load of a warp that follows pointers through the same cache.
double timing_overhead_cycles(const RawMeasurements& raw) {
    if (raw.timed_load_cycles <= 0)
        throw GpuError("a measurement is missing: a load of a cache line from the L2 cache");
    return std::max(0.0, raw.timed_load_cycles - mean_chase_cycles(raw, "second level, lines"));
}

/// Derives the latency under load from individually timed loads of single lines.
void derive_loads(const RawMeasurements& raw, Gpu& gpu) {
    const double overhead_cycles = timing_overhead_cycles(raw);
    std::vector<LoadLatency> loads;
    std::vector<double> fastest_ns, spreads_ns;
    for (const LoadsInFlight& f : raw.loads_in_flight) {
        if (f.mean_cycles <= 0) continue;
        const bool is_copy = f.access == "copy";
        const double u = f.gbps / (is_copy ? gpu.copy_gbps : gpu.read_gbps);
        const double ns = (f.mean_cycles - overhead_cycles) / gpu.clock_ghz;
        loads.push_back({is_copy, u, ns});
        if (u >= 0.2 && u < 0.6)
            fastest_ns.push_back((fit_latency_distribution(f).fastest_cycles - overhead_cycles) /
                                 gpu.clock_ghz);
        // When memory is busier than this, loads wait for each other, which makes their latencies
        // more alike.
        if (is_copy && u >= 0.3 && u < 0.45)
            spreads_ns.push_back(fit_latency_distribution(f).mean_excess_cycles / gpu.clock_ghz);
    }
    if (fastest_ns.empty() || spreads_ns.empty())
        throw GpuError("a measurement is missing: single loads while memory is busy");
    const LatencyParameters load = fit_latency_under_load(loads);
    gpu.latency_ns = round_to_four_digits(load.latency_ns);
    gpu.fastest_latency_fraction =
        round_to_four_digits(std::clamp(median(fastest_ns) / gpu.latency_ns, 0.01, 1.0));
    gpu.latency_spread_ns = round_to_four_digits(mean(spreads_ns));
    gpu.queueing_ns = round_to_four_digits(load.queueing_ns);
    gpu.write_delay_ns = round_to_four_digits(load.write_delay_ns);
}

void derive_memory(const RawMeasurements& raw, Gpu& gpu) {
    const auto highest_gbps = [&](const std::string& access) {
        return round_to_four_digits(maximum(select_values(
            raw.long_runs, "long runs, " + access,
            [&](const LongRunBandwidth& r) { return r.access == access; },
            [](const LongRunBandwidth& r) { return r.gbps; })));
    };
    gpu.copy_gbps = highest_gbps("copy");
    gpu.read_gbps = highest_gbps("read");
    gpu.write_gbps = highest_gbps("write");
    derive_loads(raw, gpu);
}

void derive_multiprocessor(const RawMeasurements& raw, Gpu& gpu) {
    const auto highest_bytes_per_cycle = [&](const std::string& access) {
        return round_to_four_digits(maximum(select_values(
            raw.cache_bandwidths, "way to the L2 cache, " + access,
            [&](const CacheBandwidth& t) {
                return t.access == access && t.multiprocessors == gpu.multiprocessors;
            },
            [](const CacheBandwidth& t) { return t.bytes_per_cycle; })));
    };
    gpu.l2_read_bytes_per_cycle = highest_bytes_per_cycle("read");
    gpu.l2_write_bytes_per_cycle = highest_bytes_per_cycle("write");

    // Leave out blocks with one warp, in which no warp waits for another.
    std::vector<std::pair<double, double>> barriers;
    for (const BarrierCost& b : raw.barrier_costs) {
        if (b.warps > 1) barriers.push_back({b.warps, b.cycles});
    }
    const auto [base_cycles, cycles_per_warp] = fit_line(barriers);
    gpu.barrier_cycles = round_to_four_digits(std::max(0.0, base_cycles));
    gpu.barrier_cycles_per_warp = round_to_four_digits(std::max(0.0, cycles_per_warp));

    const auto mean_issue_cycles = [&](const std::string& instruction) {
        return round_to_four_digits(mean(select_values(
            raw.issue_costs, "issue, " + instruction,
            [&](const IssueCost& i) { return i.instruction == instruction && i.threads == 1024; },
            [](const IssueCost& i) { return i.cycles; })));
    };
    gpu.add_issue_cycles = mean_issue_cycles("add");
    gpu.multiply_issue_cycles = mean_issue_cycles("multiply-add");
    gpu.divide_issue_cycles = mean_issue_cycles("divide");
    gpu.special_issue_cycles = mean_issue_cycles("exponential");
    gpu.double_issue_cycles = mean_issue_cycles("double multiply-add");
}

void derive_blocks(const RawMeasurements& raw, Gpu& gpu) {
    gpu.launch_us = round_to_four_digits(raw.launch_us);
    gpu.block_interval_cycles = round_to_four_digits(median(select_values(
        raw.block_turnovers, "blocks, many resident",
        [](const BlockTurnover& t) { return t.wait_cycles == 0 && t.resident_blocks >= 8; },
        [](const BlockTurnover& t) { return t.cycles_per_block; })));
    std::vector<std::pair<double, double>> gaps;
    for (const BlockTurnover& t : raw.block_turnovers) {
        if (t.resident_blocks == 1 && t.wait_cycles == 0)
            gaps.push_back({t.warps - 1, t.last_warp_gap_cycles});
    }
    const auto [start, of_warp] = fit_line(gaps);
    gpu.block_start_cycles = round_to_four_digits(std::max(0.0, start));
    gpu.warp_start_cycles = round_to_four_digits(std::max(0.0, of_warp));
}

}  // namespace

std::vector<double> solve_least_squares(const std::vector<std::vector<double>>& rows,
                                        const std::vector<double>& right_side) {
    const std::size_t n = rows.empty() ? 0 : rows.front().size();
    // `m` contains the normal equations. Their right-hand side is the last column.
    std::vector<std::vector<double>> m(n, std::vector<double>(n + 1));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) m[i][j] += rows[r][i] * rows[r][j];
            m[i][n] += rows[r][i] * right_side[r];
        }
    }
    for (std::size_t pivot_column = 0; pivot_column < n; ++pivot_column) {
        std::size_t pivot_row = pivot_column;
        for (std::size_t i = pivot_column; i < n; ++i) {
            if (std::fabs(m[i][pivot_column]) > std::fabs(m[pivot_row][pivot_column]))
                pivot_row = i;
        }
        std::swap(m[pivot_column], m[pivot_row]);
        if (std::fabs(m[pivot_column][pivot_column]) < 1e-12) {
            throw GpuError("too few different measurements to fit a line");
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (i == pivot_column) continue;
            const double row_factor = m[i][pivot_column] / m[pivot_column][pivot_column];
            for (std::size_t j = pivot_column; j <= n; ++j)
                m[i][j] -= row_factor * m[pivot_column][j];
        }
    }
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = m[i][n] / m[i][i];
    return x;
}

std::pair<double, double> fit_line(const std::vector<std::pair<double, double>>& points) {
    std::vector<std::vector<double>> rows;
    std::vector<double> right_side;
    for (const auto& [x, y] : points) {
        rows.push_back({1, x});
        right_side.push_back(y);
    }
    if (points.size() < 2)
        throw GpuError("too few measurements: at least two are needed to fit a line");
    const auto intercept_and_slope = solve_least_squares(rows, right_side);
    return {intercept_and_slope[0], intercept_and_slope[1]};
}

LatencyParameters fit_latency_under_load(const std::vector<LoadLatency>& loads) {
    // The model is ns = latency + queue * u / (1 - u) + write delay * u / 2, because half of a
    // copy's traffic is writes. Dividing each row by `ns` makes the fit minimize relative errors.
    std::vector<std::vector<double>> rows;
    std::vector<double> right_side;
    for (const LoadLatency& load : loads) {
        // Persistent blocks reach less bandwidth than short-lived ones, so above a utilization of
        // 0.8, u underestimates how busy memory is.
        if (load.memory_utilization > 0.8) continue;
        rows.push_back({1 / load.ns,
                        load.memory_utilization / (1 - load.memory_utilization) / load.ns,
                        load.is_copy ? load.memory_utilization / 2 / load.ns : 0.0});
        right_side.push_back(1);
    }
    const auto fitted = solve_least_squares(rows, right_side);
    return {fitted[0], std::max(0.0, fitted[1]), std::max(0.0, fitted[2])};
}

LatencyDistribution fit_latency_distribution(const LoadsInFlight& measured) {
    // The 10 % and 90 % quantiles of a two-stage gamma distribution with mean 1.
    constexpr double unit_gamma_p10 = 0.2659, unit_gamma_p90 = 1.9449;
    const double mean_excess =
        (measured.p90_cycles - measured.p10_cycles) / (unit_gamma_p90 - unit_gamma_p10);
    return {measured.mean_cycles - mean_excess, mean_excess};
}

RunCosts derive_run_costs(const std::vector<ShortRunBandwidth>& measured) {
    std::vector<double> run_bytes, pitch_bytes;
    for (const ShortRunBandwidth& r : measured) {
        if (std::find(run_bytes.begin(), run_bytes.end(), r.run_bytes) == run_bytes.end())
            run_bytes.push_back(r.run_bytes);
        if (std::find(pitch_bytes.begin(), pitch_bytes.end(), r.pitch_bytes) == pitch_bytes.end())
            pitch_bytes.push_back(r.pitch_bytes);
    }
    if (run_bytes.empty()) throw GpuError("a measurement is missing: short runs of sectors");
    std::sort(run_bytes.begin(), run_bytes.end());
    // If neighbouring strips are in flight together, the runs in memory are longer than one strip.
    // Use strips that are far apart, if they were measured.
    const auto measured_gbps = [&](const std::string& access, double run, double pitch_bytes) {
        double gbps = 0;
        for (const ShortRunBandwidth& r : measured) {
            if (r.access != access || r.pitch_bytes != pitch_bytes || r.run_bytes != run) continue;
            if (gbps == 0 || r.strip_distance == "far") gbps = r.gbps;
        }
        return gbps;
    };
    // Take the median over all pitches, because many strips map to the same memory channel at some
    // pitches.
    const auto median_excess = [&](const std::string& access, double run) {
        std::vector<double> excess_bytes;
        for (const double pitch : pitch_bytes) {
            const double long_run_gbps = measured_gbps("copy none", run, pitch),
                         short_run_gbps = measured_gbps(access, run, pitch);
            if (long_run_gbps > 0 && short_run_gbps > 0)
                excess_bytes.push_back(long_run_gbps / short_run_gbps - 1);
        }
        if (excess_bytes.empty())
            throw GpuError("a measurement is missing: short runs of sectors, " + access);
        return std::max(0.0, round_to_four_digits(median(excess_bytes)));
    };
    RunCosts run_costs;
    for (const double run : run_bytes) {
        run_costs.bytes.push_back(run);
        run_costs.extra_read_time.push_back(median_excess("copy reads", run));
        run_costs.extra_write_time.push_back(median_excess("copy writes", run));
    }
    return run_costs;
}

BulkCopyCosts derive_bulk_copy_costs(const std::vector<BulkCopyRate>& measured) {
    std::map<double, double> row_cycles, box_cycles;  // fewest cycles per copy, by number of bytes
    for (const BulkCopyRate& b : measured) {
        std::map<double, double>& fastest_cycles = b.method == "rows" ? row_cycles : box_cycles;
        const auto [found, is_new] = fastest_cycles.try_emplace(b.bytes_per_row, b.cycles_per_row);
        found->second = std::min(found->second, b.cycles_per_row);
    }
    BulkCopyCosts bulk_costs;
    for (const auto& [bytes, cycles] : row_cycles) {
        const auto box_entry = box_cycles.find(bytes);
        if (box_entry == box_cycles.end())
            throw GpuError("a measurement is missing: bulk copies of boxes");
        bulk_costs.bytes.push_back(bytes);
        bulk_costs.row_cycles.push_back(round_to_four_digits(cycles));
        bulk_costs.box_row_cycles.push_back(round_to_four_digits(box_entry->second));
    }
    return bulk_costs;
}

PartialSectorCosts derive_partial_sector_costs(const std::vector<ScatteredStores>& measured,
                                               int multiprocessors, double clock_ghz) {
    // The side of a matrix that is small enough for the cache to hold everything the resident
    // blocks touch.
    constexpr double matrix_side = 8192;
    const auto cycles = [&](int bytes) {
        double stores_only_cycles = 1e300, with_loads_cycles = 1e300;
        for (const ScatteredStores& s : measured) {
            // The 32 lanes of a warp cover block_width columns, with `bytes` / 4 elements in each
            // column. An element has 4 bytes.
            if (s.matrix_side != matrix_side || s.block_width * bytes != 32 * 4) continue;
            const double stored_pieces = matrix_side * matrix_side * 4 / bytes,
                         cycles_per_ms_and_piece =
                             1e6 * clock_ghz * multiprocessors / stored_pieces;
            stores_only_cycles =
                std::min(stores_only_cycles, s.stores_only_ms * cycles_per_ms_and_piece);
            with_loads_cycles = std::min(with_loads_cycles, s.ms * cycles_per_ms_and_piece);
        }
        if (stores_only_cycles == 1e300)
            throw GpuError("a measurement is missing: stores of part of a sector");
        // Loads share the path and the cache with the stores. If loads double the time, the kernel
        // is waiting for the loads, not for the stores.
        return round_to_four_digits(
            with_loads_cycles < 2 * stores_only_cycles ? with_loads_cycles : stores_only_cycles);
    };
    return {cycles(4), cycles(8), cycles(16)};
}

Gpu derive_gpu(const RawMeasurements& raw) {
    const MeasuredGpu& machine = raw.machine;
    Gpu gpu;
    gpu.name = machine.name;
    gpu.source = "measured " + machine.measurement_date + ", driver " + machine.driver_version;
    gpu.is_measured = true;
    gpu.multiprocessors = machine.multiprocessors;
    gpu.max_warps = machine.warps_per_multiprocessor;
    gpu.max_blocks = machine.blocks_per_multiprocessor;
    gpu.registers = machine.registers_per_multiprocessor;
    gpu.shared_bytes = machine.shared_bytes_per_multiprocessor;
    gpu.system_shared_bytes = machine.system_shared_bytes_per_block;
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
        derive_partial_sector_costs(raw.scattered_stores, gpu.multiprocessors, gpu.clock_ghz);
    return gpu;
}

}  // namespace coalesce::timing
