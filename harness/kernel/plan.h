// SPDX-License-Identifier: Apache-2.0
// What is to be run, whether options or a script say it: pipelines, buffers, dispatches; and how
// scripts are read.
#pragma once

#include "kernel/kernel.h"

#define KRN_MOST_HELD 64 // buffers

// SET.BINDING, SET.BINDING[INDEX]: the element as struct cat_binding has it; 0: all of an array,
// too.
struct krn_place {
    uint32_t set, binding, element;
};

// Where the address of a buffer stands among bytes.
struct krn_address {
    size_t at; // bytes
    struct krn_place of;
};

// Bytes that options say, with zeros where addresses stand.
struct krn_values {
    struct text bytes;
    struct krn_address *addresses;
    size_t address_count;
};
void krn_values_clear(struct krn_values *values);

// A buffer, whatever pipelines it is bound to.
struct krn_held {
    // Of all its declarations: the largest, read-only if all are.
    struct cat_buffer as;
    char name[CAT_ENTRY_SIZE]; // that a script gives it; "" without
    // Each of `words`, owned. before NULL: nothing that counts; after NULL: it is not compared;
    // counts, the bits that are, NULL: all.
    uint32_t *before, *after, *counts;
    size_t words;             // 0: not known yet
    struct cat_tolerance may; // without `like`
    size_t like; // the buffer that it is to be like, an index from 1; 0: none. It has `after`, too
    struct krn_address *addresses; // in `before`, owned
    size_t address_count;
};

struct krn_pipeline {
    char name[CAT_ENTRY_SIZE]; // "" of the first that options say
    uint32_t *words;           // of its module, owned; NULL: those of the first
    size_t word_count;
    struct cat_inspected module;
    struct cat_spec specs[CAT_MOST_SPEC];
    size_t spec_count;
    bool full;
    uint32_t subgroup;              // that it asks for; 0: as the device runs it
    size_t held[CAT_MOST_BINDINGS]; // what each of module.buffers is: an index into `buffers`
};

struct krn_dispatch {
    size_t pipeline; // an index
    uint32_t groups[3];
    uint8_t push[CAT_MOST_PUSH];
    struct krn_address *addresses; // in `push`, owned
    size_t address_count;
};

struct krn_plan {
    struct krn_pipeline pipelines[1 + CAT_MOST_PARTS]; // the first dispatch is of the first
    size_t pipeline_count;
    struct krn_held buffers[KRN_MOST_HELD];
    size_t buffer_count;
    struct krn_dispatch dispatches[1 + CAT_MOST_STEPS];
    size_t dispatch_count;
};

struct krn_plan *krn_plan_new(void);
void krn_plan_free(struct krn_plan **plan); // NULL is fine

// The module of a pipeline, for cat_inspect and the package.
const uint32_t *krn_plan_words(const struct krn_plan *plan, const struct krn_pipeline *pipeline,
                               size_t *count);
// "buffer 0.1 (sums)", as a message names it.
void krn_plan_name(const struct krn_held *held, struct text *name);
// 32-bit words that the module asks for at least.
uint64_t krn_plan_least(const struct cat_buffer *buffer);
// Whether a place names a buffer.
bool krn_place_is(const struct krn_place *place, const struct cat_buffer *buffer);
// Makes of the first element of an array that is open `elements`, one behind the other. False if
// there would be more than CAT_MOST_BINDINGS.
bool krn_plan_grow(struct cat_buffer *buffers, size_t *count, size_t first, uint32_t elements);
// What another declaration of a buffer says besides.
void krn_plan_join(struct krn_held *held, const struct cat_buffer *buffer);

// Puts the plan into a package, which takes the first module's words. `agrees`: all buffers that
// are written are compared. False with an error that says what is missing of a buffer.
bool krn_plan_place(struct krn_plan *plan, bool agrees, struct cat_package *package,
                    struct lit_error *error);

// Reads an Amber script, whose text becomes the page. False with an error that names its line, or
// an option that says what a script says itself.
bool krn_script(const char *path, const struct krn_options *chosen, struct krn_plan *plan,
                struct text *page, struct lit_error *error);

// Values as text. False unless there is one, and no more than `most` where that is asked; *end is
// behind it.
bool krn_take_number(const char *text, uint64_t most, uint64_t *number, const char **end);
// "SET.BINDING", "SET.BINDING[INDEX]".
bool krn_take_place(const char *text, struct krn_place *place, const char **end);

// Gives a specialization constant of 32 or 64 bits a value. False if there are too many.
bool krn_put_spec(struct cat_spec *specs, size_t *count, uint32_t id, uint32_t bits,
                  const uint8_t bytes[8]);

// Whether a text begins as values with a prefix do: "u32:1,2,f32:0.5,hex:00ff,address:0.2".
bool krn_values_are(const char *text);
// Appends them to *values. False with an error that names the option.
bool krn_values_take(const char *option, const char *text, struct krn_values *values,
                     struct lit_error *error);
// Takes `size` bytes of push constants: values with a prefix or without, file:FILE or FILE. False
// with an error that names the option: if there are more or fewer, and if the text has several
// meanings.
bool krn_push_take(const char *option, const char *given, uint32_t size, struct krn_values *values,
                   struct lit_error *error);

// --- Amber scripts: what of their language says how a compute shader is run

