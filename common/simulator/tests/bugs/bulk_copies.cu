// Mistakes with cp.async.bulk: copies that no thread waits for, copies that begin too early, and
// copies with invalid addresses.
// by clang atomic_on_a_parameter: clang changes a copy of the parameter
#include "../bulk.h"

#include "../cases.h"

// These copies are macros, so that a report names the line in the kernel that uses the macro.
#define LOAD_RUN(to, from, bytes, barrier)                                                    \
    asm volatile(                                                                             \
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: \
            "r"(shared_address(to)), "l"(from), "r"(static_cast<unsigned>(bytes)), "r"(shared_address(barrier)) : "memory")
#define LOAD_BOX(to, map, x, y, barrier)                                                      \
    asm volatile(                                                                             \
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "        \
        "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)), "l"(&map), "r"(x), "r"(y),   \
        "r"(shared_address(barrier)) : "memory")
#define STORE_RUN(to, from, bytes)                                                            \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),     \
                 "r"(shared_address(from)), "r"(static_cast<unsigned>(bytes)) : "memory")

constexpr int kThreads = 64;

__global__ void read_at_once(int* out, const int* in) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t arrived;
    run[threadIdx.x] = 0;
    fence_for_copies();
    if (threadIdx.x == 0) init(arrived, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect_bytes(arrived, sizeof run);
        LOAD_RUN(run, in, sizeof run, &arrived);  // other not_waited_for
    }
    __syncthreads();
    out[threadIdx.x] = run[threadIdx.x];  // bug not_waited_for: racecheck: read after write
    wait(arrived, 0);
}
static void not_waited_for() {
    read_at_once<<<1, kThreads>>>(device_zeros<int>(kThreads), device_iota<int>(kThreads));
}

// The second copy starts while other threads are still reading the data of the first copy.
__global__ void refill(int* out, const int* in) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t first, second;
    if (threadIdx.x == 0) {
        init(first, 1);
        init(second, 1);
        expect_bytes(first, sizeof run);
        LOAD_RUN(run, in, sizeof run, &first);
    }
    __syncthreads();
    wait(first, 0);
    int sum = run[kThreads - 1 - threadIdx.x];  // other refilled_too_early
    if (threadIdx.x == kThreads - 1) {
        expect_bytes(second, sizeof run);
        LOAD_RUN(run, in + kThreads, sizeof run, &second);  // bug refilled_too_early: racecheck: write after read
    }
    wait(second, 0);
    __syncthreads();
    out[threadIdx.x] = sum + run[threadIdx.x];
}
static void refilled_too_early() {
    refill<<<1, kThreads>>>(device_zeros<int>(kThreads), device_iota<int>(2 * kThreads));
}

// Starts to copy the array to global memory before the other warp has written its half.
__global__ void store_at_once(int* out) {
    __shared__ __align__(128) int run[kThreads];
    run[threadIdx.x] = threadIdx.x;  // other stored_too_early
    fence_for_copies();
    if (threadIdx.x == kThreads - 1) {
        STORE_RUN(out, run, sizeof run);  // bug stored_too_early: racecheck: read after write
        commit_stores();
        wait_for_stores<0>();
    }
}
static void stored_too_early() {
    store_at_once<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

__global__ void overwrite(int* out) {
    __shared__ __align__(128) int run[kThreads];
    run[threadIdx.x] = threadIdx.x;
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_RUN(out, run, sizeof run);  // other overwritten_while_stored
        commit_stores();
    }
    __syncthreads();
    run[threadIdx.x] = 100 + threadIdx.x;  // bug overwritten_while_stored: racecheck: write after read
    if (threadIdx.x == 0) wait_for_stores<0>();
}
static void overwritten_while_stored() {
    overwrite<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

__global__ void leave_at_once(int* out) {
    __shared__ __align__(128) int run[kThreads];
    run[threadIdx.x] = threadIdx.x;
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        STORE_RUN(out, run, sizeof run);  // bug left_behind: synccheck: copy not waited for
        commit_stores();
    }
}
static void left_behind() {
    leave_at_once<<<1, kThreads>>>(device_zeros<int>(kThreads));
}

