// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP: the first one asks the run to stop in order, the second ends the
// program at once.
#pragma once

// Starts listening. A signal that the program was started with ignored (nohup) stays ignored.
void eng_interrupt_listen(void);
// The signal that came, 0 if none.
int eng_interrupt(void);
// Ends the program by the signal, so that whoever started it sees how it ended.
_Noreturn void eng_interrupt_reraise(int number);
