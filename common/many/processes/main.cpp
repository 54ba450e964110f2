// 16_many_processes -- transposes one matrix that is distributed over several processes.
//
// This program is started by mpirun. Lesson 16_many_gpus explains it.

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/files.h"
#include "harness/device.h"
#include "harness/result.h"
#include "harness/text.h"
#include "harness/timing.h"
#include "many/processes/between.h"
#include "many/processes/options.h"
#include "many/processes/verify.h"

namespace coalesce::processes {

std::vector<MethodKind> list_methods() {
    return {
        {.name = "windows",
         .about =
             "each process reads its part from the memory of other processes, which MPI shares",
         .make = make_windows},
        {.name = "alltoallw",
         .about = "each process transposes its block, then MPI_Alltoallw exchanges parts of rows",
         .memory_in_matrices = 3,
         .make = make_alltoallw},
        {.name = "datatypes",
         .about = "only MPI_Alltoallw, which sends rows and receives columns",
         .make = make_datatypes},
    };
}

namespace {

using Json = nlohmann::ordered_json;

/// The results of one method at one shape.
struct MeasuredMethod {
    const MethodKind* kind = nullptr;
    std::unique_ptr<Method> method = {};
    unsigned long long wrong_cells = 0;
    std::vector<double> times_ms = {};  // in milliseconds
    double time_ms = 0;
};

class BenchmarkProgram {
public:
    BenchmarkProgram(const Request& request, std::string device)
        : request_(request), device_(device) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &rank_count_);
        if (request.mistake == Mistake::misplaced_part && rank_count_ == 1) {
            throw UsageError("--mistake place needs at least two processes, but there is only one");
        }
        if (request.bench) check_memory();
    }

    int run() {
        print("Processes: " + std::to_string(rank_count_) +
              (are_on_one_host(MPI_COMM_WORLD) ? " on one host, " : ", ") + processor_name() +
              (request_.bench ? ", measured" : ", verified") + "\n");
        if (!device_.empty()) print(device_ + "\n");
        for (const Shape shape : request_.shapes) run_shape(shape);
        if (!request_.bench) print_verified();
        if (rank_ == 0 && !request_.json.empty()) write_file(request_.json, json_.dump(2) + "\n");
        return wrong_count_ == 0 ? exit_right : exit_wrong;
    }

private:
    void print(const std::string& text) const {
        if (rank_ == 0) std::fputs(text.c_str(), stdout), std::fflush(stdout);
    }

    static std::string processor_name() {
        std::ifstream stream("/proc/cpuinfo");
        for (std::string line; std::getline(stream, line);) {
            const std::size_t colon = line.find(": ");
            if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
        }
        return "this processor";
    }

    /// Throws UsageError if the buffers of all methods together do not fit into memory. All buffers
    /// exist at the same time, because the methods are measured alternately.
    void check_memory() const {
        const Shape shape = request_.shapes.front();
        double memory_in_matrices = 0;
        for (const MethodKind& method : request_.methods)
            memory_in_matrices += method.memory_in_matrices;
        const double bytes = memory_in_matrices * sizeof(float) * shape.rows * shape.cols;
        if (!are_on_one_host(MPI_COMM_WORLD) || bytes < static_cast<double>(free_host_bytes()))
            return;
        throw UsageError(
            format("these ways need %.3g GB in all, but only %.3g GB are free; choose smaller "
                   "--rows and --cols, or a single --way",
                   bytes / 1e9, static_cast<double>(free_host_bytes()) / 1e9));
    }

    SharedMatrix make_shared_matrix(Shape shape) const {
        return {
            .rank = rank_,
            .rows = {shape.rows, rank_count_},
            .cols = {shape.cols, rank_count_},
            .local_processor = request_.needs_device ? LocalProcessor::gpu : LocalProcessor::cpu,
            .mistake = request_.mistake};
    }

    void run_shape(Shape shape) {
        const SharedMatrix shared = make_shared_matrix(shape);
        std::vector<MeasuredMethod> measured_methods;
        for (const MethodKind& kind : request_.methods) {
            measured_methods.push_back({.kind = &kind});
            if (!request_.bench) measured_methods.back().method = kind.make(shared);
            verify(shared, measured_methods.back());
            // Keep the buffers of a method only if it will be measured.
            if (!request_.bench) measured_methods.back().method.reset();
        }
        if (!request_.bench) return;
        measure(measured_methods);
        print_measured(shape, measured_methods);
    }

