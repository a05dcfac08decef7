// The sections of heap_lives: threads, libraries and processes that come and go while they
// allocate.
#pragma once

// threads.c
void many_threads_come_and_go(void);
void destructors_of_keys(void);
void signals_at_a_high_rate(void);
// libraries.c
void libraries_come_and_go(void);
void deep_binding(void);
void exit_handlers(void);
