// SPDX-License-Identifier: Apache-2.0
// JUnit XML as a value: suites of cases, which one function writes. Reports and comparisons make
// it; tests/junit.xsd defines what readers accept.
#pragma once

#include "report/model.h"

enum junit_verdict { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED, JUNIT_VERDICTS };

struct junit_case {
    struct text class, name;
    double seconds;
    enum junit_verdict verdict;
    const char *type;           // of a failure or an error, static
    struct text message, story; // one line; text on a click. A pass shows only the story
};

struct junit_suite {
    struct text name, properties;
    char started[20]; // "2026-11-21T02:09:00", without the Z: some readers reject it
    struct junit_case *cases;
    size_t count;
};

// Zero-initialise; clear with junit_clear.
struct junit {
    struct junit_suite *suites;
    size_t count;
};

// Appends a property to the last suite.
void junit_property(struct junit *junit, const char *name, const char *value);

// Adds a suite for a device, with the driver's statements as properties.
void junit_device(struct junit *junit, const struct report_model *model, size_t device);
// Adds a case to that suite for a configuration of this name, without a verdict.
struct junit_case *junit_configuration(struct junit *junit, const struct report_model *model,
                                       size_t device, const char *name, double seconds);
// Sets a case's verdict, in JUnit's four words, and its texts from a result.
void junit_judge(struct junit_case *one, const struct report_model *model,
                 const struct result *result);

// Writes a file whose root has this name.
void junit_write(const struct junit *junit, const char *name, struct text *out);
void junit_clear(struct junit *junit);
