// Tests device memory: addresses, guard gaps, reuse and accounting, the record of written bytes,
// and host code that accesses memory through a device pointer.
#include "simulator/memory/device_memory.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>

#include "simulator/memory/address_zone.h"

using namespace coalesce::simulator;

namespace {

constexpr u64 kMiB = 1 << 20;

/// Returns a string with one character for each byte of [address, address + bytes): '1' if the byte
/// counts as written, and '0' if not.
std::string written(const DeviceMemory& memory, u64 address, u64 bytes) {
    std::string bits;
    for (u64 a = address; a < address + bytes; ++a) {
        bits += *memory.shadow(a) >> (a & 3) & 1 ? '1' : '0';
    }
    return bits;
}

long resident_kib() {
    long pages = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    REQUIRE(file);
    CHECK(std::fscanf(file, "%ld %ld", &pages, &resident) == 2);
    std::fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

struct Ending {
    int signal = 0, exit_code = 0;
    std::string said;  ///< the output on stderr
};

/// Runs `body` in a child process. Returns how the process ended.
Ending in_child(const std::function<void()>& body) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        // Restore the default handler, because doctest installs signal handlers, which a normal
        // program does not have.
        signal(SIGSEGV, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        body();
        _exit(0);
    }
    close(ends[1]);
    Ending ending;
    char buffer[512];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
        ending.said.append(buffer, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
    if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
    return ending;
}

bool says(const Ending& ending, const char* text) {
    return ending.said.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("an address zone hands out disjoint, aligned intervals, and takes them back") {
    AddressZone zone({1000, 100000});
    std::mt19937 random(7);
    std::vector<Interval> taken;
    for (int i = 0; i < 20000; ++i) {
        if (random() % 3 != 0) {
            const Interval got = zone.take_interval(random() % 900 + 1, 16);
            if (got.size() == 0) continue;
            CHECK(got.begin % 16 == 0);
            CHECK(got.begin >= 1000);
            CHECK(got.end <= 100000);
            for (const Interval& other : taken) {
                REQUIRE((got.end <= other.begin || got.begin >= other.end));
            }
            taken.push_back(got);
        } else if (!taken.empty()) {
            const std::size_t which = random() % taken.size();
            zone.return_interval(taken[which]);
            taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(which));
        }
    }
    for (const Interval& interval : taken) zone.return_interval(interval);
    // After all intervals have been freed, the whole zone is available as a single interval.
    const Interval all = zone.take_interval(99000, 1);
    CHECK(all.begin == 1000);
    CHECK(all.end == 100000);
    CHECK(zone.take_interval(1, 1).size() == 0);
}

TEST_CASE("a freed address is not reused immediately") {
    AddressZone zone({0, u64{1} << 40});
    const Interval first = zone.take_interval(64, 64);
    zone.return_interval(first);
    std::set<u64> seen;
    for (std::size_t i = 0; i + 1 < AddressZone::kQuarantinedIntervals; ++i) {
        const Interval next = zone.take_interval(64, 64);
        CHECK(next.begin != first.begin);
        CHECK(seen.insert(next.begin).second);
        zone.return_interval(next);
    }
}

TEST_CASE("allocations are aligned and disjoint, and are found by any address inside them") {
    DeviceMemory memory(64 * kMiB);
    const u64 a = memory.allocate(1000), b = memory.allocate(1), c = memory.allocate(3 * kMiB);
    for (const u64 address : {a, b, c}) {
        CHECK(address % 512 == 0);
        CHECK(memory.is_device_range(address));
    }
    CHECK(b - (a + 1000) >= kWideGapBytes);
    const auto table = memory.allocation_table();
    REQUIRE(table->find(a + 999));
    CHECK(table->find(a + 999)->begin == a);
    CHECK(table->find(a + 999)->serial == 1);
    CHECK(table->find(a + 1000) == nullptr);
    CHECK(table->find_nearest(a + 1000)->begin == a);
    CHECK(table->find_nearest(b - 1)->begin == b);
    CHECK(table->find_nearest(0)->begin == a);
    CHECK(table->find_nearest(~0ull)->begin == c);
    CHECK(memory.find(c + kMiB)->begin == c);
    CHECK(memory.host_view(a, 1000) != nullptr);
    CHECK(memory.host_view(a, 1001) == nullptr);
    CHECK(memory.host_view(a + 999, ~0ull) == nullptr);
    std::memset(memory.host_view(a, 1000), 0x5a, 1000);
    CHECK(*memory.host_view(a + 500, 1) == 0x5a);
}

TEST_CASE("addresses are disjoint, as random as on a GPU, and determined by the seed") {
    std::set<u64> bases, distances, begins;
    for (u64 seed = 1; seed <= 100; ++seed) {
        DeviceMemory memory(64 * kMiB);
        const u64 first = memory.allocate(1000);
        // The request is refused, because the program already has pointers.
        CHECK_FALSE(memory.draw_addresses(seed));
        memory.free(first);
        REQUIRE(memory.draw_addresses(seed));
        const AddressMap map = current_address_map;
        const u64 end = map.device_begin + memory.range_bytes(),
                  windows_end = map.first_window + 4 * kWindowStride;
        CHECK(std::max(end, windows_end) < u64{1} << 47);
        CHECK((windows_end <= map.device_begin || map.first_window >= end));
        CHECK(map.first_window % kWindowBytes == 0);

        const u64 a = memory.allocate(1000), b = memory.allocate(70'000),
                  c = memory.allocate(3 * kMiB);
        for (const u64 address : {a, b, c}) {
            CHECK(address % 512 == 0);
            CHECK(memory.is_device_range(address));
        }
        CHECK(b - (a + 1000) >= 4096);
        CHECK(c % (2 * kMiB) == 0);
        *memory.host_view(b + 69'999, 1) = 7;
        memory.mark_written(b + 69'999, 1);
        CHECK(memory.is_written(b + 69'999));
        CHECK_FALSE(memory.is_written(b + 69'998));
        for (const u64 address : {a, b, c}) CHECK(memory.free(address));
        CHECK(memory.allocate(5, AllocationKind::pinned) == 0);
        bases.insert(map.device_begin);
        distances.insert(map.first_window - map.device_begin);
        begins.insert(a % kMaxScatterBytes);
    }
    CHECK(bases.size() > 90);
    CHECK(distances.size() > 50);
    CHECK(begins.size() > 20);
}

TEST_CASE("random addresses do not collide with other mappings of this process") {
    DeviceMemory memory(64 * kMiB);
    u64 seed = 1;  // a seed that gives low addresses, which programs do not use
    while (draw_address_map(seed, memory.range_bytes()).device_begin >= u64{1} << 40) ++seed;
    REQUIRE(memory.draw_addresses(seed));
    const u64 first_choice = current_address_map.device_begin;
    CHECK(draw_address_map(seed, memory.range_bytes()).device_begin == first_choice);
    CHECK(memory.draw_addresses(seed));  // the old mapping is reused
    CHECK(current_address_map.device_begin == first_choice);

    REQUIRE(memory.draw_addresses(seed + 1));
    void* taken = mmap(reinterpret_cast<void*>(first_choice + memory.range_bytes() - 4096), 4096,
                       PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    REQUIRE(taken != MAP_FAILED);
    REQUIRE(memory.draw_addresses(seed));
    CHECK(current_address_map.device_begin != first_choice);
    CHECK_FALSE(memory.is_device_range(reinterpret_cast<u64>(taken)));
    const u64 a = memory.allocate(1000);
    *memory.host_view(a, 1) = 7;
    CHECK(memory.is_device_range(a));
    munmap(taken, 4096);
}

TEST_CASE("the allocation table is rebuilt only after an allocation has changed") {
    DeviceMemory memory(64 * kMiB);
    const u64 a = memory.allocate(100);
    const auto table = memory.allocation_table();
    CHECK(memory.allocation_table() == table);
    memory.free(a);
    CHECK(memory.allocation_table() != table);
    CHECK(table->find(a));  // a launch still uses the old table
    CHECK(memory.allocation_table()->live_allocations.empty());
    REQUIRE(memory.allocation_table()->find_freed(a + 99));
    CHECK(memory.allocation_table()->find_freed(a + 99)->serial == 1);
}

TEST_CASE("the capacity limits live bytes of device memory, but not of pinned memory") {
    DeviceMemory memory(64 * kMiB);
    CHECK(memory.capacity() == 64 * kMiB);
    CHECK(memory.allocate(65 * kMiB) == 0);
    const u64 a = memory.allocate(40 * kMiB);
    CHECK(a != 0);
    CHECK(memory.allocate(30 * kMiB) == 0);
    CHECK(memory.allocate(30 * kMiB, AllocationKind::pinned) != 0);
    CHECK(memory.allocate(20 * kMiB, AllocationKind::managed) != 0);
    CHECK(memory.bytes_in_use() == 60 * kMiB);
    CHECK(memory.free(a));
    CHECK_FALSE(memory.free(a));
    CHECK_FALSE(memory.free(a + 1));
    CHECK(memory.bytes_in_use() == 20 * kMiB);
    CHECK(memory.allocate(40 * kMiB) != 0);
}

TEST_CASE("freed memory is returned to the system, and reused memory is zero and unwritten") {
    DeviceMemory memory(256 * kMiB);
    const long before = resident_kib();
    for (int i = 0; i < 40; ++i) {
        const u64 bytes = 64 * kMiB, address = memory.allocate(bytes);
        REQUIRE(address != 0);
        CHECK(*memory.host_view(address, 1) == 0);
        CHECK(written(memory, address, 8) == "00000000");
        std::memset(memory.host_view(address, bytes), 1, bytes);
        memory.mark_written(address, bytes);
        memory.free(address);
    }
    CHECK(resident_kib() - before < 32 * 1024);
}

TEST_CASE("guard gaps are narrow if addresses are scarce") {
    DeviceMemory memory(64 * kMiB);
    std::set<u64> begins;
    for (int i = 0; i < 1000; ++i) begins.insert(memory.allocate(1));
    CHECK(begins.size() == 1000);
    CHECK_FALSE(begins.contains(0));
    u64 before = 0;
    for (const u64 begin : begins) {
        CHECK(begin - before > kNarrowGapBytes);
        before = begin;
    }
}

TEST_CASE("a program may allocate and free any number of times") {
    DeviceMemory memory(64 * kMiB);
    const u64 kept = memory.allocate(100);
    for (int i = 0; i < 100000; ++i) {
        const u64 address = memory.allocate(1000 + static_cast<u64>(i) % 3000);
        REQUIRE(address != 0);
        if (i % 50 == 0) *memory.host_view(address, 1) = 1;
        REQUIRE(memory.free(address));
    }
    CHECK(memory.find(kept));
}

TEST_CASE("for each byte, the memory records whether it was written") {
    DeviceMemory memory(64 * kMiB);
    const u64 a = memory.allocate(64);
    memory.mark_written(a + 1, 2);
    CHECK(written(memory, a, 8) == "01100000");
    memory.mark_written(a + 3, 6);
    CHECK(written(memory, a, 12) == "011111111000");
    memory.mark_unwritten(a + 2, 4);
    CHECK(written(memory, a, 12) == "010000111000");
    memory.mark_written(a + 5, 0);
    CHECK(written(memory, a, 12) == "010000111000");
    CHECK(written(memory, a + 12, 52) == std::string(52, '0'));
}

TEST_CASE("a copy also copies the record of written bytes, with any alignment and overlap") {
    DeviceMemory memory(64 * kMiB);
    const u64 a = memory.allocate(4096), b = memory.allocate(4096);
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        std::string model_a(64, '0'), model_b(64, '0');
        memory.mark_unwritten(a, 64);
        memory.mark_unwritten(b, 64);
        for (u64 i = 0; i < 64; ++i) {
            if (random() % 2) continue;
            model_a[i] = '1';
            memory.mark_written(a + i, 1);
        }
        const u64 from = random() % 32, to = random() % 32, bytes = random() % 32;
        memory.copy_shadow(b + to, a + from, bytes);
        model_b.replace(to, bytes, model_a.substr(from, bytes));
        CHECK(written(memory, b, 64) == model_b);
        const std::string moved = model_a.substr(from, bytes);
        memory.copy_shadow(a + to, a + from, bytes);
        model_a.replace(to, bytes, moved);
        CHECK(written(memory, a, 64) == model_a);
    }
    const u64 large = memory.allocate(8 * kMiB);
    memory.mark_written(large, 8 * kMiB);
    memory.mark_unwritten(large + 2, 8 * kMiB - 4);
    CHECK(written(memory, large, 4) == "1100");
    CHECK(written(memory, large + 4 * kMiB, 4) == "0000");
    CHECK(written(memory, large + 8 * kMiB - 4, 4) == "0011");
}

TEST_CASE("writes by the host are distinguished from writes by kernels") {
    DeviceMemory memory(64 * kMiB);
    const u64 a = memory.allocate(256), b = memory.allocate(256);
    memory.mark_written_by_host(a, 61);
    CHECK(memory.is_written_by_host(a + 60));
    CHECK_FALSE(memory.is_written(a + 61));
    memory.mark_written(a + 61, 3);
    CHECK(memory.is_written(a + 61));
    CHECK_FALSE(memory.is_written_by_host(a + 61));
    memory.copy_shadow(b + 1, a, 64);
    CHECK(memory.is_written_by_host(b + 61));
    CHECK_FALSE(memory.is_written_by_host(b + 62));
    CHECK(memory.unwritten_bytes(b + 64, 4) == 0b1110);
    // If a kernel stores an undefined value, the bytes around the value no longer count as written
    // by the host.
    memory.mark_bytes_unwritten(a + 8, 0b1010);
    CHECK(memory.unwritten_bytes(a + 8, 5) == 0b01010);
    CHECK_FALSE(memory.is_written_by_host(a + 8));
    CHECK(memory.is_written(a));
    CHECK(memory.is_written_by_host(a + 56));
    memory.mark_unwritten(b, 64);
    CHECK_FALSE(memory.is_written_by_host(b + 5));
}

TEST_CASE(
    "managed and registered memory has the same address as on the host, and always counts as "
    "written") {
    DeviceMemory memory(64 * kMiB);
    const u64 managed = memory.allocate(4096, AllocationKind::managed);
    *reinterpret_cast<int*>(managed) = 42;
    CHECK(*reinterpret_cast<int*>(memory.host_view(managed, 4)) == 42);
    CHECK_FALSE(memory.find(managed)->has_shadow);
    std::vector<int> host(100, 7);
    CHECK(memory.register_host(host.data(), 400));
    CHECK_FALSE(memory.register_host(host.data() + 50, 400));
    const u64 registered = reinterpret_cast<u64>(host.data());
    CHECK(memory.host_view(registered, 400) == reinterpret_cast<u8*>(host.data()));
    CHECK_FALSE(memory.free(registered));
    CHECK(memory.unregister_host(host.data()));
    CHECK_FALSE(memory.unregister_host(host.data()));
    // Memory without a written mask counts as written, as does a copy of such memory.
    const u64 device = memory.allocate(16);
    memory.copy_shadow(device, managed, 8);
    CHECK(written(memory, device, 12) == "111111110000");
    memory.mark_written(managed, 4096);  // no effect on memory without a mask
    CHECK(*memory.shadow(managed) == 0);
}

TEST_CASE("a program may make more managed allocations than the system's limit on mappings") {
    DeviceMemory memory(4096 * kMiB);
    for (int i = 0; i < 40000; ++i) {
        const u64 address = memory.allocate(16, AllocationKind::managed);
        REQUIRE(address != 0);
        *reinterpret_cast<int*>(address) = i;
    }
}

TEST_CASE("host code that dereferences a device pointer ends with an explanation") {
    Ending ending = in_child([] {
        DeviceMemory memory(64 * kMiB);
        const u64 address = memory.allocate(4096);
        *reinterpret_cast<volatile int*>(address + 100) = 1;
    });
    CHECK(ending.signal == SIGSEGV);
    CHECK(says(ending, "100 bytes into the allocation of 4096 bytes"));
    CHECK(says(ending, "cudaMemcpy"));
    ending = in_child([] {
        DeviceMemory memory(64 * kMiB);
        const u64 address = memory.allocate(4096, AllocationKind::managed);
        memory.free(address);
        *reinterpret_cast<volatile int*>(address) = 1;
    });
    CHECK(ending.signal == SIGSEGV);
    CHECK(says(ending, "the freed managed allocation"));
    ending = in_child([] {
        DeviceMemory memory(64 * kMiB);
        *reinterpret_cast<volatile int*>(16) = 1;
    });
    CHECK(ending.signal == SIGSEGV);
    CHECK(ending.said.empty());
}

TEST_CASE("a fault handler that the program has installed stays active") {
    const Ending ending = in_child([] {
        signal(SIGSEGV, [](int) { _exit(77); });
        DeviceMemory memory(64 * kMiB);
        *reinterpret_cast<volatile int*>(memory.allocate(4)) = 1;
    });
    CHECK(ending.exit_code == 77);
    CHECK(ending.said.empty());
}

TEST_CASE("with little address space, the device is smaller, and a message states this") {
    const Ending ending = in_child([] {
        const rlimit limit{u64{4} << 30, u64{4} << 30};
        setrlimit(RLIMIT_AS, &limit);
        DeviceMemory memory(u64{64} << 30);
        if (memory.capacity() >= u64{4} << 30 || memory.capacity() < 64 * kMiB) _exit(1);
        const u64 address = memory.allocate(memory.capacity() / 2);
        if (!address) _exit(2);
        *memory.host_view(address, 1) = 1;
    });
    CHECK(ending.signal == 0);
    CHECK(ending.exit_code == 0);
    CHECK(says(ending, "ulimit -v"));
}

TEST_CASE("addresses that are already in use are named as the cause of an error") {
    void* wanted = reinterpret_cast<void*>(kDeviceBase);
    void* taken = mmap(wanted, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    REQUIRE(taken == wanted);
    CHECK_THROWS_AS(DeviceMemory(64 * kMiB), std::runtime_error);
    munmap(taken, 4096);
    CHECK_NOTHROW(DeviceMemory(64 * kMiB));
}
