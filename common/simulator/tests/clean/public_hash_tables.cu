// Published designs of hash tables (open, chained, cuckoo) that many threads fill in parallel.
#include "../cases.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

__host__ __device__ inline unsigned hash_of(unsigned key) {
    key ^= key >> 16;
    key *= 0x85ebca6b;
    key ^= key >> 13;
    key *= 0xc2b2ae35;
    return key ^ key >> 16;
}
constexpr unsigned kEmpty = 0xffffffff;

static std::vector<unsigned> keys_with_repeats(int n, int kinds) {
    std::vector<unsigned> keys;
    for (const int number : random_numbers(n, kinds)) keys.push_back(17 + 3 * number);
    return keys;
}
static unsigned* empty_slots(std::size_t count) {
    return to_device(std::vector<unsigned>(count, kEmpty));
}

// clean linear_probing
__global__ void insert_linear(unsigned* keys, unsigned* values, const unsigned* in, int n,
                              unsigned capacity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned slot = hash_of(in[i]) & (capacity - 1);
    while (true) {
        const unsigned before = atomicCAS(&keys[slot], kEmpty, in[i]);
        if (before == kEmpty || before == in[i]) {
            atomicMax(&values[slot], i);
            return;
        }
        slot = (slot + 1) & (capacity - 1);
    }
}
__global__ void find_linear(unsigned* out, const unsigned* keys, const unsigned* values,
                            const unsigned* wanted, int n, unsigned capacity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = kEmpty;
    for (unsigned slot = hash_of(wanted[i]) & (capacity - 1); keys[slot] != kEmpty;
         slot = (slot + 1) & (capacity - 1)) {
        if (keys[slot] == wanted[i]) {
            out[i] = values[slot];
            break;
        }
    }
}
static void linear_probing() {
    const int n = 600, capacity = 1024, asked = 1000;
    const auto in = keys_with_repeats(n, 500);
    unsigned *keys = empty_slots(capacity), *values = device_zeros<unsigned>(capacity);
    unsigned* out = device_zeros<unsigned>(asked);
    std::vector<unsigned> wanted(asked);
    for (int i = 0; i < asked; ++i) wanted[i] = 17 + 2 * i;
    insert_linear<<<5, 128>>>(keys, values, to_device(in), n, capacity);
    find_linear<<<8, 128>>>(out, keys, values, to_device(wanted), asked, capacity);
    std::map<unsigned, unsigned> last;
    for (int i = 0; i < n; ++i) last[in[i]] = i;
    const auto host = to_host(out, asked);
    for (int i = 0; i < asked; ++i) {
        const auto found = last.find(wanted[i]);
        expect(host[i] == (found == last.end() ? kEmpty : found->second), "found");
    }
}

// clean key_and_value_in_one_word
__global__ void insert_pairs(unsigned long long* table, const unsigned* keys, int n, int capacity) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const unsigned long long pair = static_cast<unsigned long long>(keys[i]) << 32 | i;
        int slot = hash_of(keys[i]) % capacity;
        for (;;) {
            const unsigned long long before = atomicCAS(&table[slot], ~0ull, pair);
            if (before == ~0ull) break;
            if (before >> 32 == keys[i]) {
                atomicMin(&table[slot], pair);  // of pairs with equal keys, the first one wins
                break;
            }
            slot = (slot + 1) % capacity;
        }
    }
}
static void key_and_value_in_one_word() {
    const int n = 500, capacity = 701;
    const auto keys = keys_with_repeats(n, 200);
    auto* table = to_device(std::vector<unsigned long long>(capacity, ~0ull));
    insert_pairs<<<2, 96>>>(table, to_device(keys), n, capacity);
    std::map<unsigned, unsigned> want, got;
    for (int i = n - 1; i >= 0; --i) want[keys[i]] = i;
    for (const auto pair : to_host(table, capacity)) {
        if (pair != ~0ull) got[pair >> 32] = static_cast<unsigned>(pair);
    }
    expect(got == want, "pairs");
}

