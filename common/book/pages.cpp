#include "pages.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "exercise_page.h"
#include "front.h"
#include "lesson_picture.h"
#include "page_words.h"
#include "questions.h"
#include "text_drawing.h"

namespace coalesce::book {
namespace {

namespace fs = std::filesystem;

/// A link or image in Markdown: "[text](target)". `begin` is the position of "[" or "!".
struct Link {
    std::size_t begin = 0, end = 0;
    bool is_image = false;
    std::string text, target;
};

/// Finds the first link at or after `from` in a line, and ignores code between backticks. Returns
/// false if there is none.
bool find_link(const std::string& line, std::size_t from, Link& link) {
    bool is_in_code = false;
    for (std::size_t i = from; i < line.size(); ++i) {
        if (line[i] == '`') is_in_code = !is_in_code;
        if (is_in_code || line[i] != '[') continue;
        const std::size_t bracket_end = line.find("](", i);
        if (bracket_end == line.npos) continue;
        const std::size_t end = line.find(')', bracket_end);
        if (end == line.npos || line.find('[', i + 1) < bracket_end) continue;
        link.is_image = i > 0 && line[i - 1] == '!';
        link.begin = link.is_image ? i - 1 : i;
        link.end = end + 1;
        link.text = line.substr(i + 1, bracket_end - i - 1);
        link.target = line.substr(bracket_end + 2, end - bracket_end - 2);
        return true;
    }
    return false;
}

/// Returns the text with all characters escaped except letters, digits and "_-.".
std::string encode_for_url(const std::string& text) {
    std::string converted_text;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = std::isalnum(byte) || c == '_' || c == '-' || c == '.';
        constexpr const char* hex_digits = "0123456789ABCDEF";
        converted_text += is_plain ? std::string(1, c)
                                   : std::string{'%', hex_digits[byte / 16], hex_digits[byte % 16]};
    }
    return converted_text;
}

/// Writes one page, and tracks the current line number for use in messages.
class PageWriter {
public:
    PageWriter(const Page& the_page, const Contents& the_contents, const course::Course& the_course,
               bool has_editors)
        : page(the_page), contents(the_contents), course(the_course), has_explorer(has_editors) {}

    std::string convert_page() {
        const std::string text = read_file(contents.root / page.file);
        std::istringstream lines(adapt_to_page(text));
        for (std::string line; std::getline(lines, line);) {
            ++line_number;
            converted_text += convert_line(line) + "\n";
        }
        if (is_in_code_block || is_in_diagram) fail("a ``` is not closed");
        if (is_in_answer) fail("a <details> has no </details>");
        if (is_in_copy_for_terminal) fail("a <!-- copy --> has no <!-- end of copy -->");
        const std::string program_label = "source_" + page.step_name();
        if (!page.step_name().empty() &&
            converted_text.find("(\\ref " + program_label + ")") == converted_text.npos) {
            converted_text +=
                "\nThe whole program: [" + program_file() + "](\\ref " + program_label + ").\n";
        }
        return converted_text;
    }

private:
    /// Adapts a lesson's text to the pages, if they have editors.
    std::string adapt_to_page(const std::string& text) const {
        if (!has_explorer || page.step_name().empty()) return text;
        return has_exercise() ? replace_terminal_commands(text, page.step_name())
                              : remove_opening_commands(text);
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw BookError(page.file + ":" + std::to_string(line_number) + ": " + problem);
    }

    std::string convert_line(const std::string& line) {
        if (is_in_copy_for_terminal) {
            is_in_copy_for_terminal = line != "<!-- end of copy -->";
            return "";
        }
        if (is_in_diagram && line != "```") {
            diagram.push_back(line);
            return "";
        }
        if (line == "```" && (is_in_diagram || (!is_in_code_block && has_diagrams())))
            return toggle_diagram();
        if (line.starts_with("```")) {
            is_in_code_block = !is_in_code_block;
            // Doxygen expects the language of a code block in the form {.language}. Text diagrams
            // have no language.
            return line == "```" || !is_in_code_block ? line : "```{." + line.substr(3) + "}";
        }
        if (is_in_code_block || line.starts_with("    ")) return line;
        if (line.starts_with("<!-- ")) return convert_comment(line);
        if (line.starts_with("   <!-- try: ")) return playground_link(line);
        if (line.starts_with("<details") || line.starts_with("</details"))
            return convert_answer_tag(line);
        if (line.starts_with('#')) return convert_heading(line);
        return convert_links(line);
    }

