/* team.c - threads that wait for loops.
 *
 * The calls of a loop are cut into as many parts as threads take part. A part is published by one number, its ticket: the number
 * of the loop, and how many of the part's calls nobody has taken yet. Whoever lowers a ticket by one has taken a call, and as
 * long as calls are not done the loop stays where it is. So the caller need not wait for a thread that has not come: everyone
 * takes the calls of his own part, then those of others, and in the end the caller waits only for those that others have begun.
 * On a machine that is busy with other things a loop takes about as long as on one thread, and never longer because a thread
 * sleeps.
 *
 * The same thread has the same part of every loop, unless it comes late: what it has written in one loop is in its own cache in
 * the next. In sweeps over coloured contacts the velocities of most bodies stay with one thread so.
 *
 * A thread that finds nothing to take looks for the next loop for a while (SPIN), since loops follow each other within
 * microseconds in such a sweep, and then sleeps until a loop wakes it. It looks at one line of memory only, which changes once
 * a loop, and says once a loop how many calls it has done: a line that goes from one core to another takes as long as a hundred
 * operations, and calls are taken from a line that stays where its thread is.
 *
 * Cost   a loop that finds its threads awake: three lines of memory for each of them, below a microsecond in all; waking one
 *        that sleeps: some microseconds, while the caller works */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST = 255,   /* threads besides the caller's                            */
    SPIN = 4000,  /* looks for the next loop before sleep: some 100 microseconds */
    PATIENT = 200 /* looks at what others have done before they are given the processor */
};

/* calls nobody has taken: the lower half of a ticket; above it the number of the loop */
static const uint64_t LEFT = UINT32_MAX;

typedef struct worker {
    ss_team *team;
    int part;
    pthread_t thread;
} worker;

/* bytes between numbers that different threads write: two cache lines, since processors fetch them in pairs */
enum { APART = 128 };

typedef struct part {
    atomic_uint_fast64_t ticket;
    char apart[APART - sizeof(atomic_uint_fast64_t)];
} part;

/* What is to be done: written before it is published. */
typedef struct loop {
    int calls, parts;
    void (*call)(const void *data, int k);
    const void *data;
} loop;

