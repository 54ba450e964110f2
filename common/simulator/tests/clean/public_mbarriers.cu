// Kernels that use mbarriers and bulk copies in PTX, through wrappers like those of libraries.
#include "../bulk.h"

#include "../cases.h"

/// A wrapper in the style of template libraries: a barrier that tracks its own phase.
struct Phased {
    uint64_t word;
    __device__ void setup(unsigned count) { init(word, count); }
    __device__ void arrive() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&word))
                     : "memory");
    }
    __device__ void arrive_and_expect(unsigned bytes) { expect_bytes(word, bytes); }
    __device__ void wait_for(unsigned phase) { wait(word, phase); }
};
/// A position in a ring of buffers, and the phase to wait for at this position.
template <int STAGES>
struct RingState {
    int index = 0;
    unsigned phase = 0;
    __device__ void operator++() {
        if (++index == STAGES) index = 0, phase ^= 1;
    }
};

// clean ring_of_full_and_empty
// One warp loads tiles with bulk copies, and the other warps consume them.
template <int STAGES, int TILE>
__global__ void warp_specialized(int* out, const int* in, int tiles) {
    __shared__ __align__(128) int buffer[STAGES][TILE];
    __shared__ Phased full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; ++s) full[s].setup(1), empty[s].setup(2);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            RingState<STAGES> ring;
            for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++ring) {
                empty[ring.index].wait_for(ring.phase ^ 1);  // does not wait in the first round
                full[ring.index].arrive_and_expect(TILE * sizeof(int));
                load_run(buffer[ring.index], in + t * TILE, TILE * sizeof(int),
                         full[ring.index].word);
            }
        }
        return;
    }
    RingState<STAGES> ring;
    const int me = threadIdx.x - 32;
    for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++ring) {
        full[ring.index].wait_for(ring.phase);
        for (int i = me; i < TILE; i += 64) out[t * TILE + i] = buffer[ring.index][TILE - 1 - i] + t;
        __syncwarp();
        if (me % 32 == 0) empty[ring.index].arrive();
    }
}
static void ring_of_full_and_empty() {
    const int tile = 128, tiles = 11;
    int* out = device_zeros<int>(tile * tiles);
    warp_specialized<3, tile><<<2, 96>>>(out, device_iota<int>(tile * tiles), tiles);
    const auto got = to_host(out, tile * tiles);
    for (int i = 0; i < tile * tiles; ++i)
        expect(got[i] == i / tile * tile + tile - 1 - i % tile + i / tile, "value");
}

// clean two_groups_in_turn
// Two groups of warps take turns: one computes while the other stores its result.
__global__ void ping_pong_groups(float* out, int rounds) {
    __shared__ Phased turn[2];
    __shared__ float pad[64];
    const int group = threadIdx.x / 64, me = threadIdx.x % 64;
    if (threadIdx.x == 0) turn[0].setup(64), turn[1].setup(64);
    if (threadIdx.x < 64) pad[threadIdx.x] = 1.f;
    __syncthreads();
    if (group == 1) turn[0].arrive();  // group 0 may begin
    for (int r = 0; r < rounds; ++r) {
        turn[group].wait_for(r & 1);
        const float x = pad[(me + 1) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(1 + group) : "memory");
        pad[me] = x * 2.f - group;
        turn[group ^ 1].arrive();
        out[(r * 2 + group) * 64 + me] = x;
    }
}
static void two_groups_in_turn() {
    const int rounds = 5;
    float* out = device_zeros<float>(rounds * 128);
    ping_pong_groups<<<1, 128>>>(out, rounds);
    const auto got = to_host(out, rounds * 128);
    float want = 1.f;
    for (int s = 0; s < 2 * rounds; ++s) {
        for (int i = 0; i < 64; ++i) expect(got[s * 64 + i] == want, "value");
        want = want * 2.f - s % 2;
    }
}

