/* homenode: the region of interest of a program, for C and C++. `homenode lab run` counts and times
 * what lies between hn_roi_begin() and hn_roi_end(), so that reading input and filling arrays can
 * be left out:
 *
 *   #include <homenode/roi.h>
 *   read_input();
 *   hn_roi_begin();
 *   solve();
 *   hn_roi_end();
 *
 * Nothing is linked. Each call is one NOP that the lab recognises by its displacement and a jump to
 * the next instruction: outside the lab nothing happens. Where there is no lab, on processors other
 * than x86-64, the calls are empty.
 *
 * A region belongs to the process: one thread begins it, for all of them, and ends it. Where
 * several processes work together, one begins it by hn_roi_begin_all(). Two regions in turn are
 * counted one by one, and added up by --stats. */
#ifndef HOMENODE_ROI_H
#define HOMENODE_ROI_H

/* The jump ends a block of code that QEMU translates at once, at whose borders counting starts. */
#if defined(__x86_64__)
#define HN_ROI_CODE(kind) ".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long " #kind "\n\tjmp 1f\n1:"
#else
#define HN_ROI_CODE(kind) ""
#endif

/* In the caller's own code, in unoptimised programs too. */
#define HN_ROI_INLINE __attribute__((always_inline)) static inline

/** Begins the region of interest of this process. Inside one it changes nothing. */
HN_ROI_INLINE void hn_roi_begin(void) {
  __asm__ volatile(HN_ROI_CODE(0x484e0001)::: "memory");
}

/** Begins a region of interest in which every process is counted, such as all ranks of MPI: one
 * process begins it for all, and ends it with hn_roi_end(), while the others wait at a barrier.
 * Inside a region it changes nothing. */
HN_ROI_INLINE void hn_roi_begin_all(void) {
  __asm__ volatile(HN_ROI_CODE(0x484e0004)::: "memory");
}

/** Ends the region of interest that this process began. Outside one it changes nothing. */
HN_ROI_INLINE void hn_roi_end(void) {
  __asm__ volatile(HN_ROI_CODE(0x484e0002)::: "memory");
}

/** Gives the calling thread a number, by which its counts can be told from other threads': of
 * OpenMP omp_get_thread_num(). Else the lab numbers threads by their thread pointers. */
HN_ROI_INLINE void hn_roi_thread(unsigned long rank) {
#if defined(__x86_64__)
  __asm__ volatile(HN_ROI_CODE(0x484e0003)::"D"(rank) : "memory");
#else
  (void)rank;
#endif
}

#ifdef __cplusplus
namespace homenode {

/// A region of interest for the life of an object: `const homenode::Roi roi;`, or
/// `const homenode::Roi roi(homenode::Roi::Processes::all);`.
class [[nodiscard]] Roi {
 public:
  enum class Processes {
    own,  ///< This process is counted: hn_roi_begin().
    all   ///< Every process is: hn_roi_begin_all().
  };
  explicit Roi(Processes counted = Processes::own) {
    if (counted == Processes::all) {
      hn_roi_begin_all();
    } else {
      hn_roi_begin();
    }
  }
  ~Roi() { hn_roi_end(); }
  Roi(const Roi&) = delete;
  Roi& operator=(const Roi&) = delete;
};

}  // namespace homenode
#endif

#endif