__global__ void copy_run(int* out, const int* in, int bytes, int skip) {
    __shared__ __align__(128) int run[kThreads + 4];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, bytes);
        LOAD_RUN(run + skip, in, bytes, &arrived);  // bug beyond_the_array: memcheck: out of bounds // bug at_four: memcheck: misaligned // bug odd_size: memcheck: misaligned // bug beyond_shared: memcheck: out of bounds
        wait(arrived, 0);
        out[0] = run[skip];
    }
}
static void beyond_the_array() {
    copy_run<<<1, 32>>>(device_zeros<int>(1), device_iota<int>(kThreads - 4), 4 * kThreads, 0);
}
static void at_four() {
    copy_run<<<1, 32>>>(device_zeros<int>(1), device_iota<int>(kThreads), 64, 1);
}
static void odd_size() {
    copy_run<<<1, 32>>>(device_zeros<int>(1), device_iota<int>(kThreads), 20, 0);
}
static void beyond_shared() {
    copy_run<<<1, 32>>>(device_zeros<int>(1), device_iota<int>(4 * kThreads), 8 * kThreads, 0);
}

__global__ void copy_box(int* out, const __grid_constant__ CUtensorMap map, int x, int skip, bool initialised) {
    __shared__ __align__(128) int box[2 * 8 * 16];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        if (initialised) {
            init(arrived, 1);
            expect_bytes(arrived, 8 * 16 * 4);
        }
        LOAD_BOX(box + skip, map, x, 0, &arrived);  // bug coordinate_of_one: memcheck: misaligned // bug box_at_64: memcheck: misaligned // bug map_of_nothing: memcheck: no tensor map // bug map_too_large: memcheck: out of bounds // bug mbarrier_forgotten: synccheck: mbarrier not initialised
        wait(arrived, 0);
        out[0] = box[skip];
    }
}
static CUtensorMap map_of_64_rows(int rows_there_are) {
    return map_of(device_iota<int>(rows_there_are * 16), 64, 16, 8, 16);
}
static void coordinate_of_one() {
    copy_box<<<1, 32>>>(device_zeros<int>(1), map_of_64_rows(64), 1, 0, true);
}
static void box_at_64() {
    copy_box<<<1, 32>>>(device_zeros<int>(1), map_of_64_rows(64), 0, 16, true);
}
static void map_of_nothing() {
    copy_box<<<1, 32>>>(device_zeros<int>(1), CUtensorMap{}, 0, 0, true);
}
static void map_too_large() {
    copy_box<<<1, 32>>>(device_zeros<int>(1), map_of_64_rows(4), 0, 0, true);
}
static void mbarrier_forgotten() {
    copy_box<<<1, 32>>>(device_zeros<int>(1), map_of_64_rows(64), 0, 0, false);
}

// A kernel may copy a tensor map, but a map with a changed byte is invalid, wherever it is stored.
// The byte that the first case changes encodes the swizzle mode.
__global__ void copy_box_by(int* out, const __grid_constant__ CUtensorMap map, CUtensorMap* own, int at, int change) {
    __shared__ __align__(128) int box[8 * 16];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        const char* bytes = reinterpret_cast<const char*>(&map);
        for (int i = 0; i < static_cast<int>(sizeof map); ++i)
            reinterpret_cast<char*>(own)[i] = bytes[i] ^ (i == at ? change : 0);
        init(arrived, 1);
        expect_bytes(arrived, sizeof box);
        LOAD_BOX(box, *own, 0, 0, &arrived);  // bug changed_swizzle: memcheck: no tensor map // bug changed_rank: memcheck: no tensor map // bug changed_tail: memcheck: no tensor map
        wait(arrived, 0);
        out[0] = box[1];
    }
}
static void changed(int at, int change) {
    int* out = device_zeros<int>(1);
    copy_box_by<<<1, 32>>>(out, map_of_64_rows(64), device_zeros<CUtensorMap>(1), at, change);
    if (change == 0) expect(to_host(out, 1)[0] == 1, "a copy of a map");
}
static void changed_swizzle() {
    changed(18, 31);
}
static void changed_rank() {
    changed(16, 1);
}
static void changed_tail() {
    changed(127, 1);
}
// clean copied_map
static void copied_map() {
    changed(0, 0);
}

