// SPDX-License-Identifier: Apache-2.0
// Atomic instructions on host memory.
#include "memory/host.h"

static uint64_t atomic_32(host32 *at, const struct order_atomic *atomic, bool *differs)
{
    const uint32_t value = (uint32_t)atomic->value;
    uint32_t old;
    switch (atomic->action) {
    case ORDER_LOAD:
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);
    case ORDER_STORE:
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);
        return 0;
    case ORDER_COMPARE:
        old = (uint32_t)atomic->compare;
        *differs = !__atomic_compare_exchange_n(at, &old, value, false, __ATOMIC_SEQ_CST,
                                                __ATOMIC_SEQ_CST);
        return old;
    case ORDER_MODIFY:
        break;
    }
    old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, (uint32_t)atomic->modify(old, atomic->value, 32),
                                        true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t atomic_64(host64 *at, const struct order_atomic *atomic, bool *differs)
{
    uint64_t old;
    switch (atomic->action) {
    case ORDER_LOAD:
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);
    case ORDER_STORE:
        __atomic_store_n(at, atomic->value, __ATOMIC_SEQ_CST);
        return 0;
    case ORDER_COMPARE:
        old = atomic->compare;
        *differs = !__atomic_compare_exchange_n(at, &old, atomic->value, false, __ATOMIC_SEQ_CST,
                                                __ATOMIC_SEQ_CST);
        return old;
    case ORDER_MODIFY:
        break;
    }
    old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, atomic->modify(old, atomic->value, 64), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

uint64_t host_atomic(unsigned char *at, uint32_t size, const struct order_atomic *atomic,
                     bool *differs)
{
    *differs = false;
    return size == 8 ? atomic_64((host64 *)(void *)at, atomic, differs)
                     : atomic_32((host32 *)(void *)at, atomic, differs);
}
