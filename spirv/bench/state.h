; SPDX-License-Identifier: Apache-2.0

; How a tile's sum is published together with what it is (STORE_STATE or RAISE_STATE says how each word), and
; how it is seen: SEE(k) makes seen_sum_k, seen_tag_k and is_now_k of tile looked_k.

; What a word of 64 bits was before is stored over; or, if others may have published, the greater one stays:
; sums of this epoch that reach further back.
#define STORE_STATE(name) OpAtomicStore %name##_at %device_scope %no_semantics %name##_word
#define RAISE_STATE(name) %name##_old = OpAtomicUMax %state_word %name##_at %device_scope %no_semantics %name##_word
#define PUBLISH_WORD(name, place, part, tag, how) \
    %name##_pair = OpCompositeConstruct %uint2 part tag \
    %name##_word = OpBitcast %state_word %name##_pair \
    %name##_at = OpAccessChain %to_state_word %board %tiles_part place \
                        how(name)
%tag_begin            = OpShiftLeftLogical %uint %epoch %two
#if defined(ENCODING_WORD64)
#define PUBLISH(name, tile, kind, sum, how) \
    %name##_tag = OpBitwiseOr %uint %tag_begin kind \
    PUBLISH_WORD(name, tile, sum, %name##_tag, how)
#elif defined(ENCODING_SPLIT64)
#define PUBLISH(name, tile, kind, sum, how) \
    %name##_tag = OpBitwiseOr %uint %tag_begin kind \
    %name##_halves = OpBitcast %uint2 sum \
    %name##_below = OpCompositeExtract %uint %name##_halves 0 \
    %name##_above = OpCompositeExtract %uint %name##_halves 1 \
    PUBLISH_WORD(name##_low, tile %zero, %name##_below, %name##_tag, how) \
    PUBLISH_WORD(name##_high, tile %one, %name##_above, %name##_tag, how)
#else
#define PUBLISH(name, tile, kind, sum, how) \
    %name##_tag = OpBitwiseOr %uint %tag_begin kind \
    %name##_above = OpShiftRightLogical %uint sum %sixteen \
    %name##_low_word = OpBitFieldInsert %uint %name##_tag sum %sixteen %sixteen \
    %name##_high_word = OpBitFieldInsert %uint %name##_tag %name##_above %sixteen %sixteen \
    %name##_low_at = OpAccessChain %to_word %board %tiles_part tile %zero \
    %name##_high_at = OpAccessChain %to_word %board %tiles_part tile %one \
                        how(name##_low) \
                        how(name##_high)
#endif

; A sum of another epoch is nothing.
#if defined(ENCODING_WORD64)
#define SEE(k) \
    NUMBERED(seen_at, k) = OpAccessChain %to_state_word %board %tiles_part NUMBERED(looked, k) \
    NUMBERED(seen_word, k) = OpAtomicLoad %state_word NUMBERED(seen_at, k) %device_scope %no_semantics \
    NUMBERED(seen, k) = OpBitcast %uint2 NUMBERED(seen_word, k) \
    NUMBERED(seen_sum, k) = OpCompositeExtract %uint NUMBERED(seen, k) 0 \
    NUMBERED(seen_tag, k) = OpCompositeExtract %uint NUMBERED(seen, k) 1 \
    NUMBERED(seen_epoch, k) = OpShiftRightLogical %uint NUMBERED(seen_tag, k) %two \
    NUMBERED(is_now, k) = OpIEqual %bool NUMBERED(seen_epoch, k) %epoch
#elif defined(ENCODING_SPLIT64)
#define SEE(k) \
    NUMBERED(seen_low_at, k) = OpAccessChain %to_state_word %board %tiles_part NUMBERED(looked, k) %zero \
    NUMBERED(seen_high_at, k) = OpAccessChain %to_state_word %board %tiles_part NUMBERED(looked, k) %one \
    NUMBERED(seen_low_word, k) = OpAtomicLoad %state_word NUMBERED(seen_low_at, k) %device_scope %no_semantics \
    NUMBERED(seen_high_word, k) = OpAtomicLoad %state_word NUMBERED(seen_high_at, k) %device_scope %no_semantics \
    NUMBERED(seen_low, k) = OpBitcast %uint2 NUMBERED(seen_low_word, k) \
    NUMBERED(seen_high, k) = OpBitcast %uint2 NUMBERED(seen_high_word, k) \
    NUMBERED(sum_halves, k) = OpVectorShuffle %uint2 NUMBERED(seen_low, k) NUMBERED(seen_high, k) 0 2 \
    NUMBERED(seen_sum, k) = OpBitcast %value NUMBERED(sum_halves, k) \
    NUMBERED(seen_tag, k) = OpCompositeExtract %uint NUMBERED(seen_low, k) 1 \
    NUMBERED(tag_high, k) = OpCompositeExtract %uint NUMBERED(seen_high, k) 1 \
    NUMBERED(seen_epoch, k) = OpShiftRightLogical %uint NUMBERED(seen_tag, k) %two \
    NUMBERED(is_epoch, k) = OpIEqual %bool NUMBERED(seen_epoch, k) %epoch \
    NUMBERED(is_one, k) = OpIEqual %bool NUMBERED(seen_tag, k) NUMBERED(tag_high, k) \
    NUMBERED(is_now, k) = OpLogicalAnd %bool NUMBERED(is_epoch, k) NUMBERED(is_one, k)
#else
#define SEE(k) \
    NUMBERED(seen_low_at, k) = OpAccessChain %to_word %board %tiles_part NUMBERED(looked, k) %zero \
    NUMBERED(seen_high_at, k) = OpAccessChain %to_word %board %tiles_part NUMBERED(looked, k) %one \
    NUMBERED(seen_low, k) = OpAtomicLoad %uint NUMBERED(seen_low_at, k) %device_scope %no_semantics \
    NUMBERED(seen_high, k) = OpAtomicLoad %uint NUMBERED(seen_high_at, k) %device_scope %no_semantics \
    NUMBERED(sum_low, k) = OpShiftRightLogical %uint NUMBERED(seen_low, k) %sixteen \
    NUMBERED(seen_sum, k) = OpBitFieldInsert %uint NUMBERED(seen_high, k) NUMBERED(sum_low, k) %zero %sixteen \
    NUMBERED(seen_tag, k) = OpBitFieldUExtract %uint NUMBERED(seen_low, k) %zero %sixteen \
    NUMBERED(tag_high, k) = OpBitFieldUExtract %uint NUMBERED(seen_high, k) %zero %sixteen \
    NUMBERED(seen_epoch, k) = OpShiftRightLogical %uint NUMBERED(seen_tag, k) %two \
    NUMBERED(epoch_low, k) = OpBitFieldUExtract %uint %epoch %zero %fourteen \
    NUMBERED(is_epoch, k) = OpIEqual %bool NUMBERED(seen_epoch, k) NUMBERED(epoch_low, k) \
    NUMBERED(is_one, k) = OpIEqual %bool NUMBERED(seen_tag, k) NUMBERED(tag_high, k) \
    NUMBERED(is_now, k) = OpLogicalAnd %bool NUMBERED(is_epoch, k) NUMBERED(is_one, k)
#endif
