; SPDX-License-Identifier: Apache-2.0
;
; shuffle.scan-loop includes some pages several times: once for each operation, or for each level.
; An id may exist only once, so the ids of those pages get the name of the operation or level
; appended: with `#define OPERATION add`, what such a page calls %value is %value_add in the module.

#define NAMED_AS(id, operation) id##_##operation
#define NAMED_BY(id, operation) NAMED_AS(id, operation)
#define NAMED(id) NAMED_BY(id, OPERATION)

#ifdef FORM_VARIABLES
; scan-loop-variables.h: the functions
#define subgroup_scan NAMED(subgroup_scan)
#define workgroup_scan NAMED(workgroup_scan)

; the subgroup scan
#define operand NAMED(operand)
#define scan_entry NAMED(scan_entry)
#define scan_lane NAMED(scan_lane)
#define value NAMED(value)
#define other NAMED(other)
#define level NAMED(level)
#define first_value NAMED(first_value)
#define sent_first NAMED(sent_first)
#define received_first NAMED(received_first)
#define is_lane_zero NAMED(is_lane_zero)
#define other_first NAMED(other_first)
#define kept_first NAMED(kept_first)
#define value_first NAMED(value_first)
#define combined_first NAMED(combined_first)
#define steps NAMED(steps)
#define steps_test NAMED(steps_test)
#define steps_body NAMED(steps_body)
#define steps_next NAMED(steps_next)
#define steps_done NAMED(steps_done)
#define level_tested NAMED(level_tested)
#define level_exists NAMED(level_exists)
#define level_used NAMED(level_used)
#define step NAMED(step)
#define sent NAMED(sent)
#define received NAMED(received)
#define is_below_step NAMED(is_below_step)
#define other_received NAMED(other_received)
#define kept NAMED(kept)
#define value_before NAMED(value_before)
#define combined NAMED(combined)
#define level_old NAMED(level_old)
#define level_new NAMED(level_new)
#define scan_result NAMED(scan_result)

; the workgroup scan
#define registers_used NAMED(registers_used)
#define workgroup_entry NAMED(workgroup_entry)
#define round NAMED(round)
#define index NAMED(index)
#define element NAMED(element)
#define scan_value NAMED(scan_value)
#define left NAMED(left)
#define carry NAMED(carry)
#define chunk NAMED(chunk)
#define lane NAMED(lane)
#define subgroup NAMED(subgroup)
#define subgroup_start NAMED(subgroup_start)
#define invocation NAMED(invocation)
#define is_last_lane NAMED(is_last_lane)
#define is_subgroup_zero NAMED(is_subgroup_zero)

#define level_0 NAMED(level_0)
#define level_0_test NAMED(level_0_test)
#define level_0_body NAMED(level_0_body)
#define level_0_next NAMED(level_0_next)
#define level_0_done NAMED(level_0_done)
#define round_0_tested NAMED(round_0_tested)
#define round_0_exists NAMED(round_0_exists)
#define round_0 NAMED(round_0)
#define round_0_start NAMED(round_0_start)
#define index_0 NAMED(index_0)
#define element_0 NAMED(element_0)
#define element_0_read NAMED(element_0_read)
#define scanned_0 NAMED(scanned_0)
#define stored_0 NAMED(stored_0)
#define keep_total NAMED(keep_total)
#define total_kept NAMED(total_kept)
#define round_0_partials NAMED(round_0_partials)
#define partial_0_index NAMED(partial_0_index)
#define partial_0 NAMED(partial_0)
#define total NAMED(total)
#define round_0_old NAMED(round_0_old)
#define round_0_new NAMED(round_0_new)

#define level_1_enter NAMED(level_1_enter)
#define level_1 NAMED(level_1)
#define level_1_test NAMED(level_1_test)
#define level_1_body NAMED(level_1_body)
#define level_1_next NAMED(level_1_next)
#define level_1_done NAMED(level_1_done)
#define level_1_left NAMED(level_1_left)
#define chunk_tested NAMED(chunk_tested)
#define chunk_exists NAMED(chunk_exists)
#define chunk_used NAMED(chunk_used)
#define chunk_start NAMED(chunk_start)
#define partial_1_index NAMED(partial_1_index)
#define partial_1 NAMED(partial_1)
#define partial_read NAMED(partial_read)
#define partial_exists NAMED(partial_exists)
#define partial_used NAMED(partial_used)
#define scanned_1 NAMED(scanned_1)
#define carry_used NAMED(carry_used)
#define carried NAMED(carried)
#define carry_out NAMED(carry_out)
#define chunk_old NAMED(chunk_old)
#define chunk_new NAMED(chunk_new)

#define combine NAMED(combine)
#define combine_test NAMED(combine_test)
#define combine_body NAMED(combine_body)
#define combine_next NAMED(combine_next)
#define combine_done NAMED(combine_done)
#define round_2_tested NAMED(round_2_tested)
#define round_2_exists NAMED(round_2_exists)
#define round_2 NAMED(round_2)
#define round_2_start NAMED(round_2_start)
#define index_2 NAMED(index_2)
#define element_2 NAMED(element_2)
#define round_2_partials NAMED(round_2_partials)
#define position NAMED(position)
#define is_first_position NAMED(is_first_position)
#define left_is_identity NAMED(left_is_identity)
#define left_is_partial NAMED(left_is_partial)
#define left_known NAMED(left_known)
#define left_position NAMED(left_position)
#define partial_2 NAMED(partial_2)
#define partial_left NAMED(partial_left)
#define neighbour NAMED(neighbour)
#define combine_is_lane_zero NAMED(combine_is_lane_zero)
#define previous NAMED(previous)
#define left_used NAMED(left_used)
#define element_2_right NAMED(element_2_right)
#define element_2_new NAMED(element_2_new)
#define stored_2 NAMED(stored_2)
#define round_2_old NAMED(round_2_old)
#define round_2_new NAMED(round_2_new)
#endif

#if defined(FORM_SSA) || defined(FORM_COUNTED)
; scan-loop-unrolled.h
#define operand NAMED(operand)
#define left_1 NAMED(left_1)
#define left_2 NAMED(left_2)
#define left_4 NAMED(left_4)
#define left_8 NAMED(left_8)
#define left_16 NAMED(left_16)
#define left_32 NAMED(left_32)
#define left_64 NAMED(left_64)
#define kept_1 NAMED(kept_1)
#define kept_2 NAMED(kept_2)
#define kept_4 NAMED(kept_4)
#define kept_8 NAMED(kept_8)
#define kept_16 NAMED(kept_16)
#define kept_32 NAMED(kept_32)
#define kept_64 NAMED(kept_64)
#define sum_1 NAMED(sum_1)
#define sum_2 NAMED(sum_2)
#define sum_4 NAMED(sum_4)
#define sum_8 NAMED(sum_8)
#define sum_16 NAMED(sum_16)
#define sum_32 NAMED(sum_32)
#define sum_64 NAMED(sum_64)

; the last sum of the unrolled scan
#if SUBGROUP_SIZE == 4
#define scanned sum_2
#elif SUBGROUP_SIZE == 8
#define scanned sum_4
#elif SUBGROUP_SIZE == 16
#define scanned sum_8
#elif SUBGROUP_SIZE == 32
#define scanned sum_16
#elif SUBGROUP_SIZE == 64
#define scanned sum_32
#elif SUBGROUP_SIZE == 128
#define scanned sum_64
#endif
#endif
