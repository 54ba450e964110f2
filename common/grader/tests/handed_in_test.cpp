// Tests how submissions are read. Archives, folders and names may be hostile: a terminal,
// spreadsheet, browser or shell could interpret a hostile name as a command.

#include <archive.h>
#include <archive_entry.h>
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <fstream>
#include <memory>

#include "base/files.h"
#include "examiner/safe_text.h"
#include "grader/class/platform_names.h"
#include "grader/class/reports.h"
#include "grader/class/submissions.h"
#include "grader/class/tree.h"
#include "grader/class/zip.h"
#include "grader/store/errors.h"
#include "grader/store/files.h"

using namespace coalesce;
using namespace coalesce::grader;
namespace fs = std::filesystem;

namespace {

// Makes libarchive read names as UTF-8, as the grader's program does.
[[maybe_unused]] const bool has_locale = std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;

const std::vector<std::string> TWO = {"02_naive", "03_tiled"};

// An entry of a tar archive. `type` is one of libarchive's AE_ constants.
struct TarEntry {
    std::string name;
    unsigned type = AE_IFREG;
    std::string bytes = "";
    std::string target = "";  // the link's target
};

la_ssize_t append(archive*, void* text, const void* bytes, std::size_t count) {
    static_cast<std::string*>(text)->append(static_cast<const char*>(bytes), count);
    return static_cast<la_ssize_t>(count);
}

std::string tar_of(const std::vector<TarEntry>& things, bool is_packed = false) {
    std::string text;
    archive* made = archive_write_new();
    archive_write_set_format_pax_restricted(made);
    if (is_packed) archive_write_add_filter_gzip(made);
    archive_write_open(made, &text, nullptr, append, nullptr);
    for (const TarEntry& thing : things) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, thing.name.c_str());
        archive_entry_set_perm(entry, 0777);
        archive_entry_set_filetype(entry, thing.type);
        if (thing.type == AE_IFLNK) archive_entry_set_symlink(entry, thing.target.c_str());
        if (thing.type == AE_IFREG && !thing.target.empty()) {
            archive_entry_set_hardlink(entry, thing.target.c_str());
        }
        if (thing.type == AE_IFREG) {
            archive_entry_set_size(entry, static_cast<la_int64_t>(thing.bytes.size()));
        }
        REQUIRE(archive_write_header(made, entry) >= ARCHIVE_WARN);
        archive_write_data(made, thing.bytes.data(), thing.bytes.size());
        archive_entry_free(entry);
    }
    archive_write_close(made);
    archive_write_free(made);
    return text;
}

void write(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
}

const Student& named(const std::vector<Student>& students, const std::string& name) {
    auto found = std::ranges::find(students, name, &Student::name);
    REQUIRE_MESSAGE(found != students.end(), name);
    return *found;
}

// Returns the problem that is reported for the first exercise if a student submits this archive.
std::string problem_of(const std::string& archive_bytes) {
    TemporaryFolder folder;
    write(folder / "ada.tar", archive_bytes);
    std::vector<Student> students = read_class(folder.path, TWO);
    REQUIRE(students.size() == 1);
    CHECK(students[0].name == "ada");
    // Reading must not unpack anything to the disk.
    CHECK(std::distance(fs::recursive_directory_iterator(folder.path),
                        fs::recursive_directory_iterator()) == 1);
    return students[0].submissions.at(0).problem;
}

}  // namespace

TEST_CASE("submissions are read in every accepted form") {
    TemporaryFolder folder;
    write(folder / "ada/02_naive/kernel.cu", "a2");
    write(folder / "ada/03_tiled/kernel.cu", "a3");
    write(folder / "bob/work/exercises/02/kernel.cu", "b2");
    write(folder / "bob/work/solutions/02_naive/kernel.cu", "the course's own");
    write(folder / "bob/03_tiled.cu", "b3");
    write(folder / "eve.zip",
          create_zip({{"handin/02_naive/kernel.cu", "e2"}, {"handin/03.cu", "e3"}}));
    write(folder / "kim.tar.gz", tar_of({{"02_naive.cu", AE_IFREG, "k2"}}, true));
    write(folder / "lee/handin.zip", create_zip({{"02_naive.cu", "l2"}, {"03_tiled.cu", "l3"}}));
    write(folder / "notes.txt", "who is ill");
    fs::create_directory(folder / "nobody");
    std::vector<Student> students = read_class(folder.path, TWO);
    REQUIRE(students.size() == 6);
    for (auto [name, first, second] : {std::tuple("ada", "a2", "a3"),
                                       {"bob", "b2", "b3"},
                                       {"eve", "e2", "e3"},
                                       {"kim", "k2", ""},
                                       {"lee", "l2", "l3"},
                                       {"nobody", "", ""}}) {
        CAPTURE(name);
        const Student& student = named(students, name);
        CHECK(student.submissions.at(0).source == first);
        CHECK(student.submissions.at(1).source == second);
        CHECK(student.submissions.at(1).problem == (std::string(second).empty() ? "no-file" : ""));
    }
}

