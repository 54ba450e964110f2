// Structs, unions and bit-fields. Padding and unwritten members are also copied, but no result
// depends on them.
#include <cstring>

#include "../bulk.h"
#include "../cases.h"

struct Found {
    bool yes;
    long at;
};
template <class T>
static T* device_raw(std::size_t count) {
    T* data = nullptr;
    need(cudaMalloc(&data, count * sizeof(T)));
    return data;
}
__global__ void fill(Found* to) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i].yes = i % 2;
    to[i].at = i;
}
static Found* filled(int count) {
    Found* data = device_raw<Found>(count);
    fill<<<count / 32, 32>>>(data);
    return data;
}
template <class T>
__global__ void copy(T* to, const T* from) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}
static void expect_found(const Found* data, int count) {
    const auto host = to_host(data, count);
    for (int i = 0; i < count; ++i)
        expect(host[i].yes == (i % 2 == 1) && host[i].at == i, "found");
}

// clean copy_of_a_copy
static void copy_of_a_copy() {
    Found *once = device_raw<Found>(64), *twice = device_raw<Found>(64);
    copy<<<2, 32>>>(once, filled(64));
    copy<<<2, 32>>>(twice, once);
    expect_found(twice, 64);
}

// Reads members of structs that a kernel or cudaMemcpy has copied.
// clean members_after_copies
__global__ void sum_members(long* out, const Found* in) {
    out[threadIdx.x] = in[threadIdx.x].yes ? in[threadIdx.x].at + 1 : 0;
}
static void members_after_copies() {
    Found *once = device_raw<Found>(32), *twice = device_raw<Found>(32);
    copy<<<1, 32>>>(once, filled(32));
    need(cudaMemcpy(twice, once, 32 * sizeof(Found), cudaMemcpyDeviceToDevice));
    long* out = device_raw<long>(32);
    sum_members<<<1, 32>>>(out, twice);
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) expect(host[i] == (i % 2 ? i + 1 : 0), "sum");
}

// Eight blocks do the same work. The last seven replay the recording of the first block.
// clean through_shared
__global__ void reverse_twice(Found* to, const Found* from) {
    __shared__ Found tile[32];
    const int base = blockIdx.x * 32;
    tile[31 - threadIdx.x] = from[base + threadIdx.x];
    __syncthreads();
    to[base + 31 - threadIdx.x] = tile[threadIdx.x];
}
static void through_shared() {
    Found* to = device_raw<Found>(256);
    reverse_twice<<<8, 32>>>(to, filled(256));
    expect_found(to, 256);
}

// clean written_in_shared
__global__ void made_in_shared(Found* to) {
    __shared__ Found tile[32];
    tile[threadIdx.x].yes = threadIdx.x % 2;
    tile[threadIdx.x].at = blockIdx.x * 32 + threadIdx.x;
    __syncthreads();
    to[blockIdx.x * 32 + 31 - threadIdx.x] = tile[31 - threadIdx.x];
}
static void written_in_shared() {
    Found* to = device_raw<Found>(256);
    made_in_shared<<<8, 32>>>(to);
    expect_found(to, 256);
}

// clean latest_of_a_block
__global__ void latest(Found* to, const Found* from) {
    __shared__ Found best[64];
    best[threadIdx.x] = from[blockIdx.x * 64 + threadIdx.x];
    for (unsigned half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && best[threadIdx.x + half].at > best[threadIdx.x].at)
            best[threadIdx.x] = best[threadIdx.x + half];
    }
    if (threadIdx.x == 0) to[blockIdx.x] = best[0];
}
static void latest_of_a_block() {
    Found* to = device_raw<Found>(4);
    latest<<<4, 64>>>(to, filled(256));
    const auto host = to_host(to, 4);
    for (int i = 0; i < 4; ++i) expect(host[i].yes && host[i].at == 64 * i + 63, "latest");
}

// clean sorted_in_pairs
__global__ void sort_pairs(Found* data) {
    Found a = data[2 * threadIdx.x], b = data[2 * threadIdx.x + 1];
    if (a.at < b.at) {
        data[2 * threadIdx.x] = b;
        data[2 * threadIdx.x + 1] = a;
    }
}
static void sorted_in_pairs() {
    Found* data = filled(64);
    sort_pairs<<<1, 32>>>(data);
    const auto host = to_host(data, 64);
    for (int i = 0; i < 64; ++i) expect(host[i].at == (i ^ 1), "sorted");
}

