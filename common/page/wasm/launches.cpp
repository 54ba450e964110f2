// Answers the questions "run" and "time", which launch a kernel from its PTX. README.md describes
// these questions. The kernel must have the course's parameters: (float* out, const float* in, int
// rows, int cols). The bits of each element of `in` are the element's index.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "page_runner.h"
#include "questions.h"
#include "simulator/base/options.h"
#include "simulator/device/device.h"
#include "simulator/execute/recorder.h"
#include "simulator/execute/trace.h"
#include "simulator/profile/kernel_table.h"
#include "simulator/report/reports.h"
#include "time_of_launch.h"

namespace coalesce::page {
namespace {

using namespace simulator;
using nlohmann::json;
// Choose the simulator's types explicitly, because the harness has types with the same names.
using simulator::Counters;
using simulator::Device;
using simulator::Kernel;
using simulator::Options;

/// The instruction limit, which ends infinite loops. Correct launches in a page execute at most a
/// thirtieth of this number.
constexpr u64 kMaxInstructions = 50'000'000;
constexpr u32 kPoison = 0xfff7e570;

/// Sets the simulator's options. Called before each launch, because the examiner changes the
/// options.
void set_simulator_options() {
    Options& o = options();
    o.max_instructions = kMaxInstructions;
    o.checks = {};
    // Only verdicts check for races in device memory.
    o.checks.runs_globalrace = false;
}

// ---- matrices ----

/// A matrix in device memory that the destructor frees.
class Matrix {
public:
    explicit Matrix(u64 elements) : bytes_(elements * 4) {
        address_ = Device::instance().memory().allocate(bytes_);
    }
    ~Matrix() {
        if (address_) Device::instance().memory().free(address_);
    }
    Matrix(const Matrix&) = delete;
    u64 address() const { return address_; }
    u32* words() const {
        return reinterpret_cast<u32*>(Device::instance().memory().host_view(address_, bytes_));
    }

private:
    u64 bytes_, address_ = 0;
};

/// Returns the number of wrong cells in `out`.
u64 wrong_cells(const u32* out, u64 rows, u64 cols, const std::string& produces) {
    u64 wrong = 0;
    for (u64 row = 0; row < rows; ++row) {
        for (u64 col = 0; col < cols; ++col) {
            const u64 place = produces == "copy" ? row * cols + col : col * rows + row;
            wrong += out[place] != row * cols + col;
        }
    }
    return wrong;
}

// ---- the answer ----

json counters_json(const Counters& counters, bool per_line) {
    json object = json::object();
    for (const NamedCounter& counter : kCounters) {
        if (!per_line || counter.is_counted_per_line)
            object[counter.name] = counters.*counter.value;
    }
    return object;
}

/// Returns an access as JSON. Addresses in global memory are converted to a matrix and an offset in
/// it, because pictures show these.
json access_json(const TracedAccess& access, u64 in, u64 out, u64 bytes) {
    json addresses = json::array();
    const char* memory = access.is_shared ? "shared" : "other";
    u64 begin = 0;
    for (int lane = 0; lane < kLanes && !access.is_shared; ++lane) {
        if (!(access.active >> lane & 1)) continue;
        const u64 lane_address = access.addresses[lane];
        const bool is_in = lane_address - in < bytes, is_out = lane_address - out < bytes;
        memory = is_in ? "in" : is_out ? "out" : "other";
        begin = is_in ? in : is_out ? out : 0;
        break;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        const bool is_active = access.active >> lane & 1;
        addresses.push_back(is_active ? json(static_cast<i64>(access.addresses[lane] - begin))
                                      : json(nullptr));
    }
    return {{"file", access.place.file}, {"line", access.place.line},      {"memory", memory},
            {"store", access.is_store},  {"bytes", access.bytes_per_lane}, {"addresses", addresses},
            {"cost", access.cost},       {"ideal", access.ideal_cost}};
}

json reports_json() {
    json list = json::array();
    for (const Report& report : reports().all()) {
        list.push_back({{"check", report.check},
                        {"kind", report.kind},
                        {"line", report.where.line},
                        {"count", report.count},
                        {"message", report.message},
                        {"cure", report.cure},
                        {"other_line", report.other.line}});
    }
    return list;
}

Dim3 parse_dim3(const json& list) {
    return {list.at(0).get<u32>(), list.at(1).get<u32>(), list.at(2).get<u32>()};
}

void reset_counters(Kernel& kernel) {
    const std::size_t sites = kernel.totals.sites.size();
    kernel.totals = {};
    kernel.totals.sites.resize(sites);
    reports().clear();
}

LaunchConfig launch_of(const json& question) {
    return {parse_dim3(question.at("grid")), parse_dim3(question.at("block")),
            question.at("shared").get<u32>()};
}

/// Returns the module for this PTX. The last module is kept, because successive questions usually
/// have the same PTX.
Module& module_of(const std::string& ptx) {
    static std::string text;
    static std::unique_ptr<Module> loaded;
    if (loaded && text == ptx) return *loaded;
    if (loaded) {
        Device::instance().unload_module(*loaded);
        loaded.reset();
        delete_unloaded_modules();
    }
    std::string error;
    loaded = Device::instance().load_module(ptx.c_str(), error);
    if (!loaded) throw std::runtime_error(error);
    text = ptx;
    return *loaded;
}

/// Returns the kernel that the question is about, or throws an error with a message for the reader.
Kernel& kernel_of(const json& question) {
    Kernel* kernel = module_of(question.at("ptx").get<std::string>())
                         .kernel(question.at("entry").get<std::string>());
    if (!kernel) throw std::runtime_error("The PTX does not contain this kernel.");
    if (kernel->parameter_offsets.size() != 4) {
        throw std::runtime_error(
            "The kernel's parameters must be (float* out, const float* in, int rows, int cols).");
    }
    return *kernel;
}

}  // namespace

json run_launch(const json& question) {
    set_simulator_options();
    Kernel* const kernel = &kernel_of(question);
    i32 rows = question.at("rows").get<i32>(), cols = question.at("cols").get<i32>();
    const u64 elements = static_cast<u64>(rows) * static_cast<u64>(cols);
    const Matrix in(elements), out(elements);
    if (rows < 1 || cols < 1 || !in.words() || !out.words()) {
        throw std::runtime_error("The matrix does not fit into the page's memory.");
    }
    u32* const values = in.words();
    for (u64 i = 0; i < elements; ++i) values[i] = static_cast<u32>(i);
    std::fill_n(out.words(), elements, kPoison);
    DeviceMemory& memory = Device::instance().memory();
    memory.mark_written(in.address(), elements * 4);

    u64 out_address = out.address(), in_address = in.address();
    void* arguments[] = {&out_address, &in_address, &rows, &cols};
    reset_counters(*kernel);
    trace().begin(question.at("traced_block").get<u64>(), question.at("traced_warp").get<u32>(),
                  question.at("limit").get<std::size_t>());
    const auto begin = std::chrono::steady_clock::now();
    const Status status = Device::instance().launch(*kernel, launch_of(question), arguments);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;

    json result = {{"status", static_cast<int>(status)},
                   {"milliseconds", took.count()},
                   {"reports", reports_json()},
                   {"accesses", json::array()},
                   {"lines", json::array()}};
    for (const TracedAccess& access : trace().accesses()) {
        result["accesses"].push_back(access_json(access, in_address, out_address, elements * 4));
    }
    trace().end();
    for (const KernelRow& row : make_kernel_table({kernel})) {
        result["counters"] = counters_json(row.counters, false);
        for (const LineRow& line : row.lines) {
            result["lines"].push_back({{"file", line.place.file},
                                       {"line", line.place.line},
                                       {"counters", counters_json(line.counters, true)}});
        }
    }
    const std::string produces = question.at("produces").get<std::string>();
    if (!produces.empty()) {
        result["wrong"] =
            wrong_cells(out.words(), static_cast<u64>(rows), static_cast<u64>(cols), produces);
    }
    return result;
}

// ---- predicted times ----

/// Predicts the time of a launch, even on matrices of several gigabytes. The launch is not executed
/// completely, so the matrices need addresses but no storage. If a recorded block depends on the
/// contents of a matrix, the launch fails.
json predict_launch(const json& question) {
    set_simulator_options();
    Kernel& kernel = kernel_of(question);
    i32 rows = question.at("rows").get<i32>(), cols = question.at("cols").get<i32>();
    const u64 bytes = 4 * static_cast<u64>(rows) * static_cast<u64>(cols);
    constexpr u64 gap_bytes = 4096;
    u64 in_address = kDeviceBase, out_address = kDeviceBase + bytes + gap_bytes;
    void* arguments[] = {&out_address, &in_address, &rows, &cols};
    const LaunchRecording recorded(Recorder::RecordMode::alone);
    const Status status = Device::instance().launch(kernel, launch_of(question), arguments);
    if (status != Status::success) {
        throw std::runtime_error("The kernel was stopped (error " +
                                 std::to_string(static_cast<int>(status)) +
                                 "), so no time can be predicted.");
    }
    return json::parse(time_of_launch(recorded.recording(), question.at("gpu").get<std::string>(),
                                      2.0 * static_cast<double>(bytes)));
}

}  // namespace coalesce::page