    void verify(const SharedMatrix& shared, MeasuredMethod& measured) {
        if (!measured.method) measured.method = measured.kind->make(shared);
        prepare_buffers(shared, *measured.method);
        measured.method->transpose();
        float* out = measured.method->out();
        if (shared.mistake == Mistake::flipped_bit && rank_ == rank_count_ - 1)
            corrupt_last_element(out, shared.out_size());
        WrongCells wrong_cells = find_wrong_cells(shared, out);
        MPI_Allreduce(&wrong_cells.cell_count, &measured.wrong_cells, 1, MPI_UNSIGNED_LONG_LONG,
                      MPI_SUM, shared.comm);
        wrong_count_ += measured.wrong_cells;
        ++verified_count_;
        if (wrong_cells.cell_count == 0) return;
        const Shape shape{shared.rows.count, shared.cols.count};
        const std::string text = measured.kind->name + " is wrong at " + shape.name() +
                                 ", process " + std::to_string(rank_) + ": " +
                                 format_count(wrong_cells.cell_count, "cell") + ";\n  " +
                                 wrong_cells.first;
        std::puts(text.c_str());
        std::fflush(stdout);
    }

    static void corrupt_last_element(float* out, std::size_t size) {
        if (size == 0) return;
        std::uint32_t bits;
        std::memcpy(&bits, &out[size - 1], sizeof bits);
        bits ^= 1;
        std::memcpy(&out[size - 1], &bits, sizeof bits);
    }

    /// Measures the methods alternately, so that other load on the computer affects all of them
    /// equally. The first round is a warm-up.
    void measure(std::vector<MeasuredMethod>& measured_methods) const {
        for (int round = 0; round <= request_.repetitions; ++round) {
            for (MeasuredMethod& measured : measured_methods) {
                const double time_ms = time_once(*measured.method);
                if (round > 0) measured.times_ms.push_back(time_ms);
            }
        }
        for (MeasuredMethod& measured : measured_methods)
            measured.time_ms = summarize_timings(measured.times_ms).ms;
    }

    /// Returns the time in milliseconds from the moment when all processes are ready until the last
    /// process has finished.
    static double time_once(Method& method) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        method.transpose();
        double time_ms = 1e3 * (MPI_Wtime() - start);
        MPI_Allreduce(MPI_IN_PLACE, &time_ms, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        return time_ms;
    }

    void print_measured(Shape shape, const std::vector<MeasuredMethod>& measured_methods) {
        const double bytes = 2.0 * sizeof(float) * shape.rows * shape.cols;
        print(shape.name() + " floats, " + format("%.0f MiB\n\n", bytes / 2 / (1 << 20)));
        print(format("%-10s %9s %9s %7s\n", "Way", "ms", "GB/s", "wrong"));
        json_ = {{"processor", processor_name()},
                 {"processes", rank_count_},
                 {"results", Json::array()}};
        for (const MeasuredMethod& measured : measured_methods) {
            const double gbps = bytes / measured.time_ms / 1e6;
            print(format("%-10s %9.2f %9.2f %7llu\n", measured.kind->name.c_str(), measured.time_ms,
                         gbps, measured.wrong_cells));
            json_["results"].push_back({{"step", "16_many_processes"},
                                        {"variant", measured.kind->name},
                                        {"rows", shape.rows},
                                        {"cols", shape.cols},
                                        {"verified", measured.wrong_cells == 0},
                                        {"ms", measured.time_ms},
                                        {"gbps", gbps}});
        }
    }

    void print_verified() const {
        print(wrong_count_ == 0
                  ? format_count(verified_count_, "result") + " verified, bit for bit\n"
                  : format_count(wrong_count_, "cell") + " wrong\n");
    }

    const Request& request_;
    std::string device_;
    int rank_ = 0, rank_count_ = 1;
    unsigned long long wrong_count_ = 0, verified_count_ = 0;
    Json json_;
};

int run(int argc, char** argv) {
    Request request;
    std::string device, problem;
    try {
        request = parse_request(argc, argv);
        // Choosing a device may execute the program again, so it must happen before MPI starts.
        if (request.needs_device) device = choose_device(request.device, argv).first_line();
    } catch (const UsageError& error) {
        problem = error.what();
    }
    if (request.help) {
        std::fputs(help().c_str(), stdout);
        return exit_right;
    }
    MPI_Init(&argc, &argv);
    // All processes detect the same usage errors, so only one of them prints the message.
    const int exit_code = run_and_report_errors<UsageError>("16_many_processes", [&] {
        if (!problem.empty()) throw UsageError(problem);
        return BenchmarkProgram(request, device).run();
    });
    MPI_Finalize();
    return exit_code;
}

}  // namespace
}  // namespace coalesce::processes

int main(int argc, char** argv) {
    return coalesce::processes::run(argc, argv);
}
