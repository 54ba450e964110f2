# picture.awk BOXES ARROWS: draws the folders as boxes in an SVG, each above all folders that it includes. BOXES has
# lines FOLDER BOX, from the lowest to the highest, and ARROWS has lines FROM TO. The variable `title` is the drawing's
# title. A line is left out if two others imply it. A line that crosses a row of boxes goes through a gap between them.
BEGIN { width = 390; row_height = 46; box_height = 24; gap_width = 14 }
FNR == NR { if (NF && !/^#/ && $2 != "-") box_of[$1] = $2; next }
($1 in box_of) && ($2 in box_of) && box_of[$1] != box_of[$2] { includes[box_of[$1], box_of[$2]] = 1 }
END {
    collect_boxes()
    find_levels()
    find_reached()
    make_lines()
    for (turn = 0; turn < 12; ++turn) settle_rows(turn % 2)
    place_rows()
    draw()
}

# Collects all boxes that have lines, sorted by name, so that the picture does not depend on awk's order.
function collect_boxes(    arrow, ends, k) {
    for (arrow in includes) {
        split(arrow, ends, SUBSEP)
        for (k = 1; k <= 2; ++k)
            if (!(ends[k] in level)) {
                level[ends[k]] = 0
                box[++boxes] = ends[k]
            }
    }
    for (k = 2; k <= boxes; ++k) sink_name(k)
}
function sink_name(k,    name) {
    for (name = box[k]; k > 1 && box[k - 1] > name; --k) box[k] = box[k - 1]
    box[k] = name
}

# Puts each box one row above the highest box that it includes.
function find_levels(    a, b, grown) {
    for (grown = 1; grown;) {
        grown = 0
        for (a = 1; a <= boxes; ++a)
            for (b = 1; b <= boxes; ++b)
                if (includes[box[a], box[b]] && level[box[a]] <= level[box[b]]) {
                    level[box[a]] = level[box[b]] + 1
                    grown = 1
                    if (level[box[a]] > boxes) { print "a circle goes through " box[a]; exit 1 }
                }
    }
}

# reached[a, b] is set if a includes b, directly or through other boxes.
function find_reached(    a, b, via) {
    for (via = 1; via <= boxes; ++via)
        for (a = 1; a <= boxes; ++a)
            for (b = 1; b <= boxes; ++b)
                if ((includes[box[a], box[b]] || reached[a, b]) || (reaches(a, via) && reaches(via, b))) reached[a, b] = 1
}
function reaches(a, b) { return reached[a, b] || includes[box[a], box[b]] }

function make_lines(    a, b, via, follows) {
    for (a = 1; a <= boxes; ++a) add_to_row(box[a], level[box[a]])
    for (a = 1; a <= boxes; ++a)
        for (b = 1; b <= boxes; ++b) {
            if (!includes[box[a], box[b]]) continue
            follows = 0
            for (via = 1; via <= boxes; ++via) if (includes[box[a], box[via]] && reached[via, b]) follows = 1
            if (!follows) make_line(box[a], box[b])
        }
}
# Draws a line in pieces from row to row. Each row that the line crosses gets a gap for it.
function make_line(from, to,    above, at, gap) {
    above = from
    for (at = level[from] - 1; at > level[to]; --at) {
        gap = "|" from "|" to "|" at
        add_to_row(gap, at)
        connect(above, gap)
        above = gap
    }
    connect(above, to)
}
function connect(above, below) { ++pieces; upper[pieces] = above; lower[pieces] = below }
function add_to_row(thing, at) {
    row[at, ++row_size[at]] = thing
    rank[thing] = row_size[at]
    if (at > top) top = at
}
function is_gap(thing) { return substr(thing, 1, 1) == "|" }
function width_of(thing) { return is_gap(thing) ? gap_width : 8 * length(thing) + 10 }

# Moves the boxes of each row close to the boxes that they are connected to in the previous row, below or above.
function settle_rows(from_above,    at, k) {
    place_rows()
    for (k = 1; k <= top; ++k) {
        at = from_above ? top - k : k
        settle_row(at, from_above)
        place_row(at)
    }
}
function settle_row(at, from_above,    k, p, thing, near, count, sum) {
    for (k = 1; k <= row_size[at]; ++k) {
        thing = row[at, k]
        count = sum = 0
        for (p = 1; p <= pieces; ++p) {
            if ((from_above ? lower[p] : upper[p]) != thing) continue
            sum += x[from_above ? upper[p] : lower[p]]
            ++count
        }
        near[k] = count ? sum / count : x[thing]
    }
    for (k = 2; k <= row_size[at]; ++k) sink(at, k, near)
}
function sink(at, k, near,    thing, wish) {
    thing = row[at, k]
    wish = near[k]
    for (; k > 1 && near[k - 1] > wish; --k) { near[k] = near[k - 1]; row[at, k] = row[at, k - 1] }
    near[k] = wish
    row[at, k] = thing
}
function place_rows(    at) { for (at = 0; at <= top; ++at) place_row(at) }
function place_row(at,    k, total, between, left) {
    for (k = 1; k <= row_size[at]; ++k) total += width_of(row[at, k])
    between = (width - total) / (row_size[at] + 1)
    left = between
    for (k = 1; k <= row_size[at]; ++k) {
        x[row[at, k]] = int(left + width_of(row[at, k]) / 2)
        y[row[at, k]] = 8 + (top - at) * row_height
        left += width_of(row[at, k]) + between
    }
}

function draw(    k, height) {
    height = 16 + top * row_height + box_height
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" class=\"diagram\" role=\"img\">\n", width, height, width, height
    print "<title>" title "</title>"
    print style_element
    printf "<rect width=\"%d\" height=\"%d\" class=\"page\"/>\n", width, height
    for (k = 1; k <= pieces; ++k)
        printf "<path d=\"M%d %dL%d %d\"/>\n", x[upper[k]], y[upper[k]] + box_height, x[lower[k]], y[lower[k]]
    for (k = 1; k <= pieces; ++k)
        if (is_gap(upper[k])) printf "<path d=\"M%d %dv%d\"/>\n", x[upper[k]], y[upper[k]], box_height
    for (k = 1; k <= boxes; ++k) draw_box(box[k], width_of(box[k]))
    print "</svg>"
}
function draw_box(name, wide) {
    printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" class=\"box\"/>\n", x[name] - int(wide / 2), y[name], wide, box_height
    printf "<text x=\"%d\" y=\"%d\">%s</text>\n", x[name], y[name] + 16, name
}
