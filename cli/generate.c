/* generate.c - slipstick generate KIND: scenes of any size, the same bytes for the same options. */
#include "generate.h"

#include <math.h>
#include <string.h>

#define KINDS "pile, wall, tower, chain, arch, drum, silo, column, brazil_nut, net, jelly, four_bar"

static const gen_kind *const kinds[] = { &gen_pile,  &gen_wall,     &gen_tower,  &gen_chain,      &gen_arch,
                                         &gen_drum,  &gen_silo,     &gen_column, &gen_brazil_nut, &gen_net,
                                         &gen_jelly, &gen_four_bar, NULL };

#define OPTION(word, field, type, what, text)                                                                                    \
    {                                                                                                                            \
        .name = word, .kind = type, .offset = offsetof(gen_options, field), .argument = what, .doc = text                        \
    }

static const cli_option options_table[] = {
    OPTION("bodies", bodies, CLI_COUNT, "N", "number of bodies"),
    OPTION("seed", seed, CLI_SEED, "K",
           "seed of the random sizes, positions and orientations (0); chain: tilts the rods at random (default: no tilt)"),
    OPTION("dimension", dimension, CLI_COUNT, "2|3", "dimension of the scene (pile, wall, tower, net, jelly: 3; others: 2)"),
    OPTION("mu", mu, CLI_AMOUNT, "MU", "coefficient of friction (0.5; arch: 2)"),
    OPTION("density", density, CLI_POSITIVE, "D", "density, kg/m^3, in 2D kg/m^2 (grains and arch: 2500; others: 1000)"),
    OPTION("shape", shape, CLI_TEXT, "S",
           "shape of grains: sphere, box, capsule, cylinder, polygon (2D), hull (3D); of tower blocks: box, cylinder"),
    OPTION("radius", radius, CLI_POSITIVE, "R", "grains: mean radius of the sphere around a grain, m (0.1)"),
    OPTION("size-spread", size_spread, CLI_AMOUNT, "S",
           "spread of sizes about the mean: uniform in 1-S .. 1+S, or standard deviation of the logarithm (0)"),
    OPTION("sizes", sizes, CLI_TEXT, "LAW", "distribution of sizes: uniform or lognormal (uniform)"),
    OPTION("side", side, CLI_POSITIVE, "L",
           "wall, tower, net: side of a block, m (1; net: 0.1); jelly: distance of the balls (0.2)"),
    OPTION("columns", columns, CLI_COUNT, "N", "wall, net: blocks in a row (square root of the number of bodies)"),
    OPTION("bond", bond, CLI_AMOUNT, "B", "wall: shift of every other row, in blocks, below 1/2; 0: stacked (1/4)"),
    OPTION("dampers", dampers, CLI_SEED, "N", "wall: blocks that a damper each ties to the world (0)"),
    OPTION("damping", damping, CLI_POSITIVE, "C", "wall: of such a damper, N s/m (1e-3)"),
    OPTION("mass-ratio", mass_ratio, CLI_POSITIVE, "Q", "tower: mass of the top block over that of the bottom one (1)"),
    OPTION("link", link, CLI_POSITIVE, "L", "chain: length of a rod, m (0.1)"),
    OPTION("loops", loops, CLI_COUNT, "N", "four_bar: number of loops; there are 2 N + 1 rods (40)"),
    OPTION("thickness", thickness, CLI_POSITIVE, "T", "arch: thickness over mean radius; the mean radius is 1 m (0.12)"),
    OPTION("depth", depth, CLI_POSITIVE, "D", "3D: depth of arch, drum, silo or column, m"),
    OPTION("width", width, CLI_POSITIVE, "W", "pile, silo, column: width of the container, m; drum: its diameter"),
    OPTION("outlet", outlet, CLI_POSITIVE, "D", "silo: width of the outlet, m (10 R)"),
    OPTION("slope", slope, CLI_AMOUNT, "A", "silo: angle of the hopper plates above the horizontal, rad; 0: flat floor (pi/4)"),
    OPTION("aspect", aspect, CLI_POSITIVE, "A", "column: approximate ratio of height to width before the gate opens (2)"),
    OPTION("opens-at", opens_at, CLI_AMOUNT, "T",
           "silo, column: time at which the gate opens, s (default: after the grains have settled)"),
    OPTION("speed", speed, CLI_POSITIVE, "F", "drum: turns per second (0.1)"),
    OPTION("fill", fill, CLI_POSITIVE, "F", "drum: fraction of its area that is loosely filled at the start, below 0.9 (0.5)"),
    OPTION("stiffness", stiffness, CLI_POSITIVE, "K", "jelly: of its springs, N/m (1e6)"),
    { .name = "output",
      .letter = 'o',
      .kind = CLI_TEXT,
      .offset = offsetof(gen_options, file),
      .argument = "SCENE",
      .doc = "file to write (standard output)" },
    { .name = NULL },
};

/* ---- options: given, taken, left to their defaults ------------------------------------------------ */

