// SPDX-License-Identifier: Apache-2.0
// What cli/kernel*.c and cli/fuzz*.c call these until they are in rooms of their own.
#pragma once

#define cli_list                         lit_list
#define cli_list_add                     lit_list_add
#define cli_seed                         lit_seed
#define cli_seed_settle                  ses_seed_settle
#define cli_fail                         term_fail
#define cli_print                        term_print
#define cli_flush                        term_flush
#define cli_line_show                    term_line_show
#define cli_line_clear                   term_line_clear
#define cli_devices                      ses_devices
#define cli_devices_watch                ses_devices_watch
#define cli_devices_find                 ses_devices_find
#define cli_devices_heading              ses_devices_heading
#define cli_devices_end                  ses_devices_end
#define cli_simt_use                     ses_simt_use
#define cli_last_line                    ses_last_line
#define cli_run_options                  ses_options
#define cli_session_make(name, of)       ses_make(name, (of)->argc, (of)->argv)
#define cli_session_begin(name, of, ...) ses_begin(name, (of)->argc, (of)->argv, __VA_ARGS__)
#define cli_session_print_resume         ses_print_resume
#define cli_session_write                ses_write
#define cli_session_check                ses_check
#define cli_session_choose               ses_choose
#define cli_session_campaign             ses_campaign
#define CLI_MEMORY_TESTS                 SES_MEMORY_TESTS
#define CLI_KERNEL_BYTES                 CAT_PACKAGE_BYTES