TEST_CASE("an archive of the whole class is read, with or without an enclosing folder") {
    for (std::string around : {"", "class/"}) {
        TemporaryFolder folder;
        write(folder / "all.zip",
              create_zip({{around + "ada/exercises/02_naive/kernel.cu", "a2"},
                          {around + "bob/exercises/02_naive/kernel.cu", "b2"},
                          {around + "eve.zip", create_zip({{"02_naive.cu", "e2"}})}}));
        std::vector<Student> students = read_class(folder / "all.zip", TWO);
        REQUIRE(students.size() == 3);
        CHECK(named(students, "eve").submissions.at(0).source == "e2");
        CHECK(named(students, "ada").submissions.at(0).source == "a2");
    }
    TemporaryFolder folder;
    write(folder / "one.zip", create_zip({{"ada/exercises/02_naive/kernel.cu", "a2"}}));
    CHECK(read_class(folder / "one.zip", TWO).at(0).name == "ada");
}

TEST_CASE("a single file is enough if the assignment has one exercise") {
    TemporaryFolder folder;
    write(folder / "ada/my solution.cu", "a");
    write(folder / "bob.cu", "b");
    std::vector<Student> students = read_class(folder.path, {"02_naive"});
    CHECK(named(students, "ada").submissions.at(0).source == "a");
    CHECK(named(students, "bob").submissions.at(0).source == "b");
}

TEST_CASE("two different files for one exercise are reported as a problem") {
    FileTree tree;
    tree.items.push_back({{"a", "02_naive.cu"}, TreeItem::Kind::file, "x"});
    tree.items.push_back({{"b", "02_naive.cu"}, TreeItem::Kind::file, "x"});
    CHECK(find_files(tree, TWO).at(0).has_file());
    tree.items[1].bytes = "y";
    CHECK(find_files(tree, TWO).at(0).problem == "two-files");
    // The archive contains the same name twice, so it is unclear which file is meant.
    tree.items[1] = tree.items[0];
    CHECK(find_files(tree, TWO).at(0).problem == "two-files");
}

TEST_CASE("two submissions with the same name are reported as a problem") {
    TemporaryFolder folder;
    write(folder / "ada/02_naive.cu", "x");
    write(folder / "ada.zip", create_zip({{"02_naive.cu", "y"}}));
    std::vector<Student> students = read_class(folder.path, TWO);
    REQUIRE(students.size() == 1);
    CHECK(students[0].submissions.at(0).problem == "two-submissions");
}

TEST_CASE("names that point outside of an archive are not followed") {
    CHECK(problem_of(tar_of({{"../../../tmp/02_naive.cu", AE_IFREG, "x"}})) == "archive-hostile");
    CHECK(problem_of(tar_of({{"/etc/02_naive.cu", AE_IFREG, "x"}})) == "archive-hostile");
    CHECK(problem_of(tar_of({{"a\\..\\..\\02_naive.cu", AE_IFREG, "x"}})) == "archive-hostile");
    CHECK(problem_of(tar_of({{"C:\\02_naive.cu", AE_IFREG, "x"}})) == "archive-hostile");
    CHECK(problem_of(tar_of({{"02_naive.cu", AE_IFREG, "x"}, {"..", AE_IFREG, "x"}})) ==
          "archive-hostile");
}

TEST_CASE("links, devices and FIFOs do not count as files") {
    CHECK(problem_of(tar_of({{"02_naive.cu", AE_IFLNK, "", "/etc/passwd"}})) == "not-a-file");
    CHECK(problem_of(tar_of({{"x.cu", AE_IFREG, "x"}, {"02_naive.cu", AE_IFREG, "", "x.cu"}})) ==
          "not-a-file");
    CHECK(problem_of(tar_of({{"02_naive.cu", AE_IFCHR}})) == "not-a-file");
    CHECK(problem_of(tar_of({{"02_naive.cu", AE_IFIFO}})) == "not-a-file");
    // The archive contains a link to a folder, and a file that would be written through the link.
    CHECK(problem_of(tar_of(
              {{"02_naive", AE_IFLNK, "", "/tmp"}, {"02_naive/kernel.cu", AE_IFREG, "x"}})) == "");
}

