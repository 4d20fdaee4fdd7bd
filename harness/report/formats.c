// SPDX-License-Identifier: Apache-2.0
// The table of formats.
#include "report/formats.h"

#define FORMAT(name, suffix, function, about) {#name, suffix, about, function, NULL},
#define PAGE(name, suffix, function, about)   {#name, suffix, about, NULL, function},
const struct report_format report_formats[REPORT_FORMS] = {
    REPORT_STREAMS(FORMAT) REPORT_FILES(FORMAT) REPORT_PAGES(PAGE)};

bool report_format_write(const struct report_format *format, struct store *store,
                         const struct report_model *model, struct text *out,
                         struct lit_error *error)
{
    if (format->page && (model->only_device[0] || model->only_test[0]))
        return lit_fail(error, LIT_EXIT_USAGE,
                        "a report as %s is of a whole session: no --device, no --test",
                        format->name);
    if (format->page)
        return format->page(store, model->session.id, out, error);
    format->write(model, out);
    return true;
}

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
