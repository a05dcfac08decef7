// The sections of heap_lives: threads, libraries and processes that come and go while they
// allocate.
#pragma once

// threads.c
void many_threads_come_and_go(void);
void destructors_of_keys(void);
void signals_at_a_high_rate(void);
void cancelled_reports(void);
// processes.c
void handlers_of_fork(void);
void programs_start_programs(void);
void small_stacks(void);
void many_threads_at_once(void);
// forks.c
void fork_beside_streams(void);
void fork_in_a_handler(void);
void plain_fork_in_a_handler(void);
// libraries.c
void libraries_come_and_go(void);
void deep_binding(void);
void search_path_of_the_caller(void);
void exit_handlers(void);
