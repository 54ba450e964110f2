// See user_objects.h.
#include "simulator/addons/graphs/user_objects.h"

#include <climits>

#include "simulator/addons/graphs/graph_calls.h"
#include "simulator/cudart/handles.h"

using namespace coalesce::simulator::cudart;

namespace coalesce::simulator::cudart {

struct UserObject {
    void* pointer = nullptr;
    cudaHostFn_t destroy = nullptr;
    unsigned references = 0;
};

namespace {

auto& all_user_objects() {
    static auto& handles = *new HandleTable<cudaUserObject_t, UserObject>;
    return handles;
}

bool is_valid_count(unsigned count) {
    return count > 0 && count <= INT_MAX;
}

UserObject& find_object(cudaUserObject_t handle, unsigned count) {
    UserObject* object = all_user_objects().find(handle);
    require(object && is_valid_count(count));
    return *object;
}

Graph& find_graph_for_objects(cudaGraph_t handle) {
    Graph* graph = Graphs::instance().find(handle);
    require(graph);
    return *graph;
}

void add_references_of_graph(UserObject& object, cudaGraph_t handle, unsigned count,
                             unsigned flags) {
    Graph& graph = find_graph_for_objects(handle);
    require(flags <= cudaGraphUserObjectMove);
    if (flags == 0) retain(object, count);
    graph.user_objects[&object] += count;
}

void remove_references_of_graph(UserObject& object, cudaGraph_t handle, unsigned count) {
    Graph& graph = find_graph_for_objects(handle);
    const auto reference_count = graph.user_objects.find(&object);
    require(reference_count != graph.user_objects.end() && reference_count->second >= count);
    reference_count->second -= count;
    if (reference_count->second == 0) graph.user_objects.erase(reference_count);
    release(object, count);
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
    all_user_objects().destroy(reinterpret_cast<cudaUserObject_t>(&object));
    return true;
}

}  // namespace coalesce::simulator::cudart

// The functions for user objects take the lock of `Graphs`, because graphs hold references to user
// objects.

cudaError_t cudaUserObjectCreate(cudaUserObject_t* handle, void* pointer, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
    return run_graph_call(__func__, [&] {
        require(handle && destroy && is_valid_count(references) &&
                flags == cudaUserObjectNoDestructorSync);
        *handle = all_user_objects().add({pointer, destroy, references});
    });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned count) {
    return run_graph_call(__func__, [&] { retain(find_object(handle, count), count); });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned count) {
    return run_graph_call(__func__, [&] { require(release(find_object(handle, count), count)); });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count,
                                      unsigned flags) {
    return run_graph_call(__func__, [&] {
        add_references_of_graph(find_object(handle, count), graph, count, flags);
    });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t handle, unsigned count) {
    return run_graph_call(
        __func__, [&] { remove_references_of_graph(find_object(handle, count), graph, count); });
}
