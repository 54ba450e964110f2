// See texture.h.
#include "simulator/addons/textures/texture.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace coalesce::simulator {
namespace {

struct Objects {
    std::shared_mutex mutex;
    std::unordered_map<u64, std::shared_ptr<const ImageObject>> live_objects;
    u64 last_handle = 0;  ///< the handle of the most recently created object
};

Objects& objects() {
    static Objects& instance =
        *new Objects;  // programs may destroy objects during static destruction
    return instance;
}

}  // namespace

const char* shape_name(const ImageShape& shape) {
    if (shape.is_cube) return shape.is_layered ? "layered cubemap" : "cubemap";
    if (shape.is_layered) return shape.dimensions == 1 ? "layered 1D" : "layered 2D";
    return shape.dimensions == 1 ? "1D" : shape.dimensions == 2 ? "2D" : "3D";
}

u64 add_image_object(ImageObject object) {
    auto shared_object = std::make_shared<const ImageObject>(std::move(object));
    std::lock_guard lock(objects().mutex);
    objects().live_objects.emplace(++objects().last_handle, std::move(shared_object));
    return objects().last_handle;
}

bool remove_image_object(u64 number, bool is_surface) {
    std::lock_guard lock(objects().mutex);
    const auto entry = objects().live_objects.find(number);
    if (entry == objects().live_objects.end() || entry->second->is_surface != is_surface)
        return false;
    objects().live_objects.erase(entry);
    return true;
}

std::shared_ptr<const ImageObject> find_image_object(u64 number) {
    std::shared_lock lock(objects().mutex);
    const auto found = objects().live_objects.find(number);
    return found == objects().live_objects.end() ? nullptr : found->second;
}

bool was_destroyed_image_object(u64 number) {
    std::shared_lock lock(objects().mutex);
    return number != 0 && number <= objects().last_handle &&
           !objects().live_objects.contains(number);
}

void forget_image_objects() {
    std::lock_guard lock(objects().mutex);
    objects().live_objects.clear();
}

}  // namespace coalesce::simulator