// clean by_value
__noinline__ __device__ Found later(Found a, long by) {
    a.at += by;
    return a;
}
__global__ void pick(Found* to, const Found* from, Found own) {
    to[threadIdx.x] = later(threadIdx.x % 2 ? own : from[31 - threadIdx.x], 5);
}
static void by_value() {
    Found* to = device_raw<Found>(32);
    pick<<<1, 32>>>(to, filled(32), Found{true, 100});
    const auto host = to_host(to, 32);
    for (int i = 0; i < 32; ++i)
        expect(host[i].yes && host[i].at == (i % 2 ? 100 : 31 - i) + 5, "picked");
}

// Shuffles a struct word by word, as libraries do with types that they do not know.
// clean shuffled_in_words
__global__ void shift(Found* to, const Found* from) {
    Found found = from[threadIdx.x];
    unsigned words[sizeof found / 4];
    std::memcpy(words, &found, sizeof found);
    for (unsigned& word : words) word = __shfl_down_sync(~0u, word, 1);
    std::memcpy(&found, words, sizeof found);
    if (threadIdx.x < 31) to[threadIdx.x] = found;
}
static void shuffled_in_words() {
    Found* to = device_raw<Found>(32);
    shift<<<1, 32>>>(to, filled(32));
    const auto host = to_host(to, 31);
    for (int i = 0; i < 31; ++i) expect(host[i].at == i + 1, "shifted");
}

// clean local_array
__global__ void rotate(Found* to, const Found* from, int by) {
    Found own[4];
    for (int i = 0; i < 4; ++i) own[i] = from[4 * threadIdx.x + i];
    for (int i = 0; i < 4; ++i) to[4 * threadIdx.x + i] = own[(i + by) & 3];
}
static void local_array() {
    Found* to = device_raw<Found>(128);
    rotate<<<1, 32>>>(to, filled(128), 1);
    const auto host = to_host(to, 128);
    for (int i = 0; i < 128; ++i) expect(host[i].at == (i & ~3) + (i + 1) % 4, "rotated");
}

// clean through_generic_pointers
__noinline__ __device__ void move(Found* to, const Found* from) {
    *to = *from;
}
__global__ void move_about(Found* to, const Found* from) {
    __shared__ Found tile[32];
    move(&tile[threadIdx.x], &from[threadIdx.x]);
    __syncthreads();
    move(&to[threadIdx.x], &tile[threadIdx.x]);
}
static void through_generic_pointers() {
    Found* to = device_raw<Found>(32);
    move_about<<<1, 32>>>(to, filled(32));
    expect_found(to, 32);
}

struct Tail {
    long at;
    char c;
};
struct Mixed {
    char a;
    short b;
    float c;
    char d;
    double e;
    char f;
};
struct Nested {
    Tail tail;
    char c;
    double d;
};
struct Small {
    short a;
    char b;
};
struct alignas(32) Aligned {
    float x;
};
struct alignas(16) Point {
    float x, y, z;
};
struct Large {
    char c;
    int a[60];
    long e;
    char t;
};
__global__ void fill_all(Tail* tails, Mixed* mixed, Nested* nested, Small* small, Aligned* aligned,
                         Point* points, Large* large) {
    const int i = threadIdx.x;
    const char c = static_cast<char>(i);
    tails[i].at = i, tails[i].c = c;
    mixed[i].a = c, mixed[i].b = c, mixed[i].c = i, mixed[i].d = c, mixed[i].e = i, mixed[i].f = c;
    nested[i].tail.at = i, nested[i].tail.c = c, nested[i].c = c, nested[i].d = i;
    small[i].a = c, small[i].b = c;
    aligned[i].x = i;
    points[i].x = points[i].y = points[i].z = i;
    large[i].c = c, large[i].e = i, large[i].t = c;
    for (int k = 0; k < 60; ++k) large[i].a[k] = k;
}
template <class T>
static std::vector<T> copied(const T* from) {
    T *once = device_raw<T>(32), *twice = device_raw<T>(32);
    copy<<<1, 32>>>(once, from);
    copy<<<1, 32>>>(twice, once);
    return to_host(twice, 32);
}
// clean padding_everywhere
static void padding_everywhere() {
    auto* tails = device_raw<Tail>(32);
    auto* mixed = device_raw<Mixed>(32);
    auto* nested = device_raw<Nested>(32);
    auto* small = device_raw<Small>(32);
    auto* aligned = device_raw<Aligned>(32);
    auto* points = device_raw<Point>(32);
    auto* large = device_raw<Large>(32);
    fill_all<<<1, 32>>>(tails, mixed, nested, small, aligned, points, large);
    const auto t = copied(tails);
    const auto m = copied(mixed);
    const auto n = copied(nested);
    const auto s = copied(small);
    const auto a = copied(aligned);
    const auto p = copied(points);
    const auto l = copied(large);
    for (int i = 0; i < 32; ++i) {
        expect(t[i].at == i && t[i].c == i, "tail");
        expect(m[i].a == i && m[i].b == i && m[i].c == i && m[i].d == i && m[i].e == i &&
                   m[i].f == i,
               "mixed");
        expect(n[i].tail.at == i && n[i].tail.c == i && n[i].c == i && n[i].d == i, "nested");
        expect(s[i].a == i && s[i].b == i, "small");
        expect(a[i].x == i && p[i].z == i, "aligned");
        expect(l[i].c == i && l[i].a[59] == 59 && l[i].e == i && l[i].t == i, "large");
    }
}

