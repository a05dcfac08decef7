/* homenode: the C interface. Plain C11, usable from C, C++, Fortran and Python's ctypes.
 *
 * Conventions: functions return 0 on success and a negative hn_status on failure; strings that a
 * function hands out belong to the caller and are freed with hn_string_free(). Nothing is printed,
 * nothing exits, nothing happens before the first call. All functions are thread safe. */
#ifndef HOMENODE_H
#define HOMENODE_H

#ifdef __cplusplus
extern "C" {
#endif

/** What a negative return value means. */
enum hn_status {
  HN_OK = 0,
  HN_FAILED = -1,        /**< Valid, but did not succeed. */
  HN_BAD_USAGE = -2,     /**< The arguments make no sense. */
  HN_NOT_SUPPORTED = -3, /**< This kernel, machine or privilege lacks what is needed. */
};

/** The library's version, such as "0.1.0". Static; never freed. */
const char* hn_version(void);

/** Frees a string that a function of this library handed out. NULL is allowed. */
void hn_string_free(char* string);

/** Describes a machine as JSON (schema homenode.machine/1).
 *
 * @param source  "live", the path of an hwloc XML file, or "synthetic:DESCRIPTION".
 * @param json    on success, the description; on failure, NULL. Owned by the caller.
 * @param error   on failure, one line that says what to do; else NULL. Owned by the caller;
 *                may be NULL when the caller does not want it.
 * @return HN_OK, HN_BAD_USAGE for NULL arguments, HN_FAILED when it cannot be read. */
int hn_machine_json(const char* source, char** json, char** error);

#ifdef __cplusplus
}
#endif

#endif
