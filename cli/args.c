/* args.c - options from tables, in any order around the words; numbers may be expressions. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void cli_list_add(cli_list *list, const char *item)
{
    const char **grown = realloc(list->item, (size_t)(list->n + 1) * sizeof *grown);
    if (!grown) {
        abort();
    }
    list->item = grown;
    list->item[list->n++] = item;
}

void cli_list_free(cli_list *list)
{
    free(list->item);
    *list = (cli_list){ 0 };
}

bool cli_ends_with(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool take_number(ss_context *ctx, const char *option, const char *text, const char *expected, double *out)
{
    if (ss_number_parse(ctx, text, out) == SS_OK) {
        return true;
    }
    cli_say("--%s: expected %s, got \"%.60s\": %s", option, expected, text, ss_last_error(ctx));
    return false;
}

static bool take_positive(ss_context *ctx, const char *option, const char *text, double *out)
{
    if (!take_number(ctx, option, text, "a number > 0", out)) {
        return false;
    }
    if (!(*out > 0)) {
        cli_say("--%s: expected a number > 0, got %s", option, text);
        return false;
    }
    return true;
}

static bool take_amount(ss_context *ctx, const char *option, const char *text, double *out)
{
    if (!take_number(ctx, option, text, "a number >= 0", out)) {
        return false;
    }
    if (!(*out >= 0)) {
        cli_say("--%s: expected a number >= 0, got %s", option, text);
        return false;
    }
    return true;
}

static bool take_whole(ss_context *ctx, const char *option, const char *text, int least, int *out)
{
    char expected[48];
    double x;
    snprintf(expected, sizeof expected, "a whole number >= %d", least);
    if (!take_number(ctx, option, text, expected, &x)) {
        return false;
    }
    if (!(x >= least) || x != floor(x) || x > 1e9) {
        cli_say("--%s: expected %s, got %s", option, expected, text);
        return false;
    }
    *out = (int)x;
    return true;
}

static bool take_value(ss_context *ctx, const cli_option *option, const char *text, const char *second, void *at)
{
    cli_dump *dump = at;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)at = true;
        return true;
    case CLI_TEXT:
        *(const char **)at = text;
        return true;
    case CLI_LIST:
    case CLI_SET:
        cli_list_add(at, text);
        return true;
    case CLI_POSITIVE:
        return take_positive(ctx, option->name, text, at);
    case CLI_AMOUNT:
        return take_amount(ctx, option->name, text, at);
    case CLI_COUNT:
        return take_whole(ctx, option->name, text, 1, at);
    case CLI_SEED:
        return take_whole(ctx, option->name, text, 0, at);
    case CLI_DUMP:
        dump->file = second;
        return take_whole(ctx, option->name, text, 1, &dump->step);
    }
    return false;
}

/* ---- options ----------------------------------------------------------------------------------- */

static bool unknown_option(const cli_command *command, const char *word)
{
    const char *names[64], *bare = word + strspn(word, "-");
    char before[64], shown[64];
    int n = 0;
    for (const cli_option *o = command->options; o && o->name && n < 63; o++) {
        names[n++] = o->name;
    }
    names[n] = NULL;
    snprintf(before, sizeof before, "slipstick %s", command->name);
    snprintf(shown, sizeof shown, "%.*s", (int)strcspn(bare, "="), bare);
    cli_unknown(before, "option --", shown, names);
    return false;
}

static bool matches(const cli_option *option, const char *word)
{
    size_t n = strlen(option->name);
    if (word[1] == '-') {
        return strncmp(word + 2, option->name, n) == 0 && (word[2 + n] == '\0' || word[2 + n] == '=');
    }
    return option->letter && word[1] == option->letter && word[2] == '\0';
}

/* the word after argv[*k], if it is not an option */
static const char *next_word(int argc, char **argv, int *k)
{
    return *k + 1 < argc && strncmp(argv[*k + 1], "--", 2) != 0 ? argv[++*k] : NULL;
}

/* one option at argv[*k]; moves *k to its last word */
static bool take_option(ss_context *ctx, const cli_command *command, int argc, char **argv, int *k, void *options)
{
    const cli_option *o = command->options;
    const char *word = argv[*k], *equals = strchr(word, '='), *value = NULL, *second = NULL;
    while (o && o->name && !matches(o, word)) {
        o++;
    }
    if (!o || !o->name) {
        return unknown_option(command, word);
    }
    if (word[1] == '-' && equals && o->kind != CLI_FLAG) {
        value = equals + 1;
    } else if (o->kind != CLI_FLAG) {
        value = next_word(argc, argv, k);
    }
    if (o->kind == CLI_DUMP) {
        second = next_word(argc, argv, k);
    }
    if ((o->kind != CLI_FLAG && !value) || (o->kind == CLI_DUMP && !second) || (o->kind == CLI_FLAG && equals)) {
        cli_say("slipstick %s: --%s takes %s", command->name, o->name, o->argument ? o->argument : "no value");
        return false;
    }
    return take_value(ctx, o, value, second, (char *)options + o->offset);
}

bool cli_parse(ss_context *ctx, const cli_command *command, int argc, char **argv, void *options, int places, const char **word)
{
    int words = 0;
    bool only_words = false;
    for (int k = 1; k < argc; k++) {
        if (!only_words && strcmp(argv[k], "--") == 0) {
            only_words = true;
        } else if (!only_words && argv[k][0] == '-' && argv[k][1] != '\0') {
            if (!take_option(ctx, command, argc, argv, &k, options)) {
                return false;
            }
        } else if (words < places) {
            word[words++] = argv[k];
        } else {
            cli_say("slipstick %s: unexpected \"%s\"; usage: slipstick %s%s", command->name, argv[k], command->usage,
                    command->options ? " [options]" : "");
            return false;
        }
    }
    return true;
}

bool cli_given(const cli_command *command, const char *what, const char *word)
{
    if (!word) {
        cli_say("slipstick %s: no %s given; usage: slipstick %s [options]", command->name, what, command->usage);
    }
    return word;
}

/* ---- schemes ----------------------------------------------------------------------------------- */

static bool is_scheme(const cli_command *command, const char *word)
{
    const char *names[64];
    char before[64];
    int n = 0;
    if (ss_registry_find(SS_SCHEMES, word)) {
        return true;
    }
    for (; n < ss_registry_count(SS_SCHEMES) && n < 63; n++) {
        names[n] = ss_registry_entry(SS_SCHEMES, n)->name;
    }
    names[n] = NULL;
    snprintf(before, sizeof before, "slipstick %s: --scheme", command->name);
    cli_unknown(before, "scheme", word, names);
    return false;
}

bool cli_take_schemes(const cli_command *command, const char *text, char **letters, cli_list *list)
{
    *letters = text ? strdup(text) : NULL;
    if (text && !*letters) {
        abort();
    }
    for (char *at = *letters; at;) {
        char *comma = strchr(at, ',');
        if (comma) {
            *comma = '\0';
        }
        if (*at == '\0') {
            cli_say("slipstick %s: --scheme: an empty name in \"%.80s\"; expected S or S,S,..", command->name, text);
            return false;
        }
        if (!is_scheme(command, at)) {
            return false;
        }
        cli_list_add(list, at);
        at = comma ? comma + 1 : NULL;
    }
    return true;
}
