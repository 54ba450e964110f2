// Tests the store. Digests must be correct, rows must never change, and results must stay the same
// despite a full disk, a locked database or a clock that jumps.

#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/files.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"
#include "grader/store/sha256.h"
#include "grader/store/store.h"

using coalesce::read_file;
using coalesce::TemporaryFolder;
using coalesce::UsageError;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

Entry entry(const std::string& student, const std::string& key) {
    return {.student = student,
            .exercise = "03_tiled",
            .key = key,
            .source = "",
            .problem = "",
            .details = ""};
}

}  // namespace

TEST_CASE("digests match the test vectors of the standards") {
    CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_hex(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    // Test cases 2 and 6 of RFC 4231.
    CHECK(hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(hex(hmac_sha256(std::string(131, '\xaa'),
                          "Test Using Larger Than Block-Size Key - Hash Key First")) ==
          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("the digest of a list of texts depends on where each text ends") {
    CHECK(sha256_of_parts({"ab", "c"}) != sha256_of_parts({"a", "bc"}));
    CHECK(sha256_of_parts({"a", ""}) != sha256_of_parts({"a"}));
}

TEST_CASE("every part of a key affects its digest") {
    std::vector<std::string> parts = {"submission", "manifest", "grader", "toolchain", "epoch"};
    const auto key = [&] {
        return sha256_of_parts({parts[0], parts[1], parts[2], parts[3], parts[4]});
    };
    const std::string first = key();
    for (std::string& part : parts) {
        const std::string before = std::exchange(part, "another");
        CHECK(key() != first);
        part = before;
    }
}

TEST_CASE(
    "a run contains its entries and sources, and is unfinished until it is marked as finished") {
    TemporaryFolder folder;
    Store store(folder / "store.sqlite");
    CHECK_FALSE(store.run());
    std::string source("with\0a zero, and no \xff UTF-8", 25);
    Entry ada = entry(std::string("ad\xff\n", 4), "k1");
    ada.source = sha256_hex(source);
    std::int64_t run = store.start_run("hw1", "", {ada, entry("bob", "k2")}, {source});
    REQUIRE(store.run());
    CHECK(store.run()->run_number == run);
    CHECK_FALSE(store.run()->is_finished);
    CHECK(store.entries(run) == std::vector<Entry>{ada, entry("bob", "k2")});
    CHECK(store.source(ada.source) == source);
    CHECK_THROWS_AS(store.source("of nothing"), InfrastructureError);
    store.finish_run(run);
    CHECK(store.run()->is_finished);
}

TEST_CASE("a run with a duplicate entry is not stored") {
    TemporaryFolder folder;
    Store store(folder / "store.sqlite");
    CHECK_THROWS_AS(store.start_run("hw1", "", {entry("ada", "k1"), entry("ada", "k1")}, {}),
                    InfrastructureError);
    CHECK_FALSE(store.run());
}

TEST_CASE("the first result for a key is stored, and a different result is an error") {
    TemporaryFolder folder;
    Store store(folder / "store.sqlite");
    Entry ada = entry("ada", "k1");
    std::int64_t run = store.start_run("hw1", "", {ada}, {});
    store.add_fault(run, ada, "no sandbox");
    CHECK_FALSE(store.result("k1"));
    CHECK(store.add_result(run, ada, "{\"a\":1}"));
    CHECK_FALSE(store.add_result(run, ada, "{\"a\":1}"));
    CHECK_THROWS_AS(store.add_result(run, ada, "{\"a\":2}"), InfrastructureError);
    CHECK(store.result("k1") == "{\"a\":1}");
    std::vector<Attempt> attempts = store.attempts();
    REQUIRE(attempts.size() == 4);
    CHECK(attempts[0].outcome == "infrastructure");
    CHECK(attempts[1].outcome == "judged");
    CHECK(attempts[2].outcome == "again");
    CHECK(attempts[3].outcome == "infrastructure");
}

TEST_CASE("no SQL statement can change or remove a row") {
    TemporaryFolder folder;
    fs::path file = folder / "store.sqlite";
    {
        Store store(file);
        std::int64_t run = store.start_run("hw1", "", {entry("ada", "k1")}, {"x"});
        store.add_result(run, entry("ada", "k1"), "{}");
        store.finish_run(run);
    }
    Database database(file);
    for (std::string table : {"source", "run", "entry", "finished", "result", "attempt"}) {
        CAPTURE(table);
        CHECK_THROWS_AS(database.execute("delete from " + table), InfrastructureError);
    }
    CHECK_THROWS_AS(database.execute("update result set json = 'forged'"), InfrastructureError);
    CHECK(Store(file).result("k1") == "{}");
}

TEST_CASE("a locked database is an infrastructure error, but can be used once it is unlocked") {
    TemporaryFolder folder;
    fs::path file = folder / "store.sqlite";
    Store store(file, 50);
    Entry ada = entry("ada", "k1");
    std::int64_t run = store.start_run("hw1", "", {ada}, {});
    {
        Database other(file);
        Transaction lock(other);
        CHECK_THROWS_AS(store.add_result(run, ada, "{}"), InfrastructureError);
    }
    CHECK_FALSE(store.result("k1"));
    CHECK(store.add_result(run, ada, "{}"));
}

TEST_CASE("a database on a full disk keeps its rows, and can grow once space is available") {
    TemporaryFolder folder;
    fs::path file = folder / "store.sqlite";
    Store store(file);
    std::int64_t run = store.start_run("hw1", "", {entry("ada", "k1"), entry("bob", "k2")}, {});
    store.add_result(run, entry("ada", "k1"), "{}");
    // A file size limit in a child process has the effect of a full disk.
    pid_t child = fork();
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        rlimit limit{4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        try {
            Store(file).add_result(run, entry("bob", "k2"), std::string(100000, 'x'));
        } catch (const InfrastructureError&) {
            _exit(42);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WEXITSTATUS(status) == 42);
    CHECK(store.result("k1") == "{}");
    CHECK_FALSE(store.result("k2"));
    CHECK(store.add_result(run, entry("bob", "k2"), "{}"));
}

TEST_CASE("a file that is not a store is reported and not changed") {
    TemporaryFolder folder;
    fs::path file = folder / "store.sqlite";
    std::ofstream(file) << std::string(5000, 'x');
    CHECK_THROWS_AS(Store{file}, InfrastructureError);
    CHECK(read_file(file) == std::string(5000, 'x'));
    fs::path newer = folder / "newer.sqlite";
    Database(newer).execute("pragma user_version = 99");
    CHECK_THROWS_AS(Store{newer}, UsageError);
}

TEST_CASE("a store in the oldest format can be read, and accepts decisions") {
    TemporaryFolder folder;
    const fs::path file = folder / "store.sqlite";
    {
        Store store(file);
        store.start_run("hw1", "", {entry("ada", "k1")}, {});
    }
    // The oldest format had none of these tables, so remove them.
    Database(file).execute(
        "drop table decision; drop table platform_name; drop table earlier; pragma user_version = "
        "1");
    Store store(file);
    CHECK(store.entries(1).size() == 1);
    CHECK(store.decisions().empty());
    store.add_decision({"ada", "02_naive", "digest", 2.5, "half"});
    CHECK(store.decisions().at(0).points == 2.5);
    CHECK(store.decisions().at(0).reason == "half");
    CHECK_THROWS_AS(Database(file).execute("update decision set why = x''"), InfrastructureError);
}

TEST_CASE("names from a platform's export are stored") {
    TemporaryFolder folder;
    Store store(folder / "store.sqlite");
    Entry ada = entry("ada", "k1");
    ada.platform_name = "ada_1_2_kernel.cu";
    const std::int64_t run = store.start_run("hw1", "", {ada, entry("bob", "k2")}, {});
    CHECK(store.entries(run).at(0).platform_name == "ada_1_2_kernel.cu");
    CHECK(store.entries(run).at(1).platform_name.empty());
}

TEST_CASE("runs and attempts are ordered by number, even if the clock was wrong") {
    TemporaryFolder folder;
    fs::path file = folder / "store.sqlite";
    std::int64_t run = 0;
    {
        Store store(file);
        run = store.start_run("hw1", "", {entry("ada", "k1")}, {});
        store.add_fault(run, entry("ada", "k1"), "first");
    }
    {
        // The clock was wrong during this attempt and this run, so their dates are years in the
        // past.
        Database database(file);
        database.execute(
            "insert into attempt (run, student, exercise, key, outcome, text, at) select "
            "run, student, exercise, key, outcome, cast('second' as blob), 5 from attempt");
        database.execute(
            "insert into run (assignment, stamp, at) select assignment, stamp, 5 from run");
    }
    Store store(file);
    CHECK(store.attempts().at(1).text == "second");
    CHECK(store.run()->run_number == run + 1);
}

TEST_CASE("files are written atomically, with the requested permissions") {
    TemporaryFolder folder;
    fs::path file = folder / "key";
    umask(0);
    write_atomically(file, "one", 0600);
    CHECK(read_file(file) == "one");
    CHECK((fs::status(file).permissions() & fs::perms::all) ==
          (fs::perms::owner_read | fs::perms::owner_write));
    write_atomically(file, "two", 0600);
    CHECK(read_file(file) == "two");
    CHECK_FALSE(write_if_absent(file, "three"));
    CHECK(read_file(file) == "two");
    CHECK(write_if_absent(folder / "other", "four"));
    // The folder must not contain a temporary file.
    CHECK(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()) == 2);
    CHECK_THROWS_AS(write_atomically(folder / "no" / "such" / "folder", "x"), InfrastructureError);
    CHECK_THROWS_AS(read_file(folder / "absent"), UsageError);
    CHECK_THROWS_AS(read_file(folder.path), UsageError);
}

TEST_CASE("only one process can hold the lock, and the lock is released when that process ends") {
    TemporaryFolder folder;
    fs::path file = folder / "lock";
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_t child = fork();
    if (child == 0) {
        FileLock lock(file, "it");
        (void)!write(ready[1], "x", 1);
        pause();
        _exit(0);
    }
    char byte;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    CHECK_THROWS_AS(FileLock(file, "it"), InfrastructureError);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    CHECK_NOTHROW(FileLock(file, "it"));
}