TEST_CASE("links in folders are not followed, and a FIFO does not block the reader") {
    TemporaryFolder folder;
    write(folder / "secret", "the teacher's");
    fs::create_directories(folder / "class/ada");
    fs::create_symlink(folder / "secret", folder / "class/ada/02_naive.cu");
    fs::create_directories(folder / "class/bob");
    REQUIRE(mkfifo((folder / "class/bob/02_naive.cu").c_str(), 0600) == 0);
    fs::create_symlink(folder.path, folder / "class/eve");
    std::vector<Student> students = read_class(folder / "class", TWO);
    for (const char* name : {"ada", "bob", "eve"}) {
        CHECK(named(students, name).submissions.at(0).problem == "not-a-file");
    }
}

TEST_CASE("decompression bombs are stopped") {
    std::string zeros(3u << 20, '\0');
    std::vector<TarEntry> many;
    for (int i = 0; i < 12; ++i) many.push_back({std::to_string(i) + ".cu", AE_IFREG, zeros});
    CHECK(problem_of(tar_of(many, true)) == "archive-too-large");
    // The reader ignores these names, but must decompress the files to skip them.
    const TreeLimits few{.max_unwanted_bytes = std::size_t{30} << 20};
    for (const char* where : {"__MACOSX/", "", "a/"}) {
        for (TarEntry& thing : many) thing.name = where + std::string(thing.name, 0, 1) + ".txt";
        const std::string bomb = tar_of(many, true);
        CHECK(read_archive(bomb, few).problem == "archive-too-large");
        CHECK(read_archive(bomb).problem == "");
    }
    std::vector<TarEntry> crowd;
    for (int i = 0; i < 20100; ++i) crowd.push_back({std::to_string(i), AE_IFREG, "x"});
    CHECK(problem_of(tar_of(crowd)) == "archive-too-large");
    std::string deep;
    for (int i = 0; i < 50; ++i) deep += "d/";
    CHECK(problem_of(tar_of({{deep + "02_naive.cu", AE_IFREG, "x"}})) == "archive-too-large");
    std::string large(5u << 20, 'x');
    CHECK(problem_of(tar_of({{"02_naive.cu", AE_IFREG, large}})) == "file-too-large");
}

TEST_CASE("unrequested files in any kind of archive are reported, and do not count as too large") {
    // 50 MB of incompressible data, so that the archive is as large as its contents.
    std::string junk(50'000'000, '\0');
    std::uint32_t noise = 1;
    for (char& byte : junk) byte = static_cast<char>((noise = noise * 1664525 + 1013904223) >> 24);
    const std::vector<ZipEntry> files = {
        {"02_naive/kernel.cu", "a2"}, {"03_tiled.cu", "a3"}, {"video.mp4", junk}, {"n.txt", "n"}};
    TemporaryFolder folder;
    const fs::path whole = folder / "class";
    for (const ZipEntry& file : files) {
        write(whole / "folder" / file.name, file.bytes);
        write(whole / "nested/more" / file.name, file.bytes);
    }
    const std::string zip = create_zip(files);
    REQUIRE(zip.size() > 50'000'000);
    write(whole / "zip.zip", zip);
    fs::remove_all(whole / "nested");
    write(whole / "nested/handin.zip", zip);
    std::vector<TarEntry> things;
    for (const ZipEntry& file : files) things.push_back({file.name, AE_IFREG, file.bytes});
    write(whole / "tar.tar.gz", tar_of(things, true));
    // This archive has the form in which learning platforms export a class.
    write(folder / "class.zip", create_zip({{"one.zip", zip},
                                            {"two/02_naive.cu", "a2"},
                                            {"two/03_tiled.cu", "a3"},
                                            {"two/video.mp4", junk},
                                            {"two/n.txt", "n"}}));
    std::vector<Student> students = read_class(whole, TWO);
    REQUIRE(students.size() == 4);
    std::ranges::move(read_class(folder / "class.zip", TWO), std::back_inserter(students));
    students.push_back(read_student(whole / "folder", "alone", TWO));
    students.push_back(read_student(whole / "nested", "nested alone", TWO));
    students.push_back(read_student(whole / "zip.zip", "zip alone", TWO));
    REQUIRE(students.size() == 9);
    for (const Student& student : students) {
        CAPTURE(student.name);
        CHECK(student.submissions.at(0).source == "a2");
        CHECK(student.submissions.at(1).source == "a3");
        const std::string& ignored = student.submissions.at(0).details;
        CHECK(ignored.find("video.mp4 (50 MB)") != ignored.npos);
        CHECK(ignored.find("n.txt") != ignored.npos);
    }
}

