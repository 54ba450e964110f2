// Returns the value of every cudaDeviceAttr, and builds cudaDeviceProp from these attributes, so
// that attributes and properties cannot disagree. The values are in attribute_list.inc.
#include <cstdio>
#include <cstring>
#include <optional>

#include "simulator/base/device_model.h"
#include "simulator/cudart/api.h"
#include "simulator/cudart/devices.h"
#include "simulator/device/device.h"

using namespace coalesce::simulator;
using namespace coalesce::simulator::cudart;

namespace {

/// The PCI bus number of device 0. The other devices are numbered consecutively after it.
constexpr unsigned kPciBus = 1;
/// One more than the largest attribute number.
constexpr int kAttributeCount = cudaDevAttrMax;

std::optional<int> find_attribute_value(int attribute) {
    switch (attribute) {
#define COALESCE_ATTRIBUTE(number, name, value) \
    case number:                                \
        return static_cast<int>(value);
#define COALESCE_PROPERTY(number, name, value, member) COALESCE_ATTRIBUTE(number, name, value)
#include "cuda_headers/include/coalesce_cuda/attribute_list.inc"
#undef COALESCE_PROPERTY
#undef COALESCE_ATTRIBUTE
        default: break;
    }
    const bool is_reserved = attribute > 0 && attribute < kAttributeCount;
    return is_reserved ? std::optional(0) : std::nullopt;
}

/// Assigns an attribute's value to a member of cudaDeviceProp, converted to the member's type.
template <class Member>
void set_member(Member& member, int value) {
    member = static_cast<Member>(value);
}

void fill_properties(cudaDeviceProp& p) {
    std::memset(&p, 0, sizeof p);
    std::snprintf(p.name, sizeof p.name, "%s", DeviceModel::name);
    std::memcpy(p.uuid.bytes, "coalesce-sim-gpu", sizeof p.uuid.bytes);
    p.totalGlobalMem = Device::instance().memory().capacity();
#define COALESCE_ATTRIBUTE(number, name, value)
#define COALESCE_PROPERTY(number, name, value, member) \
    set_member(p.member, static_cast<int>(value));
#include "cuda_headers/include/coalesce_cuda/attribute_list.inc"
#undef COALESCE_PROPERTY
#undef COALESCE_ATTRIBUTE
}

}  // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return run_call(__func__, [&] {
        require(properties);
        check_device(device);
        fill_properties(*properties);
    });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return run_call(__func__, [&] {
        const auto found = find_attribute_value(attribute);
        require(value && found);
        check_device(device);
        *value = *found;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int size, int device) {
    return run_call(__func__, [&] {
        require(id && size >= 13);
        check_device(device);
        std::snprintf(id, static_cast<size_t>(size), "0000:%02X:00.0",
                      kPciBus + static_cast<unsigned>(device));
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    return run_call(__func__, [&] {
        unsigned domain = 0, bus = 0, slot = 0, function = 0;
        require(device && id);
        // The accepted formats are domain:bus:device.function, domain:bus:device and
        // bus:device.function, in hexadecimal.
        if (std::sscanf(id, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
            domain = function = 0;
            require(std::sscanf(id, "%x:%x.%x", &bus, &slot, &function) >= 2);
        }
        const int device_number = static_cast<int>(bus) - static_cast<int>(kPciBus);
        require(domain == 0 && is_device_index(device_number) && slot == 0 && function == 0,
                cudaErrorInvalidDevice);
        *device = device_number;
    });
}