// The shader that a script has, or names.
struct krn_shader {
    enum krn_source source;
    const char *target; // TARGET_ENV; NULL without
    const char *file;   // from the present folder on; NULL: the text
    const char *text;
    size_t length;
};

struct krn_script {
    const char *path; // in messages; files are named from its folder on
    const char *text;
    size_t length;
    bool agrees; // nothing that the script expects counts
    // Makes the module of a shader; free() the words, after a failure too.
    bool (*load)(const struct krn_shader *shader, void *user, uint32_t **words, size_t *count,
                 struct lit_error *error);
    void *user;
};

// Reads a script into an empty plan. False with an error that names its line.
bool krn_script_read(const struct krn_script *script, struct krn_plan *plan,
                     struct lit_error *error);

// --- Its values

struct krn_type {
    char kind; // 'i', 'u', 'f'
    uint32_t bits;
    uint32_t columns, rows; // of a vector 1 column; of a number 1 row
    uint32_t column_bytes;  // from one column to the next
    uint32_t bytes;         // from one element to the next
};

// "uint32", "vec4<float>", "mat2x3<float>"; std140: laid out for a uniform buffer. False for what
// is none, or has no place here.
bool krn_type_parse(const char *text, bool std140, struct krn_type *type);
// Where number n of a buffer is, in bytes.
uint64_t krn_type_offset(const struct krn_type *type, uint64_t n);
// A number: of 'i' and 'u' `number`, of 'f' `real`.
struct krn_value {
    uint64_t number;
    double real;
};
// False if the text is none of the type.
bool krn_value_parse(const struct krn_type *type, const char *text, struct krn_value *value);
// The bytes of first + n * step, type->bits / 8 of them that count; step NULL: of first.
void krn_value_bytes(const struct krn_type *type, const struct krn_value *first,
                     const struct krn_value *step, uint64_t n, uint8_t bytes[8]);

// --- The reader at work: private to it

#define KRN_MOST_BINDS 64
#define KRN_TOKEN      256
#define KRN_NONE       SIZE_MAX

struct krn_script_shader {
    char name[CAT_ENTRY_SIZE];
    uint32_t *words;
    size_t count;
};

struct krn_script_buffer {
    char name[CAT_ENTRY_SIZE];
    struct krn_type type;
    struct text bytes;          // what it holds before the first RUN
    uint8_t *expected, *counts; // as many; NULL before an EXPECT
    size_t expects;             // the line of the first one; 0: none
    bool tolerates;             // they say by how much it may differ
    struct cat_tolerance may;
    size_t like;   // a buffer whose bytes it is to have at the end; KRN_NONE
    bool is_model; // another one is to be like it
    bool written;  // by a RUN
    size_t held;   // an index into the plan's buffers; KRN_NONE: no RUN had it
};

struct krn_script_bind {
    size_t buffer;
    uint32_t set, binding, element; // as struct cat_binding has it
    bool uniform;
};

struct krn_script_pipeline {
    char name[CAT_ENTRY_SIZE], entry[CAT_ENTRY_SIZE];
    size_t shader; // KRN_NONE: none is attached
    struct cat_spec specs[CAT_MOST_SPEC];
    size_t spec_count;
    uint32_t subgroup;
    bool full;
    struct krn_script_bind binds[KRN_MOST_BINDS];
    size_t bind_count;
    size_t push;    // a buffer; KRN_NONE: none
    size_t planned; // an index into the plan's pipelines; KRN_NONE: no RUN had it
};

struct krn_reader {
    const struct krn_script *script;
    struct krn_plan *plan;
    struct lit_error *error;
    const char *at, *end;
    size_t line;
    char token[KRN_TOKEN]; // "\n": the end of a line; "": of the script
    struct krn_script_shader *shaders;
    struct krn_script_buffer *buffers;
    struct krn_script_pipeline *pipelines;
    size_t shader_count, buffer_count, pipeline_count;
    size_t bytes;                     // of all buffers
    size_t first[1 + CAT_MOST_PARTS]; // the shader of each of the plan's pipelines
};

// False with an error that names script and line.
__attribute__((format(__printf__, 2, 3))) bool krn_refuse(struct krn_reader *r, const char *format,
                                                          ...);
// The same, with the present token behind it.
bool krn_refuse_token(struct krn_reader *r, const char *what);

// The next token. One that is too long is cut: no word of the language, and no name, is as long.
const char *krn_next(struct krn_reader *r);
bool krn_is(const struct krn_reader *r, const char *word);
// Whether the present token is the end of a line, or of the script.
bool krn_at_end(const struct krn_reader *r);
// False with an error if the line does not end here.
bool krn_end_line(struct krn_reader *r);
bool krn_expect_word(struct krn_reader *r, const char *word);
bool krn_take_name(struct krn_reader *r, char name[CAT_ENTRY_SIZE]);
bool krn_take_count(struct krn_reader *r, uint64_t most, uint64_t *number);
// The name of a buffer that there is.
bool krn_take_buffer(struct krn_reader *r, size_t *at);
// The pipeline of a name; KRN_NONE.
size_t krn_find_pipeline(const struct krn_reader *r, const char *name);

// The commands RUN and EXPECT, behind that word.
bool krn_read_run(struct krn_reader *r);
bool krn_read_expect(struct krn_reader *r);
