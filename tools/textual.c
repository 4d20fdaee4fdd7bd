// SPDX-License-Identifier: Apache-2.0
// Converts a text to a C file for inclusion in the program: textual FILE SYMBOL OUTPUT.
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[3], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: textual FILE SYMBOL OUTPUT\n");
        return 2;
    }
    fprintf(out, "extern const char %s[];\nconst char %s[] = {\n", argv[2], argv[2]);
    for (int byte, at = 1; (byte = getc(in)) != EOF; at++)
        fprintf(out, "%d,%s", byte, at % 24 ? "" : "\n");
    fprintf(out, "0};\n");
    if (ferror(in) || fclose(out)) {
        perror(argv[1]);
        return 1;
    }
    return 0;
}
