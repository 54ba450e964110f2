// Tests derive_gpu() with measurements that were computed from known parameters.
#include "lab/calibrate/derive.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/codec.h"

using namespace coalesce;
using namespace coalesce::timing;
using doctest::Approx;

namespace {

/// The parameters of an imaginary GPU with 100 multiprocessors at 2 GHz, from which measurements
/// are computed.
struct Memory {
    double ns = 300, queue = 50, write_delay = 400, read_gbps = 4000, copy_gbps = 3800;
};

/// Returns the latency of a load at the memory utilization `u`.
LoadLatency load_at(const Memory& memory, bool is_copy, double u) {
    return {is_copy, u,
            memory.ns + memory.queue * u / (1 - u) + (is_copy ? memory.write_delay * u / 2 : 0)};
}

/// Returns the measured latency of a load, in cycles. It includes 40 cycles for reading the clock,
/// and 300 cycles that do not depend on the load on memory.
LoadsInFlight flight_at(const Memory& memory, const char* what, int bytes_per_load, double u) {
    LoadsInFlight flight;
    flight.access = what;
    flight.bytes_per_load = bytes_per_load;
    flight.loads_in_flight = 1;
    const bool is_copy = flight.access == "copy";
    flight.gbps = u * (is_copy ? memory.copy_gbps : memory.read_gbps);
    flight.mean_cycles = 2 * load_at(memory, is_copy, u).ns + 40;
    const double fixed = 340, more = flight.mean_cycles - fixed;
    flight.p10_cycles = fixed + more * 0.2659;
    flight.p90_cycles = fixed + more * 1.9449;
    return flight;
}

std::vector<LoadsInFlight> flights_of(const Memory& memory) {
    std::vector<LoadsInFlight> all;
    for (const int bytes : {4, 8, 16}) {
        for (const double u : {0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.96}) {
            all.push_back(flight_at(memory, "read", bytes, u));
            all.push_back(flight_at(memory, "copy", bytes, u));
        }
    }
    // derive_gpu() must ignore this measurement, because it contains no clock readings.
    all.push_back({"read", 4, 4, 1024, 1, 3000});
    return all;
}

RawMeasurements a_whole_measurement() {
    RawMeasurements raw;
    raw.machine.name = "NVIDIA Test";
    raw.machine.measurement_date = "2026-01-02";
    raw.machine.driver_version = "580.1";
    raw.machine.multiprocessors = 100;
    raw.machine.warps_per_multiprocessor = 64;
    raw.machine.blocks_per_multiprocessor = 32;
    raw.machine.registers_per_multiprocessor = 65536;
    raw.machine.shared_bytes_per_multiprocessor = 233472;
    raw.machine.system_shared_bytes_per_block = 1024;
    raw.machine.clock_ghz = 2;
    raw.machine.idle_memory_clock_ghz = 2;
    raw.machine.peak_gbps = 4500;
    raw.machine.l2_bytes = 50e6;
    raw.launch_us = 2.5;
    raw.pointer_chases = {{"memory", 1e9, 590, 295},
                          {"memory", 1e9, 610, 305},
                          {"second level", 1e6, 280, 140},
                          {"first level", 4096, 34, 17},
                          {"second level, lines", 1e6, 290, 145},
                          {"shared", 1024, 29, 14.5}};
    // Reading the clock takes 40 cycles.
    raw.timed_load_cycles = 330;
    raw.bulk_rates = {{"rows", 1, 256, 40}, {"rows", 4, 256, 24}, {"rows", 8, 256, 26},
                      {"rows", 1, 128, 20}, {"boxes", 1, 128, 6}, {"boxes", 2, 256, 8}};
    raw.long_runs = {
        {"copy", "a", 3700}, {"copy", "b", 3800}, {"read", "a", 4000}, {"write", "a", 4100}};
    raw.loads_in_flight = flights_of({});
    for (const double run : {64.0, 32.0, 8192.0}) {
        const double cost = run == 32 ? 0.5 : run == 64 ? 0.25 : 0;
        for (const double pitch : {16384.0, 32768.0, 131072.0}) {
            // At this pitch, many strips share a memory channel.
            const double slow = pitch == 131072 ? 2 : 1;
            raw.short_runs.push_back({"copy none", "next", pitch, run, 3600});
            raw.short_runs.push_back({"copy reads", "next", pitch, run, 3600 / (1 + cost) / slow});
            raw.short_runs.push_back({"copy writes", "next", pitch, run, 3600 / (1 + cost / 2)});
            if (run == 32) raw.short_runs.push_back({"copy reads", "far", pitch, run, 1200});
        }
    }
    // Together, 100 multiprocessors at 2 GHz execute 2e8 cycles per millisecond. The matrix has
    // 2^26 elements.
    const double ms_of_cycle = 67108864 / 2e8;
    raw.scattered_stores = {
        {32, 8, 8192, 5 * ms_of_cycle, 4 * ms_of_cycle},
        {32, 32, 8192, 4 * ms_of_cycle, 4 * ms_of_cycle},
        {16, 16, 8192, 3 * ms_of_cycle / 2, 2 * ms_of_cycle / 2},
        // In this measurement, the loads double the time, so derive_gpu() must use the time
        // of the stores alone.
        {8, 32, 8192, 5 * ms_of_cycle / 4, 1 * ms_of_cycle / 4},
        {32, 8, 4096, 1, 1}};
    for (const int warps : {1, 2, 4, 8}) {
        raw.block_turnovers.push_back({1, warps, 0, 999, 250, 250 + 4.0 * (warps - 1)});
        raw.block_turnovers.push_back({8, warps, 0, 150});
        raw.block_turnovers.push_back({8, warps, 500, 400});
        raw.barrier_costs.push_back({warps, warps == 1 ? 5 : 14 + 2.0 * warps});
    }
    raw.issue_costs = {{"add", 256, 9},           {"add", 1024, 1.5},
                       {"multiply-add", 1024, 2}, {"divide", 1024, 17},
                       {"exponential", 1024, 7},  {"double multiply-add", 1024, 3}};
    raw.cache_bandwidths = {{"read", 1, 1e6, 60},
                            {"read", 100, 1e6, 20},
                            {"read", 100, 1e7, 21},
                            {"write", 100, 1e6, 19}};
    return raw;
}

}  // namespace

