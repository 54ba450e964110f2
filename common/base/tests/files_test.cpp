#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/errors.h"
#include "base/files.h"

using namespace coalesce;
namespace fs = std::filesystem;

namespace {

std::ptrdiff_t files_in(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), {});
}

}  // namespace

TEST_CASE("ordinary files are read, whatever they contain and wherever they are") {
    const TemporaryFolder folder;
    const fs::path file = folder.path / "file";
    const std::string bytes("\0\xff\r\n", 4);
    write_file(file, bytes);
    CHECK(read_file(file) == bytes);
    const std::string large(10'000'019, 'x');
    write_file(file, large);
    CHECK(read_file(file) == large);
    write_file(file, "");
    CHECK(read_file(file) == "");
    CHECK(read_file("/proc/self/stat").find("base_test") != std::string::npos);
}

TEST_CASE("a path that is not an ordinary file is rejected at once, without being read") {
    const TemporaryFolder folder;
    REQUIRE(mkfifo((folder.path / "pipe").c_str(), 0600) == 0);
    CHECK_FALSE(read_if_exists(folder.path / "pipe"));
    CHECK_FALSE(read_if_exists(folder.path));
    CHECK_FALSE(read_if_exists(folder.path / "nothing"));
    const std::string file = folder.path / "nothing";
    CHECK_THROWS_WITH_AS(read_file(file),
                         (file + " cannot be read: No such file or directory").c_str(), UsageError);
    CHECK_THROWS_AS(read_file(folder.path), UsageError);
}

TEST_CASE("files are written completely, and no temporary files remain") {
    const TemporaryFolder folder;
    const fs::path file = folder.path / "file";
    CHECK_FALSE(write_atomically(file, "old"));
    CHECK_FALSE(write_atomically(file, "new", {.mode = 0640, .should_sync = true}));
    CHECK(read_file(file) == "new");
    CHECK((fs::status(file).permissions() & fs::perms::all) == fs::perms(0640));
    CHECK(write_atomically(file, "first", {.must_not_exist = true}) == std::errc::file_exists);
    CHECK(read_file(file) == "new");
    CHECK_FALSE(write_atomically(folder.path / "other", "first", {.must_not_exist = true}));
    CHECK(write_atomically(folder.path / "no/file", "x") == std::errc::no_such_file_or_directory);
    CHECK(write_atomically(folder.path, "x"));
    CHECK(files_in(folder.path) == 2);
}

TEST_CASE("a path that cannot be written is reported before anything is written") {
    const TemporaryFolder folder;
    check_writable(folder.path / "a.json");
    CHECK(files_in(folder.path) == 0);
    CHECK_THROWS_AS(check_writable(folder.path), UsageError);
    CHECK_THROWS_AS(check_writable(folder.path / "no/a.json"), UsageError);
    CHECK_THROWS_AS(check_writable(""), UsageError);
    CHECK_THROWS_AS(write_file(folder.path / "no/a.json", ""), UsageError);
}

TEST_CASE("a temporary folder is removed with its contents") {
    fs::path path;
    {
        const TemporaryFolder folder;
        path = folder.path;
        write_file(path / "file", "x");
    }
    CHECK_FALSE(fs::exists(path));
}
