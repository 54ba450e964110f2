// Tests ldmatrix, stmatrix and movmatrix, which move 8x8 matrices to and from a warp's registers.
// expect: one matrix: ok
// expect: two matrices: ok
// expect: four matrices: ok
// expect: one matrix, turned: ok
// expect: two matrices, turned: ok
// expect: four matrices, turned: ok
// expect: stored: ok
// expect: stored, turned: ok
// expect: stored by generic addresses: ok
// expect: turned in registers: ok
// expect: into the register of the address: ok
// expect: under a condition that holds: ok
// expect: behind a loop that lanes leave one by one: ok
// expect: a matrix transposed: ok
#include "check.h"

constexpr int kElements = 4 * 64;

__device__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

#define LOAD_1(trans, d, at) \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" trans ".shared.b16 {%0}, [%1];" : "=r"(d[0]) : "r"(at))
#define LOAD_2(trans, d, at)                                                         \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" trans ".shared.b16 {%0, %1}, [%2];" \
                 : "=r"(d[0]), "=r"(d[1])                                            \
                 : "r"(at))
#define LOAD_4(trans, d, at)                                                                      \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" trans ".shared::cta.b16 {%0, %1, %2, %3}, [%4];" \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                 \
                 : "r"(at))
#define STORE_4(trans, at, d)                                                                  \
    asm volatile("stmatrix.sync.aligned.m8n8.x4" trans ".shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), \
                 "r"(d[0]), "r"(d[1]), "r"(d[2]), "r"(d[3])                                    \
                 : "memory")

/// Returns the row whose address `lane` provides. The 32 rows are not in memory order.
__device__ int row_of(int lane) {
    return lane * 5 % 32;
}

/// `How` is the number of matrices, 1, 2 or 4, negated if the matrices are transposed.
template <int How>
__global__ void load(unsigned* out, const unsigned short* in) {
    __shared__ __align__(16) unsigned short rows[32][8];
    for (int k = threadIdx.x; k < kElements; k += 32) rows[k / 8][k % 8] = in[k];
    __syncwarp();
    unsigned d[4] = {};
    const unsigned at = shared_address(rows[row_of(threadIdx.x)]);
    if constexpr (How == 1) LOAD_1("", d, at);
    if constexpr (How == 2) LOAD_2("", d, at);
    if constexpr (How == 4) LOAD_4("", d, at);
    if constexpr (How == -1) LOAD_1(".trans", d, at);
    if constexpr (How == -2) LOAD_2(".trans", d, at);
    if constexpr (How == -4) LOAD_4(".trans", d, at);
    for (int m = 0; m < 4; ++m) out[m * 32 + threadIdx.x] = d[m];
}

__host__ __device__ int host_row(int lane) {
    return lane * 5 % 32;
}

static std::vector<unsigned short> numbers() {
    std::vector<unsigned short> values(kElements);
    for (int k = 0; k < kElements; ++k) values[k] = static_cast<unsigned short>(k * 257 + 3);
    return values;
}

/// Returns the register of `lane` for matrix `m` if each lane l provides the address of row(l).
template <class Row>
unsigned wanted_of(int m, int lane, bool turned, Row row) {
    const std::vector<unsigned short> in = numbers();
    unsigned word = 0;
    for (int half = 0; half < 2; ++half) {
        const int line = lane / 4, place = 2 * (lane % 4) + half;
        const int r = turned ? place : line, c = turned ? line : place;
        word |= static_cast<unsigned>(in[row(8 * m + r) * 8 + c]) << 16 * half;
    }
    return word;
}

template <int How>
static void test_load(const char* name) {
    DeviceArray<unsigned> out(128);
    DeviceArray<unsigned short> in(numbers());
    load<How><<<1, 32>>>(out, in);
    const int count = How < 0 ? -How : How;
    expect_equal(name, out.read(), for_threads<unsigned>(128, [=](int i) {
                     return i / 32 < count ? wanted_of(i / 32, i % 32, How < 0, host_row) : 0u;
                 }));
}

enum class Store { plain, turned, generic };

template <Store How>
__global__ void store(unsigned short* out, const unsigned short* in) {
    __shared__ __align__(16) unsigned short rows[32][8], back[32][8];
    for (int k = threadIdx.x; k < kElements; k += 32) rows[k / 8][k % 8] = in[k];
    __syncwarp();
    unsigned d[4];
    LOAD_4("", d, shared_address(rows[threadIdx.x]));
    const unsigned at = shared_address(back[row_of(threadIdx.x)]);
    if constexpr (How == Store::plain) STORE_4("", at, d);
    if constexpr (How == Store::turned) STORE_4(".trans", at, d);
    if constexpr (How == Store::generic)
        for (int m = 0; m < 4; ++m)
            asm volatile("stmatrix.sync.aligned.m8n8.x1.b16 [%0], {%1};" ::"l"(
                             &back[row_of(8 * m + threadIdx.x % 8)][0]),
                         "r"(d[m])
                         : "memory");
    __syncwarp();
    for (int k = threadIdx.x; k < kElements; k += 32) out[k] = back[k / 8][k % 8];
}

template <Store How>
static void test_store(const char* name) {
    DeviceArray<unsigned short> out(kElements), in(numbers());
    store<How><<<1, 32>>>(out, in);
    std::vector<unsigned short> wanted(kElements);
    for (int lane = 0; lane < 32; ++lane)
        for (int c = 0; c < 8; ++c) {
            const int m = lane / 8, r = lane % 8;
            const int from = How == Store::turned ? 8 * (8 * m + c) + r : 8 * lane + c;
            wanted[8 * host_row(lane) + c] = numbers()[from];
        }
    expect_equal(name, out.read(), wanted);
}

__global__ void move(unsigned* out, const unsigned* in) {
    unsigned d;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d) : "r"(in[threadIdx.x]));
    out[threadIdx.x] = d;
}

