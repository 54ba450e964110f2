#include "timing/calibrate/derive.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace coalesce::timing {
namespace {

/// Of those of `list` that `is_meant`, what `value` says of them.
template <class T, class Meant, class Value>
std::vector<double> values_of(const std::vector<T>& list, const std::string& what,
                              const Meant& is_meant, const Value& value) {
    std::vector<double> values;
    for (const T& one : list) {
        if (is_meant(one)) values.push_back(value(one));
    }
    if (values.empty()) throw GpuError("nothing was measured of: " + what);
    return values;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double most(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

/// Three digits are more than a second run reproduces.
double rounded(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10, std::floor(std::log10(std::fabs(value))) - 3);
    return std::round(value / unit) * unit;
}

// ---- groups ----

template <class Value>
double chase(const Raw& raw, const std::string& of, const Value& value) {
    return mean(values_of(
        raw.chases, "latency, " + of, [&](const Chase& c) { return c.of == of; }, value));
}
double chase_cycles(const Raw& raw, const std::string& of) {
    return chase(raw, of, [](const Chase& c) { return c.cycles; });
}
double chase_ns(const Raw& raw, const std::string& of) {
    return chase(raw, of, [](const Chase& c) { return c.ns; });
}

void derive_latencies(const Raw& raw, Gpu& gpu) {
    gpu.latency_ns = rounded(chase_ns(raw, "memory"));
    gpu.l2_latency_ns = rounded(chase_ns(raw, "second level"));
    gpu.l1_latency = rounded(chase_cycles(raw, "first level"));
    gpu.shared_latency = rounded(chase_cycles(raw, "shared"));
}

/// Two clocks around a load of a line, and the question whether its value is there, take cycles of their own:
/// what such a load takes that hits the second level, less what the warp that follows lines there needs.
double clocks_around_a_load(const Raw& raw) {
    const double timed = mean(values_of(
        raw.async_copies, "a load of a line from the second level",
        [](const AsyncCopy& a) {
            return a.how == "load" && a.from == "second level" && a.bytes == 128;
        },
        [](const AsyncCopy& a) { return a.cycles; }));
    return std::max(0.0, timed - chase_cycles(raw, "second level, lines"));
}

void derive_memory(const Raw& raw, Gpu& gpu) {
    const auto best = [&](const std::string& what) {
        return rounded(most(values_of(
            raw.long_runs, "long runs, " + what, [&](const LongRuns& r) { return r.what == what; },
            [](const LongRuns& r) { return r.gbps; })));
    };
    gpu.copy_gbps = best("copy");
    gpu.read_gbps = best("read");
    gpu.write_gbps = best("write");
    const UnderLoad load =
        latency_under_load(raw.flights, gpu.multiprocessors, gpu.read_gbps, gpu.copy_gbps);
    gpu.queue_ns = rounded(load.queue_ns);
    gpu.write_delay_ns = rounded(load.write_delay_ns);

    // Of single loads under load: those of a memory that is busy, and not yet full.
    std::vector<Spread> spreads;
    for (const Flight& f : raw.flights) {
        const double u = f.gbps / (f.what == "copy" ? gpu.copy_gbps : gpu.read_gbps);
        if (f.mean > 0 && u >= 0.2) spreads.push_back(spread_of(f));
    }
    const auto found = latencies_under_load(spreads, clocks_around_a_load(raw));
    gpu.latency_floor =
        rounded(std::clamp(found.fastest / gpu.clock_ghz / gpu.latency_ns, 0.01, 1.0));
    gpu.latency_spread_ns = rounded(found.more / gpu.clock_ghz);
}

void derive_multiprocessor(const Raw& raw, Gpu& gpu) {
    const auto to_cache = [&](const std::string& what) {
        return rounded(most(values_of(
            raw.to_cache, "way to the second-level cache, " + what,
            [&](const ToCache& t) {
                return t.what == what && t.multiprocessors == gpu.multiprocessors;
            },
            [](const ToCache& t) { return t.bytes_a_cycle; })));
    };
    gpu.l2_read_bytes = to_cache("read");
    gpu.l2_write_bytes = to_cache("write");

    // A block of one warp waits for nobody.
    std::vector<std::pair<double, double>> barriers;
    for (const Barrier& b : raw.barriers) {
        if (b.warps > 1) barriers.push_back({b.warps, b.cycles});
    }
    const auto [barrier, of_warp] = line_through(barriers);
    gpu.barrier = rounded(std::max(0.0, barrier));
    gpu.barrier_of_warp = rounded(std::max(0.0, of_warp));

    const auto issue = [&](const std::string& what) {
        return rounded(mean(values_of(
            raw.issues, "issue, " + what,
            [&](const Issue& i) { return i.what == what && i.threads == 1024; },
            [](const Issue& i) { return i.cycles; })));
    };
    gpu.add_issue = issue("add");
    gpu.multiply_issue = issue("multiply-add");
    gpu.divide_issue = issue("divide");
}

void derive_blocks(const Raw& raw, Gpu& gpu) {
    gpu.launch_us = rounded(raw.launch_us);
    gpu.block_interval = rounded(median(values_of(
        raw.turns, "blocks, many resident",
        [](const Turns& t) { return t.wait == 0 && t.resident >= 8; },
        [](const Turns& t) { return t.interval; })));
    std::vector<std::pair<double, double>> gaps;
    for (const Turns& t : raw.turns) {
        if (t.resident == 1 && t.wait == 0) gaps.push_back({t.warps - 1, t.gap_of_last});
    }
    const auto [start, of_warp] = line_through(gaps);
    gpu.block_start = rounded(std::max(0.0, start));
    gpu.warp_start = rounded(std::max(0.0, of_warp));
}

}  // namespace

std::vector<double> least_squares(const std::vector<std::vector<double>>& rows,
                                  const std::vector<double>& right) {
    const std::size_t n = rows.empty() ? 0 : rows.front().size();
    // The normal equations, with their right side as the last column.
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
            throw GpuError("too few measurements: a line cannot be put through them");
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

std::pair<double, double> line_through(const std::vector<std::pair<double, double>>& points) {
    std::vector<std::vector<double>> rows;
    std::vector<double> right;
    for (const auto& [x, y] : points) {
        rows.push_back({1, x});
        right.push_back(y);
    }
    if (points.size() < 2) throw GpuError("too few measurements: a line needs two");
    const auto found = least_squares(rows, right);
    return {found[0], found[1]};
}

UnderLoad latency_under_load(const std::vector<Flight>& flights, int multiprocessors,
                             double read_gbps, double copy_gbps) {
    // latency = of a turn of the loop, by bytes of a load and for copies + queue * u / (1 - u)
    //           + write delay * u / 2, of which half is writing; errors count as parts of it.
    constexpr int bytes[] = {4, 8, 16};
    std::vector<std::vector<double>> rows;
    std::vector<double> right;
    double most_read = 0, most_copied = 0;
    for (const Flight& f : flights) {
        double& most = f.what == "copy" ? most_copied : most_read;
        most = std::max(most, f.gbps);
    }
    for (const Flight& f : flights) {
        if (f.loads != 1) continue;
        const bool is_copy = f.what == "copy";
        const double u = f.gbps / (is_copy ? copy_gbps : read_gbps);
        // Blocks that stay copy less than blocks that come and go: near that limit u says too little.
        if (u < 0.03 || f.gbps > 0.8 * (is_copy ? most_copied : most_read)) continue;
        const double read = is_copy ? f.gbps / 2 : f.gbps;
        const double ns = f.kib_on_their_way * 1024 * multiprocessors / read;
        std::vector<double> row = {u / (1 - u), is_copy ? u / 2 : 0, is_copy ? 1.0 : 0.0};
        for (const int b : bytes) row.push_back(f.bytes_of_load == b ? 1 : 0);
        for (double& value : row) value /= ns;
        rows.push_back(row);
        right.push_back(1);
    }
    const auto found = least_squares(rows, right);
    return {std::max(0.0, found[0]), std::max(0.0, found[1])};
}

Spread latencies_under_load(const std::vector<Spread>& spreads, double clocks) {
    std::vector<double> fastest;
    for (const Spread& s : spreads) fastest.push_back(s.fastest);
    if (fastest.empty()) throw GpuError("nothing was measured of: single loads under load");
    // Where all loads queue, the fastest are slow too; most points are not there.
    const double usual = median(fastest);
    double most_more = 0;
    for (const Spread& s : spreads) {
        if (s.fastest < 1.15 * usual) most_more = std::max(most_more, s.more);
    }
    return {usual - clocks, most_more};
}

Spread spread_of(const Flight& flight) {
    // Where that distribution, with a mean of 1, has 10 % and 90 % below.
    constexpr double p10 = 0.2659, p90 = 1.9449;
    const double more = (flight.p90 - flight.p10) / (p90 - p10);
    return {flight.mean - more, more};
}

Runs cost_of_runs(const std::vector<ShortRuns>& measured) {
    constexpr double pitch = 128 << 10;
    const auto gbps = [&](const std::string& what, double run) {
        // Where strips next to each other are under way at a time, runs are longer than one strip: far ones
        // count, where there are any.
        double found = 0;
        for (const ShortRuns& r : measured) {
            if (r.what != what || r.pitch != pitch || r.run != run) continue;
            if (found == 0 || r.strips == "far") found = r.gbps;
        }
        if (found == 0) throw GpuError("nothing was measured of: short runs, " + what);
        return found;
    };
    std::vector<double> sizes;
    for (const ShortRuns& r : measured) {
        if (r.what == "copy reads" && r.strips == "next" && r.pitch == pitch) {
            sizes.push_back(r.run);
        }
    }
    if (sizes.empty()) throw GpuError("nothing was measured of: short runs");
    std::sort(sizes.begin(), sizes.end());
    Runs runs;
    for (const double run : sizes) {
        const double none = gbps("copy none", run);
        runs.bytes.push_back(run);
        runs.read.push_back(std::max(0.0, rounded(none / gbps("copy reads", run) - 1)));
        runs.write.push_back(std::max(0.0, rounded(none / gbps("copy writes", run) - 1)));
    }
    return runs;
}

PartialSectors cost_of_partial_sectors(const std::vector<Stores>& measured) {
    // In a footprint that the cache holds, down the columns of a matrix with rows of 128 KiB.
    constexpr double pitch = 128 << 10;
    double least = 1e300;
    for (const Stores& s : measured) least = std::min(least, s.footprint);
    const auto cycles = [&](int bytes) {
        return rounded(mean(values_of(
            measured, "stores of part of a sector",
            [&](const Stores& s) {
                return s.pitch == pitch && s.footprint == least &&
                       s.bytes_of_lane * s.lanes == bytes;
            },
            [](const Stores& s) { return s.cycles_a_sector; })));
    };
    return {cycles(4), cycles(8), cycles(16)};
}

Gpu derive(const Raw& raw) {
    const Machine& machine = raw.machine;
    Gpu gpu;
    gpu.name = machine.name;
    gpu.source = "measured " + machine.date + ", driver " + machine.driver;
    gpu.measured = true;
    gpu.multiprocessors = machine.multiprocessors;
    gpu.warps = machine.warps;
    gpu.blocks = machine.blocks;
    gpu.registers = machine.registers;
    gpu.shared_bytes = machine.shared_bytes;
    gpu.shared_bytes_of_system = machine.shared_bytes_of_system;
    gpu.clock_ghz = rounded(machine.clock_ghz);
    gpu.peak_gbps = rounded(machine.peak_gbps);
    gpu.l2_bytes = machine.l2_bytes;
    derive_latencies(raw, gpu);
    derive_memory(raw, gpu);
    derive_multiprocessor(raw, gpu);
    derive_blocks(raw, gpu);
    gpu.runs = cost_of_runs(raw.short_runs);
    gpu.partial = cost_of_partial_sectors(raw.stores);
    return gpu;
}

}  // namespace coalesce::timing