    /// Reports whether code blocks without a language are diagrams on this page. On other pages,
    /// some of these blocks show the output of commands.
    bool has_diagrams() const { return !page.step_name().empty() || page.name == "introduction"; }

    /// Begins a diagram and returns "", or ends it and returns its drawing.
    std::string toggle_diagram() {
        is_in_diagram = !is_in_diagram;
        if (is_in_diagram) return "";
        const std::string svg = draw_text_diagram(diagram);
        diagram.clear();
        return "\\htmlonly\n" + svg + "\n\\endhtmlonly\n";
    }

    /// Adds an anchor to a heading. The anchor is the page's name, followed by GitHub's anchor for
    /// the heading.
    std::string convert_heading(const std::string& line) {
        const std::size_t level = line.find_first_not_of('#');
        if (level == 1) {
            const std::string label = page.name == "index" ? "mainpage" : page.name;
            return line + " {#" + label + "}";
        }
        return opening_picture() + convert_links(line) + " {#" + page.name + "_" +
               heading_anchor(line.substr(level + 1)) + "}";
    }

    /// Returns the lesson's picture at the first call, which is before the lesson's first section.
    /// Afterwards, and on other pages, returns "".
    std::string opening_picture() {
        const course::Step* step = course.find(page.step_name());
        if (has_picture || !step) return "";
        has_picture = true;
        return "\\htmlonly\n" + lesson_picture_html(contents.root, course, *step) +
               "\\endhtmlonly\n\n";
    }

    /// Converts the start or end tag of a folded answer to HTML, because Doxygen does not support
    /// the tag in Markdown.
    std::string convert_answer_tag(const std::string& line) {
        const std::string opening_tag = "<details><summary>", closing_tag = "</details>";
        const bool is_opening = line.starts_with(opening_tag) && line.ends_with("</summary>");
        if (!is_opening && line != closing_tag)
            fail("a folded answer must start with " + opening_tag + "...</summary> and end with " +
                 closing_tag);
        if (is_opening == is_in_answer)
            fail(is_opening ? "an answer within an answer" : "no answer is open");
        is_in_answer = is_opening;
        const std::string html =
            is_opening ? "<details class=\"answer\">" + line.substr(9) : closing_tag;
        return "\n\\htmlonly\n" + html + "\n\\endhtmlonly\n";
    }

    std::string convert_comment(const std::string& line) {
        const std::size_t end = line.find(" -->");
        if (end == line.npos) return line;
        const std::string command = line.substr(5, end - 5);
        if (command.starts_with("snippet: ")) return program_snippet(command.substr(9));
        if (command == "questions") return step_questions_html();
        if (command == "editor") return exercise_editor_html();
        if (command == "own editor") return has_explorer ? editor_html("") : "";
        if (command == "begin") {
            return "\\htmlonly\n" + front_page_html(contents, course, has_explorer) +
                   "\\endhtmlonly\n";
        }
        if (command.starts_with("watch")) return watch_links(command);
        if (command == "copy") is_in_copy_for_terminal = true;
        if (command == "usage") return "```\n" + learn_help_text() + "```\n";
        if (command.starts_with("explorer: ") && has_explorer) {
            return "\\htmlonly\n<p class=\"to-explorer\"><a href=\"explorer.html#" +
                   to_html(command.substr(10)) +
                   "\">Step through this warp in the explorer</a></p>\n\\endhtmlonly\n";
        }
        return "";
    }

    /// Returns a part of the step's program. If the lesson has an exercise, its main kernel is the
    /// solution, and is therefore folded. `snippet` is the name of the part, followed by a file
    /// name if the part is not in the expected file.
    std::string program_snippet(const std::string& snippet) const {
        const std::size_t space_index = snippet.find(' ');
        const std::string name = snippet.substr(0, space_index);
        const std::string default_file = name == "example" ? "example.cu" : program_file();
        const std::string file =
            space_index == snippet.npos ? default_file : snippet.substr(space_index + 1);
        const std::string text = "\n\\snippet " + page.step_name() + "/" + file + " " + name + "\n";
        if (!has_explorer || name != "kernel" || !has_exercise()) return text;
        return "\n\\htmlonly\n<details class=\"solved\"><summary>The lesson's kernel, which solves "
               "the exercise. You can open it now; it opens by itself when your "
               "kernel passes</summary>\n\\endhtmlonly\n" +
               text + "\n\\htmlonly\n</details>\n\\endhtmlonly\n";
    }

