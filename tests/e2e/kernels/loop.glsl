// SPDX-License-Identifier: Apache-2.0
// A loop with an exit; the words in capitals are replaced.
HINT
    for (HEAD) {
        if (EXIT) {
            if (PART)
                WORK;
            LAST;
            LEAVE;
        }
        REST;
    }
