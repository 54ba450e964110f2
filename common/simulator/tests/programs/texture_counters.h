// Helpers for tests of texture counters: they count a launch and create texture objects.
#pragma once

#include <string>

#include "check.h"
#include "simulator_function.h"

inline int counted(const std::string& json, const std::string& name) {
    const auto at = json.find('"' + name + "\":");
    return at == json.npos ? -1 : std::atoi(json.c_str() + at + name.size() + 3);
}

/// Returns a launch's counters of kind "texture", "surface_load" or "surface_store".
template <class Launch>
void show(const std::string& what, const std::string& kind, Launch launch) {
    MUST(cudaDeviceSynchronize());
    FIND(coalesceResetCounters)();
    launch();
    MUST(cudaDeviceSynchronize());
    std::string json;
    FIND(coalesceReportJson)
    ([](const char* text, size_t size,
        void* user) { static_cast<std::string*>(user)->append(text, size); },
     &json);
    std::printf("%s: %d requests, %d sectors\n", what.c_str(), counted(json, kind + "_requests"),
                counted(json, kind + "_sectors"));
}

inline cudaTextureObject_t texture_of(const cudaResourceDesc& resource,
                                      cudaTextureFilterMode filter) {
    cudaTextureDesc how = {};
    for (auto& mode : how.addressMode) mode = cudaAddressModeClamp;
    how.filterMode = filter;
    cudaTextureObject_t texture;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}
