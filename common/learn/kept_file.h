/// \file
/// A file in the learner's folder that survives crashes and concurrent commands.
///
/// Each write creates a new file, syncs it to disk and renames it. Commands that run at the same
/// time use the file one at a time (flock). A damaged file never stops the learner: the command
/// renames it, prints a message, and starts with an empty file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace coalesce::learn {

/// Thrown by a reader if a newer version of the command wrote the file. Such a file is not damaged
/// and must not be replaced.
struct NewerFormatError {};

/// A file that is replaced as a whole by every write.
class LockedFile {
public:
    /// A function that parses the text of the file. It throws NewerFormatError if the format is
    /// newer, and any other exception if the text is damaged.
    using Read = std::function<void(const std::string& text)>;

    /// Opens the file, and creates the folder if necessary. If the file cannot be used, calls
    /// `warn` once and continues without storing anything.
    LockedFile(std::filesystem::path folder, const std::string& name,
               std::function<void(const std::string&)> warn);

    /// Reads the file and passes its text to `read`. Does not call `read` if there is no file.
    void read(const Read& read);
    /// Reads the file, and then writes the text that `make_new_text` returns. No other command can
    /// write in the meantime.
    void update(const Read& read, const std::function<std::string()>& make_new_text);

private:
    void read_locked(const Read& read);
    void write_locked(const std::string& text);
    void set_aside_damaged_file(const std::string& reason);
    void warn_once(const std::string& message);

    std::filesystem::path folder_, file_;
    std::function<void(const std::string&)> warn_;
    bool has_complained_ = false;
};

}  // namespace coalesce::learn
