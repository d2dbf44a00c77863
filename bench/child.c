/* child.c - a measurement in a process of its own: its memory is counted separately, and a crash does not end the benchmark. */
#include "child.h"

#include "bench.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* half of the machine's memory; nothing on stdout; ends with the parent */
static void confine(void)
{
    rlim_t half = (rlim_t)sysconf(_SC_PHYS_PAGES) / 2 * (rlim_t)sysconf(_SC_PAGESIZE);
    struct rlimit memory = { half, half };
    setrlimit(RLIMIT_AS, &memory);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
    }
}

/* The parent reads the child's CPU time every 10 ms. A timer in the child would make the child's own clock coarse. */
static bool wait_for_answer(pid_t child, int answer, double limit)
{
    struct pollfd event = { .fd = answer, .events = POLLIN };
    clockid_t clock;
    struct timespec spent = { 0, 0 };
    bool known = clock_getcpuclockid(child, &clock) == 0;
    while (poll(&event, 1, 10) == 0) {
        if (known && clock_gettime(clock, &spent) == 0 && (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec > limit) {
            kill(child, SIGKILL);
            return false;
        }
    }
    return true;
}

bench_end bench_in_child(void (*work)(const void *task, void *answer), const void *task, double limit, size_t size, void *answer,
                         double *megabytes)
{
    int ends[2];
    struct rusage used;
    fflush(NULL);
    malloc_trim(0); /* a child begins with what its parent holds */
    if (pipe(ends) != 0) {
        bench_fatal("no pipe");
    }
    pid_t child = fork();
    if (child < 0) {
        bench_fatal("no process");
    }
    if (child == 0) {
        confine();
        work(task, answer);
        _exit(write(ends[1], answer, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    bool in_time = wait_for_answer(child, ends[0], limit), answered = in_time && read(ends[0], answer, size) == (ssize_t)size;
    close(ends[0]);
    wait4(child, NULL, 0, &used);
    *megabytes = (double)used.ru_maxrss / 1024;
    return answered ? BENCH_ANSWERED : in_time ? BENCH_DIED : BENCH_LATE;
}