    /// Returns a link that opens the exercise's solution in the playground with an edit applied.
    std::string playground_link(const std::string& line) const {
        if (!has_explorer || !has_exercise()) return "";
        const std::size_t end = line.find(" -->");
        return "   <a class=\"to-explorer\" href=\"playground.html#try=" + page.step_name() +
               to_html(encode_edits(line.substr(13, end - 13))) + "\">Try it</a>";
    }

    /// Returns edits as a part of a link. An edit has the form "FROM => TO", and several edits are
    /// separated by ";;".
    std::string encode_edits(const std::string& edits) const {
        std::string link;
        for (std::size_t position = 0; position < edits.size();) {
            const std::size_t edit_end = std::min(edits.find(" ;; ", position), edits.size());
            const std::string edit = edits.substr(position, edit_end - position);
            const std::size_t arrow_begin = edit.find(" => ");
            if (arrow_begin == edit.npos)
                fail("an experiment must have the form <!-- try: FROM => TO -->");
            link += "&from=" + encode_for_url(edit.substr(0, arrow_begin)) +
                    "&to=" + encode_for_url(edit.substr(arrow_begin + 4));
            position = edit_end + 4;
        }
        return link;
    }

    /// Returns the links of "watch: STOPS" or "watch: STOPS ;; EDITS", which show the lesson's
    /// kernel and the reader's own kernel at the first step that matches STOPS
    /// (common/learn/stops.h). The glossary has "watch WORD: STOPS". Its link opens the playground
    /// with the kernel that shows this word (word_kernels.ts).
    std::string watch_links(const std::string& command) const {
        if (!has_explorer) return "";
        const std::size_t colon_begin = command.find(": ");
        if (colon_begin == command.npos) fail("a link to watch has the form <!-- watch: STOPS -->");
        const std::string glossary_word = command.substr(5, colon_begin - 5),
                          experiment = command.substr(colon_begin + 2);
        const std::size_t edits_begin = std::min(experiment.find(" ;; "), experiment.size());
        const std::string stops = experiment.substr(0, edits_begin);
        const std::string watch_parameter = "&watch=" + encode_for_url(stops);
        if (!glossary_word.empty())
            return "\\htmlonly\n<p class=\"to-explorer\"><a href=\"" +
                   to_html("playground.html#begin=" + encode_for_url(glossary_word.substr(1)) +
                           watch_parameter) +
                   "\">Watch: " + to_html(glossary_word.substr(1)) + "</a></p>\n\\endhtmlonly\n";
        if (!has_exercise()) return "";
        const std::string edit = edits_begin < experiment.size()
                                     ? encode_edits(experiment.substr(edits_begin + 4))
                                     : std::string();
        return "\\htmlonly\n<p class=\"to-explorer\"><a href=\"" +
               to_html("playground.html#try=" + page.step_name() + edit + watch_parameter) +
               "\">Watch this</a> <button type=\"button\" data-stops=\"" + to_html(stops) +
               "\">Watch it in your kernel</button></p>\n\\endhtmlonly\n";
    }

    std::string step_questions_html() const {
        return "\\htmlonly\n<section class=\"questions\" aria-label=\"Questions\">\n" +
               questions_html(page.step_name(), contents, course) + "</section>\n\\endhtmlonly\n";
    }

    /// Returns the element in which a script shows the exercise's editor.
    std::string exercise_editor_html() const {
        if (!has_explorer || !has_exercise()) return "";
        return editor_html(page.step_name());
    }

    /// Returns the name of the file with the lesson's kernel.
    std::string program_file() const {
        return course::program_file(contents.root / "steps" / page.step_name());
    }

    bool has_exercise() const {
        const course::Step* step = course.find(page.step_name());
        return step && step->exercise;
    }