// The host fills the whole array, and then kernels overwrite every other element.
// clean every_other_over_zeros
template <class T>
__global__ void copy_odd(T* to, const T* from) {
    to[2 * threadIdx.x + 1] = from[2 * threadIdx.x + 1];
}
struct Counted {
    long at;
    int count;
};
__global__ void fill_counted(Counted* to) {
    to[threadIdx.x].at = to[threadIdx.x].count = threadIdx.x;
}
static void every_other_over_zeros() {
    Counted *from = device_raw<Counted>(32), *over = device_zeros<Counted>(32);
    Counted* to = device_raw<Counted>(32);
    fill_counted<<<1, 32>>>(from);
    copy_odd<<<1, 16>>>(over, from);
    copy<<<1, 32>>>(to, over);
    const auto host = to_host(to, 32);
    for (int i = 0; i < 32; ++i) expect(host[i].count == (i % 2 ? i : 0), "counted");
}

// The same instruction copies structs with padding first, and then structs without padding.
// clean whole_after_holes
__global__ void copy_in_turn(Found* to, const Found* from) {
#pragma unroll 1
    for (int i = threadIdx.x; i < 64; i += 32) to[i] = from[i];
}
__global__ void copy_in_shared(Found* to, const Found* from) {
    __shared__ Found tile[64];
#pragma unroll 1
    for (int i = threadIdx.x; i < 64; i += 32) tile[i] = from[i];
#pragma unroll 1
    for (int i = threadIdx.x; i < 64; i += 32) to[i] = tile[i];
}
__global__ void are_zeros(int* out, const long* words) {
    out[threadIdx.x] = words[threadIdx.x] == 0;
}
static void whole_after_holes() {
    Found *from = filled(64), *to = device_raw<Found>(64), *last = device_raw<Found>(64);
    need(cudaMemset(from + 32, 0, 32 * sizeof(Found)));
    copy_in_turn<<<1, 32>>>(to, from);
    copy_in_shared<<<1, 32>>>(last, to);
    int* out = device_raw<int>(64);
    are_zeros<<<1, 64>>>(out, reinterpret_cast<const long*>(last + 32));
    for (const int zero : to_host(out, 64)) expect(zero, "zero");
}

// clean three_of_four
__global__ void place(float4* to) {
    to[threadIdx.x].x = to[threadIdx.x].y = to[threadIdx.x].z = threadIdx.x;
}
__global__ void lengths(float* to, const float4* from) {
    const float4 p = from[threadIdx.x];
    to[threadIdx.x] = p.x + p.y + p.z;
}
static void three_of_four() {
    float4 *a = device_raw<float4>(32), *b = device_raw<float4>(32);
    float* out = device_raw<float>(32);
    place<<<1, 32>>>(a);
    copy<<<1, 32>>>(b, a);
    lengths<<<1, 32>>>(out, b);
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) expect(host[i] == 3.0f * i, "length");
}