/// The instruction's address register is also its destination.
__global__ void load_in_place(unsigned* out, const unsigned short* in) {
    __shared__ __align__(16) unsigned short rows[32][8];
    for (int k = threadIdx.x; k < kElements; k += 32) rows[k / 8][k % 8] = in[k];
    __syncwarp();
    unsigned at = shared_address(rows[threadIdx.x]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(at));
    out[threadIdx.x] = at;
}

__global__ void load_guarded(unsigned* out, const unsigned short* in, int yes) {
    __shared__ __align__(16) unsigned short rows[32][8];
    for (int k = threadIdx.x; k < kElements; k += 32) rows[k / 8][k % 8] = in[k];
    __syncwarp();
    unsigned d = 0;
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1]; }"
        : "+r"(d)
        : "r"(shared_address(rows[threadIdx.x])), "r"(yes));
    out[threadIdx.x] = d;
}

__global__ void load_parted(unsigned* out, const unsigned short* in) {
    __shared__ __align__(16) unsigned short rows[32][8];
    for (int k = threadIdx.x; k < kElements; k += 32) rows[k / 8][k % 8] = in[k];
    int turns = 0;
    while (turns < static_cast<int>(threadIdx.x)) turns += 1 + in[turns] % 2;
    __syncwarp();
    unsigned d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(d)
                 : "r"(shared_address(rows[threadIdx.x])), "r"(turns));
    out[threadIdx.x] = d;
}

/// Transposes in tiles of 32 x 32 halves, with several warps per block and many blocks.
constexpr int kSide = 96, kTile = 32;
__global__ void transpose(unsigned short* out, const unsigned short* in) {
    __shared__ __align__(16) unsigned short tile[kTile][kTile + 8], turned[kTile][kTile + 8];
    const int x = threadIdx.x, y = threadIdx.y;
    for (int r = y; r < kTile; r += 4)
        tile[r][x] = in[(blockIdx.y * kTile + r) * kSide + blockIdx.x * kTile + x];
    __syncthreads();
    // Warp y transposes the eight columns that start at 8 * y.
    unsigned d[4];
    LOAD_4(".trans", d, shared_address(&tile[x][8 * y]));
    STORE_4("", shared_address(&turned[8 * y + x % 8][x / 8 * 8]), d);
    __syncthreads();
    for (int r = y; r < kTile; r += 4)
        out[(blockIdx.x * kTile + r) * kSide + blockIdx.y * kTile + x] = turned[r][x];
}

static void test_transpose() {
    std::vector<unsigned short> in(kSide * kSide), wanted(kSide * kSide);
    for (int k = 0; k < kSide * kSide; ++k) in[k] = static_cast<unsigned short>(k);
    for (int k = 0; k < kSide * kSide; ++k) wanted[k % kSide * kSide + k / kSide] = in[k];
    DeviceArray<unsigned short> out(kSide * kSide), from(in);
    transpose<<<dim3(kSide / kTile, kSide / kTile), dim3(32, 4)>>>(out, from);
    expect_equal("a matrix transposed", out.read(), wanted);
}

int main() {
    test_load<1>("one matrix");
    test_load<2>("two matrices");
    test_load<4>("four matrices");
    test_load<-1>("one matrix, turned");
    test_load<-2>("two matrices, turned");
    test_load<-4>("four matrices, turned");
    test_store<Store::plain>("stored");
    test_store<Store::turned>("stored, turned");
    test_store<Store::generic>("stored by generic addresses");

    const auto plain = [](int i) { return wanted_of(0, i, false, [](int l) { return l; }); };
    const auto turned = [](int i) { return wanted_of(0, i, true, [](int l) { return l; }); };
    DeviceArray<unsigned> out(32), words(for_threads<unsigned>(32, plain));
    DeviceArray<unsigned short> in(numbers());
    move<<<1, 32>>>(out, words);
    expect_equal("turned in registers", out.read(), for_threads<unsigned>(32, turned));
    load_in_place<<<1, 32>>>(out, in);
    expect_equal("into the register of the address", out.read(), for_threads<unsigned>(32, plain));
    load_guarded<<<1, 32>>>(out, in, 1);
    expect_equal("under a condition that holds", out.read(), for_threads<unsigned>(32, plain));
    load_parted<<<1, 32>>>(out, in);
    expect_equal("behind a loop that lanes leave one by one", out.read(), for_threads<unsigned>(32, plain));
    test_transpose();
}