// clean result_written_in_bulk
__global__ void squares_in_bulk(int* out, int per_block) {
    extern __shared__ __align__(128) int staging[];
    int* to = out + blockIdx.x * per_block;
    for (int half = 0; half < 2; ++half) {
        int* mine = staging + half * per_block / 2;
        for (int i = threadIdx.x; i < per_block / 2; i += blockDim.x) {
            const int at = blockIdx.x * per_block + half * per_block / 2 + i;
            mine[i] = at * at;
        }
        fence_for_copies();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_run(to + half * per_block / 2, mine, per_block / 2 * sizeof(int));
            commit_stores();
        }
    }
    if (threadIdx.x == 0) wait_for_stores<0>();
}
static void result_written_in_bulk() {
    const int per_block = 256, blocks = 3;
    int* out = device_zeros<int>(per_block * blocks);
    squares_in_bulk<<<blocks, 64, per_block * sizeof(int)>>>(out, per_block);
    const auto got = to_host(out, per_block * blocks);
    for (int i = 0; i < per_block * blocks; ++i) expect(got[i] == i * i, "square");
}

// clean staging_reused_after_it_was_read
__global__ void stream_out(int* out, int rounds) {
    __shared__ __align__(128) int staging[2][64];
    for (int r = 0; r < rounds; ++r) {
        if (threadIdx.x == 0) wait_for_reads<1>();  // at most the latest store is still reading
        __syncthreads();
        staging[r & 1][threadIdx.x] = r * 1000 + threadIdx.x;
        fence_for_copies();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_run(out + r * 64, staging[r & 1], sizeof staging[0]);
            commit_stores();
        }
    }
    if (threadIdx.x == 0) wait_for_stores<0>();
}
static void staging_reused_after_it_was_read() {
    int* out = device_zeros<int>(64 * 9);
    stream_out<<<1, 64>>>(out, 9);
    const auto got = to_host(out, 64 * 9);
    for (int i = 0; i < 64 * 9; ++i) expect(got[i] == i / 64 * 1000 + i % 64, "value");
}

// clean boxes_of_a_matrix
__global__ void transpose_boxes(const __grid_constant__ CUtensorMap to,
                                const __grid_constant__ CUtensorMap from) {
    __shared__ __align__(128) int in[16][16], out[16][16];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) init(arrived, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect_bytes(arrived, sizeof in);
        load_box(in, from, blockIdx.x * 16, blockIdx.y * 16, arrived);
    }
    wait(arrived, 0);
    for (int i = threadIdx.x; i < 256; i += blockDim.x) out[i % 16][i / 16] = in[i / 16][i % 16];
    fence_for_copies();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_box(to, out, blockIdx.y * 16, blockIdx.x * 16);
        commit_stores();
        wait_for_stores<0>();
    }
}
static void boxes_of_a_matrix() {
    const int rows = 40, cols = 52;  // the last boxes extend beyond the edges
    int *in = device_iota<int>(rows * cols), *out = device_zeros<int>(rows * cols);
    transpose_boxes<<<dim3(4, 3), 64>>>(map_of(out, cols, rows, 16, 16),
                                        map_of(in, rows, cols, 16, 16));
    const auto got = to_host(out, rows * cols);
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) expect(got[c * rows + r] == r * cols + c, "element");
    }
}

// clean both_operands_in_one_phase
// Two copies arrive at the same barrier, which expects the bytes of both copies.
__global__ void dot_in_bulk(int* result, const int* a, const int* b, int n) {
    __shared__ __align__(16) int sa[128], sb[128];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) init(arrived, 1);
    __syncthreads();
    int sum = 0;
    for (int at = 0, phase = 0; at < n; at += 128, phase ^= 1) {
        const unsigned bytes = min(128, n - at) * sizeof(int);
        if (threadIdx.x == 0) {
            expect_bytes(arrived, 2 * bytes);
            load_run(sa, a + at, bytes, arrived);
            load_run(sb, b + at, bytes, arrived);
        }
        wait(arrived, phase);
        for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) sum += sa[i] * sb[i];
        __syncthreads();
    }
    atomicAdd(result, sum);
}
static void both_operands_in_one_phase() {
    const int n = 128 * 3 + 20;
    const auto a = random_numbers(n, 100, 1), b = random_numbers(n, 100, 2);
    int *result = device_zeros<int>(1), want = 0;
    dot_in_bulk<<<1, 64>>>(result, to_device(a), to_device(b), n);
    for (int i = 0; i < n; ++i) want += a[i] * b[i];
    expect(to_host(result, 1)[0] == want, "dot product");
}

