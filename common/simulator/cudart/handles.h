// Maps handles to the objects of one type (such as streams or events) that a program has created.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace coalesce::simulator::cudart {

template <class Handle, class Object>
class HandleTable {
public:
    Handle add(Object object) {
        std::lock_guard lock(mutex_);
        auto added_object = std::make_unique<Object>(std::move(object));
        const auto handle = reinterpret_cast<Handle>(added_object.get());
        objects_[handle] = std::move(added_object);
        return handle;
    }
    bool destroy(Handle handle) {
        std::lock_guard lock(mutex_);
        return objects_.erase(handle) > 0;
    }
    /// Returns the object, or null if it was destroyed or never created.
    Object* find(Handle handle) {
        std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second.get();
    }
    void clear() {
        std::lock_guard lock(mutex_);
        objects_.clear();
    }

private:
    std::mutex mutex_;
    std::map<Handle, std::unique_ptr<Object>> objects_;
};

}  // namespace coalesce::simulator::cudart