static void unset(const cli_option *option, void *at)
{
    if (option->kind == CLI_TEXT) {
        *(const char **)at = NULL;
    } else if (option->kind == CLI_COUNT || option->kind == CLI_SEED) {
        *(int *)at = -1;
    } else {
        *(double *)at = NAN;
    }
}

static bool is_set(const cli_option *option, const void *at)
{
    if (option->kind == CLI_TEXT) {
        return *(const char *const *)at != NULL;
    }
    return option->kind == CLI_COUNT || option->kind == CLI_SEED ? *(const int *)at >= 0 : !isnan(*(const double *)at);
}

static const gen_default *default_of(const gen_kind *kind, const char *option)
{
    const gen_default *d = kind->takes;
    while (d->option && strcmp(d->option, option) != 0) {
        d++;
    }
    return d->option ? d : NULL;
}

/* false: an option was given that this kind does not take */
static bool fill_in(const gen_kind *kind, gen_options *o)
{
    for (const cli_option *option = options_table; option->name; option++) {
        const gen_default *d = default_of(kind, option->name);
        void *at = (char *)o + option->offset;
        bool set = is_set(option, at);
        if (set && !d && strcmp(option->name, "output") != 0) {
            cli_say("slipstick generate: --%s does not apply to a %s", option->name, kind->name);
            return false;
        }
        if (!set && d && option->kind != CLI_TEXT && !isnan(d->value)) {
            if (option->kind == CLI_COUNT || option->kind == CLI_SEED) {
                *(int *)at = (int)d->value;
            } else {
                *(double *)at = d->value;
            }
        }
    }
    return true;
}

/* one of the words in "a|b|c"; the first if none was given */
static bool choose(const char *option, const char *choices, const char **word)
{
    static const char *const known[] = {
        "sphere", "box", "capsule", "cylinder", "polygon", "hull", "uniform", "lognormal", NULL
    };
    const char *names[16];
    int n = 0;
    for (int k = 0; choices && known[k]; k++) {
        const char *at = strstr(choices, known[k]);
        if (at == choices && !*word) {
            *word = known[k];
        }
        if (at) {
            names[n++] = known[k];
        }
        if (at && *word && strcmp(*word, known[k]) == 0) {
            return true;
        }
    }
    names[n] = NULL;
    if (*word) {
        cli_unknown("slipstick generate", option, *word, names);
    }
    return !choices && !*word;
}

/* does the library have this shape, and in this dimension? */
static bool shape_exists(const gen_options *o)
{
    const ss_entry *entry = o->shape ? ss_registry_find(SS_SHAPES, o->shape) : NULL;
    bool fits = !o->shape || (entry && entry->dimensions & 1u << o->dimension);
    if (!fits) {
        cli_say("slipstick generate: --shape %s: not available in %dD", o->shape, o->dimension);
    }
    return fits;
}

/* ---- command ----------------------------------------------------------------------------------- */

static const gen_kind *find_kind(const char *word)
{
    const char *names[sizeof kinds / sizeof *kinds];
    int n = 0;
    for (; word && kinds[n]; n++) {
        if (strcmp(word, kinds[n]->name) == 0) {
            return kinds[n];
        }
        names[n] = kinds[n]->name;
    }
    names[n] = NULL;
    if (word) {
        cli_unknown("slipstick generate", "kind", word, names);
    } else {
        cli_say("slipstick generate: no kind given; usage: slipstick %s [options]", cli_generate.usage);
    }
    return NULL;
}

static int run(ss_context *ctx, int argc, char **argv)
{
    gen_options o;
    const char *word[1] = { NULL };
    for (const cli_option *option = options_table; option->name; option++) {
        unset(option, (char *)&o + option->offset);
    }
    if (!cli_parse(ctx, &cli_generate, argc, argv, &o, 1, word)) {
        return CLI_USAGE;
    }
    const gen_kind *kind = find_kind(word[0]);
    if (!kind || !fill_in(kind, &o) || !choose("shape", kind->shapes, &o.shape) ||
        !choose("law of sizes", "uniform|lognormal", &o.sizes)) {
        return CLI_USAGE;
    }
    if (o.dimension != 2 && o.dimension != 3) {
        cli_say("--dimension: expected 2 or 3, got %d", o.dimension);
        return CLI_USAGE;
    }
    if (!shape_exists(&o)) {
        return CLI_USAGE;
    }
    gen g = { .kind = kind, .path = o.file, .dimension = o.dimension, .digits = kind->granular ? 9 : 0, .failure = CLI_USAGE };
    g.random = (uint64_t)(o.seed < 0 ? 0 : o.seed);
    return kind->write(&g, &o) ? CLI_DONE : g.failure;
}

const cli_command cli_generate = {
    .name = "generate",
    .usage = "generate KIND",
    .words = KINDS,
    .doc = "write a scene of any size: " KINDS,
    .options = options_table,
    .run = run,
};