// Swizzling moves chunks of a box within a line of 128 bytes, even past the end of a small box.
// Here 16 bytes move up by 112 bytes, but shared memory ends 48 bytes after the line's start.
__global__ void copy_small_box(int* out, const __grid_constant__ CUtensorMap map) {
    extern __shared__ __align__(128) int box[];
    uint64_t& arrived = *reinterpret_cast<uint64_t*>(box);
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, 16);
        LOAD_BOX(box + 7 * 32, map, 0, 0, &arrived);  // bug swizzled_behind_the_end: memcheck: out of bounds
        wait(arrived, 0);
        out[0] = box[7 * 32];
    }
}
static void swizzled_behind_the_end() {
    const CUtensorMap map = map_of(device_iota<int>(256), 16, 16, 1, 4, {.swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
    copy_small_box<<<1, 32, 7 * 128 + 48>>>(device_zeros<int>(1), map);
}

// The box has 2^32 bytes, a size that overflows a 32-bit counter.
__global__ void copy_huge_box(int* out, const __grid_constant__ CUtensorMap map) {
    __shared__ __align__(128) int box[32];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2, %2, %2}], [%3];" ::"r"(shared_address(box)), "l"(&map), "r"(0), "r"(shared_address(&arrived)) : "memory");  // bug huge_box: memcheck: out of bounds
        out[0] = box[0];
    }
}
static void huge_box() {
    CUtensorMap map;
    const cuuint64_t size[] = {256, 256, 256, 256, 256}, pitch[] = {1024, 1024, 1024, 1024};
    const cuuint32_t box[] = {4, 256, 256, 256, 16}, steps[] = {1, 1, 1, 1, 1};
    map_encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 5, device_iota<int>(256), size, pitch, box, steps,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    copy_huge_box<<<1, 32>>>(device_zeros<int>(1), map);
}

// Overwrites an mbarrier with bits that a valid mbarrier never contains.
__global__ void overwrite_mbarrier(int* out, uint64_t word) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        init(barrier, 1);
        *reinterpret_cast<volatile uint64_t*>(&barrier) = word;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier)) : "memory");  // bug overwritten_mbarrier: synccheck: mbarrier not initialised
        out[0] = 1;
    }
}
static void overwritten_mbarrier() {
    overwrite_mbarrier<<<1, 32>>>(device_zeros<int>(1), ~uint64_t{0});
}
__global__ void expect_far_too_many(int* out) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        init(barrier, 2);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)), "r"(1 << 20) : "memory");  // bug too_many_bytes: synccheck: too many bytes
        out[0] = 1;
    }
}
static void too_many_bytes() {
    expect_far_too_many<<<1, 32>>>(device_zeros<int>(1));
}

__global__ void end_what_is_none(int* out) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        barrier = ~uint64_t{0};
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier)) : "memory");  // bug invalidated_what_is_none: synccheck: mbarrier not initialised
        out[0] = 1;
    }
}
static void invalidated_what_is_none() {
    end_what_is_none<<<1, 32>>>(device_zeros<int>(1));
}

