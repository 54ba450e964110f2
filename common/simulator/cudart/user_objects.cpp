// See user_objects.h.
#include "cudart/user_objects.h"

#include <climits>
#include <mutex>

#include "cudart/api.h"
#include "cudart/graphs.h"
#include "cudart/handles.h"

using namespace coalesce::sim::cudart;

namespace coalesce::sim::cudart {

struct UserObject {
    void* pointer = nullptr;
    cudaHostFn_t destroy = nullptr;
    unsigned references = 0;
};

namespace {

auto& objects() {
    static auto& all = *new Handles<cudaUserObject_t, UserObject>;
    return all;
}

bool is_count(unsigned count) {
    return count > 0 && count <= INT_MAX;
}

/// Under the lock of the graphs, which hold references.
template <class Body>
cudaError_t with_object(const char* name, cudaUserObject_t handle, unsigned count, Body body) {
    return api(name, [&]() -> cudaError_t {
        std::lock_guard lock(Graphs::instance().mutex);
        UserObject* object = objects().find(handle);
        return object && is_count(count) ? body(*object) : cudaErrorInvalidValue;
    });
}

cudaError_t give_to_graph(UserObject& object, cudaGraph_t handle, unsigned count, unsigned flags) {
    Graph* graph = Graphs::instance().find(handle);
    if (!graph || flags > cudaGraphUserObjectMove) return cudaErrorInvalidValue;
    if (flags == 0) retain(object, count);
    graph->objects[&object] += count;
    return cudaSuccess;
}

cudaError_t take_from_graph(UserObject& object, cudaGraph_t handle, unsigned count) {
    Graph* graph = Graphs::instance().find(handle);
    if (!graph) return cudaErrorInvalidValue;
    const auto held = graph->objects.find(&object);
    if (held == graph->objects.end() || held->second < count) return cudaErrorInvalidValue;
    held->second -= count;
    if (held->second == 0) graph->objects.erase(held);
    release(object, count);
    return cudaSuccess;
}

}  // namespace

void retain(UserObject& object, unsigned count) {
    object.references += count;
}

bool release(UserObject& object, unsigned count) {
    if (object.references < count) return false;
    object.references -= count;
    if (object.references > 0) return true;
    object.destroy(object.pointer);
    objects().destroy(reinterpret_cast<cudaUserObject_t>(&object));
    return true;
}

}  // namespace coalesce::sim::cudart

cudaError_t cudaUserObjectCreate(cudaUserObject_t* handle, void* pointer, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
    return api(__func__, [&] {
        if (!handle || !destroy || !is_count(references) || flags != cudaUserObjectNoDestructorSync)
            return cudaErrorInvalidValue;
        std::lock_guard lock(Graphs::instance().mutex);
        *handle = objects().add({pointer, destroy, references});
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
    return with_object(__func__, handle, count, [&](UserObject& object) {
        retain(object, count);
        return cudaSuccess;
    });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
    return with_object(__func__, handle, count, [&](UserObject& object) {
        return release(object, count) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count,
                                      unsigned flags) {
    return with_object(__func__, handle, count, [&](UserObject& object) {
        return give_to_graph(object, graph, count, flags);
    });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count) {
    return with_object(__func__, handle, count,
                       [&](UserObject& object) { return take_from_graph(object, graph, count); });
}
