; SPDX-License-Identifier: Apache-2.0
; Loops of lanes around tiles: how a workgroup fills shared memory, and how the elements of a tile get to
; the output.

#define SYNCHRONIZE OpControlBarrier %subgroup_scope %subgroup_scope %barrier_semantics

; A loop in the block `from`, whose number begins as `first` and grows by `step` as long as it is
; below `end`; then the block name##_done. What stands between LOOP and AGAIN has no blocks.
#define LOOP(name, from, first, end) \
                        OpBranch %name##_loop \
    %name##_loop      = OpLabel \
    %name             = OpPhi %uint first from %name##_after %name##_next \
    %name##_goes_on   = OpULessThan %bool %name end \
                        OpLoopMerge %name##_done %name##_next None \
                        OpBranchConditional %name##_goes_on %name##_body %name##_done \
    %name##_body      = OpLabel
#define AGAIN(name, step) \
                        OpBranch %name##_next \
    %name##_next      = OpLabel \
    %name##_after     = OpIAdd %uint %name step \
                        OpBranch %name##_loop \
    %name##_done      = OpLabel

; Puts the factor with the loop's number into the array: bits of the word with the number `depth`,
; multiplied by an odd number.
#define PUT(name, array, line, depth, shift, bits) \
    PUT_OF(name, array, line, depth, shift, bits, %factor, %shared_factor)
#define PUT_OF(name, array, line, depth, shift, bits, type, pointer) \
    %name##_place     = OpIAdd %uint %group_start depth \
    %name##_word_at   = OpAccessChain %word_pointer %input %buffer_words %name##_place \
    %name##_word      = OpLoad %uint %name##_word_at \
    %name##_twice     = OpIMul %uint line %two \
    %name##_odd       = OpIAdd %uint %name##_twice %one \
    %name##_product   = OpIMul %uint %name##_word %name##_odd \
    %name##_shifted   = OpShiftRightLogical %uint %name##_product shift \
    %name##_bits      = OpBitwiseAnd %uint %name##_shifted bits \
    TO_FACTOR(name##_value, type, %name##_bits) \
    %name##_at        = OpAccessChain pointer array %name \
                        OpStore %name##_at %name##_value NON_PRIVATE

; Stores a tile to the subgroup's place in shared memory, from where each lane fetches its elements, which
; are its results from `first_of_tile` on.
#define STORE(tile, from, first_of_tile) \
                        SYNCHRONIZE \
                        OpCooperativeMatrixStoreKHR %sum_at %tile_##tile %by_rows %columns \
                        NON_PRIVATE \
                        SYNCHRONIZE \
    LOOP(get_##tile, from, %zero, %tile_results) \
    %get_row_##tile   = OpIMul %uint %get_##tile %subgroup_size \
    %get_element_##tile = OpIAdd %uint %get_row_##tile %lane \
    %get_index_##tile = OpIAdd %uint %sum_start %get_element_##tile \
    %get_at_##tile    = OpAccessChain %shared_sum %sums %get_index_##tile \
    %got_##tile       = OpLoad SUM %get_at_##tile NON_PRIVATE \
    FROM_SUM(number_##tile, %got_##tile) \
    %number_slot_##tile = OpIAdd %uint %get_##tile first_of_tile \
    RESULT(number_##tile, %number_slot_##tile, %number_##tile) \
    AGAIN(get_##tile, %one)