struct ss_team {
    part part[MOST + 1];       /* 0: of the caller */
    atomic_uint_fast64_t open; /* the last loop: its number, and in the lower half its parts */
    loop loop;
    char apart[APART];
    atomic_uint_fast64_t done; /* calls that others than the callers have done, of all loops */
    char as_well[APART];
    struct {
        atomic_int count;
        pthread_mutex_t lock;
        pthread_cond_t wake;
    } asleep;
    atomic_bool used;       /* a loop is under way            */
    atomic_bool ends;       /* the threads are to go home     */
    uint64_t loops, others; /* so far; `done` as it is between loops */
    pid_t owner;            /* the process that has started the threads: its children have none of them */
    int started;
    worker worker[MOST];
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- taking calls --------------------------------------------------------------------------------- */

/* the first call of part p of a loop of so many parts */
static int first_of(int p, int parts, int calls) { return (int)((int64_t)p * calls / parts); }

/* One call of part p, if there is one left. */
static bool take_one(ss_team *t, int p)
{
    atomic_uint_fast64_t *from = &t->part[p].ticket;
    uint64_t ticket = atomic_load(from);
    while (ticket & LEFT) {
        if (atomic_compare_exchange_weak(from, &ticket, ticket - 1)) {
            t->loop.call(t->loop.data, first_of(p + 1, t->loop.parts, t->loop.calls) - (int)(ticket & LEFT));
            return true;
        }
    }
    return false;
}

/* All that is left of so many parts, beginning with part `own`. Returns the number of calls. */
static int take_all(ss_team *t, int own, int parts)
{
    int taken = 0;
    for (int i = 0; i < parts; i++) {
        while (take_one(t, (own + i) % parts)) {
            taken++;
        }
    }
    return taken;
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* Until another loop than the last one is open, or the end. Returns the loop. */
static uint64_t await(ss_team *t, uint64_t last)
{
    for (int look = 0; look < SPIN; look++) {
        if (atomic_load(&t->open) != last || atomic_load(&t->ends)) {
            return atomic_load(&t->open);
        }
        relax();
    }
    pthread_mutex_lock(&t->asleep.lock);
    atomic_fetch_add(&t->asleep.count, 1); /* before the last look: whoever publishes later sees it */
    while (atomic_load(&t->open) == last && !atomic_load(&t->ends)) {
        pthread_cond_wait(&t->asleep.wake, &t->asleep.lock);
    }
    atomic_fetch_sub(&t->asleep.count, 1);
    pthread_mutex_unlock(&t->asleep.lock);
    return atomic_load(&t->open);
}

/* A loop that a thread comes to late has nothing left, or the next one is there: then it takes calls of that. */
static void *work(void *data)
{
    const worker *w = data;
    ss_team *t = w->team;
    uint64_t last = 0;
    while (!atomic_load(&t->ends)) {
        const int parts = (int)(last & LEFT);
        const int taken = w->part < parts ? take_all(t, w->part, parts) : 0;
        if (taken > 0) {
            atomic_fetch_add(&t->done, (uint64_t)taken);
        }
        last = await(t, last);
    }
    return NULL;
}

static void wake_all(ss_team *t)
{
    if (atomic_load(&t->asleep.count) > 0) {
        pthread_mutex_lock(&t->asleep.lock);
        pthread_cond_broadcast(&t->asleep.wake);
        pthread_mutex_unlock(&t->asleep.lock);
    }
}

/* As many threads as the system gives, `count` at most. Signals are left to the threads of the program. */
static void start(ss_team *t, int count)
{
    sigset_t all, before;
    if (t->started >= count) {
        return;
    }
    t->owner = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (bool good = true; good && t->started < count && t->started < MOST;) {
        worker *w = &t->worker[t->started];
        *w = (worker){ .team = t, .part = t->started + 1 };
        good = pthread_create(&w->thread, NULL, work, w) == 0;
        t->started += good;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- a loop --------------------------------------------------------------------------------------- */

static void publish(ss_team *t, const loop *l)
{
    const uint64_t number = ++t->loops << 32;
    t->loop = *l;
    for (int p = 0; p < l->parts; p++) {
        const int calls = first_of(p + 1, l->parts, l->calls) - first_of(p, l->parts, l->calls);
        atomic_store_explicit(&t->part[p].ticket, number | (uint64_t)calls, memory_order_release);
    }
    atomic_store(&t->open, number | (uint64_t)l->parts);
    wake_all(t);
}

/* until others have done that many calls */
static void wait_for_others(ss_team *t, int calls)
{
    t->others += (uint64_t)calls;
    for (int look = 0; atomic_load(&t->done) != t->others; look++) {
        if (look < PATIENT) {
            relax();
        } else {
            sched_yield();
        }
    }
}

void ss_team_run(ss_team *t, int threads, int calls, void (*call)(const void *data, int k), const void *data)
{
    const int parts = threads < calls ? threads : calls;
    if (parts < 2 || atomic_exchange(&t->used, true)) {
        for (int k = 0; k < calls; k++) {
            call(data, k);
        }
        return;
    }
    start(t, parts - 1);
    publish(t, &(loop){ calls, parts, call, data });
    wait_for_others(t, calls - take_all(t, 0, parts));
    atomic_store(&t->used, false);
}

/* ---- life ----------------------------------------------------------------------------------------- */

size_t ss_team_size(void) { return sizeof(ss_team); }

void ss_team_open(ss_team *t)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->asleep.lock, NULL);
    pthread_cond_init(&t->asleep.wake, NULL);
}

void ss_team_close(ss_team *t)
{
    if (t->started > 0 && t->owner != getpid()) {
        return;
    }
    pthread_mutex_lock(&t->asleep.lock);
    atomic_store(&t->ends, true);
    pthread_cond_broadcast(&t->asleep.wake);
    pthread_mutex_unlock(&t->asleep.lock);
    for (int k = 0; k < t->started; k++) {
        pthread_join(t->worker[k].thread, NULL);
    }
    pthread_cond_destroy(&t->asleep.wake);
    pthread_mutex_destroy(&t->asleep.lock);
}
