#include "simulator/analysis/byte_uses.h"

#include <utility>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

ByteUses::ByteUses(const Kernel& kernel)
    : load_uses_(kernel.sites.size()), stored_copies_(kernel.sites.size()) {
    std::map<const ptx::Function*, DemandedBytes> bytes_of_function;
    std::map<std::pair<const ptx::Function*, u32>, u32> site_of_instruction;
    for (u32 s = 0; s < kernel.sites.size(); ++s)
        site_of_instruction[{kernel.sites[s].function, kernel.sites[s].instruction}] = s;
    for (u32 s = 0; s < kernel.sites.size(); ++s) {
        const Site& site = kernel.sites[s];
        if (!site.function) continue;
        const auto [bytes_entry, is_new] = bytes_of_function.try_emplace(site.function);
        if (is_new) bytes_entry->second = find_demanded_bytes(*site.function);
        const auto load = bytes_entry->second.loads.find(site.instruction);
        if (load != bytes_entry->second.loads.end()) load_uses_[s] = load->second;
        // cp.async only copies the bytes that it loads, so the load itself does not affect the
        // program's behavior.
        if (site.function->body[site.instruction].opcode == "cp")
            load_uses_[s].certainly_used_bytes = 0;
        const auto store = bytes_entry->second.stores.find(site.instruction);
        if (store == bytes_entry->second.stores.end()) continue;
        stored_copies_[s] = store->second;
        for (CopiedBytes& copy : stored_copies_[s])
            copy.load = site_of_instruction[{site.function, copy.load}];
    }
}

const ByteUses& byte_uses(const Kernel& kernel) {
    std::call_once(kernel.byte_uses.compute_once, [&] {
        kernel.byte_uses.computed_uses = std::make_shared<const ByteUses>(kernel);
    });
    return *kernel.byte_uses.computed_uses;
}

}  // namespace coalesce::simulator
