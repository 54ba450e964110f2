// A launch for the unit tests of races in global memory. The tests record its accesses one by one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "simulator/checks/global_race.h"

namespace coalesce::simulator {

inline constexpr u64 kCapacity = 1 << 20;
inline const u64 kBase = device_base();

/// A launch of a kernel with ten memory instructions. Instruction i is on line 10 + i, and the last
/// one is an atomic.
struct GlobalRaceFixture {
    ptx::Module ptx;
    Module module;
    Kernel kernel;
    AllocationTable table;
    std::vector<u8> memory = std::vector<u8>(65536);
    GlobalRace race{kCapacity};
    GlobalRace::Block blocks[4];

    GlobalRaceFixture() {
        reports().clear();
        reports().print_immediately(false);
        module.ast = std::make_unique<ptx::Module>();
        module.ast->files[1] = "main.cu";
        kernel.display_name = "kernel";
        kernel.module = &module;
        for (u32 i = 0; i < 10; ++i) {
            Site site;
            site.where = {1, 10 + i};
            site.is_atomic = i == 9;
            kernel.sites.push_back(site);
        }
        Allocation allocation;
        allocation.begin = kBase;
        allocation.end = kBase + memory.size();
        allocation.host_offset =
            static_cast<std::ptrdiff_t>(reinterpret_cast<u64>(memory.data()) - kBase);
        allocation.serial = 1;
        table.live_allocations.push_back(allocation);
        launch();
    }

    void launch() {
        race.begin_launch(kernel, {4, 1, 1}, {256, 1, 1}, table);
        for (u64 b = 0; b < 4; ++b) race.begin_block(blocks[b], b);
    }

    /// Records an access by all lanes of `warp`, with a distance of `stride` bytes between lanes.
    void access(u64 block, u32 warp, u32 site, GlobalAccess::Kind kind, u64 offset, u32 bytes = 4,
                u64 stride = 0, Mask active = kAllLanes, bool strong = false,
                StoredValue value = {}) {
        u64 addresses[kLanes];
        for (int l = 0; l < kLanes; ++l)
            addresses[l] = kBase + offset + l * (stride ? stride : bytes);
        GlobalAccess a;
        a.kind = kind;
        a.is_strong = strong || kind == GlobalAccess::Kind::atomic;
        a.warp = warp;
        a.site = site;
        a.active = active;
        a.addresses = addresses;
        a.bytes_per_lane = bytes;
        a.value = value;
        const bool whole = active == kAllLanes && !a.is_strong && (stride == 0 || stride == bytes);
        if (whole && kind == GlobalAccess::Kind::read &&
            race.try_read_lines(blocks[block], warp, site, addresses[0], bytes))
            return;
        if (whole && kind == GlobalAccess::Kind::write &&
            race.try_write_lines(blocks[block], warp, site, addresses[0], bytes, value)) {
            return;
        }
        race.check_access(blocks[block], a);
        if (a.is_strong) race.acquire(blocks[block], warp);
    }
    void read(u64 block, u32 warp, u32 site, u64 offset, u32 bytes = 4, u64 stride = 0,
              Mask active = kAllLanes) {
        access(block, warp, site, GlobalAccess::Kind::read, offset, bytes, stride, active);
    }
    void write(u64 block, u32 warp, u32 site, u64 offset, u32 bytes = 4, u64 stride = 0,
               Mask active = kAllLanes) {
        access(block, warp, site, GlobalAccess::Kind::write, offset, bytes, stride, active);
    }

    /// Returns the reports, each in the form "write after read 12 10": its kind, its line, and the
    /// line of the other access.
    std::vector<std::string> found() {
        race.end_launch();
        std::vector<std::string> all;
        for (const Report& r : reports().all()) {
            all.push_back(r.kind + " " + std::to_string(r.where.line) + " " +
                          std::to_string(r.other.line));
        }
        std::sort(all.begin(), all.end());
        reports().clear();
        launch();
        return all;
    }
};

}  // namespace coalesce::simulator
