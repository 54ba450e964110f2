#include "simulator/analysis/byte_uses.h"

#include <utility>

#include "simulator/code/kernel.h"

namespace coalesce::simulator {

ByteUses::ByteUses(const Kernel& kernel)
    : loads_(kernel.sites.size()), stores_(kernel.sites.size()) {
    std::map<const ptx::Function*, DemandedBytes> known;
    std::map<std::pair<const ptx::Function*, u32>, u32> site_of;
    for (u32 s = 0; s < kernel.sites.size(); ++s)
        site_of[{kernel.sites[s].function, kernel.sites[s].instruction}] = s;
    for (u32 s = 0; s < kernel.sites.size(); ++s) {
        const Site& site = kernel.sites[s];
        if (!site.function) continue;
        const auto [bytes, is_new] = known.try_emplace(site.function);
        if (is_new) bytes->second = demanded_bytes(*site.function);
        const auto load = bytes->second.loads.find(site.instruction);
        if (load != bytes->second.loads.end()) loads_[s] = load->second;
        // cp.async only copies the bytes that it loads, so the load itself does not affect the
        // program's behavior.
        if (site.function->body[site.instruction].opcode == "cp") loads_[s].decides = 0;
        const auto store = bytes->second.stores.find(site.instruction);
        if (store == bytes->second.stores.end()) continue;
        stores_[s] = store->second;
        for (CopiedBytes& copy : stores_[s]) copy.load = site_of[{site.function, copy.load}];
    }
}

const ByteUses& byte_uses(const Kernel& kernel) {
    std::call_once(kernel.byte_uses.once,
                   [&] { kernel.byte_uses.made = std::make_shared<const ByteUses>(kernel); });
    return *kernel.byte_uses.made;
}

}  // namespace coalesce::simulator