TEST_CASE("sizes are checked before anything is read") {
    // A sparse file of one terabyte, which a reader without a limit would read for hours.
    TemporaryFolder folder;
    fs::create_directories(folder / "ada");
    for (const char* name : {"02_naive.cu", "02.zip", "notes.txt"}) {
        const fs::path file = folder / "ada" / name;
        write(file, "");
        fs::resize_file(file, std::uintmax_t{1} << 40);
        CAPTURE(name);
        const Submission handed = read_class(folder.path, {"02_naive"}).at(0).submissions.at(0);
        CHECK(handed.problem ==
              (std::string(name).ends_with(".cu") ? "file-too-large" : "archive-too-large"));
        fs::remove(file);
        write(folder / "bob.cu", "x");
    }
}

TEST_CASE("a student without a kernel is told which files were found") {
    TemporaryFolder folder;
    write(folder / "ada/kernel (1).cu", "x");
    write(folder / "ada/KERNEL.CU", "x");
    write(folder / "ada/answer.pdf", "x");
    fs::create_directories(folder / "bob");
    const std::vector<Student> students = read_class(folder.path, TWO);
    const std::string& details = named(students, "ada").submissions.at(0).details;
    for (const char* name : {"kernel (1).cu", "KERNEL.CU", "answer.pdf"}) {
        CHECK(details.find(name) != details.npos);
    }
    CHECK(named(students, "bob").submissions.at(0).details.find("empty") != details.npos);
}

TEST_CASE("damaged and truncated archives are reported") {
    CHECK(problem_of("") != "");
    CHECK(problem_of("not an archive at all") == "archive-broken");
    std::string noise;  // incompressible, so that half of the archive is inside the file
    for (std::uint32_t i = 0; i < 20000; ++i) noise += static_cast<char>(i * i * 2654435761u >> 13);
    std::string whole = tar_of({{"02_naive.cu", AE_IFREG, noise}}, true);
    CHECK(problem_of(whole.substr(0, whole.size() / 2)) == "archive-broken");
    std::string zipped = create_zip({{"02_naive.cu", noise}});
    CHECK(problem_of(zipped) == "");
    zipped[zipped.size() / 2] ^= 1;
    CHECK(problem_of(zipped) == "archive-broken");
}

TEST_CASE("submissions of students with hostile names are read like all others") {
    std::vector<std::string> names = {"$(id)",  "--help",     "=1+1",     "a\nb", "\x1b[31mred",
                                      "ad\xff", "a;rm -rf *", "<script>", "..."};
    TemporaryFolder folder;
    for (const std::string& name : names) write(folder / ("class/" + name) / "02_naive.cu", "x");
    std::vector<Student> students = read_class(folder / "class", TWO);
    // The name "..." begins with a dot, so its folder counts as hidden.
    CHECK(students.size() == names.size() - 1);
    std::vector<TarEntry> things;
    for (const std::string& name : names) things.push_back({name + "/02_naive.cu", AE_IFREG, "x"});
    write(folder / "class.tar", tar_of(things));
    CHECK(read_class(folder / "class.tar", TWO).size() == names.size());
}

TEST_CASE("a class without students is an error") {
    TemporaryFolder folder;
    CHECK_THROWS_AS(read_class(folder.path, TWO), UsageError);
    CHECK_THROWS_AS(read_class(folder / "absent", TWO), UsageError);
    write(folder / "list.txt", "x");
    CHECK_THROWS_AS(read_class(folder / "list.txt", TWO), UsageError);
}

TEST_CASE("names are shown without control characters or markup") {
    CHECK(escape_line("Zo\u00eb \u4e2d") == "Zo\u00eb \u4e2d");
    CHECK(escape_line("a\x1b[31m\n\xff") == "a\\x1b[31m\\x0a\\xff");
    CHECK(escape_line("\u202egnp.cu") == "\\xe2\\x80\\xaegnp.cu");
    CHECK(escape_line("\xc0\xaf\xed\xa0\x80") == "\\xc0\\xaf\\xed\\xa0\\x80");
    CHECK(escape_line("abcdef", 3) == "abc...");
    CHECK(escape_markdown("<b>[x](javascript:y) `z` @all") ==
          "&lt;b&gt;\\[x\\]\\(javascript:y\\) \\`z\\` \\@all");
    CHECK(to_markdown_code("```\nx") == "````text\n```\nx\n````\n");
    CHECK(escape_xml("<a b=\"c\">&'\x01") == "&lt;a b=&quot;c&quot;&gt;&amp;&apos;\\x01");
}

