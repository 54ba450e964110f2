# arrows.awk ORDER FILES INCLUDES: one line for every #include that leaves its folder: FROM TO FILE PATH.
# ORDER is order.txt; FILES has the name of every source below the root; INCLUDES has FILE:#include "PATH" or <PATH>.
# A file that is in no folder of ORDER is one line as well: ? ? FILE -.
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

# The longest of the folders in ORDER that the file is in.
function folder_of(file) {
    while (sub(/\/[^\/]*$/, "", file))
        if (file in is_folder) return file
    return "?"
}

# The file of the tree that is meant; nothing for a header of the system's, or of another project.
function look_up(file, included,    own, roots, count, k) {
    own = file
    sub(/[^\/]*$/, "", own)
    count = split(own " common/ include/ docs/ common/cuda_headers/include/", roots, " ")
    for (k = 1; k <= count; ++k)
        if (plain(roots[k] included) in is_file) return plain(roots[k] included)
    return ""
}

# Without "..".
function plain(path) {
    while (sub(/[^\/]+\/\.\.\//, "", path)) continue
    return path
}
