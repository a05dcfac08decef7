/* Starts a program under a seccomp filter that forbids memory policies, as containers do. The calls
 * that are forbidden give EPERM: with "setting" those that set a policy, with "all" those that ask
 * for one or move pages as well.
 * usage: forbid_policies setting|all PROGRAM ARGUMENTS... */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { set_home_node = 450, jump_to_refusal = 1 };

static const unsigned setting[] = {SYS_mbind, SYS_set_mempolicy, set_home_node};
static const unsigned asking[] = {SYS_get_mempolicy, SYS_move_pages, SYS_migrate_pages};

static struct sock_filter filter[2 + 2 * 6 + 1];
static unsigned short length;

static void add(struct sock_filter instruction) {
  filter[length++] = instruction;
}

/* Two instructions each: the call is this one and gives EPERM, or the next one is asked. */
static void forbid(const unsigned* calls, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, jump_to_refusal));
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
}

int main(int count, char** words) {
  if (count < 3 || (strcmp(words[1], "setting") != 0 && strcmp(words[1], "all") != 0)) return 2;
  add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
  forbid(setting, sizeof setting / sizeof *setting);
  if (strcmp(words[1], "all") == 0) forbid(asking, sizeof asking / sizeof *asking);
  add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const struct sock_fprog program = {length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("forbid_policies");
    return 1;
  }
  execvp(words[2], words + 2);
  perror(words[2]);
  return 127;
}
