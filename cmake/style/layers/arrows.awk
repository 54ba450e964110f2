# arrows.awk ORDER FILES INCLUDES: prints a line FROM TO FILE PATH for every #include that crosses folders.
# ORDER is order.txt, FILES lists every source below the root, and INCLUDES has lines FILE:#include "PATH" or <PATH>.
# For a file that is in no folder of ORDER, prints the line ? ? FILE -.
FNR == 1 { ++part }
part == 1 && NF && !/^#/ { is_folder[$1] = 1 }
part == 2 { is_file[$0] = 1; if (folder_of($0) == "?") print "? ?", $0, "-" }
part == 3 {
    file = included = $0
    sub(/:.*/, "", file)
    sub(/^[^"<]*["<]/, "", included)
    sub(/[">].*/, "", included)
    found = look_up(file, included)
    if (found && folder_of(found) != folder_of(file)) print folder_of(file), folder_of(found), file, included
}

# Returns the innermost folder of ORDER that contains the file.
function folder_of(file) {
    while (sub(/\/[^\/]*$/, "", file))
        if (file in is_folder) return file
    return "?"
}

# Returns the included file of this project, or "" for a header of the system or of another project.
function look_up(file, included,    own, roots, count, k) {
    own = file
    sub(/[^\/]*$/, "", own)
    count = split(own " common/ include/ docs/ common/cuda_headers/include/", roots, " ")
    for (k = 1; k <= count; ++k)
        if (plain(roots[k] included) in is_file) return plain(roots[k] included)
    return ""
}

# Returns the path without "..".
function plain(path) {
    while (sub(/[^\/]+\/\.\.\//, "", path)) continue
    return path
}
