// SPDX-License-Identifier: Apache-2.0
// The table of formats.
#include "report/formats.h"

#define FORMAT(name, suffix, function, about) {#name, suffix, about, function},
const struct report_format report_formats[REPORT_FORMS] = {REPORT_STREAMS(FORMAT)
                                                               REPORT_FILES(FORMAT)};

bool report_stored(report_function *write, struct store *store, int64_t session, struct text *out,
                   struct lit_error *error)
{
    struct report_model model;
    bool good = report_model_load(store, session, &model, error);
    if (good)
        write(&model, out);
    report_model_clear(&model);
    return good;
}