struct Variant {
    int kind;
    union {
        char c;
        double d;
        int a[4];
    };
};
union Word {
    char c;
    double d;
};
// clean small_member_of_a_union
__global__ void choose(Variant* variants, Word* words) {
    const int i = threadIdx.x;
    variants[i].kind = i % 3;
    if (i % 3 == 0) variants[i].c = 'c';
    if (i % 3 == 1) variants[i].d = i;
    if (i % 3 == 2)
        for (int k = 0; k < 4; ++k) variants[i].a[k] = k;
    words[i].c = 'w';
}
__global__ void read_chosen(int* out, const Variant* variants, const Word* words) {
    const Variant v = variants[threadIdx.x];
    out[threadIdx.x] = words[threadIdx.x].c == 'w' && (v.kind == 0   ? v.c == 'c'
                                                       : v.kind == 1 ? v.d == threadIdx.x
                                                                     : v.a[3] == 3);
}
static void small_member_of_a_union() {
    Variant *variants = device_raw<Variant>(32), *other_variants = device_raw<Variant>(32);
    Word *words = device_raw<Word>(32), *other_words = device_raw<Word>(32);
    choose<<<1, 32>>>(variants, words);
    copy<<<1, 32>>>(other_variants, variants);
    copy<<<1, 32>>>(other_words, words);
    int* out = device_raw<int>(32);
    read_chosen<<<1, 32>>>(out, other_variants, other_words);
    for (const int right : to_host(out, 32)) expect(right, "chosen");
}

struct Maybe {
    bool has;
    float value;
};
// clean value_only_where_there_is_one
__global__ void evens(Maybe* to) {
    to[threadIdx.x].has = threadIdx.x % 2 == 0;
    if (threadIdx.x % 2 == 0) to[threadIdx.x].value = threadIdx.x;
}
__global__ void swap_halves(Maybe* data) {
    const Maybe own = data[threadIdx.x];
    data[threadIdx.x] = data[threadIdx.x + 16];
    data[threadIdx.x + 16] = own;
}
__global__ void values(float* out, const Maybe* in) {
    if (in[threadIdx.x].has)
        out[threadIdx.x] = in[threadIdx.x].value + 1;
    else
        out[threadIdx.x] = 0;
}
/// The compiler emits no branch: the value is loaded before the condition is tested.
__global__ void value_or_zero(float* out, const Maybe* in) {
    const Maybe maybe = in[threadIdx.x];
    out[threadIdx.x] = maybe.has ? maybe.value + 1 : 0;
}
static void value_only_where_there_is_one() {
    auto *maybe = device_raw<Maybe>(32), *copies = device_raw<Maybe>(32);
    auto* out = device_raw<float>(32);
    evens<<<1, 32>>>(maybe);
    swap_halves<<<1, 16>>>(maybe);
    copy<<<1, 32>>>(copies, maybe);
    values<<<1, 32>>>(out, copies);
    const auto host = to_host(out, 32);
    value_or_zero<<<1, 32>>>(out, copies);
    const auto chosen = to_host(out, 32);
    for (int i = 0; i < 32; ++i)
        expect(host[i] == (i % 2 ? 0 : (i ^ 16) + 1) && chosen[i] == host[i], "value");
}

struct Stack {
    int size;
    int items[10];
};
// clean stack_that_is_not_full
__global__ void push(Stack* stacks) {
    stacks[threadIdx.x].size = 2;
    for (int i = 0; i < 2; ++i) stacks[threadIdx.x].items[i] = threadIdx.x + i;
}
__global__ void pop(int* out, const Stack* stacks) {
    Stack stack = stacks[threadIdx.x];
    int sum = 0;
    while (stack.size > 0) sum += stack.items[--stack.size];
    out[threadIdx.x] = sum;
}
static void stack_that_is_not_full() {
    Stack *stacks = device_raw<Stack>(32), *copies = device_raw<Stack>(32);
    int* out = device_raw<int>(32);
    push<<<1, 32>>>(stacks);
    copy<<<1, 32>>>(copies, stacks);
    pop<<<1, 32>>>(out, copies);
    const auto host = to_host(out, 32);
    for (int i = 0; i < 32; ++i) expect(host[i] == 2 * i + 1, "sum");
}

