// Modules that are loaded: their variables have places in device memory, their kernels are known by name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "code/kernel.h"
#include "memory/device_memory.h"

namespace coalesce::sim {

/// Parses the text and places its variables. nullptr with `error` set when it cannot.
std::unique_ptr<Module> load_module(std::string_view ptx_text, DeviceMemory& memory,
                                    std::string& error);
/// Frees its variables. What its kernels have counted is kept for the report at the end.
void unload_module(Module& module, DeviceMemory& memory);

}  // namespace coalesce::sim
