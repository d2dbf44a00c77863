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
 * A thread that finds nothing to take looks again for a while (SPIN), since loops follow each other within microseconds in such
 * a sweep, and then sleeps until a loop wakes it.
 *
 * Cost   a loop that finds its threads awake: two changes of a cache line for each call, below a microsecond in all; waking one
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
    SPIN = 4000,  /* looks at the ticket before sleep: some 50 microseconds  */
    PATIENT = 200 /* looks at what others have done before they are given the processor */
};

/* calls nobody has taken: the lower half of a ticket; above it the number of the loop */
static const uint64_t LEFT = UINT32_MAX;

typedef struct worker {
    ss_team *team;
    int part;
    pthread_t thread;
} worker;

enum { LINE = 64 }; /* bytes of a cache line: what different threads write lies that far apart */

typedef struct part {
    atomic_uint_fast64_t ticket;
    char apart[LINE - sizeof(atomic_uint_fast64_t)];
} part;

/* What is to be done: written before the tickets. */
typedef struct loop {
    int calls, parts;
    void (*call)(const void *data, int k);
    const void *data;
} loop;

struct ss_team {
    part part[MOST + 1]; /* 0: of the caller */
    atomic_int done;     /* calls of the loop */
    char apart[LINE];
    atomic_int sleeping;
    atomic_bool used; /* a loop is under way            */
    atomic_bool ends; /* the threads are to go home     */
    atomic_int open;  /* parts of the loop that is under way; 0: none is */
    loop loop;
    uint64_t loops; /* so far */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pid_t owner; /* the process that has started the threads: its children have none of them */
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
            atomic_fetch_add(&t->done, 1);
            return true;
        }
    }
    return false;
}

/* All that is left, beginning with part `own`. */
static void take_all(ss_team *t, int own)
{
    const int parts = atomic_load(&t->open);
    for (int i = 0; i < parts; i++) {
        while (take_one(t, (own + i) % parts)) {}
    }
}

/* ---- threads -------------------------------------------------------------------------------------- */

/* Does this thread have a part of the loop that is under way, and is something of any part left? */
static bool has_work(ss_team *t, int own)
{
    const int parts = atomic_load(&t->open);
    bool left = false;
    for (int p = 0; own < parts && !left && p < parts; p++) {
        left = (atomic_load(&t->part[p].ticket) & LEFT) != 0;
    }
    return left;
}

/* Until there is something to do, or the end. */
static void await(ss_team *t, int own)
{
    for (int look = 0; look < SPIN; look++) {
        if (has_work(t, own) || atomic_load(&t->ends)) {
            return;
        }
        relax();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleeping, 1); /* before the last look: whoever publishes later sees it */
    while (!has_work(t, own) && !atomic_load(&t->ends)) {
        pthread_cond_wait(&t->wake, &t->lock);
    }
    atomic_fetch_sub(&t->sleeping, 1);
    pthread_mutex_unlock(&t->lock);
}

static void *work(void *data)
{
    const worker *w = data;
    while (!atomic_load(&w->team->ends)) {
        if (has_work(w->team, w->part)) {
            take_all(w->team, w->part);
        }
        await(w->team, w->part);
    }
    return NULL;
}

static void wake_all(ss_team *t)
{
    if (atomic_load(&t->sleeping) > 0) {
        pthread_mutex_lock(&t->lock);
        pthread_cond_broadcast(&t->wake);
        pthread_mutex_unlock(&t->lock);
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
    atomic_store(&t->done, 0);
    for (int p = 0; p < l->parts; p++) {
        const int calls = first_of(p + 1, l->parts, l->calls) - first_of(p, l->parts, l->calls);
        atomic_store(&t->part[p].ticket, number | (uint64_t)calls);
    }
    atomic_store(&t->open, l->parts);
    wake_all(t);
}

static void wait_for_others(ss_team *t, int calls)
{
    for (int look = 0; atomic_load(&t->done) < calls; look++) {
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
    take_all(t, 0);
    wait_for_others(t, calls);
    atomic_store(&t->open, 0);
    atomic_store(&t->used, false);
}

/* ---- life ----------------------------------------------------------------------------------------- */

size_t ss_team_size(void) { return sizeof(ss_team); }

void ss_team_open(ss_team *t)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
}

void ss_team_close(ss_team *t)
{
    if (t->started > 0 && t->owner != getpid()) {
        return;
    }
    pthread_mutex_lock(&t->lock);
    atomic_store(&t->ends, true);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
    for (int k = 0; k < t->started; k++) {
        pthread_join(t->worker[k].thread, NULL);
    }
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
}