struct Bits {
    unsigned a : 3, b : 5, c : 20;
};
struct LongBits {
    unsigned long a : 3, b : 40, c : 9;
};
struct ByteBits {
    unsigned char a : 3, b : 5;
};
// The first write to a bit-field also reads the uninitialized bits around the field.
// clean bit_fields
__global__ void write_bits(Bits* bits, LongBits* longs, ByteBits* bytes) {
    const int i = threadIdx.x;
    bits[i].a = 5, longs[i].b = i, bytes[i].b = i;
}
__global__ void write_other_bits(Bits* bits, LongBits* longs, ByteBits* bytes) {
    const int i = threadIdx.x;
    bits[i].c = i, bits[i].b = 0, longs[i].a = 1, longs[i].c = 2, bytes[i].a = i % 8;
}
__global__ void read_bits(int* out, const Bits* bits, const LongBits* longs, const ByteBits* bytes) {
    const int i = threadIdx.x;
    out[i] = bits[i].a == 5 && bits[i].b == 0 && bits[i].c == i && longs[i].a == 1 &&
             longs[i].b == i && longs[i].c == 2 && bytes[i].a == i % 8 && bytes[i].b == i;
}
static void bit_fields() {
    auto* bits = device_raw<Bits>(32);
    auto* longs = device_raw<LongBits>(32);
    auto* bytes = device_raw<ByteBits>(32);
    int* out = device_raw<int>(32);
    write_bits<<<1, 32>>>(bits, longs, bytes);
    write_other_bits<<<1, 32>>>(bits, longs, bytes);
    read_bits<<<1, 32>>>(out, bits, longs, bytes);
    for (const int right : to_host(out, 32)) expect(right, "bits");
}

// clean memcpy_in_kernels
__global__ void copy_bytes(Found* to, const Found* from, int count) {
    std::memcpy(to, from, count * sizeof(Found));
    std::memcpy(to + count, from + count, sizeof(Found));
    Found last;
    std::memcpy(&last, from + count + 1, sizeof last);
    std::memcpy(to + count + 1, &last, sizeof last);
}
__global__ void copy_loop(Found* to, const Found* from, int count) {
    for (int i = 0; i < count; ++i) to[i] = from[i];
}
static void memcpy_in_kernels() {
    Found *once = device_raw<Found>(32), *twice = device_raw<Found>(32);
    copy_bytes<<<1, 1>>>(once, filled(32), 30);
    copy_loop<<<1, 1>>>(twice, once, 32);
    expect_found(twice, 32);
}

// clean asynchronous_copies
__global__ void copy_later(Found* to, const Found* from) {
    __shared__ Found tile[32];
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;\n\tcp.async.wait_all;" ::"r"(
                     shared_address(&tile[threadIdx.x])),
                 "l"(from + threadIdx.x)
                 : "memory");
    to[threadIdx.x] = tile[threadIdx.x];
}
static void asynchronous_copies() {
    Found* to = device_raw<Found>(32);
    copy_later<<<1, 32>>>(to, filled(32));
    expect_found(to, 32);
}

// clean bulk_copies
__global__ void copy_run(Found* to, const Found* from) {
    __shared__ alignas(16) Found tile[32];
    __shared__ uint64_t arrived;
    if (threadIdx.x == 0) {
        init(arrived, 1);
        expect_bytes(arrived, sizeof tile);
        load_run(tile, from, sizeof tile, arrived);
    }
    __syncthreads();
    wait(arrived, 0);
    if (threadIdx.x == 0) {
        store_run(to, tile, sizeof tile);
        asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
    }
}
static void bulk_copies() {
    Found *once = device_raw<Found>(32), *twice = device_raw<Found>(32);
    copy_run<<<1, 32>>>(once, filled(32));
    copy<<<1, 32>>>(twice, once);
    expect_found(twice, 32);
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"copy_of_a_copy", copy_of_a_copy},
                        {"members_after_copies", members_after_copies},
                        {"through_shared", through_shared},
                        {"written_in_shared", written_in_shared},
                        {"latest_of_a_block", latest_of_a_block},
                        {"sorted_in_pairs", sorted_in_pairs},
                        {"by_value", by_value},
                        {"shuffled_in_words", shuffled_in_words},
                        {"local_array", local_array},
                        {"through_generic_pointers", through_generic_pointers},
                        {"padding_everywhere", padding_everywhere},
                        {"every_other_over_zeros", every_other_over_zeros},
                        {"whole_after_holes", whole_after_holes},
                        {"three_of_four", three_of_four},
                        {"small_member_of_a_union", small_member_of_a_union},
                        {"value_only_where_there_is_one", value_only_where_there_is_one},
                        {"stack_that_is_not_full", stack_that_is_not_full},
                        {"bit_fields", bit_fields},
                        {"memcpy_in_kernels", memcpy_in_kernels},
                        {"asynchronous_copies", asynchronous_copies},
                        {"bulk_copies", bulk_copies},
                    });
}
