/* main.c - slipstick-bench PROGRAM FOLDER [quick|full|scale] [FCLIB FOLDER] [PARTS] [ENGINES]: all measurements in one run. */
#include "bench.h"

#include <slipstick/slipstick.h>

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bench_settings bench_run;

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_fatal(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, list);
    fputs("\n", stderr);
    va_end(list);
    exit(1);
}

void *bench_array(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    if (!p) {
        bench_fatal("out of memory");
    }
    return p;
}

/* ---- tables -------------------------------------------------------------------------------------- */

enum { WIDTH = 17 };

bench_table bench_table_open(const bench_settings *settings, const char *name, const char *title, const char *const *columns)
{
    char path[4096];
    bench_table t = { .csv = NULL };
    snprintf(path, sizeof path, "%s/%s.csv", settings->folder, name);
    t.csv = fopen(path, "w");
    if (!t.csv) {
        bench_fatal("%s cannot be written", path);
    }
    printf("\n%s\n", title);
    for (; columns[t.columns]; t.columns++) {
        printf("%-*s", t.columns == 0 ? 2 * WIDTH : WIDTH, columns[t.columns]);
        fprintf(t.csv, "%s%s", t.columns > 0 ? "," : "", columns[t.columns]);
    }
    printf("\n");
    fprintf(t.csv, "\n");
    return t;
}

void bench_text(bench_table *t, const char *text)
{
    printf("%-*s", t->at == 0 ? 2 * WIDTH : WIDTH, text);
    fprintf(t->csv, "%s%s", t->at > 0 ? "," : "", text);
    if (++t->at == t->columns) {
        printf("\n");
        fprintf(t->csv, "\n");
        t->at = 0;
    }
    fflush(stdout);
}

void bench_number(bench_table *t, double x)
{
    char text[32];
    snprintf(text, sizeof text, isnan(x) ? "-" : "%.4g", x);
    bench_text(t, text);
}

void bench_put_end(bench_table *t, int done, int asked)
{
    char text[48];
    snprintf(text, sizeof text, done < asked ? "cut at %d of %d" : "whole", done, asked);
    bench_text(t, text);
}

void bench_table_close(bench_table *t) { fclose(t->csv); }

/* ---- who is here --------------------------------------------------------------------------------- */

static void say_versions(void)
{
    printf("slipstick %s\n", ss_version());
#ifdef HAVE_ODE
    printf("ODE %s\n", bench_ode.version());
#else
    printf("skipped: ODE is absent (libode-dev)\n");
#endif
#ifdef HAVE_BULLET
    printf("Bullet %s\n", bench_bullet.version());
#else
    printf("skipped: Bullet in double precision is absent (libbullet-dev)\n");
#endif
    printf(bench_siconos_present() ? "Siconos numerics %s\n" : "skipped: Siconos is absent (libsiconos-numerics-dev)%s\n",
           bench_siconos_present() ? SICONOS_PACKAGE_VERSION : "");
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = { { "lcp", bench_lcps },          { "wall", bench_wall },
              { "pile", bench_pile },         { "equal", bench_equal },
              { "friction", bench_friction }, { "convex", bench_convex },
              { "springs", bench_springs },   { "mechanisms", bench_mechanisms },
              { "flexible", bench_flexible } };

int main(int argc, char **argv)
{
    if (argc < 3) {
        bench_fatal("usage: slipstick-bench PROGRAM FOLDER [quick|full|scale] [FCLIB FOLDER] [PART,PART..] [ENGINE,ENGINE..]");
    }
    const char *only = argc > 5 ? argv[5] : "";
    const bool scale = argc > 3 && strcmp(argv[3], "scale") == 0;
    bench_run = (bench_settings){ .program = argv[1], .folder = argv[2] };
    bench_run.full = argc > 3 && strcmp(argv[3], "full") == 0;
    bench_run.fclib = argc > 4 && argv[4][0] ? argv[4] : NULL;
    bench_run.engines = argc > 6 ? argv[6] : "";
    say_versions();
    if (scale) {
        bench_scale();
    }
    for (size_t k = 0; !scale && k < sizeof parts / sizeof *parts; k++) {
        if (!only[0] || strstr(only, parts[k].name)) {
            parts[k].run();
        }
    }
    return 0;
}
