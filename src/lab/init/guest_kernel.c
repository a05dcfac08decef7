// Where the guest's kernel has the functions that the lab's clock watches.
#include "base/marker.h"
#include "guest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const names[HN_KERNEL_FUNCTIONS] = {
    [HN_KERNEL_SWITCH] = "__switch_to",
    [HN_KERNEL_WAKE] = "try_to_wake_up",
    [HN_KERNEL_WAKE_NEW] = "wake_up_new_task",
    [HN_KERNEL_KICK] = "native_smp_send_reschedule",
    [HN_KERNEL_KICK_CALL] = "native_send_call_func_single_ipi",
    [HN_KERNEL_CALL] = "x64_sys_call",
    [HN_KERNEL_FUTEX] = "do_futex",
    [HN_KERNEL_FAULT] = "do_user_addr_fault",
};
static unsigned long addresses[HN_KERNEL_FUNCTIONS];

void hn_find_kernel_functions(void) {
  FILE* symbols = fopen("/proc/kallsyms", "re");
  if (symbols == NULL) return;
  char line[512];
  // All are in the first tenth of what the kernel has to say.
  for (int found = 0; found < HN_KERNEL_FUNCTIONS && fgets(line, sizeof line, symbols) != NULL;) {
    // An address, a blank, a letter, a blank and the name.
    char* name;
    unsigned long address = strtoul(line, &name, 16);
    if (strlen(name) < 4) continue;
    name[strcspn(name, "\n")] = '\0';
    for (int i = 0; i < HN_KERNEL_FUNCTIONS; ++i) {
      if (strcmp(name + 3, names[i]) != 0 || addresses[i] != 0) continue;
      addresses[i] = address;
      ++found;
    }
  }
  fclose(symbols);
}

void hn_tell_kernel_functions(void) {
  for (int i = 0; i < HN_KERNEL_FUNCTIONS; ++i) hn_marker_kernel(i, addresses[i]);
}
