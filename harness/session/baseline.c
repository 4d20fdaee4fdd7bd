// SPDX-License-Identifier: Apache-2.0
// Compares a run with a baseline.
#include "session/session.h"

#include "engine/plan.h"

bool ses_baseline_load(struct ses_baseline *baseline, const struct lit_list *files,
                       const struct lit_list *waivers, struct lit_error *error)
{
    const struct compare_source source = {files->items, files->count, false};
    baseline->given = files->count > 0;
    if (!baseline->given)
        return waivers->count == 0 ||
               lit_fail(error, LIT_EXIT_USAGE, "--waivers without --baseline");
    return compare_waivers_read(&baseline->waivers, COMPARE_WAIVERS, waivers, error) &&
           compare_side_load(&baseline->side, &source, error);
}

// Makes a side without results from the chosen devices.
static void make_side(const struct ses_devices *devices, struct compare_side *side)
{
    struct report_model *model = &side->model;
    *side = (struct compare_side){0};
    model->devices = lit_alloc(devices->inventory.count, sizeof *model->devices);
    SES_EACH_DEVICE (device, devices)
        model->devices[model->device_count++] = *device;
}

struct census {
    size_t same, changed, missing;
};

// Looks up the baseline's results for a device's partner among its planned configurations.
static void count_planned(const struct compare_side *side, size_t device,
                          const struct cat_selection *selection, const struct dev_facts *facts,
                          struct census *census)
{
    const struct report_model *model = &side->model;
    const struct cat_module *module;
    OWNED(ses_planned_clear) struct ses_planned planned;
    ses_planned_make(selection, facts, &planned);
    census->missing += planned.count;
    REPORT_EACH (result, model, device) {
        if (!ses_planned_has(&planned, result, &module))
            continue;
        const bool changed =
            module && result->sha256[0] && strcmp(result->sha256, module->sha256) != 0;
        ++*(changed ? &census->changed : &census->same);
        census->missing--;
    }
}

bool ses_baseline_check(const struct ses_baseline *baseline, const struct cat_selection *selection,
                        const struct ses_devices *devices, struct lit_error *error)
{
    OWNED(compare_side_clear) struct compare_side here = {0};
    OWNED(compare_pairs_clear) struct compare_pairs pairs = {0};
    struct census census = {0};
    if (!baseline->given)
        return true;
    make_side(devices, &here);
    bool good = compare_pair_devices(&baseline->side, &here, NULL, 0, &pairs, error);
    for (size_t i = 0; good && i < pairs.count - pairs.alone_b; i++)
        count_planned(&baseline->side, pairs.items[i].a, selection,
                      &here.model.devices[pairs.items[i].b].facts, &census);
    if (good && pairs.alone_b > 0)
        fprintf(stderr, "litmus: the baseline does not have %zu of the devices\n", pairs.alone_b);
    if (good && census.same == 0)
        good = lit_fail(error, LIT_EXIT_USAGE,
                        "%.200s: nothing to compare with: %zu of the configurations are missing, "
                        "%zu have other code",
                        baseline->side.label, census.missing, census.changed);
    if (good && census.changed + census.missing > 0)
        fprintf(stderr,
                "litmus: %s: %zu configurations can be compared; %zu are missing, %zu have other "
                "code\n",
                baseline->side.label, census.same, census.missing, census.changed);
    return good;
}

enum lit_exit ses_baseline_conclude(struct ses_baseline *baseline, struct store *store,
                                    int64_t session, const struct compare_look *look,
                                    enum lit_exit code, bool whole, char *reason, size_t size)
{
    struct lit_error error = {0};
    OWNED(compare_side_clear) struct compare_side side = {0};
    OWNED(compare_clear) struct comparison comparison = {0};
    struct compare_request request = {
        .a = &baseline->side, .b = &side, .policy = compare_policy_default};
    if (!baseline->given)
        return code;
    request.policy.gate = true;
    // A run of some tests compares only these.
    request.policy.allow_gone = true;
    enum lit_exit gate = LIT_EXIT_USAGE;
    if (compare_side_session(&side, store, session, &error) &&
        compare_make(&comparison, &request, &baseline->waivers, &error)) {
        struct text text = {0};
        text_puts(&text, "\n");
        compare_text(&comparison, look, &text);
        term_print(&text);
        compare_junit(&comparison, &baseline->junit);
        gate = comparison.summary.code;
        snprintf(error.message, sizeof error.message, "%s", comparison.summary.reason);
    } else {
        term_fail(&error);
    }
    enum lit_exit both = compare_combine(code, gate, whole);
    if (both == LIT_EXIT_UNDECIDED && gate == LIT_EXIT_OK)
        snprintf(reason, size,
                 "a device could not be measured, and nothing is worse on the others");
    else if (both != code || both == gate)
        snprintf(reason, size, "%s", error.message);
    return both;
}

void ses_baseline_clear(struct ses_baseline *baseline)
{
    compare_side_clear(&baseline->side);
    compare_waivers_clear(&baseline->waivers);
    text_free(&baseline->junit);
    *baseline = (struct ses_baseline){0};
}