TEST_CASE("solve_least_squares() solves consistent and inconsistent equations") {
    // Three consistent equations in two unknowns.
    const auto x = solve_least_squares({{1, 0}, {0, 2}, {1, 1}}, {3, 8, 7});
    CHECK(x[0] == Approx(3));
    CHECK(x[1] == Approx(4));
    // For inconsistent equations in one unknown, the result is the mean of the right-hand sides.
    CHECK(solve_least_squares({{1}, {1}, {1}}, {1, 2, 6})[0] == Approx(3));
    CHECK_THROWS_AS(solve_least_squares({{1, 1}, {2, 2}}, {1, 2}), GpuError);

    const auto [first, of_each] = fit_line({{1, 5}, {3, 9}, {5, 13}});
    CHECK(first == Approx(3));
    CHECK(of_each == Approx(2));
    CHECK_THROWS_AS(fit_line({{1, 5}}), GpuError);
}

TEST_CASE("the latency under load is derived for different queueing and write delays") {
    for (const double queue : {10.0, 50.0}) {
        for (const double delay : {0.0, 400.0}) {
            Memory memory;
            memory.queue = queue;
            memory.write_delay = delay;
            std::vector<LoadLatency> loads;
            for (const double u : {0.05, 0.2, 0.4, 0.6, 0.75}) {
                loads.push_back(load_at(memory, false, u));
                loads.push_back(load_at(memory, true, u));
            }
            loads.push_back({true, 0.95, 9999});  // loads above 0.8 are ignored
            const LatencyParameters found = fit_latency_under_load(loads);
            CHECK(found.latency_ns == Approx(memory.ns).epsilon(1e-6));
            CHECK(found.queueing_ns == Approx(queue).epsilon(1e-6));
            CHECK(found.write_delay_ns == Approx(delay).epsilon(1e-6));
        }
    }
}

TEST_CASE("the spread of latencies is derived from their quantiles") {
    // The distribution function of a two-stage gamma distribution is 1 - e^-x (1 + x). This test
    // uses a distribution with a mean of 150, shifted by 400. It finds the quantiles by bisection,
    // which also checks the two constants in derive.cpp.
    const auto quantile = [](double share) {
        double low = 0, high = 50;
        for (int i = 0; i < 60; ++i) {
            const double x = (low + high) / 2;
            (1 - std::exp(-x) * (1 + x) < share ? low : high) = x;
        }
        return low / 2;
    };
    LoadsInFlight flight;
    flight.mean_cycles = 550;
    flight.p10_cycles = 400 + 150 * quantile(0.1);
    flight.p90_cycles = 400 + 150 * quantile(0.9);
    CHECK(fit_latency_distribution(flight).mean_excess_cycles == Approx(150).epsilon(1e-3));
    CHECK(fit_latency_distribution(flight).fastest_cycles == Approx(400).epsilon(1e-3));
}

