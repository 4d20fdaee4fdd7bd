// SPDX-License-Identifier: Apache-2.0
// ACO's program, and a run of it with the arguments that RADV passes (nir/nir.h).
#include "aco/program.h"

#include <stdlib.h>
#include <string.h>

// ACO numbers its values as the NIR does, from 1 on: those that a line computes stand before " = ".
static void read_values(struct aco_program *p, const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t length = strcspn(line, "\n");
        const char *end = memmem(line, length, " = ", 3);
        for (const char *at = line; end && at < end; at++) {
            const unsigned long number = *at == '%' ? strtoul(at + 1, NULL, 10) : 0;
            if (number > 0 && number - 1 < p->nir->value_count)
                p->defined[number - 1] = true;
        }
    }
}

// With debug information ACO's text names a place in the SPIR-V before each operation of the NIR:
// "// 0x500 (null):0:0".
static void read_offsets(struct aco_program *p, const char *text)
{
    size_t at = 0;
    for (size_t i = 0; i < p->nir->count; i++)
        p->offset[i] = UINT32_MAX;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        line += strspn(line, " ");
        if (strncmp(line, "// 0x", 5) != 0)
            continue;
        while (at < p->nir->count && p->nir->ops[at].kind > NIR_CALL)
            at++;
        if (at < p->nir->count)
            p->offset[at++] = (uint32_t)strtoul(line + 3, NULL, 16);
    }
}

bool aco_program_make(const struct nir_program *nir, const char *text, const char *listing,
                      unsigned vgprs, struct aco_program **program, struct lit_error *error)
{
    struct aco_program *p = *program = lit_alloc(1, sizeof *p);
    p->nir = nir;
    p->vgprs = vgprs;
    p->defined = lit_alloc(nir->value_count + 1, sizeof *p->defined);
    p->offset = lit_alloc(nir->count + 1, sizeof *p->offset);
    read_values(p, text);
    read_offsets(p, text);
    return rdna_listing_read(listing, &p->listing) ||
           lit_fail(error, LIT_EXIT_UNDECIDED, "machine code that is not known");
}

void aco_program_free(struct aco_program **program)
{
    if (!*program)
        return;
    free((*program)->listing.words);
    free((*program)->defined);
    free((*program)->offset);
    free(*program);
    *program = NULL;
}

bool aco_run_watched(const struct aco_program *program, const struct nir_dispatch *d, bool late,
                     const struct aco_watch *watch, struct lit_error *error)
{
    const struct nir_program *nir = program->nir;
    struct rdna_host_buffer buffers[NIR_BINDINGS + 1];
    uint32_t set[4 * NIR_BINDINGS];
    char why[160];
    struct rdna_host host = {
        .listing = &program->listing,
        .lanes = nir->subgroup,
        .vgprs = program->vgprs,
        .lds = nir->shared,
        .groups = d->groups,
        .threads = d->local,
        .sgprs = nir->sets + nir->scalars,
        .group_sgpr = nir->grouped,
        .size_sgpr = nir->placed,
        .ring = nir->first == 1,
        .buffers = buffers,
        .buffer_count = d->buffer_count + 1,
        .steps = d->steps,
        .late = late,
        .watch = watch ? watch->see : NULL,
        .user = watch ? watch->user : NULL,
        .group = d->watched_group,
        .index = d->watched_subgroup,
    };
    if (nir->subgroup < 32 || host.sgprs > RDNA_HOST_SGPRS)
        return lit_fail(error, LIT_EXIT_UNDECIDED, "arguments that are not known");
    host.sgpr[0] = (uint32_t)NIR_SET;
    memcpy(host.sgpr + nir->sets, d->pushed, nir->scalars * sizeof *d->pushed);
    nir_dispatch_set(d, set);
    buffers[0] = (struct rdna_host_buffer){NIR_SET, set, d->bound_count * 16};
    for (size_t i = 0; i < d->buffer_count; i++)
        buffers[i + 1] = (struct rdna_host_buffer){d->buffers[i].address, d->buffers[i].bytes,
                                                   d->buffers[i].size};
    return rdna_host_run(&host, why) || lit_fail(error, LIT_EXIT_UNDECIDED, "%s", why);
}

bool aco_run(const struct aco_program *program, const struct nir_dispatch *dispatch, bool late,
             struct lit_error *error)
{
    return aco_run_watched(program, dispatch, late, NULL, error);
}