// clean count_words
// The keys are words of eight letters, each stored as a 64-bit number.
__global__ void count_keys(unsigned long long* keys, int* counts, const char* text, int words,
                           int capacity) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words) return;
    unsigned long long word = 0;
    for (int k = 0; k < 8; ++k) word = word << 8 | static_cast<unsigned char>(text[8 * i + k]);
    int slot = word * 0x9e3779b97f4a7c15ull >> 32 & (capacity - 1);
    for (int step = 1;; ++step) {
        const unsigned long long old = atomicCAS(&keys[slot], 0ull, word);
        if (old == 0 || old == word) break;
        slot = (slot + step) & (capacity - 1);  // triangular probing: offsets 1, 3, 6, 10
    }
    atomicAdd(&counts[slot], 1);
}
static void count_words() {
    const int words = 400, capacity = 128;
    std::string text;
    std::map<std::string, int> want, got;
    for (const int number : random_numbers(words, 40)) {
        std::string word = "word____";
        word[5] = static_cast<char>('a' + number % 26);
        word[7] = static_cast<char>('a' + number / 26);
        ++want[word];
        text += word;
    }
    auto* keys = device_zeros<unsigned long long>(capacity);
    int* counts = device_zeros<int>(capacity);
    count_keys<<<4, 128>>>(keys, counts, to_device(std::vector<char>(text.begin(), text.end())),
                           words, capacity);
    const auto host_keys = to_host(keys, capacity);
    const auto host_counts = to_host(counts, capacity);
    for (int slot = 0; slot < capacity; ++slot) {
        if (host_keys[slot] == 0) continue;
        std::string word;
        for (int k = 56; k >= 0; k -= 8) word += static_cast<char>(host_keys[slot] >> k);
        got[word] = host_counts[slot];
    }
    expect(got == want, "counts");
}

// clean set_by_double_hashing
__global__ void keep_first_seen(unsigned* table, int capacity, const unsigned* in, int n,
                                unsigned* out, int* out_count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned key = in[i], step = 1 + hash_of(key + 1) % (capacity - 1);
    unsigned slot = hash_of(key) % capacity, old;
    while ((old = atomicCAS(&table[slot], kEmpty, key)) != kEmpty && old != key) {
        slot = (slot + step) % capacity;
    }
    if (old == kEmpty) out[atomicAdd(out_count, 1)] = key;
}
static void set_by_double_hashing() {
    const int n = 800, capacity = 499;
    const auto in = keys_with_repeats(n, 350);
    unsigned* out = device_zeros<unsigned>(n);
    int* count = device_zeros<int>(1);
    keep_first_seen<<<7, 128>>>(empty_slots(capacity), capacity, to_device(in), n, out, count);
    auto got = to_host(out, to_host(count, 1)[0]);
    std::sort(got.begin(), got.end());
    const std::set<unsigned> want(in.begin(), in.end());
    expect(got == std::vector<unsigned>(want.begin(), want.end()), "each key once");
}

// clean cuckoo
// A new key displaces the key in its slot, which then moves to its own alternative slot.
__device__ unsigned nest(unsigned key, int which, unsigned capacity) {
    return hash_of(key * 4 + which) % capacity + which * capacity;
}
__global__ void insert_cuckoo(unsigned* table, unsigned capacity, const unsigned* in, int n,
                              int* homeless) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = in[i];
    int which = 0;
    for (int tries = 0; tries < 200; ++tries) {
        key = atomicExch(&table[nest(key, which, capacity)], key);
        if (key == kEmpty) return;
        which = 1 - which;
    }
    atomicAdd(homeless, 1);
}
__global__ void find_cuckoo(int* found, const unsigned* table, unsigned capacity, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) found[i] = table[nest(i, 0, capacity)] == i || table[nest(i, 1, capacity)] == i;
}
static void cuckoo() {
    const int n = 300, capacity = 400;
    std::vector<unsigned> in(n);
    for (int i = 0; i < n; ++i) in[i] = 2 * i;
    unsigned* table = empty_slots(2 * capacity);
    int *homeless = device_zeros<int>(1), *found = device_zeros<int>(2 * n);
    insert_cuckoo<<<5, 64>>>(table, capacity, to_device(in), n, homeless);
    find_cuckoo<<<5, 128>>>(found, table, capacity, 2 * n);
    expect(to_host(homeless, 1)[0] == 0, "all have a place");
    const auto host = to_host(found, 2 * n);
    for (int i = 0; i < 2 * n; ++i) expect(host[i] == (i % 2 == 0), "found");
}

// clean chains_by_exchange
__global__ void insert_chained(int* heads, int buckets, int* next, const unsigned* keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = atomicExch(&heads[hash_of(keys[i]) % buckets], i);
}
__global__ void count_in_chains(int* counts, const int* heads, int buckets, const int* next,
                                const unsigned* keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int count = 0;
    for (int k = heads[hash_of(keys[i]) % buckets]; k >= 0; k = next[k]) {
        if (keys[k] == keys[i]) count++;
    }
    counts[i] = count;
}
static void chains_by_exchange() {
    const int n = 500, buckets = 64;
    const auto keys = keys_with_repeats(n, 120);
    int* heads = to_device(std::vector<int>(buckets, -1));
    int *next = device_zeros<int>(n), *counts = device_zeros<int>(n);
    const unsigned* device_keys = to_device(keys);
    insert_chained<<<4, 128>>>(heads, buckets, next, device_keys, n);
    count_in_chains<<<4, 128>>>(counts, heads, buckets, next, device_keys, n);
    const auto host = to_host(counts, n);
    for (int i = 0; i < n; ++i) {
        expect(host[i] == std::count(keys.begin(), keys.end(), keys[i]), "equal keys");
    }
}