TEST_CASE("no field of a CSV file is a formula") {
    for (std::string name : {"=1+1", "+1", "-1", "@SUM(A1)", "  =1", "|cmd", "%0", "\uff1d1"}) {
        CAPTURE(name);
        std::string field = to_csv_field(name);
        CHECK((field.starts_with("'") || field.starts_with("\"'")));
    }
    CHECK(to_csv_field("\t=1") == "\\x09=1");
    CHECK(to_csv_field("ada") == "ada");
    CHECK(to_csv_field("Lovelace, \"Ada\"") == "\"Lovelace, \"\"Ada\"\"\"");
    CHECK(to_csv_field("a\r\n=1") == "a\\x0d\\x0a=1");
}

TEST_CASE("students' files get names that are harmless and unique") {
    std::string long_name(5000, 'x');
    for (const std::string& name : std::vector<std::string>{
             "../../etc/passwd", "a/b", "--x", "$(id)", "a\nb", long_name, "\xff", "", "CON"}) {
        CAPTURE(name);
        std::string file = feedback_file_name(name);
        CHECK(file.find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
              std::string::npos);
        CHECK(file.size() < 80);
        CHECK(file[0] == 's');
    }
    CHECK(feedback_file_name("a b") != feedback_file_name("a-b"));
}

TEST_CASE("classes downloaded from Moodle and Canvas are read") {
    const auto read = [](const std::vector<ZipEntry>& files) {
        TemporaryFolder folder;
        grader::write_atomically(folder / "class.zip", create_zip(files));
        return read_class(folder / "class.zip", TWO);
    };
    SUBCASE("from Moodle, with folders") {
        const auto students = read({{"Ada Lovelace_42_assignsubmission_file/02_naive.cu", "a"},
                                    {"Ada Lovelace_43_assignsubmission_file_/03_tiled.cu", "b"},
                                    {"Ada Lovelace_42_assignsubmission_onlinetext/x.html", "c"}});
        REQUIRE(students.size() == 2);
        CHECK(students[0].name == "Ada Lovelace (42)");
        CHECK(students[0].submissions[0].source == "a");
        CHECK(students[0].submissions[1].problem == "no-file");
        CHECK(students[1].name == "Ada Lovelace (43)");
        CHECK(students[1].submissions[1].source == "b");
    }
    SUBCASE("from Moodle, without folders") {
        const auto students = read({{"Ada Lovelace_42_assignsubmission_file_02_naive.cu", "a"},
                                    {"Ada Lovelace_42_assignsubmission_file_03_tiled.cu", "b"}});
        REQUIRE(students.size() == 1);
        CHECK(students[0].submissions[0].source == "a");
        CHECK(students[0].submissions[1].source == "b");
    }
    SUBCASE("from Canvas") {
        const auto students = read({{"lovelaceada_LATE_1815_7_02_naive-2.cu", "a"},
                                    {"lovelaceada_LATE_1815_8_03_tiled.cu", "b"},
                                    {"bob_1816_9_handin.zip", create_zip({{"02_naive.cu", "c"}})}});
        REQUIRE(students.size() == 2);
        CHECK(students[0].name == "bob (1816)");
        CHECK(students[0].submissions[0].source == "c");
        CHECK(students[1].name == "lovelaceada (1815)");
        CHECK(students[1].submissions[0].source == "a");
        CHECK(students[1].submissions[1].source == "b");
        CHECK(parse_platform_name(students[1].platform_name)->is_late);
    }
}

TEST_CASE("feedback files have the names that the platform uses") {
    const auto feedback_name = [](const std::string& name) {
        return parse_platform_name(name)->feedback_path;
    };
    CHECK(feedback_name("Ada Lovelace_42_assignsubmission_file") ==
          "Ada Lovelace_42_assignsubmission_file_/feedback.md");
    CHECK(feedback_name("Ada_L_42_assignsubmission_file_k.cu") ==
          "Ada_L_42_assignsubmission_file_/feedback.md");
    CHECK(feedback_name("ada_LATE_1815_7_02_naive-2.cu") == "ada_LATE_1815_7_feedback.md");
    for (const char* name :
         {"ada", "ada_lovelace", "02_naive.cu", "_1_2_k.cu", "ada_1_2_", "ada_x_2_k.cu",
          "_assignsubmission_file_", "a_b_assignsubmission_file"})
        CHECK_FALSE(parse_platform_name(name));
}
