// SPDX-License-Identifier: Apache-2.0
// What to run, from options or a script: pipelines, buffers, dispatches; and how to read scripts.
#pragma once

#include "kernel/kernel.h"

#define KRN_MOST_HELD 64 // buffers, and bindings of a pipeline

// SET.BINDING, SET.BINDING[INDEX]: the element as in struct cat_binding; 0: also a whole array.
struct krn_place {
    uint32_t set, binding, element;
};

// The position of a buffer's address in some bytes.
struct krn_address {
    size_t at; // offset in bytes
    struct krn_place of;
};

// Bytes from options, with zeros in place of addresses.
struct krn_values {
    struct text bytes;
    struct krn_address *addresses;
    size_t address_count;
};
void krn_values_clear(struct krn_values *values);

#define KRN_NONE SIZE_MAX

struct krn_type {
    char kind; // 'i', 'u', 'f'
    uint32_t bits;
    uint32_t columns, rows; // of a vector 1 column; of a number 1 row
    uint32_t column_bytes;  // from one column to the next
    uint32_t bytes;         // from one element to the next
};

struct krn_module {
    char name[CAT_ENTRY_SIZE]; // in a script
    uint32_t *words;           // owned
    size_t count;
};

// A buffer, which several pipelines may bind.
struct krn_held {
    char name[CAT_ENTRY_SIZE]; // in a script, or ""
    // Combines all its declarations: the largest, read-only if all are.
    struct cat_buffer as;
    bool used; // `as` is known: a pipeline that runs binds it
    // Owned arrays of `words` words. before NULL: any content; after NULL: not compared; counts:
    // the bits to compare, NULL: all.
    uint32_t *before, *after, *counts;
    size_t words;             // 0: not yet known
    struct cat_tolerance may; // without `like`
    size_t like; // the buffer that it must equal, an index from 1; 0: none. `after` is set, too
    enum cat_region region; // of the package, with its first word there
    size_t first;
    struct krn_address *addresses; // in `before`, owned
    size_t address_count;
    // Of scripts:
    struct krn_type type;
    size_t bytes;   // of `before`
    size_t expects; // line of the first EXPECT; 0: none
    bool is_model;  // another buffer must equal it
    bool written;   // by a RUN
};

// A pipeline binds a buffer of the plan at a place.
struct krn_bind {
    size_t buffer;
    uint32_t set, binding, element; // as in struct cat_binding
    bool uniform;
};

struct krn_pipeline {
    char name[CAT_ENTRY_SIZE];  // "" for the first one from options
    char entry[CAT_ENTRY_SIZE]; // "": the only one
    size_t module;              // an index; KRN_NONE: none yet
    struct cat_spec specs[CAT_MOST_SPEC];
    size_t spec_count;
    bool full;
    uint32_t subgroup; // the size it requests; 0: the device's
    struct krn_bind binds[KRN_MOST_HELD];
    size_t bind_count;
    size_t push; // a script's buffer; KRN_NONE: none
    size_t part; // an index of `parts`; KRN_NONE: no dispatch is of it
    struct cat_inspected declares;
    size_t held[CAT_MOST_BINDINGS]; // for each buffer that it declares, an index of `buffers`
};

struct krn_dispatch {
    size_t part;
    uint32_t groups[3];
    uint8_t push[CAT_MOST_PUSH];
    struct krn_address *addresses; // in `push`, owned
    size_t address_count;
};

struct krn_plan {
    struct krn_module *modules;
    struct krn_pipeline *pipelines;
    struct krn_held *buffers;
    size_t module_count, pipeline_count, buffer_count;
    size_t parts[1 + CAT_MOST_PARTS]; // indices of pipelines, by their first dispatch
    size_t part_count;
    struct krn_dispatch dispatches[1 + CAT_MOST_STEPS];
    size_t dispatch_count;
};

// Whether the simulator says what is right, or nobody has to: --expect agree, or --check.
bool krn_agrees(const struct krn_options *chosen);
// Makes a package from a file and options; without an expectation if the simulator gives it.
// cat_package_clear frees it, after a failure too. False with an error that names what is missing
// and an option for it.
bool krn_make(const char *path, const struct krn_options *chosen, struct cat_package *package,
              struct lit_error *error);

void krn_plan_clear(struct krn_plan *plan);

// Gives a pipeline, which is inspected, the buffers that it binds, and a part. Open arrays have as
// many elements as are bound. False with an error if a place has none, or there are too many.
bool krn_plan_use(struct krn_plan *plan, size_t pipeline, struct lit_error *error);
// Whether the words of a buffer are known: one of fixed size that is written may hold anything
// before a run, so it gets as many as the module needs.
bool krn_plan_settle(struct krn_held *held);
// Appends what nobody said of an unsettled buffer to *what, and the option that says it to
// *options.
void krn_plan_miss(const struct krn_held *held, struct text *what, struct text *options);
// Whether a place names a buffer.
bool krn_place_is(const struct krn_place *place, const struct cat_buffer *buffer);

