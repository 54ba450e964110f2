// Tests the programs that build the book, and verifies that their checks detect faulty sites.
#include <doctest/doctest.h>

#include <unistd.h>

#include "dress.h"
#include "examiner/course/course_error.h"
#include "frame.h"
#include "lesson_picture.h"
#include "measured.h"
#include "page_words.h"
#include "pages.h"
#include "questions.h"
#include "site.h"
#include "text_drawing.h"

using namespace coalesce;
using namespace coalesce::book;
namespace fs = std::filesystem;

namespace {

/// A temporary folder that the destructor deletes.
class Folder {
public:
    Folder() : path_(fs::temp_directory_path() / ("book_test_" + std::to_string(getpid()))) {
        fs::remove_all(path_);
        fs::create_directories(path_);
    }
    ~Folder() { fs::remove_all(path_); }
    void write(const std::string& name, const std::string& text) const {
        write_text(path_ / name, text);
    }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// A repository with one lesson.
class Repository : public Folder {
public:
    Repository() {
        write("docs/contents.txt", "[Lessons]\nlesson_* steps/*/README.md\n");
        write("docs/guide/teacher.md",
              "# For teachers\n\nSee [one](../../steps/01_copy/README.md).\n");
        write("steps/01_copy/main.cu", "");
        write("course.toml", "");
        write("learn", "usage() {\n    cat <<'END'\nUsage: ./learn\n\n  run  Runs\nEND\n}\n");
    }
    /// Returns the page that the book's program writes for Doxygen. `text` is the lesson's source
    /// without its title.
    std::string page(const std::string& text, bool has_explorer = false) const {
        write("steps/01_copy/README.md", "# 01 Copy\n\n" + text);
        const Contents contents = read_contents(path());
        course::Variant variant;
        variant.expected_costs = {{"load", 4}};
        course::Step step;
        step.name = "01_copy";
        step.variants = {variant};
        step.exercise.emplace().predictions = {{"load", "How many?"}};
        course::Course course;
        course.steps = {step};
        return doxygen_text(*contents.find_page("lesson_01_copy"), contents, course, has_explorer);
    }
};

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

std::vector<std::string> faults(const std::string& body) {
    const Folder site;
    site.write("index.html",
               "<html><body>" + body + "<a href=\"other.html\">all</a></body></html>");
    site.write("other.html", "<html><body><h2 id=\"here\">x</h2></body></html>");
    return find_site_faults(site.path());
}

}  // namespace

TEST_CASE("headings get an anchor, and the first gets the page's own") {
    const std::string text = Repository().page("## The idea\n\n### Banks, and more\n");
    CHECK(has(text, "# 01 Copy {#lesson_01_copy}"));
    CHECK(has(text, "## The idea {#lesson_01_copy_the-idea}"));
    CHECK(has(text, "{#lesson_01_copy_banks-and-more}"));
}

TEST_CASE("links between files become links between pages") {
    const Repository repository;
    CHECK(has(repository.page("See [it](../../docs/guide/teacher.md)."), "[it](\\ref teacher)"));
    CHECK(has(repository.page("See [main.cu](main.cu)."), "[main.cu](\\ref source_01_copy)"));
    repository.write("steps/01_copy/example.cu", "");
    CHECK(has(repository.page("See [it](example.cu)."), "[it](\\ref source_01_copy_example)"));
    CHECK(has(repository.page("See [that](#the-idea)."), "(\\ref lesson_01_copy_the-idea)"));
    CHECK(
        has(repository.page("See [web](https://example.org/a)."), "[web](https://example.org/a)"));
    // A link to a file that is not a page is replaced with the file's name.
    CHECK(has(repository.page("See [course](../../course.toml)."), "course (`course.toml`)"));
}

TEST_CASE("code is not changed") {
    const Repository repository;
    CHECK(has(repository.page("`tile[y](x)` stays"), "`tile[y](x)` stays"));
    CHECK(has(repository.page("```cpp\n[a](b.md)\n# no heading\n```\n"),
              "[a](b.md)\n# no heading\n"));
    CHECK(has(repository.page("    [a](b.md)\n"), "    [a](b.md)"));
}

TEST_CASE("a link to a missing file is an error that names the line") {
    try {
        Repository().page("one\ntwo [x](nowhere.md)\n");
        FAIL("not noticed");
    } catch (const BookError& error) {
        CHECK(std::string(error.what()) ==
              "steps/01_copy/README.md:4: there is no steps/01_copy/nowhere.md");
    }
    CHECK_THROWS_AS(Repository().page("```\nnot closed\n"), BookError);
}

TEST_CASE("comments become the parts that only the book can show") {
    const Repository repository;
    CHECK(has(repository.page("<!-- snippet: kernel -->\n"), "\\snippet 01_copy/main.cu kernel"));
    CHECK(has(repository.page("<!-- snippet: words tma.h -->\n"), "\\snippet 01_copy/tma.h words"));
    const std::string copied = repository.page(
        "<!-- snippet: kernel -->\n<!-- copy -->\n```cpp\n<details>\n```\n<!-- end of copy "
        "-->\nMore.\n");
    CHECK(has(copied, "\\snippet 01_copy/main.cu kernel"));
    CHECK(has(copied, "More."));
    CHECK_FALSE(has(copied, "details"));
    CHECK_THROWS_AS(repository.page("<!-- copy -->\nMore.\n"), BookError);
    CHECK(has(repository.page("<!-- snippet: example -->\n"), "01_copy/example.cu example"));
    CHECK(has(repository.page("<!-- usage -->\n"), "```\nUsage: ./learn\n\n  run  Runs\n```"));
    const std::string link = "<!-- explorer: a=01_copy,copy,256,256,0,5,0 -->\n";
    CHECK(has(repository.page(link, true), "explorer.html#a=01_copy,copy,256,256,0,5,0"));
    CHECK_FALSE(has(repository.page(link), "explorer.html"));
    const std::string asked = repository.page("<!-- questions -->\n");
    CHECK(has(asked, "How many?"));
    CHECK(has(asked, "data-answer=\"4\""));
}

TEST_CASE("if the explorer is built, a lesson has its exercise and a folded solution") {
    const Repository repository;
    const std::string text =
        "<!-- questions -->\n\n<!-- snippet: kernel -->\n\n<!-- snippet: other -->\n\n<!-- editor "
        "-->\n";
    const std::string with = repository.page(text, true);
    CHECK(has(with, "data-exercise=\"01_copy\""));
    CHECK(has(with, "src=\"your-turn.js\""));
    CHECK(with.find("class=\"questions\"") < with.find("class=\"solved\""));
    CHECK(with.find("01_copy/main.cu other") < with.find("data-exercise"));
    CHECK(with.find("<details class=\"solved\"") < with.find("01_copy/main.cu kernel"));
    CHECK(with.find("01_copy/main.cu kernel") < with.find("</details>"));
    CHECK(with.find("</details>") < with.find("01_copy/main.cu other"));
    CHECK(with.find("<details", with.find("01_copy/main.cu other")) == with.npos);
    const std::string without = repository.page(text);
    CHECK_FALSE(has(without, "your-turn"));
    CHECK_FALSE(has(without, "<details"));
}

TEST_CASE("the lesson that is a whole program has its own file, questions, and no editor") {
    const Repository repository;
    repository.page("");
    repository.write("steps/00_program/program.cu", "");
    repository.write("steps/00_program/README.md",
                     "# 00 Whole\n\nSee [program.cu](program.cu).\n\n<!-- snippet: kernel -->\n\n"
                     "<!-- questions -->\n\n<!-- editor -->\n");
    repository.write("steps/00_program/questions.txt", "? Why?\n+ So\n  Yes.\n- No\n  Why?\n");
    const Contents contents = read_contents(repository.path());
    course::Course course;
    course.program.emplace().name = "00_program";
    const std::string text =
        doxygen_text(*contents.find_page("lesson_00_program"), contents, course, true);
    CHECK(has(text, "[program.cu](\\ref source_00_program)"));
    CHECK(has(text, "\\snippet 00_program/program.cu kernel"));
    CHECK(has(text, "data-says=\"Yes.\""));
    CHECK_FALSE(has(text, "<details"));
    CHECK_FALSE(has(text, "your-turn"));
    const fs::path steps = repository.path() / "steps";
    CHECK(has(source_text("00_program", steps), "\\include{lineno} 00_program/program.cu"));
    CHECK(has(source_text("01_copy", steps), "\\include{lineno} 01_copy/main.cu"));
}

TEST_CASE("a question must have one right choice") {
    const Repository repository;
    repository.write("steps/01_copy/questions.txt", "? Why?\n+ So\n  Yes.\n- Not \"so\"\n  No.\n");
    const std::string text = repository.page("<!-- questions -->\n");
    CHECK(has(text, "data-right=\"yes\" data-says=\"Yes.\""));
    CHECK(has(text, "Not &quot;so&quot;"));
    repository.write("steps/01_copy/questions.txt", "? Why?\n- So\n- Not so\n");
    CHECK_THROWS_AS(repository.page("<!-- questions -->\n"), course::CourseError);
    repository.write("steps/01_copy/questions.txt", "+ A choice of nothing\n");
    CHECK_THROWS_AS(repository.page("<!-- questions -->\n"), course::CourseError);
}

TEST_CASE("answers are folded in the book as on GitHub") {
    const std::string text =
        "<details><summary>Why <code>x</code>?</summary>\n\nSo.\n\n</details>\n";
    const std::string page = Repository().page(text);
    CHECK(has(page, "<details class=\"answer\"><summary>Why <code>x</code>?</summary>\n\\endhtml"));
    CHECK(has(page, "\nSo.\n"));
    CHECK(has(page, "\\htmlonly\n</details>\n\\endhtmlonly"));
    CHECK_THROWS_AS(Repository().page("<details><summary>Why?</summary>\n\nSo.\n"), BookError);
    CHECK_THROWS_AS(Repository().page("</details>\n"), BookError);
    CHECK_THROWS_AS(Repository().page("<details>\n<summary>Why?</summary>\n"), BookError);
    CHECK_THROWS_AS(Repository().page(text.substr(0, text.find("</d")) + text), BookError);
}

// ---- the course's own lessons ----

namespace {

/// Returns the parts that are missing from a lesson with an exercise. `quiz` is the text of its
/// questions.txt.
std::vector<std::string> faults_of_lesson(const std::string& text, const std::string& quiz) {
    std::vector<std::string> faults;
    std::size_t at = 0;
    for (const std::string part :
         {"\n## Predict first\n", "\n<!-- questions -->\n", "\n## The idea\n",
          "\n<!-- snippet: example -->\n", "\n<!-- snippet: kernel -->\n",
          "\n## Counters to expect\n", "\n## Your turn\n", "\n<!-- editor -->\n", "\n## Try\n",
          "\n## Questions\n", "\n<details><summary>", "\n## On a GPU\n", "\n## Read\n",
          "\n## Next\n"}) {
        const std::size_t found = text.find(part, at);
        if (found == text.npos) {
            faults.push_back("no, or too early:" + part);
        } else {
            at = found + 1;
        }
    }
    std::size_t asked = quiz.starts_with("? ");
    for (std::size_t i = 0; (i = quiz.find("\n? ", i)) != quiz.npos; ++i) ++asked;
    if (asked < 3) faults.push_back("3 questions in questions.txt");
    return faults;
}

}  // namespace

TEST_CASE("each lesson with an exercise has all parts in order, and three questions") {
    const fs::path root = REPOSITORY;
    std::string text, quiz;
    for (const course::Step& step : course::read_course(root).steps) {
        if (!step.exercise) continue;
        text = read_file(root / "steps" / step.name / "README.md");
        const fs::path file = root / "steps" / step.name / "questions.txt";
        quiz = fs::exists(file) ? read_file(file) : "";
        for (const std::string& fault : faults_of_lesson(text, quiz)) {
            FAIL_CHECK(step.name << ": " << fault);
        }
    }
    // The quiz must come before the text that answers it.
    const std::string mark = "<!-- questions -->\n", late_place = "## Try\n";
    REQUIRE(text.find(mark) < text.find(late_place));
    std::string late = text;
    late.insert(late.find(late_place), mark + "\n");
    late.erase(late.find(mark), mark.size());
    CHECK_FALSE(faults_of_lesson(late, quiz).empty());
    CHECK(faults_of_lesson(text, "? One\n+ So\n\n? Two\n+ So\n").size() == 1);
}

TEST_CASE("chapters that are not listed are added to the contents, with their neighbours") {
    const Repository repository;
    repository.page("");
    const Contents contents = read_contents(repository.path());
    REQUIRE(contents.pages.size() == 2);
    CHECK(contents.find_page("teacher")->title == "For teachers");
    CHECK(has(previous_and_next_links_html("lesson_01_copy.html", contents), "teacher.html"));
    CHECK(previous_and_next_links_html("files.html", contents).empty());
}

TEST_CASE("a site without faults") {
    CHECK(
        faults("<a href=\"other.html#here\">x</a> <a href=\"https://example.org\">y</a>").empty());
    CHECK(faults("<img src=\"data:image/png;base64,AA\"/>").empty());
    CHECK(faults("<script>var a = '<a href=\"nowhere.html\">';</script>").empty());
}

TEST_CASE("faults of a site") {
    CHECK(faults("<a href=\"gone.html\">x</a>") ==
          std::vector<std::string>{"index.html: no file gone.html"});
    CHECK(faults("<a href=\"other.html#gone\">x</a>") ==
          std::vector<std::string>{"index.html: no anchor #gone in other.html"});
    CHECK(faults("<a href='#gone'>x</a>").size() == 1);
    CHECK(faults("<img src=\"picture.svg\" alt=\"\"/>").size() == 1);
    CHECK(faults("<script src=\"https://example.org/x.js\"></script>").size() == 1);
    CHECK(faults("<link rel=\"stylesheet\" href=\"//example.org/x.css\">").size() == 1);
    CHECK(faults("<p id=\"a\"></p><p id=\"a\"></p>").size() == 1);
    const Folder site;
    CHECK_THROWS_AS(find_site_faults(site.path()), BookError);
    site.write("index.html", "<a href=\"lesson_01_copy.html\">x</a>");
    site.write("lesson_01_copy.html", "<p>a lesson without its kernel</p>");
    CHECK(find_site_faults(site.path()).size() == 1);
    site.write("orphan.html", "<a href=\"index.html\">x</a>");
    CHECK(find_unreachable_pages(site.path()) == std::vector<std::string>{"orphan.html"});
    CHECK(find_site_faults(site.path()).back() == "orphan.html: no page links to this page");
}

TEST_CASE("drawings, links and the search index are added, and unreachable pages are removed") {
    const Repository repository;
    repository.page("");
    repository.write("docs/diagrams/a.svg",
                     "<?xml?><svg viewBox=\"0 0 1 1\"><text>Drawn</text></svg>");
    repository.write("html/index.html", "<a href=\"lesson_01_copy.html\">x</a>");
    repository.write("html/orphan.html", "<!-- neighbours -->");
    repository.write("html/lesson_01_copy.html",
                     "<title>Coalesce: One</title><!-- description --><main><p>Some  "
                     "<b>text</b></p><!-- unsaid -->"
                     "<img class=\"drawing\" src=\"a.svg\" alt=\"A &lt; B\"/><h1><a "
                     "class=\"anchor\" id=\"idea\"></a>"
                     "Idea</h1><p>More</p><!-- neighbours --></main>");
    finish_site(repository.path() / "html", read_contents(repository.path()));
    const std::string html = read_file(repository.path() / "html/lesson_01_copy.html");
    CHECK(has(html, "<svg role=\"img\" aria-label=\"A &lt; B\" viewBox"));
    CHECK(has(html, "rel=\"next\" href=\"teacher.html\""));
    CHECK(has(html, "<meta property=\"og:description\" content=\"Some text\"/>"));
    CHECK_FALSE(fs::exists(repository.path() / "html/orphan.html"));
    const std::string index = read_file(repository.path() / "html/search-index.js");
    CHECK(has(index,
              R"("heading":"","page":"lesson_01_copy.html","text":"Some text","title":"One")"));
    CHECK(has(index, R"({"anchor":"idea","heading":"Idea",)"));
    CHECK_FALSE(has(index, "unsaid"));
    CHECK_FALSE(has(index, "Drawn"));
    CHECK_FALSE(has(index, "teacher"));
    CHECK_FALSE(has(index, "explorer"));
}

TEST_CASE("empty table headings are omitted, and code highlights CUDA's keywords") {
    const auto of = [](const std::string& html) { return postprocess_page(html, "", "page"); };
    const std::string row = "<tr class=\"markdownTableHead\">";
    CHECK(
        of("<table>" + row + "<th class=\"x\"></th><th class=\"x\"> </th></tr><tr></tr></table>") ==
        "<table><tr></tr></table>");
    CHECK(of(row + "<th class=\"x\"></th><th class=\"x\">Name</th></tr>") ==
          row + "<td></td><th class=\"x\">Name</th></tr>");
    const std::string line =
        "<div class=\"fragment\"><div class=\"line\">int i = threadIdx.x; "
        "my_threadIdx <span class=\"comment\">// threadIdx</span></div></div>";
    const std::string shown = of(line + "<p>threadIdx</p>");
    CHECK(has(shown, "int i = <span class=\"cuda\">threadIdx</span>.x; my_threadIdx "));
    CHECK(has(shown, "// threadIdx</span></div></div><p>threadIdx</p>"));
    CHECK(has(of("<div class=\"fragment\">__global__ cudaMalloc</div>"),
              "<span class=\"cuda\">__global__</span> <span class=\"cuda\">cudaMalloc</span>"));
}

TEST_CASE("no page has scripts in attributes, which its policy forbids") {
    const std::string list = "<span class=\"arrow\" onclick=\"toggleFolder('0_')\">x</span>";
    CHECK(postprocess_page(list, "", "page") == "<span class=\"arrow\">x</span>");
}

TEST_CASE("a lesson leads to its whole program, and the index to the first lesson") {
    const Repository repository;
    CHECK(has(repository.page("text\n"), "[main.cu](\\ref source_01_copy)"));
    const std::string linked = repository.page("See [main.cu](main.cu).\n");
    CHECK(linked.find("source_01_copy") == linked.rfind("source_01_copy"));
    CHECK(has(repository.page("<!-- begin -->\n"), "href=\"lesson_01_copy.html\""));
    CHECK(has(repository.page("<!-- begin -->\n", true), "playground.html"));
    CHECK_FALSE(has(repository.page("<!-- begin -->\n"), "playground.html"));
}

TEST_CASE("in the pages, buttons and links take the place of the terminal's commands") {
    const auto page = [](const std::string& text) {
        return replace_terminal_commands(text, "03_tiled");
    };
    CHECK(page("# 03\n\n    ./learn run 03\n\nText") == "# 03\n\n\n\nText");
    CHECK(page("Write it in `exercises/03_tiled/kernel.cu`, here or in your own editor.") ==
          "Write it in the editor.");
    // Line breaks are preserved, so that messages contain the correct line numbers.
    CHECK(page("`./learn watch 03`\nchecks it whenever you save.") ==
          "The page checks\n it whenever you pause.");
    const std::string run = page("Run `./learn run 03 --variant tiled --rows 1 --cols 1024`.");
    CHECK(has(run, "explorer.html#a=03_tiled,tiled,1,1024,0,0,0"));
    CHECK_FALSE(has(run, "learn"));
    CHECK(page("`ncu` counts it.") == "`ncu` counts it.");
    CHECK(page("# 03\n\n## On a GPU\n\nText.\n\n## Read\n") ==
          "# 03\n\n## On a GPU\n<details><summary>If your computer has an NVIDIA "
          "GPU</summary>\nText.\n</details>\n## Read\n");
    CHECK(remove_opening_commands("# 00\n\n    ./learn run 00\n\n`./learn watch 00` checks it.") ==
          "# 00\n\n\n\n`./learn watch 00` checks it.");
    const Repository repository;
    CHECK_FALSE(has(repository.page("`./learn hint 01` helps.\n", true), "./learn hint"));
    CHECK(has(repository.page("`./learn hint 01` helps.\n"), "./learn hint 01"));
}

TEST_CASE("a lesson begins with the way of its elements, and with what the lesson before reached") {
    const fs::path root = REPOSITORY;
    const course::Course course = course::read_course(root);
    const auto picture = [&](const char* number) {
        return lesson_picture_html(root, course, *course.find(number));
    };
    CHECK(has(picture("03"), "shared memory"));
    CHECK(has(picture("03"), "<span>Lesson 02</span>"));
    CHECK(has(picture("02"), "registers"));
    CHECK_FALSE(has(picture("02"), "Lesson 01"));
    CHECK(picture("17").empty());
}

TEST_CASE("a kernel that a run has skipped has no bandwidth") {
    course::Step step;
    step.name = "18_product";
    step.variants.resize(1);
    step.variants.front().name = "registers";
    const auto results = [](const char* row) {
        return nlohmann::json::parse(R"({"results": [)" + std::string(row) + "]}");
    };
    CHECK_EQ(bandwidth_gbps(nullptr, step), 0);
    CHECK_EQ(
        bandwidth_gbps(
            results(R"({"step": "18_product", "variant": "registers", "skipped": "size"})"), step),
        0);
    CHECK_EQ(
        bandwidth_gbps(results(R"({"step": "18_product", "variant": "registers", "gbps": 1234.6})"),
                       step),
        1235);
}

TEST_CASE("an experiment opens the playground with its edits") {
    const Repository repository;
    const std::string text = "1. Try.\n   <!-- try: a[i]; => b ;; c => d & e -->\n";
    const std::string html = repository.page(text, true);
    CHECK(has(html,
              "playground.html#try=01_copy&amp;from=a%5Bi%5D%3B&amp;to=b&amp;from=c&amp;to="
              "d%20%26%20e"));
    CHECK_FALSE(has(repository.page(text), "playground"));
    CHECK_THROWS_AS(repository.page("   <!-- try: nothing -->\n", true), BookError);
}

TEST_CASE("a moment to watch opens the playground, and the reader's own kernel") {
    const Repository repository;
    const std::string text = "<!-- watch: 12; arrived > 0 ;; a => b -->\n";
    const std::string html = repository.page(text, true);
    CHECK(has(html,
              "playground.html#try=01_copy&amp;from=a&amp;to=b&amp;watch="
              "12%3B%20arrived%20%3E%200\">Watch this</a>"));
    CHECK(has(html, "data-stops=\"12; arrived &gt; 0\">Watch it in your kernel</button>"));
    CHECK_FALSE(has(repository.page(text), "playground"));
    const std::string word = repository.page("<!-- watch bank: wavefronts > 1 -->\n", true);
    CHECK(has(word, "playground.html#begin=bank&amp;watch=wavefronts%20%3E%201\">Watch: bank</a>"));
    CHECK_THROWS_AS(repository.page("<!-- watch bank -->\n", true), BookError);
}

TEST_CASE("a diagram of text is drawn: cells, marks, ranges, and words") {
    const std::string svg = draw_text_diagram(
        {" row 5   0  1  2  [3]  .", " [8 ...... 15]  a bank --> it", " |--- 32 B ---|"});
    CHECK(has(svg, "class=\"in-cell\""));
    CHECK(has(svg, ">2</text>"));
    CHECK(has(svg, "class=\"in-marked\""));
    CHECK(has(svg, ">8 … 15</text>"));
    CHECK(has(svg, ">32 B</text>"));
    CHECK(has(svg, ">a bank → it</text>"));
    CHECK(has(svg, ">row 5</text>"));
    CHECK(has(svg, "of-shared"));
    // Two numbers in a sentence are not drawn as cells.
    CHECK_FALSE(has(draw_text_diagram({" 4 blocks x 256 threads"}), "in-cell"));
    const Repository repository;
    CHECK(has(repository.page("```\n 0  1  2\n```\n"), "<svg"));
    CHECK_THROWS_AS(repository.page("```\n 0  1  2\n"), BookError);
}

TEST_CASE("the explorer has the frame of every page, and a policy for what it loads") {
    const Repository repository;
    repository.page("");
    repository.write("common/book/theme/header.html",
                     read_file(fs::path(REPOSITORY) / "common/book/theme/header.html"));
    const Contents contents = read_contents(repository.path());
    const std::string fragment =
        "<!-- page: The tool; tool.css tool.js -->\n<main id=\"content\">It</main>\n";
    const std::string html = application_page_html(fragment, contents);
    CHECK(has(html, "<title>Coalesce: The tool</title>"));
    CHECK(has(html, "<link rel=\"stylesheet\" href=\"tool.css\"/>"));
    CHECK(has(html, "<script defer src=\"tool.js\"></script>"));
    CHECK(has(html, "lesson_01_copy.html"));
    CHECK(has(html, "Content-Security-Policy"));
    CHECK_FALSE(has(html, "$relpath"));
    CHECK_THROWS_AS(application_page_html("<main></main>", contents), BookError);
}
