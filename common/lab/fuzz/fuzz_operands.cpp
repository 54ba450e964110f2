// libFuzzer target: runs a fixed kernel (operand_kernel.h) with arbitrary operands. The operands
// are addresses inside and just outside every memory space, corrupted tensor maps, overwritten
// mbarriers, printf formats and strings, barrier numbers, lane masks, copy sizes, and function
// pointers. The run must end with an error or a result. The sanitizer detects every access outside
// the simulator's memory.
//
// Idea       The input is a script: the launch and the contents of memory, followed by steps with a
//            fixed number of bytes. Any recombination by libFuzzer is therefore still a script.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "lab/fuzz/operand_kernel.h"
#include "simulator/base/device_model.h"
#include "simulator/device/device.h"
#include "simulator/execute/device_calls.h"
#include "simulator/execute/recorder.h"
#include "simulator/memory/tensor_map.h"

namespace {

using namespace coalesce::simulator;
using namespace coalesce::simulator::fuzz;

constexpr u64 kInstructions = 6000;
constexpr u32 kStaticShared = 9000;
constexpr u32 kLargeBytes = 4096, kSmallBytes = 100, kMaps = 2;
constexpr std::size_t kMaxSteps = 24, kContentBytes = 64;
/// The offset in bytes of the tensor map in the kernel's parameters, which are the script, the
/// steps and the map.
constexpr u64 kMapParameter = 64;

/// Reads the bytes of the input in order. Returns zeros after the end of the input.
class FuzzInput {
public:
    FuzzInput(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    bool is_empty() const { return at_ == end_; }
    template <class T>
    T take() {
        T value{};
        const std::size_t bytes =
            std::min<std::size_t>(sizeof value, static_cast<std::size_t>(end_ - at_));
        std::memcpy(&value, at_, bytes);
        at_ += bytes;
        return value;
    }

private:
    const std::uint8_t *at_, *end_;
};

/// The allocations in device memory, which are the same in every run.
struct Memory {
    u64 script, large, small, managed, freed, maps;
    Memory() {
        DeviceMemory& memory = Device::instance().memory();
        script = memory.allocate(kMaxSteps * sizeof(ScriptStep));
        large = memory.allocate(kLargeBytes);
        small = memory.allocate(kSmallBytes);
        managed = memory.allocate(kSmallBytes, AllocationKind::managed);
        maps = memory.allocate(kMaps * kTensorMapBytes);
        freed = memory.allocate(kSmallBytes);
        memory.free(freed);
    }
};

void write_memory(u64 address, const void* from, u64 bytes) {
    DeviceMemory& memory = Device::instance().memory();
    std::memcpy(memory.host_view(address, bytes), from, bytes);
    memory.mark_written_by_host(address, bytes);
}

/// The kernel, loaded twice: once for the normal mode and once for the plain mode.
struct Kernels {
    std::unique_ptr<Module> modules[2];
    Kernels() {
        for (const bool plain : {false, true}) {
            std::string error;
            modules[plain] = Device::instance().load_module(module_text(kStaticShared), error);
            if (!modules[plain]) fail_setup(error);
        }
    }
    Kernel& kernel(bool plain) const { return *modules[plain]->kernels.at("run"); }
    [[noreturn]] static void fail_setup(const std::string& error) {
        std::fprintf(stderr, "the simulator rejects the kernel: %s\n", error.c_str());
        std::abort();
    }
};

void prepare() {
    Options& wanted = options();
    wanted.max_instructions = kInstructions;
    wanted.worker_count = 1;
    wanted.is_quiet = true;
    wanted.memory_bytes = 64 << 20;
    reports().print_immediately(false);
    Device::instance().stack_limit = 2048;
    DeviceHeap::instance().set_size(4096);
}

// ---- reading a script ----

/// Returns an address in one of the memory spaces, or just outside it.
u64 address_from(FuzzInput& in, const Memory& memory) {
    const u8 kind = in.take<u8>();
    const auto off = static_cast<u64>(static_cast<i64>(in.take<std::int16_t>()));
    const u64 nearby[] = {off,
                          memory.large + off,
                          memory.small + off,
                          memory.managed + off,
                          memory.freed + off,
                          memory.maps + off,
                          memory.script + off,
                          shared_window() + off,
                          shared_window() + kStaticShared + off,
                          local_window() + off,
                          param_window() + off,
                          param_window() + kMapParameter + off,
                          function_window() + 16 * off,
                          device_base() + Device::instance().memory().range_bytes() + off,
                          device_base() + off,
                          off << 48 | off,
                          (u64{1} << 32) + off,
                          ~u64{0} - 64 + off,
                          kStaticShared + off,
                          DeviceModel::shared_reserved_begin + off};
    return nearby[kind % std::size(nearby)];
}

i64 stride_from(FuzzInput& in) {
    constexpr i64 strides[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 1024, -4, -16, i64{1} << 32};
    return strides[in.take<u8>() % std::size(strides)];
}

u32 word_from(FuzzInput& in) {
    const u8 kind = in.take<u8>();
    const u16 value = in.take<u16>();
    const u32 words[] = {value % 64u,          value,       value * 16u,
                         u32{1} << value % 32, ~u32{value}, u32{value} << 16 | value};
    return words[kind % std::size(words)];
}

ScriptStep step_from(FuzzInput& in, const Memory& memory) {
    constexpr u32 lanes[] = {kAllLanes, 1, 0xffff, 0x80000000, 0x55555555, 0x10000001};
    ScriptStep step;
    step.form = in.take<u16>() % static_cast<u32>(instruction_forms().size());
    step.lanes = lanes[in.take<u8>() % std::size(lanes)];
    step.added_to_addresses = in.take<u8>() & 7;
    for (int k = 0; k < 3; ++k) {
        step.address[k] = address_from(in, memory);
        step.stride[k] = stride_from(in);
    }
    for (int k = 0; k < 4; ++k) {
        step.word[k] = word_from(in);
        step.word_stride[k] = in.take<u8>() % 8 == 1;
    }
    return step;
}

/// Encodes a tensor map as a program would, and then changes some of its bytes if the script asks
/// for it. The map is all zeros if the encoder rejects the arguments.
void map_from(FuzzInput& in, u64 array, u8* map) {
    u64 size[kMaxDimensions], strides[kMaxDimensions];
    u32 box[kMaxDimensions], steps[kMaxDimensions];
    const u8 type = in.take<u8>(), shape = in.take<u8>(), changes = in.take<u8>() % 4;
    for (u32 d = 0; d < kMaxDimensions; ++d) {
        size[d] = in.take<u8>() % 64 + 1;
        strides[d] = in.take<u8>() % 32 * 16;
        box[d] = in.take<u8>() + (d == 0);
        steps[d] = 1;
    }
    static_cast<void>(encode_map({.encoded_map = map,
                                  .type = type % 13u,
                                  .rank = shape % 5u + 1,
                                  .address = array,
                                  .size = size,
                                  .strides = strides,
                                  .box = box,
                                  .element_strides = steps,
                                  .interleave = 0,
                                  .swizzle = shape / 8 % 4u,
                                  .promotion = 0,
                                  .fill = shape / 32 % 2u}));
    for (int k = 0; k < changes; ++k) {
        const u8 at = in.take<u8>();
        map[at % kTensorMapBytes] ^= in.take<u8>();
    }
}

/// The launch parameters that the script specifies.
struct FuzzedLaunch {
    LaunchConfig config;
    bool plain = false;
    Recorder::RecordMode recorded = Recorder::RecordMode::nothing;
};

FuzzedLaunch read_launch(FuzzInput& in) {
    FuzzedLaunch launching;
    const u8 shape = in.take<u8>(), how = in.take<u8>();
    constexpr u32 threads[] = {32, 1, 40, 64, 96, 256};
    launching.config.block = {threads[shape % std::size(threads)], 1, 1};
    launching.config.grid = {shape / 8 % 3u + 1, 1, 1};
    launching.config.dynamic_shared_bytes = shape / 32 * 52u;
    launching.plain = how & 1;
    launching.recorded = static_cast<Recorder::RecordMode>(how / 2 % 4 == 3 ? 0 : how / 2 % 4);
    Checks& checks = options().checks;
    checks = {};
    checks.runs_racecheck = checks.runs_globalrace = (how & 8) == 0;
    checks.runs_initcheck = (how & 16) == 0;
    checks.runs_synccheck = (how & 32) == 0;
    options().seed = how >> 6;
    return launching;
}

// ---- running the kernel ----

void run(const FuzzedLaunch& launching, const Memory& memory, u32 steps, u8* map) {
    static const Kernels kernels;
    options().is_plain = launching.plain;
    Kernel& kernel = kernels.kernel(launching.plain);
    u64 script = memory.script;
    void* arguments[] = {&script, &steps, map};
    recorder().begin_recording(launching.recorded);
    const Status status = Device::instance().launch(kernel, launching.config, arguments);
    if (!kernel.error.empty()) Kernels::fail_setup(kernel.error);
    if (status == Status::success) Device::instance().launch(kernel, launching.config, arguments);
    for (const Report& report : reports().all()) static_cast<void>(to_text(report));
    reports().clear();
    // Discard the launch, which would otherwise be recorded for the table that is printed at the
    // end of the program.
    kernel.totals.launches = kernel.totals.failed_launches = 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool once = (prepare(), true);
    static_cast<void>(once);
    static const Memory memory;
    FuzzInput in(data, size);
    const FuzzedLaunch launching = read_launch(in);

    alignas(64) u8 maps[kMaps][kTensorMapBytes] = {};
    for (u8* map : {maps[0], maps[1]}) map_from(in, memory.large, map);
    write_memory(memory.maps, maps, sizeof maps);
    u8 content[kLargeBytes] = {};
    for (u8& byte : std::span(content, kContentBytes)) byte = in.take<u8>();
    std::memcpy(content + kContentBytes, maps, sizeof maps);
    write_memory(memory.large, content, sizeof content);

    std::vector<ScriptStep> steps;
    while (!in.is_empty() && steps.size() < kMaxSteps) steps.push_back(step_from(in, memory));
    if (steps.empty()) return 0;
    write_memory(memory.script, steps.data(), steps.size() * sizeof(ScriptStep));
    run(launching, memory, static_cast<u32>(steps.size()), maps[0]);
    return 0;
}