// clean barrier_initialised_for_every_tile
// The barrier is invalidated after its phase, and then initialised with a different count.
__global__ void changing_counts(int* out) {
    __shared__ uint64_t word;
    __shared__ int values[64];
    int sum = 0;
    for (int count = 64; count >= 16; count /= 2) {
        if (threadIdx.x == 0) init(word, count);
        __syncthreads();
        if (threadIdx.x < count) {
            values[threadIdx.x] = count + threadIdx.x;
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&word))
                         : "memory");
        }
        wait(word, 0);
        sum += values[threadIdx.x % count ^ 1];
        __syncthreads();
        if (threadIdx.x == 0)
            asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&word))
                         : "memory");
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
static void barrier_initialised_for_every_tile() {
    int* out = device_zeros<int>(64);
    changing_counts<<<1, 64>>>(out);
    const auto got = to_host(out, 64);
    for (int i = 0; i < 64; ++i)
        expect(got[i] == 112 + (i % 64 ^ 1) + (i % 32 ^ 1) + (i % 16 ^ 1), "sum");
}

// clean cp_async_arrives_at_a_barrier
// When the cp.async copies of a thread complete, they arrive at an mbarrier.
__global__ void lanes_copy(int* out, const int* in, int tiles) {
    __shared__ int tile[2][64];
    __shared__ uint64_t filled[2];
    if (threadIdx.x == 0) init(filled[0], 64), init(filled[1], 64);
    __syncthreads();
    auto fetch = [&](int t) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                         shared_address(&tile[t & 1][threadIdx.x])),
                     "l"(in + t * 64 + threadIdx.x)
                     : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                         shared_address(&filled[t & 1]))
                     : "memory");
    };
    fetch(0);
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) fetch(t + 1);
        wait(filled[t & 1], t / 2 & 1);
        sum += tile[t & 1][63 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
static void cp_async_arrives_at_a_barrier() {
    int* out = device_zeros<int>(64);
    lanes_copy<<<1, 64>>>(out, device_iota<int>(64 * 7), 7);
    const auto got = to_host(out, 64);
    for (int i = 0; i < 64; ++i) expect(got[i] == 7 * (63 - i) + 64 * 21, "sum");
}

// clean arrivals_for_many
// A single arrival counts for a whole warp.
__global__ void counted_arrivals(int* out) {
    __shared__ uint64_t word;
    __shared__ int values[128];
    if (threadIdx.x == 0) init(word, 128);
    __syncthreads();
    values[threadIdx.x] = 3 * threadIdx.x;
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 32;" ::"r"(shared_address(&word))
                     : "memory");
    wait(word, 0);
    out[threadIdx.x] = values[127 - threadIdx.x];
}
static void arrivals_for_many() {
    int* out = device_zeros<int>(128);
    counted_arrivals<<<1, 128>>>(out);
    const auto got = to_host(out, 128);
    for (int i = 0; i < 128; ++i) expect(got[i] == 3 * (127 - i), "value");
}

int main(int argc, char** argv) {
    return run_case(
        argc, argv,
        {
            {"ring_of_full_and_empty", ring_of_full_and_empty},
            {"two_groups_in_turn", two_groups_in_turn},
            {"result_written_in_bulk", result_written_in_bulk},
            {"staging_reused_after_it_was_read", staging_reused_after_it_was_read},
            {"boxes_of_a_matrix", boxes_of_a_matrix},
            {"both_operands_in_one_phase", both_operands_in_one_phase},
            {"barrier_initialised_for_every_tile", barrier_initialised_for_every_tile},
            {"cp_async_arrives_at_a_barrier", cp_async_arrives_at_a_barrier},
            {"arrivals_for_many", arrivals_for_many},
        });
}
