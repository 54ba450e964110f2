// not built by clang: cuda/atomic is part of NVIDIA's toolkit
// nvcc: -G
// The loops of waiting.cu in a debug build, in which all atomics, all clock reads and all barriers
// that return a value are function calls.
//
// clean numbers_from_a_counter
// clean queue_of_all_blocks
// clean lock_taken_often
// clean ticket_lock_taken_often
// clean each_lane_in_its_turn
// clean lanes_at_locks_of_buckets
// clean waits_and_counts_for_a_lane
// clean ring_between_blocks
// clean memory_alone_moves
// clean dissemination_barrier
// clean barrier_in_a_waiting_loop
// clean gives_up_after_attempts
// clean gives_up_after_rare_attempts
// clean gives_up_after_time simulator only
// clean gives_up_by_the_timer
#include "waiting.cu"
