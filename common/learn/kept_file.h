/// \file
/// A file of the learner's folder that must survive anything.
///
/// It is written whole: under another name first, synced to the disk, then renamed. Two commands at once take
/// turns (flock). A file that holds something else is kept under another name, with a message, and counts as
/// empty: what is kept is never a reason to stop.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace coalesce::learn {

/// Thrown by who reads a file that belongs to a newer command: it is not broken, and must stay.
struct NewerFormat {};

/// One such file.
class KeptFile {
public:
    /// Takes the text of the file; throws for what is none of it, or NewerFormat.
    using Read = std::function<void(const std::string& text)>;

    /// Makes the folder if need be. What goes wrong is said through `warn`, once, and goes on without.
    KeptFile(std::filesystem::path folder, const std::string& name,
             std::function<void(const std::string&)> warn);

    /// As it is now. `read` is not called where there is none.
    void read(const Read& read);
    /// Reads it, and writes what `change` returns, with nobody between.
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
