// heap_without_policies LIBRARY|none PROGRAM [ARGUMENT...]: starts a program, with a library
// preloaded, in a process whose memory policy calls all fail with EPERM, as many containers have
// them. Through a seccomp filter, so it needs no privilege.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(call)                                 \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static int refuse_policies(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(SYS_mbind),
      REFUSE(SYS_set_mempolicy),
      REFUSE(SYS_get_mempolicy),
      REFUSE(SYS_migrate_pages),
      REFUSE(SYS_move_pages),
      REFUSE(450),  // set_mempolicy_home_node, newer than some headers.
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: heap_without_policies LIBRARY|none PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  if (refuse_policies() != 0) {
    perror("heap_without_policies: this kernel takes no filter");
    return 3;
  }
  if (syscall(SYS_mbind, NULL, 0, 0, NULL, 0, 0) == 0 || errno != EPERM) return 1;
  if (strcmp(argv[1], "none") != 0) setenv("LD_PRELOAD", argv[1], 1);
  execvp(argv[2], argv + 2);
  perror(argv[2]);
  return 1;
}