// Puts the plan into a package, which takes the modules' words. `agrees`: compare all written
// buffers. False with an error that says what a buffer lacks.
bool krn_plan_place(struct krn_plan *plan, bool agrees, struct cat_package *package,
                    struct lit_error *error);

// Reads an Amber script; its text becomes the page. False with an error that names its line, or an
// option that the script replaces.
bool krn_script(const char *path, const struct krn_options *chosen, struct krn_plan *plan,
                struct text *page, struct lit_error *error);

// Parses "SET.BINDING", "SET.BINDING[INDEX]"; *end points after it.
bool krn_take_place(const char *text, struct krn_place *place, const char **end);

// Parses what may differ in a buffer, as after --allow SET.BINDING=: *may gets it, and *bits those
// of each word that count. False if it is something else, such as a file.
bool krn_allow_take(const char *how, struct cat_tolerance *may, uint32_t *bits);

// Sets a specialization constant of 32 or 64 bits. False if there are too many.
bool krn_put_spec(struct cat_spec *specs, size_t *count, uint32_t id, uint32_t bits,
                  const uint8_t bytes[8]);

// Whether a text begins like values with a prefix: "u32:1,2,f32:0.5,hex:00ff,address:0.2".
bool krn_values_are(const char *text);
// Appends them to *values. False with an error that names the option.
bool krn_values_take(const char *option, const char *text, struct krn_values *values,
                     struct lit_error *error);

// --- Amber scripts: the part of the language that runs compute shaders

// A shader in a script, or in a file that it names.
struct krn_shader {
    enum krn_source source;
    const char *target; // TARGET_ENV, or NULL
    const char *file;   // relative to the current folder; NULL: use the text
    const char *text;
    size_t length;
};

struct krn_script {
    const char *path; // for messages; names of files are relative to its folder
    const char *text;
    size_t length;
    bool agrees; // ignore the script's expectations
    // Makes a shader's module; free() the words, after a failure too.
    bool (*load)(const struct krn_shader *shader, void *user, uint32_t **words, size_t *count,
                 struct lit_error *error);
    void *user;
};

// Reads a script into an empty plan; krn_plan_clear it, after a failure too. False with an error
// that names its line.
bool krn_script_read(const struct krn_script *script, struct krn_plan *plan,
                     struct lit_error *error);

// --- Script values

// Parses "uint32", "vec4<float>", "mat2x3<float>"; std140: use a uniform buffer's layout. False if
// it is not a type, or not allowed here.
bool krn_type_parse(const char *text, bool std140, struct krn_type *type);
// The byte offset of a buffer's number n.
uint64_t krn_type_offset(const struct krn_type *type, uint64_t n);
// A number: `number` for 'i' and 'u', `real` for 'f'.
struct krn_value {
    uint64_t number;
    double real;
};
// False if the text does not fit the type.
bool krn_value_parse(const struct krn_type *type, const char *text, struct krn_value *value);
// Returns the type->bits / 8 bytes of first + n * step; step NULL: of first.
void krn_value_bytes(const struct krn_type *type, const struct krn_value *first,
                     const struct krn_value *step, uint64_t n, uint8_t bytes[8]);

// --- The reader's private state

#define KRN_TOKEN 256

struct krn_reader {
    const struct krn_script *script;
    struct krn_plan *plan;
    struct lit_error *error;
    const char *at, *end;
    size_t line;
    char token[KRN_TOKEN]; // "\n": end of line; "": end of script
    size_t bytes;          // in all buffers
};

// Returns false with an error that names script and line.
__attribute__((format(__printf__, 2, 3))) bool krn_refuse(struct krn_reader *r, const char *format,
                                                          ...);
// The same, followed by the present token.
bool krn_refuse_token(struct krn_reader *r, const char *what);

// Reads the next token. Cuts one that is longer than any word or name of the language.
const char *krn_next(struct krn_reader *r);
bool krn_is(const struct krn_reader *r, const char *word);
// Whether the present token ends a line or the script.
bool krn_at_end(const struct krn_reader *r);
// False with an error if the line does not end here.
bool krn_end_line(struct krn_reader *r);
bool krn_expect_word(struct krn_reader *r, const char *word);
bool krn_take_name(struct krn_reader *r, char name[CAT_ENTRY_SIZE]);
bool krn_take_count(struct krn_reader *r, uint64_t most, uint64_t *number);
// Reads the name of an existing buffer.
bool krn_take_buffer(struct krn_reader *r, size_t *at);
// Parses the present token as a value of a buffer's type: its first type->bits / 8 bytes.
bool krn_take_value(struct krn_reader *r, const struct krn_type *type, uint8_t bytes[8]);
// Find by name; KRN_NONE.
size_t krn_find_buffer(const struct krn_reader *r, const char *name);
size_t krn_find_pipeline(const struct krn_reader *r, const char *name);

// Read the commands RUN, EXPECT and "#litmus allow", after the first word.
bool krn_read_run(struct krn_reader *r);
bool krn_read_expect(struct krn_reader *r);
bool krn_read_allow(struct krn_reader *r);
