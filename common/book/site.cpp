#include "site.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "dress.h"
#include "frame.h"
#include "html_reader.h"
#include "search_index.h"

namespace coalesce::book {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> list_html_files(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".html") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
        throw BookError(folder.string() + ": there are no pages; build the book first");
    return files;
}

}  // namespace

namespace {

std::map<std::string, std::set<std::string>> collect_links(const fs::path& folder) {
    std::map<std::string, std::set<std::string>> links;
    for (const fs::path& file : list_html_files(folder)) {
        const std::string html = read_file(file);
        std::set<std::string>& targets = links[file.filename().string()];
        std::size_t done = 0;
        for (Tag tag; find_tag(html, done, tag); done = tag.end) {
            const std::string target = tag.attribute("href");
            targets.insert(target.substr(0, target.find_first_of("?#")));
        }
    }
    return links;
}

}  // namespace

std::vector<std::string> find_unreachable_pages(const fs::path& folder) {
    const auto links = collect_links(folder);
    std::set<std::string> reached{"index.html"};
    for (std::vector<std::string> todo{"index.html"}; !todo.empty();) {
        const auto page = links.find(todo.back());
        todo.pop_back();
        if (page == links.end()) continue;
        for (const std::string& target : page->second) {
            if (links.contains(target) && reached.insert(target).second) todo.push_back(target);
        }
    }
    std::vector<std::string> others;
    for (const auto& [name, targets] : links) {
        if (!reached.contains(name)) others.push_back(name);
    }
    return others;
}

namespace {

/// Adds a class to the body of the page. The class names the layout: the front page, or a lesson
/// with an editor.
std::string add_layout_class(std::string html) {
    const std::string body = "<body>";
    const std::size_t at = html.find(body);
    const auto set = [&](const std::string& name) {
        html.replace(at, body.size(), "<body class=\"" + name + "\">");
    };
    if (at == html.npos) return html;
    if (html.find("class=\"hero\"") != html.npos)
        set("front-page");
    else if (html.find("class=\"your-turn\"") != html.npos)
        set("with-editor");
    return html;
}

}  // namespace

void finish_site(const fs::path& folder, const Contents& contents) {
    // Delete the lists that Doxygen generates but the book does not use.
    for (const std::string& name : find_unreachable_pages(folder)) fs::remove(folder / name);
    nlohmann::json index = nlohmann::json::array();
    const auto add = [&](const std::string& name, const std::string& html) {
        for (auto& section : list_sections(name, html)) index.push_back(section);
    };
    bool has_explorer = false;
    for (const fs::path& file : list_html_files(folder)) {
        const std::string name = file.filename().string();
        std::string html = read_file(file);
        const std::string mark = "<!-- neighbours -->";
        const std::size_t place = html.find(mark);
        if (place == html.npos) continue;  // Doxygen did not generate this page
        has_explorer = has_explorer || html.find("href=\"explorer.html\"") != html.npos;
        html.replace(place, mark.size(), previous_and_next_links_html(name, contents));
        html = postprocess_page(html, contents.root / "docs/diagrams", name);
        html = add_layout_class(html);
        write_text(file, html);
        add(name, html);
    }
    for (const char* name : {"explorer.html", "playground.html"}) {
        if (!has_explorer) continue;
        const std::string html =
            application_page_html(read_file(contents.root / "common/page" / name), contents);
        write_text(folder / name, html);
        add(name, html);
    }
    write_text(folder / "search-index.js",
               "window.searchIndex = " +
                   index.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ";\n");
}

// ---- the checks ----

namespace {

struct CheckedPage {
    std::string name;
    std::set<std::string> anchors;
    struct LinkUse {
        std::string tag, target;
    };
    std::vector<LinkUse> uses;
    std::vector<std::string> duplicate_anchors;
    bool has_code = false;
};

CheckedPage read_page(const fs::path& file) {
    CheckedPage page;
    page.name = file.filename().string();
    const std::string html = read_file(file);
    page.has_code = html.find("<div class=\"fragment\"><div class=\"line\">") != html.npos;
    std::size_t done = 0;
    for (Tag tag; find_tag(html, done, tag); done = tag.end) {
        const std::string id = tag.attribute("id"),
                          name = tag.name == "a" ? tag.attribute("name") : "";
        if (!id.empty() && !page.anchors.insert(id).second && id != name)
            page.duplicate_anchors.push_back(id);
        if (!name.empty()) page.anchors.insert(name);
        for (const char* kind : {"href", "src"}) {
            if (tag.has_attribute(kind)) page.uses.push_back({tag.name, tag.attribute(kind)});
        }
    }
    return page;
}

bool is_external_link(const std::string& target) {
    return target.find("://") != target.npos || target.starts_with("//");
}

std::string find_fault(const CheckedPage::LinkUse& use, const CheckedPage& page,
                       const fs::path& folder, const std::map<std::string, CheckedPage>& pages) {
    if (use.target.starts_with("data:")) return "";
    if (is_external_link(use.target)) {
        return use.tag == "a" ? "" : "<" + use.tag + "> from another host: " + use.target;
    }
    const std::size_t hash = use.target.find('#');
    const std::string file = use.target.substr(0, hash);
    const std::string anchor = hash == use.target.npos ? "" : use.target.substr(hash + 1);
    if (!file.empty() && !fs::is_regular_file(folder / file)) return "no file " + file;
    const auto target = pages.find(file.empty() ? page.name : file);
    // In links to the explorer and the playground, the part after # is not an anchor. It describes
    // the state of the page.
    const bool has_state = file == "explorer.html" || file == "playground.html";
    if (anchor.empty() || target == pages.end() || has_state) return "";
    return target->second.anchors.contains(anchor)
               ? ""
               : "no anchor #" + anchor + " in " + target->first;
}

}  // namespace

std::vector<std::string> find_site_faults(const fs::path& folder) {
    std::map<std::string, CheckedPage> pages;
    for (const fs::path& file : list_html_files(folder)) {
        CheckedPage page = read_page(file);
        pages[page.name] = page;
    }
    std::vector<std::string> faults;
    for (const auto& [name, page] : pages) {
        for (const CheckedPage::LinkUse& use : page.uses) {
            const std::string fault = find_fault(use, page, folder, pages);
            if (!fault.empty()) faults.push_back(name + ": " + fault);
        }
        for (const std::string& id : page.duplicate_anchors)
            faults.push_back(name + ": two elements are #" + id);
        if (name.starts_with("lesson_") && !page.has_code) {
            faults.push_back(name +
                             ": a lesson must show its kernel, but this page contains no code");
        }
    }
    for (const std::string& name : find_unreachable_pages(folder)) {
        faults.push_back(name + ": no page links to this page");
    }
    return faults;
}

}  // namespace coalesce::book