// Starts two copies of 128 bytes each, but makes the mbarrier expect `announced` bytes.
__global__ void two_runs(int* out, const int* in, int announced, bool meets) {
    __shared__ __align__(128) int run[kThreads];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(shared_address(&arrived)) : "memory");  // other used_before_it_is_made
    if (meets) __syncthreads();
    if (threadIdx.x == kThreads - 1) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)), "r"(announced) : "memory");  // bug used_before_it_is_made: racecheck: read after write
        LOAD_RUN(run, in, 128, &arrived);  // bug used_before_it_is_made: racecheck: read after write
        LOAD_RUN(run + 32, in + 32, 128, &arrived);  // bug used_before_it_is_made: racecheck: read after write
    }
    __syncthreads();
    unsigned over = 0;
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(shared_address(&arrived)) : "memory");  // bug half_announced: synccheck: too few bytes // bug more_than_come: synccheck: deadlock // bug half_a_run_announced: synccheck: too few bytes
    out[threadIdx.x] = run[threadIdx.x];
}
static void announce(int bytes, bool meets = true) {
    int* out = device_zeros<int>(kThreads);
    two_runs<<<1, kThreads>>>(out, device_iota<int>(kThreads), bytes, meets);
    if (bytes == 256 && meets) expect(to_host(out, kThreads)[kThreads - 1] == kThreads - 1, "both runs came");
}
static void half_announced() {
    announce(128);
}
static void half_a_run_announced() {
    announce(64);
}
static void more_than_come() {
    announce(512);
}
static void used_before_it_is_made() {
    announce(256, false);
}
// clean all_announced
static void all_announced() {
    announce(256);
}

// Parameters are read-only, even for atomics.
__global__ void add_to_parameter(int* out, const __grid_constant__ int number) {
    int old;
    asm volatile("atom.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(&number) : "memory");  // bug atomic_on_a_parameter: memcheck: out of bounds
    out[threadIdx.x] = old;
}
static void atomic_on_a_parameter() {
    add_to_parameter<<<1, 32>>>(device_zeros<int>(32), 5);
}

__global__ void store_before(const __grid_constant__ CUtensorMap map) {
    __shared__ __align__(128) int box[8 * 16];
    for (int i = threadIdx.x; i < 8 * 16; i += 32) box[i] = i;
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(0), "r"(-6), "r"(shared_address(box)) : "memory");  // bug stored_before_the_array: memcheck: out of bounds
        commit_stores();
        wait_for_stores<0>();
    }
}
static void stored_before_the_array() {
    store_before<<<1, 32>>>(map_of_64_rows(64));
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"not_waited_for", not_waited_for},
                        {"refilled_too_early", refilled_too_early},
                        {"stored_too_early", stored_too_early},
                        {"overwritten_while_stored", overwritten_while_stored},
                        {"left_behind", left_behind},
                        {"beyond_the_array", beyond_the_array},
                        {"at_four", at_four},
                        {"odd_size", odd_size},
                        {"beyond_shared", beyond_shared},
                        {"coordinate_of_one", coordinate_of_one},
                        {"box_at_64", box_at_64},
                        {"map_of_nothing", map_of_nothing},
                        {"map_too_large", map_too_large},
                        {"mbarrier_forgotten", mbarrier_forgotten},
                        {"stored_before_the_array", stored_before_the_array},
                        {"changed_swizzle", changed_swizzle},
                        {"changed_rank", changed_rank},
                        {"changed_tail", changed_tail},
                        {"copied_map", copied_map},
                        {"swizzled_behind_the_end", swizzled_behind_the_end},
                        {"huge_box", huge_box},
                        {"overwritten_mbarrier", overwritten_mbarrier},
                        {"too_many_bytes", too_many_bytes},
                        {"invalidated_what_is_none", invalidated_what_is_none},
                        {"half_announced", half_announced},
                        {"half_a_run_announced", half_a_run_announced},
                        {"more_than_come", more_than_come},
                        {"used_before_it_is_made", used_before_it_is_made},
                        {"all_announced", all_announced},
                        {"atomic_on_a_parameter", atomic_on_a_parameter},
                    });
}