// clean chains_with_locks
// A textbook design: nodes with pointers, one lock per bucket, and lanes that insert one by one.
struct Entry {
    unsigned key;
    void* value;
    Entry* next;
};
struct Table {
    size_t buckets;
    Entry** entries;
    Entry* pool;
    int* locks;
};
__global__ void add_to_table(Table table, const unsigned* keys, int n) {
    const int stride = blockDim.x * gridDim.x;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += stride) {
        const size_t bucket = hash_of(keys[i]) % table.buckets;
        for (int lane = 0; lane < 32; lane++) {
            if (i % 32 != lane) continue;
            Entry* entry = &table.pool[i];
            entry->key = keys[i];
            entry->value = nullptr;
            while (atomicCAS(&table.locks[bucket], 0, 1) != 0) {
            }
            __threadfence();
            entry->next = table.entries[bucket];
            table.entries[bucket] = entry;
            __threadfence();
            atomicExch(&table.locks[bucket], 0);
        }
    }
}
__global__ void sizes_of_buckets(Table table, int* sizes, int* misplaced) {
    int size = 0;
    for (const Entry* e = table.entries[threadIdx.x]; e; e = e->next, ++size) {
        if (hash_of(e->key) % table.buckets != threadIdx.x || e->value) atomicAdd(misplaced, 1);
    }
    sizes[threadIdx.x] = size;
}
static void chains_with_locks() {
    const int n = 1000, buckets = 32;
    const auto keys = keys_with_repeats(n, 5000);
    Entry* pool = nullptr;
    need(cudaMalloc(&pool, n * sizeof(Entry)));
    const Table table{buckets, device_zeros<Entry*>(buckets), pool, device_zeros<int>(buckets)};
    int *sizes = device_zeros<int>(buckets), *misplaced = device_zeros<int>(1);
    add_to_table<<<4, 64>>>(table, to_device(keys), n);
    sizes_of_buckets<<<1, buckets>>>(table, sizes, misplaced);
    std::vector<int> want(buckets);
    for (const unsigned key : keys) ++want[hash_of(key) % buckets];
    expect(to_host(sizes, buckets) == want, "sizes");
    expect(to_host(misplaced, 1)[0] == 0, "buckets");
}

// clean group_in_shared_first
__global__ void sum_by_key(unsigned* keys, int* sums, const unsigned* in, int n) {
    __shared__ unsigned own_keys[128];
    __shared__ int own_sums[128];
    for (int k = threadIdx.x; k < 128; k += blockDim.x) own_keys[k] = kEmpty, own_sums[k] = 0;
    __syncthreads();
    const auto add = [](unsigned* keys, int* sums, unsigned key, int value) {
        unsigned slot = hash_of(key) % 128;
        for (;; slot = (slot + 1) % 128) {
            const unsigned old = atomicCAS(&keys[slot], kEmpty, key);
            if (old == kEmpty || old == key) break;
        }
        atomicAdd(&sums[slot], value);
    };
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        add(own_keys, own_sums, in[i], i);
    __syncthreads();
    for (int k = threadIdx.x; k < 128; k += blockDim.x) {
        if (own_keys[k] != kEmpty) add(keys, sums, own_keys[k], own_sums[k]);
    }
}
static void group_in_shared_first() {
    const int n = 900;
    const auto in = keys_with_repeats(n, 60);
    unsigned* keys = empty_slots(128);
    int* sums = device_zeros<int>(128);
    sum_by_key<<<3, 64>>>(keys, sums, to_device(in), n);
    std::map<unsigned, int> want, got;
    for (int i = 0; i < n; ++i) want[in[i]] += i;
    const auto host_keys = to_host(keys, 128);
    const auto host_sums = to_host(sums, 128);
    for (int k = 0; k < 128; ++k) {
        if (host_keys[k] != kEmpty) got[host_keys[k]] = host_sums[k];
    }
    expect(got == want, "sums");
}

