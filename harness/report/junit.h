// SPDX-License-Identifier: Apache-2.0
// JUnit XML as a value: suites of cases, which one function writes. Reports and
// comparisons make it; tests/junit.xsd has what readers take.
#pragma once

#include "report/model.h"

enum junit_verdict { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED, JUNIT_VERDICTS };

struct junit_case {
    struct text class, name;
    double seconds;
    enum junit_verdict verdict;
    const char *type;           // of a failure or an error, static
    struct text message, story; // one line; what a reader shows on a click. Of a passed case the
                                // story alone, if it has any
};

struct junit_suite {
    struct text name, properties;
    char started[20]; // "2026-11-21T02:09:00": without the Z, which some readers do not know
    struct junit_case *cases;
    size_t count;
};

// Zero-initialise; clear with junit_clear.
struct junit {
    struct junit_suite *suites;
    size_t count;
};

// Appends a property of the last suite.
void junit_property(struct junit *junit, const char *name, const char *value);

// A suite for a device, with what the driver says of it as properties.
void junit_device(struct junit *junit, const struct report_model *model, size_t device);
// A case of that suite for a configuration of this name, without a verdict.
struct junit_case *junit_configuration(struct junit *junit, const struct report_model *model,
                                       size_t device, const char *name, double seconds);
// What the result of a configuration is to a reader that knows four words, and what it says.
void junit_judge(struct junit_case *one, const struct report_model *model,
                 const struct report_result *result);

// As a file whose root has this name.
void junit_write(const struct junit *junit, const char *name, struct text *out);
void junit_clear(struct junit *junit);