    /// Returns the output of `./learn help`, which is the text in the function `usage` of ./learn.
    std::string learn_help_text() const {
        const std::string script = read_file(contents.root / "learn");
        const std::string begin = "cat <<'END'\n", end = "\nEND\n";
        const std::size_t function_begin = script.find("usage() {");
        const std::size_t begin_index =
            function_begin == script.npos ? function_begin : script.find(begin, function_begin);
        if (begin_index == script.npos)
            fail("`learn` has no function usage() whose text ends with the line END");
        const std::size_t text_begin = begin_index + begin.size();
        return script.substr(text_begin, script.find(end, text_begin) + 1 - text_begin);
    }

    std::string convert_links(const std::string& line) {
        std::string text;
        std::size_t position = 0;
        for (Link link; find_link(line, position, link); position = link.end) {
            text += line.substr(position, link.begin - position) + convert_link(link);
        }
        return text + line.substr(position);
    }

    std::string convert_link(const Link& link) {
        if (link.target.find("://") != std::string::npos)
            return "[" + link.text + "](" + link.target + ")";
        const std::size_t hash_index = link.target.find('#');
        const std::string path = link.target.substr(0, hash_index);
        const std::string anchor =
            hash_index == std::string::npos ? "" : link.target.substr(hash_index + 1);
        if (path.empty()) return reference_link(page.name + "_" + anchor, link.text);
        const fs::path file = (fs::path(page.file).parent_path() / path).lexically_normal();
        if (!fs::exists(contents.root / file)) fail("there is no " + file.string());
        if (link.is_image) {
            // After Doxygen has run, this program replaces the image with the drawing itself, so
            // that the drawing uses the colours of the page's theme.
            return "\\htmlonly\n<img class=\"drawing\" src=\"" + file.filename().string() +
                   "\" alt=\"" + to_html(link.text) + "\"/>\n\\endhtmlonly";
        }
        if (const Page* target = contents.find_by_source(file.string())) {
            return reference_link(anchor.empty() ? target->name : target->name + "_" + anchor,
                                  link.text);
        }
        if (!page.step_name().empty() && file.filename() == program_file()) {
            return reference_link("source_" + page.step_name(), link.text);
        }
        if (file.filename() == "example.cu" && !page.step_name().empty()) {
            return reference_link("source_" + page.step_name() + "_example", link.text);
        }
        // The book contains no page for this file, so show its path.
        std::string name = link.text;
        std::erase(name, '`');
        if (name == path || name == path + "/") return "`" + name + "`";
        return link.text + " (`" + (path.starts_with("..") ? file.string() : path) + "`)";
    }

    static std::string reference_link(const std::string& label, const std::string& text) {
        return "[" + text + "](\\ref " + label + ")";
    }

    const Page& page;
    const Contents& contents;
    const course::Course& course;
    const bool has_explorer;
    std::string converted_text;
    int line_number = 0;
    bool is_in_code_block = false, is_in_answer = false, has_picture = false;
    bool is_in_diagram = false;        ///< whether the current line is part of a diagram
    std::vector<std::string> diagram;  ///< the lines of the current diagram so far
    /// Whether the current line belongs to a part that only readers of the Markdown file should
    /// see.
    bool is_in_copy_for_terminal = false;
};

}  // namespace

std::string heading_anchor(const std::string& heading) {
    std::string anchor;
    for (char c : heading) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) || c == '_' || c == '-') {
            anchor += static_cast<char>(std::tolower(byte));
        } else if (c == ' ') {
            anchor += '-';
        }
    }
    return anchor;
}

std::string source_text(const std::string& step, const fs::path& steps) {
    const std::string label = "source_" + step,
                      file = step + "/" + course::program_file(steps / step);
    std::string text = "# " + file + " {#" + label +
                       "}\n\nThe complete program of [the lesson](\\ref lesson_" + step +
                       ").\n\n\\include{lineno} " + file + "\n";
    if (fs::exists(steps / step / "example.cu")) {
        text += "\n## example.cu {#" + label +
                "_example}\n\nThe complete small example of the lesson.\n\n" + "\\include " + step +
                "/example.cu\n";
    }
    return text;
}

std::string doxygen_text(const Page& page, const Contents& contents, const course::Course& course,
                         bool has_explorer) {
    if (!page.exercise_name().empty()) {
        return exercise_text(page, *course.lesson(page.exercise_name())->exercise, has_explorer);
    }
    return PageWriter(page, contents, course, has_explorer).convert_page();
}

}  // namespace coalesce::book