// clean bloom_filter
__global__ void add_to_filter(unsigned* bits, const unsigned* keys, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 3; ++k) {
        const unsigned bit = hash_of(keys[i] + k * 7919) % 8192;
        atomicOr(&bits[bit / 32], 1u << bit % 32);
    }
}
__global__ void ask_filter(bool* perhaps, const unsigned* bits, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    bool all = true;
    for (int k = 0; k < 3 && all; ++k) {
        const unsigned bit = hash_of(i + k * 7919) % 8192;
        all = bits[bit / 32] >> bit % 32 & 1;
    }
    perhaps[i] = all;
}
static void bloom_filter() {
    const int n = 400, asked = 2000;
    const auto keys = keys_with_repeats(n, 600);
    unsigned* bits = device_zeros<unsigned>(256);
    bool* perhaps = device_zeros<bool>(asked);
    add_to_filter<<<4, 128>>>(bits, to_device(keys), n);
    ask_filter<<<16, 128>>>(perhaps, bits, asked);
    bool host[asked];
    need(cudaMemcpy(host, perhaps, sizeof host, cudaMemcpyDeviceToHost));
    std::vector<bool> want_bits(8192);
    for (const unsigned key : keys) {
        for (int k = 0; k < 3; ++k) want_bits[hash_of(key + k * 7919) % 8192] = true;
    }
    for (int i = 0; i < asked; ++i) {
        bool all = true;
        for (int k = 0; k < 3; ++k) all = all && want_bits[hash_of(i + k * 7919) % 8192];
        expect(host[i] == all, "perhaps");
    }
}

// clean probing_by_whole_warps
// A bucket has 32 slots, one per lane. The warp inserts its lanes' keys one after another.
__global__ void insert_by_warp(unsigned* table, int buckets, const unsigned* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const unsigned mine = i < n ? in[i] : kEmpty;
    unsigned todo = __ballot_sync(0xffffffff, i < n);
    while (todo) {
        const unsigned key = __shfl_sync(0xffffffff, mine, __ffs(todo) - 1);
        int bucket = hash_of(key) % buckets;
        for (bool done = false; !done;) {
            volatile unsigned* slots = &table[bucket * 32];
            const unsigned held = slots[lane];
            if (__any_sync(0xffffffff, held == key)) break;
            const unsigned free = __ballot_sync(0xffffffff, held == kEmpty);
            if (free == 0) {
                bucket = (bucket + 1) % buckets;
                continue;
            }
            const int chosen = __ffs(free) - 1;
            bool won = false;
            if (lane == chosen) {
                const unsigned old = atomicCAS(&table[bucket * 32 + lane], kEmpty, key);
                won = old == kEmpty || old == key;
            }
            done = __any_sync(0xffffffff, won);
        }
        todo &= todo - 1;
    }
}
static void probing_by_whole_warps() {
    const int n = 500, buckets = 16;
    const auto in = keys_with_repeats(n, 400);
    unsigned* table = empty_slots(buckets * 32);
    insert_by_warp<<<4, 128>>>(table, buckets, to_device(in), n);
    std::vector<unsigned> got;
    for (const unsigned key : to_host(table, buckets * 32)) {
        if (key != kEmpty) got.push_back(key);
    }
    std::sort(got.begin(), got.end());
    const std::set<unsigned> want(in.begin(), in.end());
    expect(got == std::vector<unsigned>(want.begin(), want.end()), "each key once");
}

// clean join_of_two_tables
__global__ void probe(int2* matches, int* count, const int* heads, const int* next,
                      const unsigned* build, const unsigned* keys, int n, int buckets) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = heads[hash_of(keys[i]) % buckets]; k != -1; k = next[k]) {
        if (build[k] == keys[i]) matches[atomicAdd(count, 1)] = make_int2(i, k);
    }
}
static void join_of_two_tables() {
    const int n = 300, buckets = 97;
    const auto left = keys_with_repeats(n, 250);
    auto right = left;
    std::rotate(right.begin(), right.begin() + 40, right.end());
    for (unsigned& key : right) key += 6;
    std::set<std::pair<int, int>> want, got;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            if (left[i] == right[k]) want.insert({i, k});
        }
    }
    const unsigned *keys = to_device(left), *build = to_device(right);
    int *heads = to_device(std::vector<int>(buckets, -1)), *next = device_zeros<int>(n);
    int2* matches = device_zeros<int2>(4 * n);
    int* count = device_zeros<int>(1);
    insert_chained<<<3, 128>>>(heads, buckets, next, build, n);
    probe<<<3, 128>>>(matches, count, heads, next, build, keys, n, buckets);
    for (const int2 match : to_host(matches, to_host(count, 1)[0])) got.insert({match.x, match.y});
    expect(!want.empty() && got == want, "matches");
}

int main(int argc, char** argv) {
    return run_case(argc, argv,
                    {
                        {"linear_probing", linear_probing},
                        {"key_and_value_in_one_word", key_and_value_in_one_word},
                        {"count_words", count_words},
                        {"set_by_double_hashing", set_by_double_hashing},
                        {"cuckoo", cuckoo},
                        {"chains_by_exchange", chains_by_exchange},
                        {"chains_with_locks", chains_with_locks},
                        {"group_in_shared_first", group_in_shared_first},
                        {"bloom_filter", bloom_filter},
                        {"probing_by_whole_warps", probing_by_whole_warps},
                        {"join_of_two_tables", join_of_two_tables},
                    });
}
