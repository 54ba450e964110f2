/// \file
/// A file in the learner's folder that survives crashes and concurrent commands.
///
/// Each write makes a new file, syncs it to the disk and renames it. Commands that run at the same time take turns
/// (flock). If the file is damaged, it is renamed, a message says so, and the command starts with an empty one: a
/// damaged file never stops the learner.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace coalesce::learn {

/// Thrown by a reader if a newer command wrote the file. Such a file is not damaged and must stay.
struct NewerFormat {};

/// A file that is replaced as a whole.
class KeptFile {
public:
    /// A function that parses the text of the file. It throws NewerFormat, or any exception if the text is damaged.
    using Read = std::function<void(const std::string& text)>;

    /// Creates the folder if necessary. If the file cannot be used, calls `warn` once and goes on without storing.
    KeptFile(std::filesystem::path folder, const std::string& name,
             std::function<void(const std::string&)> warn);

    /// Reads the file. Does not call `read` if there is no file.
    void read(const Read& read);
    /// Reads the file, then writes what `change` returns, while no other command can write.
    void update(const Read& read, const std::function<std::string()>& change);

private:
    void read_locked(const Read& read);
    void write_locked(const std::string& text);
    void keep_aside(const std::string& why);
    void complain(const std::string& message);

    std::filesystem::path folder_, file_;
    std::function<void(const std::string&)> warn_;
    bool has_complained_ = false;
};

}  // namespace coalesce::learn
