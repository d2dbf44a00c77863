/* experiments.h - the experiments there are: recipes papers/PAPER/experiments/NAME.json below this folder, or those that came
 * with the program. */
#ifndef CLI_EXPERIMENTS_H
#define CLI_EXPERIMENTS_H

#include "cli.h"

#include <jansson.h>

enum { CLI_EXPERIMENT_NAME = 512 };

typedef struct cli_experiment {
    char name[CLI_EXPERIMENT_NAME]; /* "ap97/chatter" */
    char path[CLI_PATH + 2 * CLI_EXPERIMENT_NAME];
} cli_experiment;

typedef struct cli_experiments {
    cli_experiment *item; /* in order of paper and name */
    int n;
} cli_experiments;

cli_experiments cli_experiments_find(void);
void cli_experiments_free(cli_experiments *found);
/* The text at a key of a recipe or of what was made of it; "": none. */
const char *cli_experiment_text(const json_t *value, const char *key);
/* As `list experiments --json` prints them. */
json_t *cli_experiments_json(void);

#endif
