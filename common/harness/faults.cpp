#include "harness/faults.h"

namespace coalesce {

const char* name_of(Fault fault) {
    switch (fault) {
        case Fault::none: return "none";
        case Fault::nothing_written: return "nothing_written";
        case Fault::arguments_exchanged: return "arguments_exchanged";
        case Fault::never_written: return "never_written";
        case Fault::ragged_edge_missed: return "ragged_edge_missed";
        case Fault::grid_too_small: return "grid_too_small";
        case Fault::bounds_exchanged: return "bounds_exchanged";
        case Fault::part_of_each_tile: return "part_of_each_tile";
        case Fault::indices_not_swapped: return "indices_not_swapped";
        case Fault::indices_swapped: return "indices_swapped";
        case Fault::wrong_pitch: return "wrong_pitch";
        case Fault::tile_not_moved: return "tile_not_moved";
        case Fault::tile_not_transposed: return "tile_not_transposed";
        case Fault::off_by_one_row: return "off_by_one_row";
        case Fault::off_by_one_col: return "off_by_one_col";
        case Fault::shifted: return "shifted";
        case Fault::neighbours_exchanged: return "neighbours_exchanged";
        case Fault::neighbour_repeated: return "neighbour_repeated";
        case Fault::tile_repeated: return "tile_repeated";
        case Fault::line_repeated: return "line_repeated";
        case Fault::turned_around: return "turned_around";
        case Fault::axes_in_other_order: return "axes_in_other_order";
        case Fault::batch_repeated: return "batch_repeated";
        case Fault::batches_missed: return "batches_missed";
        case Fault::batches_exchanged: return "batches_exchanged";
        case Fault::matrix_size_wrong: return "matrix_size_wrong";
        case Fault::wrong_origin: return "wrong_origin";
        case Fault::half_exchanged: return "half_exchanged";
        case Fault::wrong_tile: return "wrong_tile";
        case Fault::scrambled_in_tile: return "scrambled_in_tile";
        case Fault::mixed_in_tile: return "mixed_in_tile";
        case Fault::edge_wrong: return "edge_wrong";
        case Fault::read_outside: return "read_outside";
        case Fault::nan_changed: return "nan_changed";
        case Fault::negative_zero_lost: return "negative_zero_lost";
        case Fault::subnormal_flushed: return "subnormal_flushed";
        case Fault::value_rounded: return "value_rounded";
        case Fault::value_added: return "value_added";
        case Fault::value_converted: return "value_converted";
        case Fault::component_lost: return "component_lost";
        case Fault::value_not_of_input: return "value_not_of_input";
        case Fault::scattered: return "scattered";
        case Fault::written_before: return "written_before";
        case Fault::written_after: return "written_after";
        case Fault::input_changed: return "input_changed";
    }
    return "unknown";
}

}  // namespace coalesce