TEST_CASE("all parameters of a GPU are derived") {
    const Gpu gpu = derive_gpu(a_whole_measurement());
    CHECK(gpu.name == "NVIDIA Test");
    CHECK(gpu.source == "measured 2026-01-02, driver 580.1");
    CHECK(gpu.is_measured);
    CHECK(gpu.multiprocessors == 100);
    CHECK(gpu.latency_ns == Approx(300));
    CHECK(gpu.l2_latency_ns == Approx(140));
    CHECK(gpu.l1_latency_cycles == Approx(34));
    CHECK(gpu.shared_latency_cycles == Approx(29));
    CHECK(gpu.copy_gbps == Approx(3800));
    CHECK(gpu.read_gbps == Approx(4000));
    CHECK(gpu.write_gbps == Approx(4100));
    CHECK(gpu.queueing_ns == Approx(50));
    CHECK(gpu.write_delay_ns == Approx(400));
    CHECK(gpu.fastest_latency_fraction ==
          Approx(0.5).epsilon(1e-3));  // 300 of 600 cycles are fixed
    // At a memory utilization of 0.4, copies take 300 + 50 * 2/3 + 80 ns, of which 150 ns are
    // fixed.
    CHECK(gpu.latency_spread_ns == Approx(263.3).epsilon(1e-3));
    CHECK(gpu.l2_read_bytes_per_cycle == Approx(21));
    CHECK(gpu.l2_write_bytes_per_cycle == Approx(19));
    CHECK(gpu.barrier_cycles == Approx(14));
    CHECK(gpu.barrier_cycles_per_warp == Approx(2));
    CHECK(gpu.add_issue_cycles == Approx(1.5));
    CHECK(gpu.multiply_issue_cycles == Approx(2));
    CHECK(gpu.divide_issue_cycles == Approx(17));
    CHECK(gpu.special_issue_cycles == Approx(7));
    CHECK(gpu.double_issue_cycles == Approx(3));
    CHECK(gpu.launch_us == Approx(2.5));
    CHECK(gpu.block_interval_cycles == Approx(150));
    CHECK(gpu.block_start_cycles == Approx(250));
    CHECK(gpu.warp_start_cycles == Approx(4));
    CHECK(gpu.partial_sectors.cycles_for_4_bytes == Approx(4));
    CHECK(gpu.partial_sectors.cycles_for_8_bytes == Approx(3));
    CHECK(gpu.partial_sectors.cycles_for_16_bytes == Approx(1));
    CHECK(gpu.bulk_copies.bytes == std::vector<double>{128, 256});
    CHECK(gpu.bulk_copies.row_cycles == std::vector<double>{20, 24});
    CHECK(gpu.bulk_copies.box_row_cycles == std::vector<double>{6, 8});
    CHECK(gpu.run_costs.bytes == std::vector<double>{32, 64, 8192});
    CHECK(gpu.run_costs.extra_read_time[0] ==
          Approx(2));  // 3600 / 1200 - 1, for strips that lie far apart
    CHECK(gpu.run_costs.extra_read_time[1] == Approx(0.25));
    CHECK(gpu.run_costs.extra_write_time[0] == Approx(0.25));
    CHECK(gpu.run_costs.extra_write_time[2] == Approx(0));
    // The file that calibrate writes must be read back unchanged.
    CHECK(format_gpu(parse_gpu(format_gpu(gpu), "here")) == format_gpu(gpu));
}

TEST_CASE("missing measurements are reported by name") {
    const auto error_without = [](auto&& leave_out) {
        RawMeasurements raw = a_whole_measurement();
        leave_out(raw);
        try {
            derive_gpu(raw);
        } catch (const GpuError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    CHECK(error_without([](RawMeasurements&) {}) == "no error");
    CHECK(error_without([](RawMeasurements& raw) { raw.pointer_chases.clear(); }) ==
          "a measurement is missing: latency, second level");
    CHECK(error_without([](RawMeasurements& raw) { raw.short_runs.clear(); }) ==
          "a measurement is missing: short runs of sectors");
    CHECK(error_without([](RawMeasurements& raw) { raw.issue_costs.pop_back(); }) ==
          "a measurement is missing: issue, double multiply-add");
    CHECK(error_without([](RawMeasurements& raw) { raw.timed_load_cycles = 0; }) ==
          "a measurement is missing: a load of a cache line from the L2 cache");
    CHECK(error_without([](RawMeasurements& raw) {
              raw.barrier_costs.clear();
          }).starts_with("too few"));
    CHECK(error_without([](RawMeasurements& raw) {
              std::erase_if(raw.bulk_rates, [](const BulkCopyRate& b) {
                  return b.method == "boxes" && b.bytes_per_row == 256;
              });
          }) == "a measurement is missing: bulk copies of boxes");
    // Some GPUs have no bulk copies.
    CHECK(error_without([](RawMeasurements& raw) { raw.bulk_rates.clear(); }) == "no error");
}

TEST_CASE("raw measurements are read back from a file as they were written") {
    const RawMeasurements raw = a_whole_measurement();
    const std::string text = codec::write(raw, true);
    CHECK(codec::write(codec::read<RawMeasurements>(text), true) == text);
    CHECK_THROWS_AS(codec::read<RawMeasurements>("{}"), codec::Error);
}
